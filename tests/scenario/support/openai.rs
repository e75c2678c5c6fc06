//! Answers as OpenAI's chat completions write them, with the members that no client needs.

use super::server::Answer;
use serde_json::{Value, json};

/// An answer that asks for one call. `arguments` is text, as on the wire.
pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> Answer {
    calls(&[(id, tool, arguments)])
}

/// An answer that asks for calls, each with its id, tool and arguments.
pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Answer {
    let calls: Value = calls
        .iter()
        .map(|(id, tool, arguments)| {
            json!({
                "id": id,
                "type": "function",
                "function": {"name": tool, "arguments": arguments},
            })
        })
        .collect();
    let message = json!({
        "role": "assistant",
        "content": null,
        "tool_calls": calls,
        "refusal": null,
        "annotations": [],
    });
    completion(message, "tool_calls", (60, 15))
}

/// An answer in words.
pub(crate) fn text(content: &str) -> Answer {
    let message = json!({"role": "assistant", "content": content, "refusal": null});
    completion(message, "stop", (90, 12))
}

fn completion(message: Value, finish_reason: &str, (sent, written): (u64, u64)) -> Answer {
    let body = json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1_741_569_952,
        "model": "gpt-6-luna-2026-09-22",
        "choices": [{
            "index": 0,
            "message": message,
            "logprobs": null,
            "finish_reason": finish_reason,
        }],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": written,
            "total_tokens": sent + written,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
    });
    Answer(200, body.to_string())
}

/// The same answer as a stream of events, with an event for each word and each call.
pub(crate) fn streamed(Answer(status, body): &Answer) -> Answer {
    let whole: Value = serde_json::from_str(body).expect("an answer of this module");
    let choice = &whole["choices"][0];
    let chunk = |choices: Value| {
        let mut chunk = json!({
            "id": whole["id"],
            "object": "chat.completion.chunk",
            "created": whole["created"],
            "model": whole["model"],
        });
        chunk["choices"] = choices;
        chunk
    };
    let part = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut events = vec![part(json!({"role": "assistant", "content": null}))];
    let words = choice["message"]["content"].as_str().unwrap_or_default();
    for word in words.split_inclusive(' ') {
        events.push(part(json!({ "content": word })));
    }
    let calls = choice["message"]["tool_calls"].as_array();
    for (index, call) in calls.into_iter().flatten().enumerate() {
        let mut call = call.clone();
        call["index"] = index.into();
        events.push(part(json!({ "tool_calls": [call] })));
    }
    events.push(chunk(json!([
        {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    ])));
    let mut last = chunk(json!([]));
    last["usage"] = whole["usage"].clone();
    events.push(last);
    let events: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    Answer(*status, format!("{events}data: [DONE]\n\n"))
}
