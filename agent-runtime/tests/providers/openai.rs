//! OpenAI's chat completions.

use crate::exchange::Dialect;
use agent_runtime::Event;
use serde_json::json;

pub(crate) const OPENAI: Dialect = Dialect {
    folder: "openai",
    model: "OpenAI/gpt-4o-mini",
    key: ("OPENAI_API_KEY", "sk-test-1234567890"),
    base: "/v1",
    stream: ("text/event-stream", ".sse"),
};

#[tokio::test]
async fn a_streamed_request_asks_for_usage() {
    let streamed = OPENAI.stream(vec![OPENAI.answer("hello.sse")]).await;
    let request = &streamed.requests[0];
    assert_eq!(request["stream"], json!(true));
    assert_eq!(request["stream_options"], json!({"include_usage": true}));
    let usage = streamed.response().usage.to_json();
    assert_eq!(
        usage,
        json!({"inputTokens": 82, "outputTokens": 9, "requests": 1, "cachedTokens": 64,
               "reasoningTokens": 2})
    );
}

#[tokio::test]
async fn events_come_in_order() {
    let answers = vec![OPENAI.answer("calls.sse"), OPENAI.answer("hello.sse")];
    let streamed = OPENAI.stream(answers).await;
    let mut told: Vec<String> = Vec::new();
    for event in &streamed.events {
        let word = match event {
            Event::ModelCalled { .. } => "model".to_owned(),
            Event::TextDelta { .. } => "text".to_owned(),
            Event::CallStarted { index, tool, .. } => format!("call {index} {tool}"),
            Event::ArgumentsDelta { index, .. } => format!("arguments {index}"),
            Event::ModelReplied { calls, .. } => {
                let ids: Vec<&str> = calls.iter().map(|call| call.id()).collect();
                format!("replied {ids:?}")
            }
            Event::ToolStarted { call, .. } => format!("tool {}", call.id),
            Event::ToolFinished { invocation, .. } => format!("result {}", invocation.call_id),
            Event::Finished { .. } => "end".to_owned(),
            other => format!("{other:?}"),
        };
        if told.last() != Some(&word) {
            told.push(word);
        }
    }
    assert_eq!(
        told,
        [
            "model",
            "call 0 sayHello",
            "arguments 0",
            "call 1 sayHello",
            "arguments 1",
            "replied [\"call_a1\", \"call_b2\"]",
            "tool call_a1",
            "tool call_b2",
            "result call_a1",
            "result call_b2",
            "model",
            "text",
            "replied []",
            "end",
        ]
    );
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
}
