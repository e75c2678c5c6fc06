//! The parameters that a model of Anthropic refuses.

use super::choice;
use crate::vendors::facts::{Anthropic, Forced};
use crate::vendors::refused::{Refused, items, refuse_if, text, unknown_member};
use serde_json::{Value, json};

/// The members of a request.
const MEMBERS: [&str; 16] = [
    "model",
    "max_tokens",
    "messages",
    "system",
    "thinking",
    "tools",
    "tool_choice",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "output_config",
    "cache_control",
    "context_management",
    "stream",
    "metadata",
];

const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// Returns the value of `thinking.type`.
fn thinking_type(body: &Value) -> Option<&str> {
    text(body.get("thinking")?, "type")
}

/// Whether the model thinks before it answers a request.
pub(super) fn thinks(model: &Anthropic, body: &Value) -> bool {
    match thinking_type(body) {
        Some("disabled") => false,
        Some(_) => true,
        None => model.thinks_by_default,
    }
}

pub(super) fn check(model: &Anthropic, body: &Value) -> Result<(), Refused> {
    if let Some(member) = unknown_member(body, &MEMBERS) {
        let text = format!("{member}: Extra inputs are not permitted");
        return Err(Refused::bad(text));
    }
    let Some(max_tokens) = body.get("max_tokens").and_then(Value::as_u64) else {
        return Err(Refused::bad("max_tokens: Field required"));
    };
    refuse_if(max_tokens > model.max_output, || {
        format!(
            "max_tokens: {max_tokens} > {}, which is the maximum allowed number of output tokens for {}",
            model.max_output, model.id
        )
    })?;
    check_thinking(model, body, max_tokens)?;
    check_effort(model, body)?;
    check_sampling(model, body)?;
    check_choice(model, body)?;
    check_format(body)?;
    check_messages(body)
}

fn check_thinking(model: &Anthropic, body: &Value, max_tokens: u64) -> Result<(), Refused> {
    let Some(kind) = thinking_type(body) else {
        return Ok(());
    };
    if !model.thinking.contains(&kind) {
        let is_adaptive = model.thinking.contains(&"adaptive");
        return Err(Refused::bad(match is_adaptive {
            true => format!(
                "\"thinking.type.{kind}\" is not supported for this model. Use \"thinking.type.adaptive\" and \
                 \"output_config.effort\" to control thinking behavior."
            ),
            false => "adaptive thinking is not supported on this model".to_owned(),
        }));
    }
    let is_beyond_high = matches!(effort(body), Some("xhigh" | "max"));
    // A model that thinks by default cannot be stopped at the highest efforts, and one that thinks between its calls
    // does so up to `high`.
    let has_limit = kind == "between_tools" || (kind == "disabled" && model.thinks_by_default);
    refuse_if(is_beyond_high && has_limit, || {
        format!(
            "\"thinking.type.{kind}\" is not supported with this effort. Use an effort up to \"high\"."
        )
    })?;
    if kind != "enabled" {
        return Ok(());
    }
    let budget = body.pointer("/thinking/budget_tokens");
    let budget = budget.and_then(Value::as_u64).unwrap_or_default();
    refuse_if(budget < 1024, || {
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024".to_owned()
    })?;
    refuse_if(max_tokens <= budget, || {
        "`max_tokens` must be greater than `thinking.budget_tokens`.".to_owned()
    })?;
    check_thought_before_calls(items(body, "messages"))
}

/// Checks that the answer which made the calls begins with a thought. Only a budget of thinking demands it.
fn check_thought_before_calls(messages: &[Value]) -> Result<(), Refused> {
    let [.., answer, results] = messages else {
        return Ok(());
    };
    let kind = |message: &Value| {
        let first = items(message, "content").first();
        first.and_then(|block| text(block, "type").map(str::to_owned))
    };
    let is_between_calls = kind(results).as_deref() == Some("tool_result");
    let first = kind(answer).unwrap_or_default();
    let has_thought = matches!(first.as_str(), "thinking" | "redacted_thinking");
    let at = messages.len() - 2;
    refuse_if(is_between_calls && !has_thought, || {
        format!(
            "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{first}`. When \
             `thinking` is enabled, a final `assistant` message must start with a thinking block."
        )
    })
}

fn effort(body: &Value) -> Option<&str> {
    text(body.get("output_config")?, "effort")
}

fn check_effort(model: &Anthropic, body: &Value) -> Result<(), Refused> {
    let Some(effort) = effort(body) else {
        return Ok(());
    };
    refuse_if(!EFFORTS.contains(&effort), || {
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'".to_owned()
    })?;
    refuse_if(model.efforts.is_empty(), || {
        "This model does not support the effort parameter.".to_owned()
    })?;
    refuse_if(!model.efforts.contains(&effort), || {
        format!(
            "This model does not support effort level '{effort}'. Supported levels: {}.",
            model.efforts.join(", ")
        )
    })
}

fn check_sampling(model: &Anthropic, body: &Value) -> Result<(), Refused> {
    let is_set = |parameter: &str| body.get(parameter).is_some();
    for parameter in ["temperature", "top_p", "top_k"] {
        refuse_if(is_set(parameter) && !model.has_sampling, || {
            format!("`{parameter}` is deprecated for this model.")
        })?;
    }
    refuse_if(is_set("temperature") && is_set("top_p"), || {
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
            .to_owned()
    })?;
    let is_one = body.get("temperature").and_then(Value::as_f64) == Some(1.0);
    let is_other = is_set("temperature") && !is_one;
    refuse_if(is_other && thinks(model, body), || {
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
            .to_owned()
    })?;
    let least = body.get("top_p").and_then(Value::as_f64);
    refuse_if(
        thinks(model, body) && least.is_some_and(|p| p < 0.95),
        || {
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode."
            .to_owned()
        },
    )
}

fn check_choice(model: &Anthropic, body: &Value) -> Result<(), Refused> {
    let is_forced = choice(body).is_forced();
    refuse_if(is_forced && model.forced == Forced::Never, || {
        "tool_choice: type \"tool\" and \"any\" are not supported for this model.".to_owned()
    })?;
    let has_budget = thinking_type(body) == Some("enabled");
    refuse_if(is_forced && has_budget, || {
        "Thinking may not be enabled when tool_choice forces tool use.".to_owned()
    })
}

/// Checks that each object of the format is closed.
fn check_format(body: &Value) -> Result<(), Refused> {
    let Some(schema) = body.pointer("/output_config/format/schema") else {
        return Ok(());
    };
    refuse_if(has_open_object(schema), || {
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
            .to_owned()
    })
}

fn has_open_object(schema: &Value) -> bool {
    let is_object = schema.get("type") == Some(&json!("object"));
    let is_open = schema.get("additionalProperties") != Some(&json!(false));
    let members = schema.get("properties").and_then(Value::as_object);
    let mut parts = members
        .into_iter()
        .flat_map(|members| members.values())
        .chain(schema.get("items"))
        .chain(items(schema, "anyOf"));
    (is_object && is_open) || parts.any(has_open_object)
}

fn check_messages(body: &Value) -> Result<(), Refused> {
    let messages = items(body, "messages");
    let role = |message: &Value| text(message, "role").unwrap_or_default().to_owned();
    refuse_if(messages.last().map(role).as_deref() != Some("user"), || {
        "This model does not support assistant message prefill. The conversation must end with a user message."
            .to_owned()
    })?;
    for (at, message) in messages.iter().enumerate() {
        let calls = items(message, "content").iter();
        let calls = calls.filter(|block| text(block, "type") == Some("tool_use"));
        let results = messages.get(at + 1).map(|next| items(next, "content"));
        let results = results.unwrap_or_default();
        for call in calls {
            let id = text(call, "id").unwrap_or_default();
            let has_result = results
                .iter()
                .any(|block| text(block, "tool_use_id") == Some(id));
            refuse_if(!has_result, || {
                format!(
                    "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. \
                     Each `tool_use` block must have a corresponding `tool_result` block in the next message."
                )
            })?;
        }
    }
    Ok(())
}
