//! The Responses API.

use super::{is_streamed, listed, stream, strict_schema, unsupported};
use crate::faults::server::whole;
use crate::vendors::facts::{OpenAi, Sampling};
use crate::vendors::refused::{Refused, items, refuse_if, text, unknown_member};
use crate::vendors::reply::{JSON, Reply};
use crate::vendors::said::{Asked, Choice, Said};
use serde_json::{Value, json};

/// The members of a request.
const MEMBERS: [&str; 19] = [
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning",
    "text",
    "include",
    "store",
    "stream",
    "metadata",
    "prompt_cache_key",
    "prompt_cache_options",
    "service_tier",
    "truncation",
];

const ENCRYPTED: &str = "reasoning.encrypted_content";

pub(super) fn answer(model: &OpenAi, body: &Value, number: usize) -> Result<Reply, Refused> {
    check(model, body)?;
    let output = output(model, body, number);
    let response = |status: &str, output: &[Value], usage: Value| {
        json!({
            "id": format!("resp_{number}"), "object": "response", "created_at": 1_795_000_000,
            "status": status, "error": null, "incomplete_details": null, "model": model.id,
            "output": output, "usage": usage, "store": false,
        })
    };
    let usage = json!({"input_tokens": 82, "output_tokens": 9, "total_tokens": 91});
    let completed = response("completed", &output, usage);
    if !is_streamed(body) {
        return Ok(whole(200, JSON, completed.to_string()).into());
    }
    let mut events = Vec::new();
    let mut add = |kind: &'static str, mut data: Value| {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(events.len());
        events.push((Some(kind), data));
    };
    let begun = response("in_progress", &[], Value::Null);
    add("response.created", json!({ "response": begun }));
    for (at, item) in output.iter().enumerate() {
        let begun = without_content(item);
        add(
            "response.output_item.added",
            json!({"output_index": at, "item": begun}),
        );
        let id = &item["id"];
        if let Some(words) = item.pointer("/content/0/text") {
            let place = || json!({"output_index": at, "item_id": id, "content_index": 0});
            let mut part = place();
            part["part"] = json!({"type": "output_text", "annotations": [], "text": ""});
            add("response.content_part.added", part);
            let mut delta = place();
            delta["delta"] = words.clone();
            add("response.output_text.delta", delta);
            let mut done = place();
            done["text"] = words.clone();
            add("response.output_text.done", done);
        }
        if let Some(arguments) = item.get("arguments") {
            let place = || json!({"output_index": at, "item_id": id});
            let mut delta = place();
            delta["delta"] = arguments.clone();
            add("response.function_call_arguments.delta", delta);
            let mut done = place();
            done["arguments"] = arguments.clone();
            add("response.function_call_arguments.done", done);
        }
        add(
            "response.output_item.done",
            json!({"output_index": at, "item": item}),
        );
    }
    add("response.completed", json!({ "response": completed }));
    Ok(stream(&events, "").into())
}

/// Returns an item as it begins: without its text, arguments and encrypted content.
fn without_content(item: &Value) -> Value {
    let mut item = item.clone();
    for (key, empty) in [("content", json!([])), ("arguments", json!(""))] {
        if item.get(key).is_some() {
            item[key] = empty;
        }
    }
    if item.get("status").is_some() {
        item["status"] = json!("in_progress");
    }
    item
}

fn output(model: &OpenAi, body: &Value, number: usize) -> Vec<Value> {
    let tools = items(body, "tools").iter();
    let last = items(body, "input").last();
    let asked = Asked {
        tools: tools.filter_map(|tool| text(tool, "name")).collect(),
        choice: choice(body),
        ends_with_words: last.is_some_and(|last| text(last, "role") == Some("user")),
        has_format: body.pointer("/text/format/type") == Some(&json!("json_schema")),
    };
    let mut output = Vec::new();
    if model.thinks(effort(body)) {
        let mut reasoning =
            json!({"id": format!("rs_{number}"), "type": "reasoning", "summary": []});
        if includes_encrypted(body) {
            reasoning["encrypted_content"] = json!(format!("encrypted-{}-{number}", model.id));
        }
        output.push(reasoning);
    }
    output.push(match asked.answer() {
        Said::Words(words) => json!({
            "id": format!("msg_{number}"), "type": "message", "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": words}],
        }),
        Said::Call { tool, arguments } => json!({
            "id": format!("fc_{number}"), "type": "function_call", "status": "completed",
            "call_id": format!("call_{number}"), "name": tool, "arguments": arguments.to_string(),
        }),
    });
    output
}

fn choice(body: &Value) -> Choice<'_> {
    let Some(choice) = body.get("tool_choice") else {
        return Choice::Auto;
    };
    match (choice.as_str(), text(choice, "name")) {
        (Some("required"), _) => Choice::Required,
        (Some("none"), _) => Choice::None,
        (None, Some(name)) => Choice::Tool(name),
        _ => Choice::Auto,
    }
}

fn effort(body: &Value) -> Option<&str> {
    text(body.get("reasoning")?, "effort")
}

fn includes_encrypted(body: &Value) -> bool {
    items(body, "include").contains(&json!(ENCRYPTED))
}

fn check(model: &OpenAi, body: &Value) -> Result<(), Refused> {
    if let Some(member) = unknown_member(body, &MEMBERS) {
        return Err(Refused::bad(format!("Unknown parameter: '{member}'.")));
    }
    if let Some(effort) = effort(body) {
        if !model.reasons() {
            return Err(unsupported("reasoning.effort"));
        }
        refuse_if(!model.efforts.contains(&effort), || {
            format!(
                "Unsupported value: '{effort}' is not supported with the '{}' model. Supported values are: {}.",
                model.id,
                listed(model.efforts, "and ")
            )
        })?;
    }
    let takes_sampling = match model.sampling {
        Sampling::Always => true,
        Sampling::WithoutThought => !model.thinks(effort(body)),
        Sampling::Never => false,
    };
    for parameter in ["temperature", "top_p"] {
        if body.get(parameter).is_some() && !takes_sampling {
            return Err(unsupported(parameter));
        }
    }
    refuse_if(includes_encrypted(body) && !model.reasons(), || {
        "Encrypted content is not supported with this model.".to_owned()
    })?;
    if let Some(format) = body.pointer("/text/format") {
        strict_schema::check(format)?;
    }
    check_input(items(body, "input"))
}

/// Checks that the history can be continued: reasoning that the server can read and that led to an item, and a result for
/// each call.
fn check_input(input: &[Value]) -> Result<(), Refused> {
    for (at, item) in input.iter().enumerate() {
        let id = text(item, "id").unwrap_or_default();
        match text(item, "type") {
            Some("reasoning") => {
                refuse_if(text(item, "encrypted_content").is_none(), || {
                    format!(
                        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again \
                         with `store` set to true, or remove this item from your input."
                    )
                })?;
                let next = input.get(at + 1);
                let is_led_to = next.is_some_and(|next| {
                    text(next, "role") != Some("user")
                        && text(next, "type") != Some("function_call_output")
                });
                refuse_if(!is_led_to, || {
                    format!(
                        "Item '{id}' of type 'reasoning' was provided without its required following item."
                    )
                })?;
            }
            Some("function_call") => {
                let call = text(item, "call_id").unwrap_or_default();
                let mut later = input[at..].iter();
                let has_output = later.any(|item| {
                    text(item, "type") == Some("function_call_output")
                        && text(item, "call_id") == Some(call)
                });
                refuse_if(!has_output, || {
                    format!("No tool output found for function call {call}.")
                })?;
            }
            _ => {}
        }
    }
    Ok(())
}
