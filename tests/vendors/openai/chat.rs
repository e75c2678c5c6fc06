//! Chat completions.

use super::{is_streamed, listed, stream, unsupported};
use crate::faults::server::whole;
use crate::vendors::facts::{ChatTools, OpenAi, Sampling};
use crate::vendors::refused::{Refused, items, refuse_if, text, unknown_member};
use crate::vendors::reply::{JSON, Reply};
use crate::vendors::said::{Asked, Choice, Said};
use serde_json::{Value, json};

/// The members of a request.
const MEMBERS: [&str; 21] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "response_format",
    "stream",
    "stream_options",
    "store",
    "metadata",
    "prompt_cache_key",
    "prompt_cache_options",
    "service_tier",
    "verbosity",
];

pub(super) fn answer(model: &OpenAi, body: &Value, number: usize) -> Result<Reply, Refused> {
    check(model, body)?;
    let tools = items(body, "tools").iter();
    let tools = tools.filter_map(|tool| text(tool.get("function")?, "name"));
    let last = items(body, "messages").last();
    let asked = Asked {
        tools: tools.collect(),
        choice: choice(body),
        ends_with_words: last.and_then(|last| text(last, "role")) == Some("user"),
        has_format: body.pointer("/response_format/type") == Some(&json!("json_schema")),
    };
    let said = asked.answer();
    let (message, reason) = match &said {
        Said::Words(words) => (json!({"role": "assistant", "content": words}), "stop"),
        Said::Call { tool, arguments } => {
            let function = json!({"name": tool, "arguments": arguments.to_string()});
            let call =
                json!({"id": format!("call_{number}"), "type": "function", "function": function});
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            (message, "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 82, "completion_tokens": 9, "total_tokens": 91});
    let envelope = |kind: &str| {
        json!({"id": format!("chatcmpl-{number}"), "object": kind, "created": 1_795_000_000,
               "model": model.id})
    };
    if !is_streamed(body) {
        let mut whole_answer = envelope("chat.completion");
        whole_answer["choices"] =
            json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": reason}]);
        whole_answer["usage"] = usage;
        return Ok(whole(200, JSON, whole_answer.to_string()).into());
    }
    let mut delta = message;
    if let Some(call) = delta.pointer_mut("/tool_calls/0") {
        call["index"] = json!(0);
    }
    let chunk = |delta: Value, reason: Value| {
        let mut chunk = envelope("chat.completion.chunk");
        chunk["choices"] =
            json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
        (None, chunk)
    };
    let mut last = envelope("chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage;
    let chunks = [
        chunk(delta, Value::Null),
        chunk(json!({}), json!(reason)),
        (None, last),
    ];
    Ok(stream(&chunks, "data: [DONE]\n\n").into())
}

fn choice(body: &Value) -> Choice<'_> {
    let Some(choice) = body.get("tool_choice") else {
        return Choice::Auto;
    };
    match (choice.as_str(), choice.get("function")) {
        (Some("required"), _) => Choice::Required,
        (Some("none"), _) => Choice::None,
        (None, Some(function)) => Choice::Tool(text(function, "name").unwrap_or_default()),
        _ => Choice::Auto,
    }
}

fn check(model: &OpenAi, body: &Value) -> Result<(), Refused> {
    if model.chat_tools == ChatTools::NoChat {
        return Err(Refused::not_found(
            "This model is only supported in v1/responses and not in v1/chat/completions.",
        ));
    }
    if let Some(member) = unknown_member(body, &MEMBERS) {
        let text = format!("Unrecognized request argument supplied: {member}");
        return Err(Refused::bad(text));
    }
    let effort = text(body, "reasoning_effort");
    let efforts = model.chat_efforts();
    if let Some(effort) = effort {
        if !model.reasons() {
            return Err(unsupported("reasoning_effort"));
        }
        if !efforts.contains(&effort) {
            return Err(unsupported_effort(model, effort, &efforts));
        }
    }
    let thinks = model.thinks(effort);
    let has_tools = !items(body, "tools").is_empty();
    let takes_tools = match model.chat_tools {
        ChatTools::Always => true,
        ChatTools::WithoutThought => !thinks,
        ChatTools::Never | ChatTools::NoChat => false,
    };
    refuse_if(has_tools && !takes_tools, || tools_refused(model))?;
    let takes_sampling = match model.sampling {
        Sampling::Always => true,
        Sampling::WithoutThought => !thinks,
        Sampling::Never => false,
    };
    if let Some(temperature) = body.get("temperature")
        && !takes_sampling
        && temperature.as_f64() != Some(1.0)
    {
        return Err(Refused::bad(format!(
            "Unsupported value: 'temperature' does not support {temperature} with this model. Only the default (1) \
             value is supported."
        )));
    }
    if body.get("top_p").is_some() && !takes_sampling {
        return Err(unsupported("top_p"));
    }
    refuse_if(body.get("max_tokens").is_some() && model.reasons(), || {
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            .to_owned()
    })?;
    let most = ["max_tokens", "max_completion_tokens"];
    let most = most.iter().find_map(|key| body.get(key)?.as_u64());
    let most = most.unwrap_or_default();
    refuse_if(most > model.max_output, || {
        format!(
            "max_tokens is too large: {most}. This model supports at most {} completion tokens, whereas you provided \
             {most}.",
            model.max_output
        )
    })?;
    if body.get("stop").is_some() && !model.has_stop() {
        return Err(unsupported("stop"));
    }
    Ok(())
}

/// The text of 5.x has no "and"; that of the other models has one.
fn unsupported_effort(model: &OpenAi, effort: &str, efforts: &[&str]) -> Refused {
    let (last, end) = match model.id.starts_with("gpt-5") {
        true => ("", "."),
        false => ("and ", ""),
    };
    Refused::bad(format!(
        "Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. Supported values are: \
         {}{end}",
        listed(efforts, last)
    ))
}

/// The text of 5.4 and 5.5 is older than that of the later models.
fn tools_refused(model: &OpenAi) -> String {
    let id = model.id;
    let way_out = match id.starts_with("gpt-5.4") || id.starts_with("gpt-5.5") {
        true => "Please use /v1/responses instead.",
        false => "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    };
    format!(
        "Function tools with reasoning_effort are not supported for {id} in /v1/chat/completions. {way_out}"
    )
}
