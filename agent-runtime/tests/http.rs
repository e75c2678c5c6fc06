//! Tests of a provider over HTTP, with a server on 127.0.0.1. Failing connections, and which host gets the
//! key, are tested for all providers by the tests of the whole product.

use crate::support::server::{Answer, Server, status, text};
use crate::support::{agent, greeter, hello_tool, library};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, AgentResponse, Conversation, Environment, Error, Runtime};
use serde_json::{Value, json};
use std::error::Error as _;
use std::time::Duration;

const KEY: &str = "sk-test-1234567890";

/// A runtime with a key and short pauses.
fn runtime(variables: &[(&str, &str)]) -> RuntimeBuilder {
    Runtime::builder()
        .environment(Environment::from_pairs(variables.iter().copied()))
        .retry_pause(Duration::from_millis(1))
}

async fn execute(runtime: RuntimeBuilder, agent: &Agent) -> Result<AgentResponse, Error> {
    let library = library([hello_tool()]);
    let mut conversation = Conversation::new();
    let runtime = runtime.build().expect("a runtime");
    let result = runtime
        .execute(agent, "Hello, I'm Ada", &mut conversation, &library)
        .await;
    conversation.check().expect("a valid history");
    if let Err(error) = &result {
        let mut chain = vec![format!("{error:?} {error}")];
        let mut source = error.source();
        while let Some(error) = source {
            chain.push(format!("{error:?} {error}"));
            source = error.source();
        }
        assert!(!chain.concat().contains(KEY), "the key shows: {chain:?}");
    }
    result
}

/// Executes a run against a server with these answers, at a configured base URL.
async fn talk(answers: Vec<Answer>) -> (Result<AgentResponse, Error>, Server) {
    let server = Server::start(answers);
    let runtime = runtime(&[("OPENAI_API_KEY", KEY)]).base_url(server.base_url());
    (execute(runtime, &greeter()).await, server)
}

/// An agent with a base URL.
fn at(base_url: &str) -> Agent {
    let gram = format!(
        "[greeter:Agent {{instruction: \"Greet.\", model: \"OpenAI/m\", baseUrl: \"{base_url}\"}}]"
    );
    let pattern = AgentPattern::parse(&gram).expect("an agent");
    pattern.to_agent().expect("an agent")
}

fn call(arguments: &str) -> Answer {
    let body = json!({
        "choices": [{
            "message": {"role": "assistant", "content": null, "tool_calls": [{
                "id": "call_abc",
                "type": "function",
                "function": {"name": "sayHello", "arguments": arguments},
            }]},
            "finish_reason": "tool_calls",
        }],
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
    });
    status(200, &body.to_string())
}

#[tokio::test]
async fn sends_a_conversation_with_calls_and_parses_its_replies() {
    let arguments = r#"{"personName":  "Ada"}"#;
    let (result, server) = talk(vec![call(arguments), text("I greeted Ada.")]).await;
    let response = result.expect("an answer");
    assert_eq!(response.content, "I greeted Ada.");
    assert_eq!(
        response.usage.to_json(),
        json!({"inputTokens": 30, "outputTokens": 9, "requests": 2, "cachedTokens": 8,
               "reasoningTokens": 2})
    );
    let requests = server.requests();
    let first = &requests[0];
    assert_eq!(first.line, "POST /v1/chat/completions HTTP/1.1");
    let key = format!("Bearer {KEY}");
    assert_eq!(first.header("authorization"), Some(key.as_str()));
    assert_eq!(first.header("content-type"), Some("application/json"));
    let system = json!({"role": "system", "content": "Greet people."});
    let user = json!({"role": "user", "content": "Hello, I'm Ada"});
    assert_eq!(
        first.json(),
        json!({
            "model": "gpt-6-luna",
            "messages": [system, user],
            "tools": [{"type": "function", "function": {
                "name": "sayHello",
                "description": crate::support::GREETING,
                "parameters": {
                    "type": "object",
                    "properties": {"personName": {"type": "string"}},
                    "required": ["personName"],
                },
            }}],
        })
    );
    assert_eq!(
        requests[1].json()["messages"],
        json!([
            system,
            user,
            {"role": "assistant", "content": null, "tool_calls": [{
                "id": "call_abc", "type": "function",
                "function": {"name": "sayHello", "arguments": arguments},
            }]},
            {"role": "tool", "tool_call_id": "call_abc",
             "content": "Hello, Ada! Nice to meet you."},
        ])
    );
}

#[tokio::test]
async fn sends_parameters_in_order() {
    let spec = agent_runtime::ToolSpec::new("order", "x", "(z::Int)==>(a::Int)==>(::Int)");
    let tool = agent_runtime::tool::ToolConfig::with_signature(
        "order",
        "x",
        "(z::Int)==>(a::Int)==>(::Int)",
    );
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let server = Server::start(vec![text("x")]);
    let runtime = runtime(&[])
        .base_url(server.base_url())
        .build()
        .expect("a runtime");
    let agent = agent([spec.expect("a spec")]);
    let library = library([tool]);
    let mut conversation = Conversation::new();
    runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await
        .expect("an answer");
    let body = &server.requests()[0].body;
    assert!(
        body.contains(r#""properties":{"z":{"type":"integer"},"a":"#),
        "{body}"
    );
}

#[tokio::test]
async fn sends_settings_and_no_empty_tools() {
    let server = Server::start(vec![text("x")]);
    let gram = "[a:Agent {instruction: \"x\", model: \"OpenAI/m/n\", temperature: 0.5, topP: 1.0, \
                seed: 7, maxTokens: 50, stop: [\"END\"]}]";
    let pattern = AgentPattern::parse(gram).expect("an agent");
    let runtime = runtime(&[])
        .base_url(server.base_url())
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    runtime
        .run(&pattern, "Hi")
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    let mut body = server.requests()[0].json();
    body.as_object_mut().expect("an object").remove("messages");
    assert_eq!(
        body,
        json!({"model": "m/n", "temperature": 0.5, "top_p": 1.0, "seed": 7, "max_tokens": 50,
               "stop": ["END"]})
    );
}

#[tokio::test]
async fn marks_a_failed_call_in_the_text_of_its_result() {
    let (result, server) = talk(vec![call("{broken"), text("Sorry.")]).await;
    result.expect("an answer");
    let messages = server.requests()[1].json()["messages"].clone();
    let content = messages[3]["content"].as_str().expect("a text").to_owned();
    assert!(
        content.starts_with("Error: ") && content.contains("JSON"),
        "{content}"
    );
}

/// Returns the call of the first answer as the second request has it, and the conversation.
async fn resent_call(answer: Answer) -> (Value, Conversation) {
    let server = Server::start(vec![answer, text("Done.")]);
    let runtime = runtime(&[]).base_url(server.base_url());
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    runtime
        .execute(
            &greeter(),
            "Hi",
            &mut conversation,
            &library([hello_tool()]),
        )
        .await
        .expect("an answer");
    (
        server.requests()[1].json()["messages"].clone(),
        conversation,
    )
}

#[tokio::test]
async fn sends_arguments_that_are_no_object_as_an_empty_one() {
    for bad in ["{broken", r#"{"personName": "A"#, "[1]", "\"Ada\"", ""] {
        let (messages, conversation) = resent_call(call(bad)).await;
        let sent = &messages[2]["tool_calls"][0]["function"]["arguments"];
        assert_eq!(sent, "{}", "{bad}");
        // The history keeps the model's text.
        let kept = &conversation.messages()[1].tool_calls()[0];
        assert_eq!(kept.args_text(), bad);
    }
}

#[tokio::test]
async fn replaces_call_ids_that_servers_reject() {
    let id = "chatcmpl.tool:0123456789-0123456789-0123456789";
    let answer = json!({"choices": [{"message": {"tool_calls": [
        {"id": id, "type": "function", "function": {"name": "sayHello", "arguments": "{}"}},
        {"id": "id_1", "type": "function", "function": {"name": "sayHello", "arguments": "{}"}},
    ]}, "finish_reason": "tool_calls"}]});
    let (messages, conversation) = resent_call(status(200, &answer.to_string())).await;
    let sent: Vec<&Value> = [
        "/2/tool_calls/0/id",
        "/2/tool_calls/1/id",
        "/3/tool_call_id",
        "/4/tool_call_id",
    ]
    .iter()
    .filter_map(|path| messages.pointer(path))
    .collect();
    assert_eq!(sent[..2], sent[2..]);
    assert_eq!(sent[1], "id_1");
    let replaced = sent[0].as_str().expect("an id");
    assert!(
        replaced.starts_with("id_") && replaced.len() <= 40 && replaced != "id_1",
        "{replaced}"
    );
    assert_eq!(conversation.messages()[1].tool_calls()[0].id(), id);
}

#[tokio::test]
async fn a_timeout_beyond_the_clock_is_no_limit() {
    let server = Server::start(vec![status(500, "oops"), text("Hi.")]);
    let runtime = runtime(&[])
        .base_url(server.base_url())
        .model_timeout(Duration::MAX);
    let response = execute(runtime, &greeter()).await;
    assert_eq!(response.expect("an answer").content, "Hi.");
}

#[tokio::test]
async fn sends_calls_in_the_older_form_back_in_it() {
    let old = json!({"choices": [{
        "message": {"role": "assistant", "content": null,
                    "function_call": {"name": "sayHello", "arguments": "{\"personName\":\"Ada\"}"}},
        "finish_reason": "function_call",
    }]});
    let (result, server) = talk(vec![status(200, &old.to_string()), text("Done.")]).await;
    let response = result.expect("an answer");
    assert!(!response.tools_used[0].call_id.is_empty());
    let messages = server.requests()[1].json()["messages"].clone();
    assert_eq!(
        messages[2],
        json!({"role": "assistant", "content": null,
               "function_call": {"name": "sayHello", "arguments": "{\"personName\":\"Ada\"}"}})
    );
    assert_eq!(
        messages[3],
        json!({"role": "function", "name": "sayHello",
               "content": "Hello, Ada! Nice to meet you."})
    );
}

#[tokio::test]
async fn parses_small_deviations_from_the_format() {
    let loose = json!({"choices": [{
        "message": {"tool_calls": [
            {"function": {"name": "sayHello", "arguments": {"personName": "Ada"}}},
            {"id": null, "function": {"name": "sayHello"}},
        ]},
    }]});
    let parts = json!({"choices": [{"message": {"content": [
        {"type": "text", "text": "Do"}, {"type": "text", "text": "ne."},
    ]}}], "usage": null});
    let answers = vec![
        status(200, &loose.to_string()),
        status(200, &parts.to_string()),
    ];
    let (result, _server) = talk(answers).await;
    let response = result.expect("an answer");
    assert_eq!(response.content, "Done.");
    assert_eq!(response.tools_used.len(), 2);
    assert!(response.tools_used.iter().all(|used| used.result.is_ok()));
}

/// Returns the error of a bad answer.
async fn error_of(answer: &str, code: u16) -> Error {
    let (result, _server) = talk(vec![status(code, answer)]).await;
    result.expect_err("a bad answer")
}

#[tokio::test]
async fn answers_in_another_format_are_llm_errors() {
    for (answer, part) in [
        ("{}", "no choices"),
        (r#"{"choices":[]}"#, "no choices"),
        (r#"{"choices":[{}]}"#, "no message"),
        (r#"{"error":{"message":"bad day"}}"#, "bad day"),
        (
            r#"{"choices":[{"message":{"tool_calls":[{"id":"a"}]}}]}"#,
            "without a name",
        ),
    ] {
        let error = error_of(answer, 200).await;
        assert!(error.is_llm(), "{error:?}");
        assert!(error.to_string().contains(part), "{error} lacks {part}");
    }
}

#[tokio::test]
async fn shortens_long_error_texts() {
    let error = error_of(&"x".repeat(100_000), 400).await;
    assert!(error.to_string().len() < 1_000);
}

#[tokio::test]
async fn rejects_a_key_that_no_header_can_hold() {
    let server = Server::start(vec![text("Hi.")]);
    let bad = runtime(&[])
        .base_url(server.base_url())
        .api_key("sk-\u{7f}\nsecret");
    let error = execute(bad, &greeter()).await.expect_err("a bad key");
    assert!(
        error.is_configuration() && !error.to_string().contains("secret"),
        "{error}"
    );
}

#[tokio::test]
async fn rejects_a_base_url_that_is_none() {
    for bad in ["", "nowhere", "ftp://x/v1", "http://user:pw@127.0.0.1/v1"] {
        let agent = at("http://127.0.0.1:1/v1");
        let runtime = runtime(&[("OPENAI_BASE_URL", bad)]);
        let error = execute(runtime, &agent).await.expect_err(bad);
        // A blank variable counts as missing, and there is no server at the agent's base URL.
        assert_eq!(error.is_configuration(), !bad.is_empty(), "{error:?}");
    }
}

#[test]
fn build_rejects_a_base_url_that_is_none() {
    for bad in ["nowhere", " ", "ftp://x/v1", "http://user:pw@127.0.0.1/v1"] {
        let error = runtime(&[]).base_url(bad).build().expect_err(bad);
        assert!(error.is_configuration(), "{error:?}");
    }
    assert!(runtime(&[]).base_url("").build().is_ok());
}

#[tokio::test]
async fn uses_a_fallback_for_an_unavailable_model() {
    let down = || status(500, "down");
    let server = Server::start(vec![down(), down(), down(), text("Second here.")]);
    let gram =
        "[a:Agent {instruction: \"x\", model: \"OpenAI/first\", fallback: [\"OpenAI/second\"]}]";
    let pattern = AgentPattern::parse(gram).expect("an agent");
    let runtime = runtime(&[])
        .base_url(server.base_url())
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .run(&pattern, "Hi")
        .conversation(&mut conversation)
        .await;
    assert_eq!(response.expect("an answer").content, "Second here.");
    let models: Vec<Value> = server
        .requests()
        .iter()
        .map(|request| request.json()["model"].clone())
        .collect();
    assert_eq!(models, ["first", "first", "first", "second"]);
}
