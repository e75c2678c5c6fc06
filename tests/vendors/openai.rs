//! api.openai.com: chat completions and the Responses API.

mod chat;
mod responses;
mod strict_schema;

use crate::faults::server::{Play, chunked, whole};
use crate::vendors::facts::OPENAI;
use crate::vendors::refused::{Refused, text};
use crate::vendors::reply::{JSON, Reply};
use serde_json::{Value, json};

pub(crate) const HOST: &str = "api.openai.com";

/// Answers a request, or refuses it.
pub(crate) fn answer(path: &str, body: &Value, number: usize) -> Result<Reply, Refused> {
    let id = text(body, "model").unwrap_or_default();
    let model = OPENAI.iter().find(|model| model.id == id);
    let model = model.ok_or_else(|| {
        Refused::not_found(format!(
            "The model `{id}` does not exist or you do not have access to it."
        ))
    })?;
    match path {
        "/v1/chat/completions" => chat::answer(model, body, number),
        "/v1/responses" => responses::answer(model, body, number),
        _ => Err(Refused::not_found(format!("Invalid URL (POST {path})"))),
    }
}

/// Returns the answer to a refused request.
pub(crate) fn refusal(refused: &Refused) -> Play {
    let error = json!({"error": {
        "message": refused.message,
        "type": "invalid_request_error",
        "param": null,
        "code": null,
    }});
    whole(refused.status, JSON, error.to_string())
}

/// The error of a parameter that a model does not have.
fn unsupported(parameter: &str) -> Refused {
    Refused::bad(format!(
        "Unsupported parameter: '{parameter}' is not supported with this model."
    ))
}

/// Returns the words as a list: 'none', 'low' and 'high'. `last` stands before the last word.
fn listed(words: &[&str], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.split_last() {
        Some((end, begin)) if !begin.is_empty() => format!("{}, {last}{end}", begin.join(", ")),
        _ => quoted.concat(),
    }
}

/// Returns a stream of these events.
fn stream(events: &[(Option<&str>, Value)], end: &str) -> Play {
    let mut body = String::new();
    for (name, data) in events {
        if let Some(name) = name {
            body.push_str(&format!("event: {name}\n"));
        }
        body.push_str(&format!("data: {data}\n\n"));
    }
    body.push_str(end);
    chunked("text/event-stream", body.as_bytes())
}

fn is_streamed(body: &Value) -> bool {
    body.get("stream") == Some(&Value::Bool(true))
}
