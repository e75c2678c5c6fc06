//! The hello world agent against a real server.

use crate::scenario::support::hello::{self, DESCRIPTION, INSTRUCTION};
use crate::scenario::support::openai;
use crate::scenario::support::server::Server;
use agent_runtime::model::{FinishReason, Usage};
use agent_runtime::{Conversation, Environment, Runtime};
use serde_json::{Value, json};

/// Not as `serde_json` would write it, so that the test sees whether the model's own text of the
/// arguments goes back.
const ARGUMENTS: &str = r#"{ "personName" : "Ada" }"#;

const GREETING: &str = "Hello, Ada! Nice to meet you.";
const ANSWER: &str = "I said hello to Ada.";

#[tokio::test]
async fn hello_world_over_http() {
    let server = Server::start([
        openai::call("call_abc", "sayHello", ARGUMENTS),
        openai::text(ANSWER),
    ]);
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(server.base_url())
        .api_key("sk-scenario")
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(
            &hello::AGENT,
            "Hello, I'm Ada",
            &mut conversation,
            &hello::library(),
        )
        .await
        .expect("an answer");

    let requests = server.requests();
    for request in &requests {
        assert_eq!(request.method, "POST");
        assert_eq!(request.path, "/v1/chat/completions");
        assert_eq!(request.header("authorization"), Some("Bearer sk-scenario"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("host"), Some(server.host().as_str()));
    }
    let bodies: Vec<Value> = requests.iter().map(|request| request.json()).collect();
    assert_eq!(bodies, [first_body(), second_body()]);

    assert_eq!(response.content, ANSWER);
    assert_eq!(response.finish_reason, FinishReason::Stop);
    let mut usage = Usage::of_request(60, 15);
    usage.add(&Usage::of_request(90, 12));
    assert_eq!(response.usage, usage);
    assert_eq!(
        response.to_json(),
        json!({
            "content": ANSWER,
            "finishReason": "stop",
            "toolsUsed": [{
                "tool": "sayHello",
                "args": {"personName": "Ada"},
                "result": GREETING,
                "attempt": 1,
            }],
            "usage": {"inputTokens": 150, "outputTokens": 27, "requests": 2},
        })
    );
    assert_eq!(response.tools_used[0].call_id, "call_abc");
    assert_eq!(conversation.to_json(), told());
}

fn first_body() -> Value {
    json!({
        "model": "gpt-6-luna",
        "messages": [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": "Hello, I'm Ada"},
        ],
        "tools": [{
            "type": "function",
            "function": {
                "name": "sayHello",
                "description": DESCRIPTION,
                "parameters": {
                    "type": "object",
                    "properties": {"personName": {"type": "string", "default": "world"}},
                    "required": [],
                },
            },
        }],
    })
}

/// The first body, and what has happened since.
fn second_body() -> Value {
    let mut body = first_body();
    let messages = body["messages"].as_array_mut().expect("a list");
    messages.push(json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [{
            "id": "call_abc",
            "type": "function",
            "function": {"name": "sayHello", "arguments": ARGUMENTS},
        }],
    }));
    messages.push(json!({"role": "tool", "tool_call_id": "call_abc", "content": GREETING}));
    body
}

/// The conversation afterwards.
fn told() -> Value {
    json!([
        {"role": "user", "content": "Hello, I'm Ada"},
        {"role": "assistant", "content": "", "toolCalls": [
            {"id": "call_abc", "tool": "sayHello", "args": {"personName": "Ada"}},
        ]},
        {"role": "function", "name": "sayHello", "callId": "call_abc", "content": GREETING},
        {"role": "assistant", "content": ANSWER},
    ])
}
