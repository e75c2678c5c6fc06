//! Tests that each provider accepts the histories of the others, as for a fallback or another model.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OPENAI, RESPONSES};
use crate::support::server::{Answer, Server, status};
use crate::support::{hello_tool, library};
use agent_runtime::Conversation;
use agent_runtime::conversation::ToolCall;
use serde_json::{Value, json};

const DIALECTS: [Dialect; 4] = [OPENAI, RESPONSES, ANTHROPIC, GOOGLE];

/// Texts that only their own provider may get, or none: marks, the beginnings of signatures, and kinds of
/// blocks.
const FOREIGN: [&str; 9] = [
    "openaiFunctionCall",
    "providerData",
    "EqQB",
    "EmwK",
    "CiQB",
    "gAAAA",
    "summary_text",
    "thinking",
    "\"thought\"",
];

fn legacy() -> Answer {
    let message = json!({"role": "assistant", "content": null, "function_call":
        {"name": "sayHello", "arguments": "{\"personName\": \"Ada\"}"}});
    let choice = json!({"index": 0, "message": message, "finish_reason": "function_call"});
    status(200, &json!({"choices": [choice]}).to_string())
}

/// Returns a history with a call of each provider.
async fn histories() -> Vec<(Dialect, Conversation)> {
    let mut histories = Vec::new();
    for (dialect, file) in [
        (OPENAI, "calls.json"),
        (OPENAI, "legacy"),
        (RESPONSES, "calls.json"),
        (RESPONSES, "calls_thinking.json"),
        (ANTHROPIC, "calls.json"),
        (ANTHROPIC, "calls_thinking.json"),
        (GOOGLE, "calls.json"),
        (GOOGLE, "calls_signed.json"),
    ] {
        let first = match file {
            "legacy" => legacy(),
            file => dialect.answer(file),
        };
        let answers = vec![first, dialect.answer("hello.json")];
        let (response, conversation, _) = dialect.execute(answers).await;
        response.expect(file);
        histories.push((dialect, conversation));
    }
    histories
}

/// Returns the body of the next request of a conversation.
async fn next_request(dialect: &Dialect, conversation: &Conversation) -> Value {
    let server = Server::start(vec![dialect.answer("hello.json")]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let (library, mut conversation) = (library([hello_tool()]), conversation.clone());
    let response = runtime
        .execute(&dialect.agent(), "And now?", &mut conversation, &library)
        .await;
    response.expect("an answer");
    server.requests()[0].json()
}

/// Returns the arguments of the calls in a request and the texts of their results, in order.
fn arguments_and_results(dialect: &Dialect, request: &Value) -> (Vec<Value>, Vec<Value>) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    match dialect.folder {
        "openai" => {
            for message in list(&request["messages"]) {
                let mut said = list(&message["tool_calls"]);
                said.extend(
                    message
                        .get("function_call")
                        .map(|call| json!({"function": call})),
                );
                for call in said {
                    let text = call["function"]["arguments"].as_str().expect("a text");
                    calls.push(serde_json::from_str(text).expect("JSON"));
                }
                if matches!(message["role"].as_str(), Some("tool" | "function")) {
                    results.push(message["content"].clone());
                }
            }
        }
        "responses" => {
            for item in list(&request["input"]) {
                if item["type"] == "function_call" {
                    let text = item["arguments"].as_str().expect("a text");
                    calls.push(serde_json::from_str(text).expect("JSON"));
                }
                results.extend(item.get("output").cloned());
            }
        }
        "anthropic" => {
            for message in list(&request["messages"]) {
                for block in list(&message["content"]) {
                    calls.extend(block.get("input").cloned());
                    if block["type"] == "tool_result" {
                        results.push(block["content"].clone());
                    }
                }
            }
        }
        _ => {
            for content in list(&request["contents"]) {
                for part in list(&content["parts"]) {
                    calls.extend(part.pointer("/functionCall/args").cloned());
                    results.extend(part.pointer("/functionResponse/response/output").cloned());
                }
            }
        }
    }
    (calls, results)
}

#[tokio::test]
async fn each_provider_accepts_the_history_of_any_other() {
    for (maker, conversation) in histories().await {
        let messages = conversation.messages();
        let calls: Vec<Value> = messages
            .iter()
            .flat_map(|message| message.tool_calls())
            .map(ToolCall::args)
            .collect();
        let results: Vec<Value> = messages
            .iter()
            .filter(|message| message.call_id().is_some())
            .map(|message| message.content().into())
            .collect();
        for dialect in &DIALECTS {
            let request = next_request(dialect, &conversation).await;
            let way = format!("{} to {}: {request}", maker.folder, dialect.folder);
            assert_eq!(
                arguments_and_results(dialect, &request),
                (calls.clone(), results.clone()),
                "{way}"
            );
            if maker.folder != dialect.folder {
                let text = request.to_string();
                for word in FOREIGN {
                    assert!(!text.contains(word), "{word} in {way}");
                }
                // The signature for calls that Gemini did not make.
                let signed = text.contains("skip_thought_signature_validator");
                assert_eq!(signed, dialect.folder == "google", "{way}");
            }
        }
    }
}

#[tokio::test]
async fn sends_signed_thoughts_back_after_an_answer_of_another_provider() {
    for (dialect, other, file, signature) in [
        (ANTHROPIC, GOOGLE, "calls_thinking.json", "EqQBCgIY"),
        (GOOGLE, ANTHROPIC, "calls_signed.json", "CiQB0e2K"),
        (RESPONSES, OPENAI, "calls_thinking.json", "gAAAAABpPDIVOKrs"),
        (ANTHROPIC, RESPONSES, "calls_thinking.json", "EqQBCgIY"),
    ] {
        let answers = vec![dialect.answer(file), dialect.answer("hello.json")];
        let (_, mut conversation, _) = dialect.execute(answers).await;
        let server = Server::start(vec![other.answer("calls.json"), other.answer("hello.json")]);
        let runtime = other.runtime(&server).build().expect("a runtime");
        let library = library([hello_tool()]);
        let response = runtime
            .execute(&other.agent(), "And Bob?", &mut conversation, &library)
            .await;
        response.expect("an answer");
        let request = next_request(&dialect, &conversation).await;
        assert!(request.to_string().contains(signature), "{request}");
    }
}
