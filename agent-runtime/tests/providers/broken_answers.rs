//! Answers that break off: they are asked for again, but not after a part of a streamed answer.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::{Answer, Server, status, streamed};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Error, Event};
use std::time::Duration;

const DIALECTS: [Dialect; 5] = [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

const HELLO: &str = "Grüß dich, Ada 👋!";

/// An answer whose connection ends before the length in its head.
fn cut(kind: &str, body: &str) -> Answer {
    let length = body.len() + 1_000;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    Answer::Raw(format!("{head}connection: close\r\n\r\n{body}").into_bytes())
}

/// The text and outcome of a run, and the number of its requests.
struct Told {
    text: String,
    outcome: Result<String, Error>,
    requests: usize,
}

async fn ask(
    dialect: &Dialect,
    is_streamed: bool,
    answers: Vec<Answer>,
    build: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
) -> Told {
    let server = Server::start(answers);
    let runtime = build(dialect.runtime(&server)).build().expect("a runtime");
    let gram = format!(
        "[a:Agent {{instruction: \"Greet.\", model: \"{}\"}}]",
        dialect.model
    );
    let agent = AgentPattern::parse(&gram).expect("an agent");
    let mut conversation = Conversation::new();
    let run = runtime.run(&agent, "Hi").conversation(&mut conversation);
    let (mut text, mut outcome) = (String::new(), Ok(String::new()));
    if is_streamed {
        let mut stream = run.stream();
        while let Some(event) = stream.next().await {
            match event {
                Ok(Event::TextDelta { text: piece, .. }) => text.push_str(&piece),
                Ok(Event::Finished { response, .. }) => outcome = Ok(response.content),
                Ok(_) => {}
                Err(error) => outcome = Err(error),
            }
        }
    } else {
        outcome = run.await.map(|response| response.content);
    }
    Told {
        text,
        outcome,
        requests: server.requests().len(),
    }
}

/// A stream that ends at any byte is asked for again if nothing of it was told, and never otherwise.
#[tokio::test]
async fn a_stream_that_ends_before_its_first_part_is_asked_for_again() {
    for dialect in DIALECTS {
        let (kind, ending) = dialect.stream;
        let whole = dialect.read(&format!("hello{ending}"));
        let first_part = whole.find("Grüß").expect("a first part");
        let places = [0, 1, 5, first_part / 2, first_part, first_part + 4];
        let line_end = if ending == ".sse" { "\n\n" } else { "\n" };
        let frames = whole.match_indices(line_end);
        let frames = frames.map(|(at, end)| at + end.len());
        let mut places: Vec<usize> = frames.chain(places).collect();
        places.retain(|at| whole.is_char_boundary(*at));
        let (mut again, mut never) = (0, 0);
        for at in places {
            for is_length_told in [false, true] {
                let begun = &whole[..at];
                let first = match is_length_told {
                    true => cut(kind, begun),
                    false => streamed(kind, begun),
                };
                let answers = vec![first, dialect.answer(&format!("hello{ending}"))];
                let told = ask(&dialect, true, answers, |runtime| runtime).await;
                let what = format!("{} at {at}: {:?}", dialect.folder, told.outcome);
                match (told.requests, &told.outcome) {
                    (2, Ok(content)) => {
                        assert_eq!(
                            (content.as_str(), told.text.as_str()),
                            (HELLO, HELLO),
                            "{what}"
                        );
                        again += 1;
                    }
                    // Its end mark is all that it lacks.
                    (1, Ok(content)) => assert_eq!(content, HELLO, "{what}"),
                    (1, Err(error)) => {
                        assert!(
                            !told.text.is_empty() && HELLO.starts_with(&told.text),
                            "{what}"
                        );
                        assert!(error.to_string().contains("broke its answer off"), "{what}");
                        assert!(!error.is_unavailable(), "{what}");
                        never += 1;
                    }
                    _ => panic!("{what}, {} requests", told.requests),
                }
            }
        }
        assert!(
            again >= 8 && never > 0,
            "{}: {again}, {never}",
            dialect.folder
        );
    }
}

#[tokio::test]
async fn a_plain_answer_that_is_cut_is_asked_for_again() {
    for dialect in DIALECTS {
        let whole = dialect.read("hello.json");
        let emoji = whole.find('👋').expect("an emoji");
        let mut places = vec![0, 1, emoji, whole.trim_end().len() - 1];
        places.extend((0..whole.len()).step_by(whole.len() / 7).skip(1));
        places.retain(|at| *at < whole.trim_end().len());
        for at in places {
            let bytes = &whole.as_bytes()[..at];
            let text = String::from_utf8_lossy(bytes);
            for first in [
                cut("application/json", &text),
                streamed("application/json", bytes.to_vec()),
                // In the middle of a character.
                streamed("application/json", whole.as_bytes()[..emoji + 2].to_vec()),
            ] {
                let answers = vec![first, dialect.answer("hello.json")];
                let told = ask(&dialect, false, answers, |runtime| runtime).await;
                let what = format!("{} at {at}", dialect.folder);
                assert_eq!(told.outcome.expect(&what), HELLO, "{what}");
                assert_eq!(told.requests, 2, "{what}");
            }
        }
    }
}

/// Errors that may pass, in place of an answer or before its first part, and errors that may not.
#[tokio::test]
async fn an_error_in_a_stream_is_met_as_one_in_place_of_it() {
    let event = |error: &str| format!("data: {{\"error\": {error}}}\n\n");
    let anthropic = |kind: &str| {
        let begun = ANTHROPIC.read("hello.sse");
        let (begun, _) = begun
            .split_once("event: content_block_start")
            .expect("a block");
        let error = format!(
            "{{\"type\": \"error\", \"error\": {{\"type\": \"{kind}\", \"message\": \"no\"}}}}"
        );
        format!("{begun}event: error\ndata: {error}\n\n")
    };
    for (dialect, body, requests) in [
        (
            OPENAI,
            event("{\"type\": \"server_error\", \"message\": \"no\"}"),
            2,
        ),
        (OPENAI, event("{\"code\": 503, \"message\": \"no\"}"), 2),
        (
            OPENAI,
            event("{\"code\": \"insufficient_quota\", \"message\": \"no\"}"),
            1,
        ),
        (OPENAI, event("{\"code\": 400, \"message\": \"no\"}"), 1),
        (OPENAI, "data: {\"choices\":\n\n".to_owned(), 1),
        (ANTHROPIC, anthropic("overloaded_error"), 2),
        // The provider has waited already.
        (ANTHROPIC, anthropic("timeout_error"), 1),
        (ANTHROPIC, anthropic("invalid_request_error"), 1),
    ] {
        let answers = vec![
            streamed("text/event-stream", body.as_str()),
            dialect.answer("hello.sse"),
        ];
        let told = ask(&dialect, true, answers, |runtime| runtime).await;
        assert_eq!(
            (told.requests, told.outcome.is_ok()),
            (requests, requests == 2),
            "{body}"
        );
    }
}

#[tokio::test]
async fn answers_that_break_off_count_with_the_other_attempts() {
    let broken = || streamed("text/event-stream", ": alive\n\n");
    for is_streamed in [false, true] {
        let broken = || match is_streamed {
            true => broken(),
            false => cut("application/json", "{\"choices\""),
        };
        let answers = vec![broken(), status(503, "busy"), broken(), broken()];
        let told = ask(&OPENAI, is_streamed, answers, |runtime| runtime).await;
        assert_eq!(told.requests, 3);
        let error = told.outcome.expect_err("no answer");
        assert!(error.is_unavailable(), "{error:?}");
        assert!(
            error.to_string().contains("broke its answer off"),
            "{error}"
        );
        let answers = vec![broken(), broken()];
        let told = ask(&OPENAI, is_streamed, answers, |runtime| {
            runtime.max_attempts(1)
        })
        .await;
        assert_eq!((told.requests, told.outcome.is_err()), (1, true));
        // Nobody listens any more.
        let told = ask(&OPENAI, is_streamed, vec![broken()], |runtime| runtime).await;
        let error = told.outcome.expect_err("no answer").to_string();
        assert!(error.contains("broke its answer off"), "{error}");
    }
}

#[tokio::test]
async fn a_fallback_answers_when_all_answers_break_off() {
    let broken = || cut("text/event-stream", "");
    let answers = vec![broken(), broken(), broken(), OPENAI.answer("hello.sse")];
    let server = Server::start(answers);
    let runtime = OPENAI.runtime(&server).build().expect("a runtime");
    let gram =
        "[a:Agent {instruction: \"x\", model: \"OpenAI/first\", fallback: [\"OpenAI/second\"]}]";
    let agent = AgentPattern::parse(gram).expect("an agent");
    let response = runtime.run(&agent, "Hi").streaming().await;
    assert_eq!(response.expect("an answer").content, HELLO);
    let requests = server.requests();
    let models = requests
        .iter()
        .map(|request| request.json()["model"].clone());
    let models: Vec<_> = models.collect();
    assert_eq!(models, ["first", "first", "first", "second"]);
}

/// The time limit of the request counts for all its attempts.
#[tokio::test]
async fn an_answer_that_breaks_off_late_is_not_asked_for_again() {
    let late = Answer::Pieces(
        "text/event-stream",
        vec![(Duration::from_millis(1_500), b": alive\n\n".to_vec())],
    );
    let answers = vec![late, OPENAI.answer("hello.sse")];
    let limit = Duration::from_secs(1);
    let build = |runtime: RuntimeBuilder| runtime.model_timeout(limit);
    let told = ask(&OPENAI, true, answers, build).await;
    assert_eq!((told.requests, told.outcome.is_err()), (1, true));
}
