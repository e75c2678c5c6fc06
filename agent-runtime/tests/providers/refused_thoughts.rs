//! Tests that a conversation goes on without the thoughts that its provider refuses. The texts of the errors are
//! those that users of the providers report.

use crate::providers::exchange::{Dialect, GOOGLE, RESPONSES};
use crate::support::server::{Answer, Server, status, streamed};
use crate::support::{hello_tool, library};
use agent_runtime::{Conversation, Error};
use serde_json::{Value, json};

/// An error of OpenAI: another key or organization encrypted the reasoning, or its text was changed.
fn openai_refuses(text: &str, code: Option<&str>) -> Answer {
    let error =
        json!({"message": text, "type": "invalid_request_error", "param": null, "code": code});
    status(400, &json!({ "error": error }).to_string())
}

fn google_refuses(text: &str) -> Answer {
    let error = json!({"code": 400, "message": text, "status": "INVALID_ARGUMENT"});
    status(400, &json!({ "error": error }).to_string())
}

/// Asks twice, with a call in the first turn. Returns the requests, and the error of the second turn.
async fn two_turns(
    dialect: &Dialect,
    refusals: Vec<Answer>,
    is_streamed: bool,
) -> (Vec<Value>, Option<Error>) {
    let ending = if is_streamed {
        dialect.stream.1
    } else {
        ".json"
    };
    let answer = |name: &str| dialect.answer(&format!("{name}{ending}"));
    let signed = match dialect.folder {
        "google" => "calls_signed",
        _ => "calls_thinking",
    };
    let mut answers = vec![answer(signed), answer("hello")];
    answers.extend(refusals);
    answers.push(answer("hello"));
    let server = Server::start(answers);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let (agent, library) = (dialect.agent(), library([hello_tool()]));
    let mut conversation = Conversation::new();
    let mut error = None;
    for input in ["Hello, I'm Ada", "And now?"] {
        let run = runtime.run(&agent, input).tools(&library);
        let run = run.conversation(&mut conversation);
        let response = match is_streamed {
            true => run.streaming().await,
            false => run.await,
        };
        error = response.err();
    }
    (
        server
            .requests()
            .iter()
            .map(|request| request.json())
            .collect(),
        error,
    )
}

#[tokio::test]
async fn openai_gets_no_reasoning_that_it_cannot_decrypt() {
    let code = Some("invalid_encrypted_content");
    for (text, code) in [
        (
            "The encrypted content gAAA...DQ== could not be verified.",
            code,
        ),
        (
            "The encrypted content for item rs_0a18 could not be verified. Reason: Encrypted content could not be \
             decrypted or parsed.",
            None,
        ),
    ] {
        for is_streamed in [false, true] {
            let refusals = vec![openai_refuses(text, code)];
            let (requests, error) = two_turns(&RESPONSES, refusals, is_streamed).await;
            assert!(error.is_none(), "{error:?}");
            let sent = |at: usize| requests[at]["input"].to_string();
            assert!(sent(2).contains("encrypted_content"), "{}", sent(2));
            assert!(!sent(3).contains("\"reasoning\""), "{}", sent(3));
            for kept in ["function_call_output", "Grüß dich, Ada 👋!", "And now?"] {
                assert!(sent(3).contains(kept), "{}", sent(3));
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_within_a_stream_is_one_too() {
    let error = json!({"code": "invalid_encrypted_content", "message": "The encrypted content could not be verified."});
    let response = json!({"id": "resp_1", "status": "failed", "output": [], "error": error});
    let event = json!({"type": "response.failed", "response": response});
    let refusal = streamed("text/event-stream", format!("data: {event}\n\n"));
    let (requests, error) = two_turns(&RESPONSES, vec![refusal], true).await;
    assert!(error.is_none(), "{error:?}");
    assert!(!requests[3]["input"].to_string().contains("\"reasoning\""));
}

#[tokio::test]
async fn google_gets_no_signature_that_it_refuses() {
    for text in [
        "Corrupted thought signature.",
        "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/",
        "Function call is missing a thought_signature in functionCall parts.",
        "Unable to submit request because function call `sayHello` in the 2. content block is missing a \
         `thought_signature`.",
    ] {
        for is_streamed in [false, true] {
            let (requests, error) =
                two_turns(&GOOGLE, vec![google_refuses(text)], is_streamed).await;
            assert!(error.is_none(), "{error:?}");
            let parts = |at: usize| requests[at]["contents"][1]["parts"].clone();
            let signatures = |at: usize| -> Vec<String> {
                let parts = parts(at);
                let parts = parts.as_array().expect("parts").iter();
                let signatures = parts.filter_map(|part| part["thoughtSignature"].as_str());
                signatures.map(str::to_owned).collect()
            };
            assert!(signatures(2)[0].starts_with("CiQB0e2K"), "{text}");
            // Newer models reject a call without any signature.
            assert_eq!(
                signatures(3),
                ["skip_thought_signature_validator"],
                "{text}"
            );
            assert!(!parts(3).to_string().contains("\"thought\""), "{text}");
        }
    }
}

#[tokio::test]
async fn an_error_that_stays_says_what_to_do() {
    let corrupted = || google_refuses("Corrupted thought signature.");
    let unverified = || openai_refuses("The encrypted content could not be verified.", None);
    for (dialect, refusals) in [
        (&GOOGLE, vec![corrupted(), corrupted()]),
        (&RESPONSES, vec![unverified(), unverified()]),
    ] {
        let (requests, error) = two_turns(dialect, refusals, false).await;
        // Sent once with the thoughts, and once without them.
        assert_eq!(requests.len(), 4);
        let error = error.expect("an error").to_string();
        let advice = "; thoughts are accepted only as the model wrote them, and with the key";
        assert!(error.contains(advice) && !error.contains(".;"), "{error}");
    }
}
