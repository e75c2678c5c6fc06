//! Answers as OpenAI's chat completions write them, with the members that no client needs.

use super::server::Answer;
use serde_json::{Value, json};

/// An answer that asks for one call. `arguments` is text, as on the wire.
pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> Answer {
    let calls = json!([{
        "id": id,
        "type": "function",
        "function": {"name": tool, "arguments": arguments},
    }]);
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
        "model": "gpt-4o-mini-2024-07-18",
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
