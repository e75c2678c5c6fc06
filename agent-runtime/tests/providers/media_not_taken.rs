//! Tests that media which a provider does not take are an error in the input, and a text everywhere else.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::{Server, status};
use agent_runtime::conversation::{Audio, Document, Image, Part, ToolCall};
use agent_runtime::runtime::Input;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, Conversation, Environment, Event, Message, Runtime};
use serde_json::Value;
use std::time::Duration;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const WAV: &[u8] = b"RIFF\0\0\0\0WAVE";
const ALL: [Dialect; 5] = [ANTHROPIC, GOOGLE, OLLAMA, OPENAI, RESPONSES];

/// Sends a message after a conversation, and returns the request and the conversation after it.
async fn go_on(dialect: &Dialect, said: &[Message], input: Input) -> (Value, Conversation) {
    let server = Server::start(vec![dialect.answer("hello.json")]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let agent = Agent::new("a", dialect.model, "Look.").expect("an agent");
    let mut conversation: Conversation = said.iter().cloned().collect();
    let response = runtime
        .run(&agent, input)
        .conversation(&mut conversation)
        .await;
    response.expect("an answer");
    (server.requests()[0].json(), conversation)
}

/// The messages of a request, without marks of caches.
fn messages(request: &Value) -> Vec<Value> {
    let messages = ["messages", "contents", "input"].map(|key| request[key].as_array());
    messages.into_iter().flatten().flatten().cloned().collect()
}

#[tokio::test]
async fn media_of_an_answer_that_nobody_takes_are_sent_as_a_text_that_never_changes() {
    let said = [
        Message::user("Speak"),
        Message::assistant_parts([
            Audio::new(b"\0\x01\x02")
                .with_media_type("audio/L16;codec=pcm;rate=24000")
                .into(),
            Image::new([]).with_media_type("image/png").into(),
        ]),
    ];
    for dialect in ALL {
        let (first, conversation) = go_on(&dialect, &said, "And now?".into()).await;
        let text = first.to_string();
        let provider = dialect.model.split('/').next().expect("a provider");
        for words in [
            format!("[A part of the type `audio`, `audio/l16` is not sent to {provider}: it "),
            format!(
                "[A part of the type `image`, `image/png` is not sent to {provider}: it has no bytes]"
            ),
        ] {
            assert!(text.contains(&words), "{words}: {text}");
        }
        // The conversation keeps the parts.
        assert_eq!(conversation.messages()[..2], said);
        let (second, _) = go_on(&dialect, conversation.messages(), "And then?".into()).await;
        // The last two messages of the second request are new. Anthropic's marks of caches move.
        if dialect.folder != "anthropic" {
            let (first, second) = (messages(&first), messages(&second));
            assert_eq!(second[..first.len()], first, "{provider}");
        }
    }
}

#[tokio::test]
async fn media_of_results_and_earlier_turns_are_sent_as_a_text_that_names_the_reason() {
    let pdf = || Part::from(Document::new(b"%PDF-1.7\n").with_name("a.pdf"));
    for (dialect, part, words) in [
        (
            &ANTHROPIC,
            Audio::new(WAV).into(),
            "takes no parts of the type `audio`",
        ),
        (
            &RESPONSES,
            Audio::new(WAV).into(),
            "takes no parts of the type `audio`",
        ),
        (
            &OLLAMA,
            pdf(),
            "`application/pdf`, `a.pdf` is not sent to Ollama: it takes documents of text only",
        ),
        (
            &GOOGLE,
            Image::from_file_id("OpenAI", "file-1").into(),
            "the file was uploaded to OpenAI",
        ),
        (
            &OLLAMA,
            Image::from_url("https://example.com/a.png").into(),
            "the host of the URL is not granted",
        ),
        (
            &OPENAI,
            Image::new(b"hello").with_media_type("image/png").into(),
            "the bytes of the image are `text/plain`, not an image",
        ),
    ] {
        let part: Part = part;
        let call = ToolCall::new("c", "look", "{}");
        let result = Message::function_parts("look", "c", ["Here:".into(), part.clone()]);
        let of_tool = [
            Message::user("Look"),
            Message::assistant("").with_tool_calls([call]),
            result,
            Message::assistant("Seen."),
        ];
        let of_turn = [Message::user_parts([part]), Message::assistant("Seen.")];
        for said in [&of_tool[..], &of_turn] {
            let (request, conversation) = go_on(dialect, said, "And now?".into()).await;
            let text = request.to_string();
            assert!(text.contains(words), "{words}: {text}");
            assert_eq!(conversation.messages()[..said.len()], *said);
        }
    }
}

#[tokio::test]
async fn bytes_are_sent_with_the_media_type_that_they_show() {
    let input = || Input::new("What?").image(Image::new(PNG).with_media_type("image/jpeg"));
    for dialect in [ANTHROPIC, GOOGLE, OPENAI, RESPONSES] {
        let (request, _) = go_on(&dialect, &[], input()).await;
        let text = request.to_string();
        assert!(
            text.contains("image/png") && !text.contains("image/jpeg"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn media_of_the_input_that_are_none_are_an_error_before_the_request() {
    for dialect in ALL {
        let server = Server::start(Vec::new());
        let runtime = dialect.runtime(&server).build().expect("a runtime");
        let agent = Agent::new("a", dialect.model, "Look.").expect("an agent");
        let image = Image::new(b"hello").with_media_type("image/png");
        let mut stream = runtime
            .run(&agent, Input::new("What?").image(image))
            .stream();
        let mut last = None;
        while let Some(event) = stream.next().await {
            // An error before anything is sent is no request.
            assert!(!matches!(event, Ok(Event::ModelCalled { .. })), "{event:?}");
            last = Some(event);
        }
        let error = last.expect("an error").expect_err("an error");
        assert!(error.is_validation(), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains("part 2 of message 1 (type `image`) cannot be sent"),
            "{text}"
        );
        assert!(
            text.contains("the bytes of the image are `text/plain`"),
            "{text}"
        );
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn a_fallback_that_does_not_take_a_part_of_the_input_is_skipped() {
    let unavailable = || status(503, "{}");
    for (fallback, answers) in [
        (r#"["Ollama/m", "Anthropic/c"]"#, true),
        (r#"["Ollama/m"]"#, false),
    ] {
        let mut replies = vec![unavailable(), unavailable(), unavailable()];
        if answers {
            replies.push(ANTHROPIC.answer("hello.sse"));
        }
        let server = Server::start(replies);
        let runtime = Runtime::builder()
            .environment(Environment::from_pairs([
                OPENAI.key,
                ANTHROPIC.key,
                ("OPENAI_BASE_URL", server.base_url().as_str()),
                ("ANTHROPIC_BASE_URL", server.base_url().as_str()),
            ]))
            .retry_pause(Duration::from_millis(1))
            .build()
            .expect("a runtime");
        let gram = format!(
            "[a:Agent {{instruction: \"Look.\", model: \"OpenAI/m\", fallback: {fallback}}}]"
        );
        let agent = AgentPattern::parse(&gram).expect("an agent");
        let input = Input::new("What?").document(Document::new(b"%PDF-1.7\n"));
        let mut stream = runtime.run(&agent, input).stream();
        let (mut called, mut error) = (Vec::new(), None);
        while let Some(event) = stream.next().await {
            match event {
                Ok(Event::ModelCalled { model, .. }) => called.push(model.to_string()),
                Ok(_) => {}
                Err(found) => error = Some(found),
            }
        }
        match answers {
            true => {
                assert!(error.is_none(), "{called:?}: {error:?}");
                assert_eq!(called, ["OpenAI/m", "Anthropic/c"]);
            }
            false => {
                let error = error.expect("the first error");
                assert!(error.to_string().contains("503"), "{error}");
                assert_eq!(called, ["OpenAI/m"]);
            }
        }
    }
}

/// The texts of an answer are pieces of one text.
#[tokio::test]
async fn the_text_in_the_place_of_an_image_of_an_answer_is_a_paragraph() {
    let broken = Image::new([]).with_media_type("image/png");
    let said = [
        Message::user("Draw"),
        Message::assistant_parts(["Here:".into(), broken.into(), "a cat".into()]),
    ];
    let (request, _) = go_on(&OPENAI, &said, "And now?".into()).await;
    assert_eq!(
        request["messages"][2]["content"],
        "Here:\n\n[A part of the type `image`, `image/png` is not sent to OpenAI: it has no bytes]\n\na cat"
    );
}

/// Its header has no size, so that each provider would reject the request.
#[tokio::test]
async fn an_image_that_is_cut_off_is_no_image() {
    let cut = || Image::new(&PNG[..16]);
    let call = ToolCall::new("c", "look", "{}");
    let said = [
        Message::user("Look"),
        Message::assistant("").with_tool_calls([call]),
        Message::function_parts("look", "c", [cut().into()]),
        Message::assistant("Seen."),
    ];
    for dialect in ALL {
        let (request, _) = go_on(&dialect, &said, "And now?".into()).await;
        let text = request.to_string();
        assert!(text.contains("is cut off or damaged"), "{text}");
    }
}
