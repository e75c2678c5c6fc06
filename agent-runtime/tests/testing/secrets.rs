//! Tests that a cassette contains no key, wherever the key was sent, repeated or used.

use crate::support::server::{Server, status, streamed, text};
use crate::support::{agent, config, library, spec};
use crate::testing::{fresh, read};
use agent_runtime::model::CompatibleProvider;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::testing::Cassette;
use agent_runtime::{Agent, Conversation, Environment, Model, Runtime, ToolLibrary};
use serde_json::json;

const KEY: &str = "sk-\"quoted\"-1234567890";

/// An answer that calls `look` with these arguments.
fn calls_with(arguments: &str) -> crate::support::server::Answer {
    let body = json!({
        "id": format!("chatcmpl-{KEY}"),
        "model": "gpt-6-luna",
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": format!("Your key is {KEY}."),
                "tool_calls": [{
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "look", "arguments": arguments},
                }],
            },
            "finish_reason": "tool_calls",
        }],
    });
    status(200, &body.to_string())
}

fn tools() -> ToolLibrary {
    library([config("look")
        .build(|_| async { Ok(json!({"found": KEY, "password": "hunter2"})) })
        .expect("a tool")])
}

fn looker() -> Agent {
    agent([spec("look")])
}

async fn run(builder: RuntimeBuilder, agent: &Agent, input: &str) -> String {
    let runtime = builder.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let tools = tools();
    let response = runtime.execute(agent, input, &mut conversation, &tools);
    response.await.expect("an answer").content
}

fn check_file(path: &std::path::Path, secrets: &[&str]) {
    let file = read(path);
    assert!(file.contains("[key]"), "{file}");
    for secret in secrets {
        assert!(!file.contains(secret), "{secret} is in {file}");
    }
}

#[tokio::test]
async fn masks_a_key_in_answers_arguments_and_results() {
    let path = fresh("secrets.json");
    let input = format!("My key is {KEY}, and the password is hunter2");
    let by_number = r#"{"\u0073k": "s\u006b-\"quoted\"-1234567890"}"#;
    for arguments in [&json!({"key": KEY}).to_string(), by_number] {
        let server = Server::start(vec![calls_with(arguments), text("Bye.")]);
        let recorder = Runtime::builder()
            .environment(Environment::from_pairs([("OPENAI_API_KEY", KEY)]))
            .base_url(server.base_url())
            .cassette(Cassette::record(&path).secret("hunter2"));
        assert_eq!(run(recorder, &looker(), &input).await, "Bye.");
        assert!(
            server.requests()[1].body.contains("hunter2"),
            "the model was told"
        );
        check_file(&path, &["1234567890", "quoted", "hunter2"]);

        // Also with another key or none, because the file has the mask in its place.
        let player = Runtime::builder()
            .environment(Environment::empty())
            .cassette(Cassette::replay(&path).secret("hunter2").secret(KEY));
        assert_eq!(run(player, &looker(), &input).await, "Bye.");
    }
}

#[tokio::test]
async fn masks_a_key_that_is_divided_between_parts() {
    let path = fresh("secrets_streamed.json");
    let events: String = ["Your key is sk-12", "345", "67890."]
        .map(|piece| {
            format!(
                "data: {}\n\n",
                json!({"choices": [{"index": 0, "delta": {"content": piece}}]})
            )
        })
        .concat();
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = Server::start(vec![streamed(
        "text/event-stream",
        format!("{events}{end}"),
    )]);
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .api_key("sk-1234567890")
        .base_url(server.base_url())
        .cassette(Cassette::record(&path))
        .build()
        .expect("a runtime");
    let (agent, library) = (agent([]), ToolLibrary::new());
    let mut conversation = Conversation::new();
    let mut stream = runtime
        .run(&agent, "Hello")
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    while let Some(event) = stream.next().await {
        event.expect("no error");
    }
    drop(stream);
    let said = conversation.last().expect("an answer").content().to_owned();
    assert_eq!(
        said, "Your key is sk-1234567890.",
        "the run itself is not changed"
    );
    check_file(&path, &["sk-12", "345", "67890"]);

    // The replayed answer comes from the file, which has no secret.
    let player = Runtime::builder()
        .environment(Environment::empty())
        .cassette(Cassette::replay(&path));
    let replayed = player.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = replayed
        .run(&agent, "Hello")
        .conversation(&mut conversation);
    let said = response.await.expect("an answer").content;
    assert_eq!(said, "Your key is [key].");
}

#[tokio::test]
async fn masks_keys_and_headers_of_other_providers() {
    let path = fresh("secrets_of_others.json");
    let server = Server::start(vec![text(
        "k-builder k-header k-given k-variable k-inner k-other-variable",
    )]);
    let provider = CompatibleProvider::openai(server.base_url())
        .key("k-given")
        .key_variable("ACME")
        .header("x-inner", "Basic k-inner");
    let recorder = Runtime::builder()
        .environment(Environment::from_pairs([
            ("ACME", "k-variable"),
            ("OTHER_TOKEN", "k-other-variable"),
        ]))
        .api_key("k-builder")
        .header("x-own", "Bearer k-header")
        .compatible_provider("Acme", provider)
        .cassette(Cassette::record(&path));
    let agent = agent([]).with_model(Model::parse("Acme/one").expect("a model"));
    run(recorder, &agent, "Hello").await;
    check_file(&path, &["k-"]);
}

#[tokio::test]
async fn masks_a_key_in_an_error() {
    let path = fresh("secrets_in_errors.json");
    let cassette = Cassette::record(&path).secret("sk-hidden");
    let model = agent_runtime::model::Scripted::default()
        .then_error(agent_runtime::Error::llm("sk-hidden is no longer good"));
    let runtime = Runtime::builder()
        .model(model)
        .cassette(cassette)
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = agent([]);
    let run = runtime.run(&agent, "Hello").conversation(&mut conversation);
    run.await.expect_err("an error");
    check_file(&path, &["sk-hidden"]);
}
