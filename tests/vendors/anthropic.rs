//! api.anthropic.com.

mod bound;
mod rules;

use crate::faults::server::{Play, chunked, whole};
use crate::vendors::facts::{ANTHROPIC, Anthropic};
use crate::vendors::refused::{Refused, items, text};
use crate::vendors::reply::{JSON, Reply};
use crate::vendors::said::{Asked, Choice, Said};
use serde_json::{Value, json};
use std::collections::HashSet;

pub(crate) const HOST: &str = "api.anthropic.com";

/// Answers a request, or refuses it. `betas` are the betas that its header names. `thought` has the histories up to each answer of this account that began with a bound
/// thought.
pub(crate) fn answer(
    path: &str,
    body: &Value,
    betas: &str,
    number: usize,
    thought: &HashSet<u64>,
) -> Result<Reply, Refused> {
    if path != "/v1/messages" {
        return Err(Refused::not_found("Not Found"));
    }
    let id = text(body, "model").unwrap_or_default();
    let model = ANTHROPIC.iter().find(|model| model.id == id);
    let model = model.ok_or_else(|| Refused::not_found(format!("model: {id}")))?;
    rules::check(model, body)?;
    bound::check_beta(body, betas)?;
    if model.is_bound {
        bound::check(model, body, thought)?;
    }
    let (content, reason) = content(model, body, number);
    let bound = (model.is_bound && text(&content[0], "type") == Some("thinking"))
        .then(|| bound::history(model, body, &content));
    let play = match body.get("stream") == Some(&Value::Bool(true)) {
        true => streamed(model, &content, reason, number),
        false => whole(
            200,
            JSON,
            message(model, &content, Some(reason), number).to_string(),
        ),
    };
    Ok(Reply { play, bound })
}

/// Returns the answer to a refused request.
pub(crate) fn refusal(refused: &Refused) -> Play {
    let kind = match refused.status {
        404 => "not_found_error",
        _ => "invalid_request_error",
    };
    let error = json!({"type": "error", "error": {"type": kind, "message": refused.message}});
    whole(refused.status, JSON, error.to_string())
}

/// Returns the blocks of an answer, and the reason of its end.
fn content(model: &Anthropic, body: &Value, number: usize) -> (Vec<Value>, &'static str) {
    let tools = items(body, "tools").iter();
    let last = items(body, "messages").last();
    let last_block = last.and_then(|last| items(last, "content").last());
    let asked = Asked {
        tools: tools.filter_map(|tool| text(tool, "name")).collect(),
        choice: choice(body),
        ends_with_words: last_block.is_none_or(|block| text(block, "type") != Some("tool_result")),
        has_format: body.pointer("/output_config/format").is_some(),
    };
    let mut content = Vec::new();
    // On models with adaptive thinking, a demanded call is made without a thought.
    if rules::thinks(model, body) && !asked.choice.is_forced() {
        let is_hidden = model.hides_text && body.pointer("/thinking/display").is_none();
        let thinking = match is_hidden {
            true => "",
            false => "I greet Ada.",
        };
        let signature = bound::signature(model, body);
        content.push(json!({"type": "thinking", "thinking": thinking, "signature": signature}));
    }
    match asked.answer() {
        Said::Words(words) => {
            content.push(json!({"type": "text", "text": words}));
            (content, "end_turn")
        }
        Said::Call { tool, arguments } => {
            let id = format!("toolu_{number}");
            content.push(json!({"type": "tool_use", "id": id, "name": tool, "input": arguments}));
            (content, "tool_use")
        }
    }
}

fn choice(body: &Value) -> Choice<'_> {
    let Some(choice) = body.get("tool_choice") else {
        return Choice::Auto;
    };
    match text(choice, "type") {
        Some("any") => Choice::Required,
        Some("none") => Choice::None,
        Some("tool") => Choice::Tool(text(choice, "name").unwrap_or_default()),
        _ => Choice::Auto,
    }
}

fn message(model: &Anthropic, content: &[Value], reason: Option<&str>, number: usize) -> Value {
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model.id,
        "content": content, "stop_reason": reason, "stop_sequence": null,
        "usage": {"input_tokens": 82, "output_tokens": 9},
    })
}

fn streamed(model: &Anthropic, content: &[Value], reason: &str, number: usize) -> Play {
    let mut body = String::new();
    let mut add = |data: Value| {
        let kind = text(&data, "type").unwrap_or_default();
        body.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
    };
    add(json!({"type": "message_start", "message": message(model, &[], None, number)}));
    for (index, block) in content.iter().enumerate() {
        let mut begun = block.clone();
        let mut deltas = Vec::new();
        for (key, delta) in [
            ("text", "text_delta"),
            ("thinking", "thinking_delta"),
            ("signature", "signature_delta"),
        ] {
            if let Some(words) = text(block, key) {
                begun[key] = json!("");
                deltas.push(json!({"type": delta, key: words}));
            }
        }
        if let Some(input) = block.get("input") {
            begun["input"] = json!({});
            deltas.push(json!({"type": "input_json_delta", "partial_json": input.to_string()}));
        }
        add(json!({"type": "content_block_start", "index": index, "content_block": begun}));
        for delta in deltas {
            add(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        add(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    add(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}}));
    add(json!({"type": "message_stop"}));
    chunked("text/event-stream", body.as_bytes())
}
