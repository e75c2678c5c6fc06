//! Every sink of what is said, held against every form that a key can have: nothing is left of it.

use crate::recorder::recorded;
use crate::support::server::{Answer, Server, status, streamed, text};
use crate::support::{agent, config, library, spec};
use agent_runtime::redact::Redactor;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::testing::Cassette;
use agent_runtime::{AgentResponse, Conversation, Environment, Event, Runtime};
use serde_json::{Value, json};
use std::path::Path;

/// A key with characters that every encoding escapes.
const KEY: &str = "sK \"q+/y%\\-1234567890";

/// A piece of a form of this length is not left by chance.
const PIECE: usize = 8;

fn json_escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

fn percent_encoded(text: &str, is_plain: fn(&u8) -> bool) -> String {
    let encode = |byte: u8| match byte {
        byte if is_plain(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=group.len() {
            let sextet = bits >> (18 - 6 * at) & 63;
            encoded.push(char::from(ALPHABET[sextet as usize]));
        }
    }
    while !encoded.len().is_multiple_of(4) {
        encoded.push('=');
    }
    encoded
}

fn forms() -> Vec<(&'static str, String)> {
    let is_plain: fn(&u8) -> bool = u8::is_ascii_alphanumeric;
    let percent = percent_encoded(KEY, is_plain);
    let by_number = |text: &str| -> String {
        let escaped = text.bytes().map(|byte| format!("\\u{byte:04x}"));
        escaped.collect()
    };
    vec![
        ("raw", KEY.to_owned()),
        ("upper case", KEY.to_ascii_uppercase()),
        ("lower case", KEY.to_ascii_lowercase()),
        ("JSON", json_escaped(KEY)),
        ("JSON with `\\/`", json_escaped(KEY).replace('/', "\\/")),
        ("JSON by number", by_number(KEY)),
        ("URL", percent.clone()),
        ("URL in lower case", percent.to_ascii_lowercase()),
        ("form", percent.replace("%20", "+")),
        ("URL with every byte", percent_encoded(KEY, |_| false)),
        ("URL in a URL", percent_encoded(&percent, is_plain)),
        ("Base64", base64(KEY)),
        ("Base64 of user and key", base64(&format!("u:{KEY}"))),
        ("Base64 of a sentence", base64(&format!("I am {KEY}, ok?"))),
        (
            "Base64 for URLs",
            base64(KEY).replace('+', "-").replace('/', "_"),
        ),
        ("Base64 in a URL", percent_encoded(&base64(KEY), is_plain)),
    ]
}

/// Checks that no piece of a form is left in an output, and that the mask is there.
fn check(sink: &str, form: &str, encoded: &str, output: &str) {
    assert!(output.contains("[key]"), "{sink}, {form}: {output}");
    let output = output.to_ascii_lowercase();
    let encoded = encoded.to_ascii_lowercase();
    // What surrounds the key in `u:` and `I am` may stay.
    for at in 8..encoded.len().saturating_sub(PIECE + 8) {
        let piece = &encoded[at..at + PIECE];
        assert!(
            !output.contains(piece),
            "{sink}, {form}: `{piece}` is left in {output}"
        );
    }
    assert!(!output.contains("1234567890"), "{sink}, {form}: {output}");
}

fn builder(server: &Server) -> RuntimeBuilder {
    Runtime::builder()
        .environment(Environment::empty())
        .base_url(server.base_url())
        .api_key(KEY)
}

/// Runs an agent whose user, model and tool all say a text.
async fn run(runtime: &Runtime, said: &str) -> (AgentResponse, Conversation) {
    let found = said.to_owned();
    let tool = config("look").build(move |_| {
        let found = found.clone();
        async move { Ok(json!({"found": found, "again": [found]})) }
    });
    let (agent, library) = (agent([spec("look")]), library([tool.expect("a tool")]));
    let mut conversation = Conversation::new();
    let run = runtime.execute(&agent, said, &mut conversation, &library);
    let response = run.await.expect("an answer");
    (response, conversation)
}

/// An answer that calls `look` with a text among the arguments.
fn call(said: &str) -> Answer {
    let arguments = json!({"text": said}).to_string();
    let call = json!({
        "id": "c1",
        "type": "function",
        "function": {"name": "look", "arguments": arguments},
    });
    let message = json!({"role": "assistant", "content": said, "tool_calls": [call]});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    status(200, &json!({"id": said, "choices": [choice]}).to_string())
}

#[test]
fn outputs_and_traces_of_a_run_contain_no_form_of_a_key() {
    for (form, encoded) in forms() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("redaction.json");
        let server = Server::start(vec![call(&encoded), text(&encoded)]);
        let mut outputs: Vec<(&str, String)> = Vec::new();
        let spans = recorded(async {
            let runtime = builder(&server)
                .trace_content(true)
                .cassette(Cassette::record(&path))
                .build()
                .expect("a runtime");
            let (response, conversation) = run(&runtime, &encoded).await;
            let redactor = runtime.redactor();
            let response = response.redacted(&redactor);
            outputs.push(("answer", response.content.clone()));
            outputs.push(("call", response.tools_used[0].to_string()));
            outputs.push(("response", response.to_json().to_string()));
            let conversation = conversation.redacted(&redactor);
            outputs.push(("conversation", conversation.to_json().to_string()));
            let value = json!({"a": [encoded], &*encoded: 1});
            outputs.push(("value", redactor.value(&value).to_string()));
            outputs.push(("log", redactor.log_text(&encoded)));
        });
        let cassette = std::fs::read_to_string(&path).expect("the cassette");
        outputs.push(("cassette", cassette));
        let fields = spans.iter().flat_map(|span| &span.fields);
        let fields = fields.filter(|(name, _)| {
            ["body", "arguments", "result", "messages", "response.id"]
                .iter()
                .any(|end| name.ends_with(end))
        });
        let mut traced: Vec<_> = fields.filter(|(_, text)| text.contains("[key]")).collect();
        traced.sort();
        assert!(traced.len() >= 10, "{form}: {traced:?}");
        outputs.extend(traced.into_iter().map(|(name, text)| (*name, text.clone())));
        for span in &spans {
            for (name, text) in &span.fields {
                assert!(!text.contains("1234567890"), "{form}, {name}: {text}");
            }
        }
        for (sink, output) in outputs {
            check(sink, form, &encoded, &output);
        }
    }
}

#[tokio::test]
async fn an_error_contains_no_form_of_a_key() {
    for (form, encoded) in forms() {
        let message = json!({"error": {"message": encoded}}).to_string();
        for answer in [
            status(400, &message),
            status(401, &encoded),
            status(200, &encoded),
        ] {
            let server = Server::start(vec![answer]);
            let runtime = builder(&server).build().expect("a runtime");
            let run = runtime.run(agent([]), "Hi");
            let error = run.await.expect_err("an error");
            check("error", form, &encoded, &format!("{error}"));
            check(
                "error with its causes",
                form,
                &encoded,
                &format!("{error:?}"),
            );
        }
    }
}

#[tokio::test]
async fn a_streamed_text_shows_no_form_of_a_key() {
    for (form, encoded) in forms() {
        let said = format!("It is {encoded}, see?");
        let chars: Vec<char> = said.chars().collect();
        let events: String = chars
            .chunks(3)
            .map(|piece| {
                let piece: String = piece.iter().collect();
                let delta = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
                format!("data: {delta}\n\n")
            })
            .collect();
        let server = Server::start(vec![streamed(
            "text/event-stream",
            format!("{events}data: [DONE]\n\n"),
        )]);
        let runtime = builder(&server).build().expect("a runtime");
        let mut events = runtime.run(agent([]), "Hi").stream();
        let mut stream = None;
        let mut shown = String::new();
        while let Some(event) = events.next().await {
            if let Event::TextDelta { text, .. } = event.expect("no error") {
                let stream = stream.get_or_insert_with(|| runtime.redactor().stream());
                shown.push_str(&stream.push(&text));
            }
        }
        shown.push_str(&stream.expect("text").finish());
        check("stream", form, &encoded, &shown);
        assert!(shown.starts_with("It is "), "{form}: {shown}");
    }
}

#[test]
fn one_redactor_has_the_secrets_of_the_host_too() {
    let runtime = Runtime::builder().offline().secret(KEY).build();
    let runtime = runtime.expect("a runtime");
    assert_eq!(runtime.redactor().text(KEY), Redactor::MASK);
}
