//! generativelanguage.googleapis.com.

use crate::faults::server::{Play, chunked, whole};
use crate::vendors::facts::{GOOGLE, Google};
use crate::vendors::refused::{Refused, items, refuse_if, text, unknown_member};
use crate::vendors::reply::{JSON, Reply};
use crate::vendors::said::{Asked, Choice, Said};
use serde_json::{Value, json};

pub(crate) const HOST: &str = "generativelanguage.googleapis.com";

/// The members of a request.
const MEMBERS: [&str; 7] = [
    "systemInstruction",
    "contents",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
];

/// The members of the configuration.
const CONFIGURATION: [&str; 15] = [
    "temperature",
    "topP",
    "topK",
    "seed",
    "maxOutputTokens",
    "stopSequences",
    "candidateCount",
    "presencePenalty",
    "frequencyPenalty",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "responseFormat",
    "responseModalities",
    "thinkingConfig",
];

/// The beginning of the signatures of this server.
const SIGNED: &str = "c2lnbmVk";

/// The signature for calls that the server did not sign.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Answers a request, or refuses it.
pub(crate) fn answer(path: &str, body: &Value, number: usize) -> Result<Reply, Refused> {
    let resource = path.strip_prefix("/v1beta/models/").unwrap_or_default();
    let (id, method) = resource.split_once(':').unwrap_or((resource, ""));
    let model = GOOGLE.iter().find(|model| model.id == id);
    let model = model.ok_or_else(|| {
        Refused::not_found(format!(
            "models/{id} is not found for API version v1beta, or is not supported for generateContent."
        ))
    })?;
    let is_streamed = match method {
        "generateContent" => false,
        "streamGenerateContent?alt=sse" => true,
        _ => return Err(Refused::not_found(format!("no method {method}"))),
    };
    check(model, body)?;
    let part = part(model, body, number);
    let chunk = |part: Value, reason: Option<&str>| {
        let mut candidate = json!({"content": {"role": "model", "parts": [part]}, "index": 0});
        if let Some(reason) = reason {
            candidate["finishReason"] = json!(reason);
        }
        json!({
            "candidates": [candidate],
            "usageMetadata": {"promptTokenCount": 82, "candidatesTokenCount": 9, "totalTokenCount": 91},
            "modelVersion": model.id, "responseId": format!("response-{number}"),
        })
    };
    if !is_streamed {
        let answer = chunk(part, Some("STOP"));
        return Ok(whole(200, JSON, answer.to_string()).into());
    }
    let chunks = [chunk(part, None), chunk(json!({"text": ""}), Some("STOP"))];
    let events: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    Ok(chunked("text/event-stream", events.as_bytes()).into())
}

/// Returns the answer to a refused request.
pub(crate) fn refusal(refused: &Refused) -> Play {
    let status = match refused.status {
        404 => "NOT_FOUND",
        _ => "INVALID_ARGUMENT",
    };
    let error = json!({"error": {
        "code": refused.status, "message": refused.message, "status": status,
    }});
    whole(refused.status, JSON, error.to_string())
}

fn declarations(body: &Value) -> impl Iterator<Item = &Value> {
    let tools = items(body, "tools").iter();
    tools.flat_map(|tool| items(tool, "functionDeclarations"))
}

fn choice(body: &Value) -> Choice<'_> {
    let Some(config) = body.pointer("/toolConfig/functionCallingConfig") else {
        return Choice::Auto;
    };
    let allowed = items(config, "allowedFunctionNames").first();
    match (text(config, "mode"), allowed.and_then(Value::as_str)) {
        (Some("ANY"), Some(name)) => Choice::Tool(name),
        (Some("ANY"), None) => Choice::Required,
        (Some("NONE"), _) => Choice::None,
        _ => Choice::Auto,
    }
}

/// Returns the part of an answer.
fn part(model: &Google, body: &Value, number: usize) -> Value {
    let last = items(body, "contents").last();
    let last_part = last.and_then(|last| items(last, "parts").last());
    let asked = Asked {
        tools: declarations(body)
            .filter_map(|declaration| text(declaration, "name"))
            .collect(),
        choice: choice(body),
        ends_with_words: last_part.is_some_and(|part| part.get("text").is_some()),
        has_format: has_schema(body),
    };
    match asked.answer() {
        Said::Words(words) => json!({ "text": words }),
        Said::Call { tool, arguments } => {
            let call = json!({"id": format!("call-{number}"), "name": tool, "args": arguments});
            let mut part = json!({ "functionCall": call });
            if model.is_third_or_later() {
                part["thoughtSignature"] = json!(format!("{SIGNED}{number:08}"));
            }
            part
        }
    }
}

fn configuration<'b>(body: &'b Value, key: &str) -> Option<&'b Value> {
    body.get("generationConfig")?.get(key)
}

fn has_schema(body: &Value) -> bool {
    let keys = ["responseJsonSchema", "responseSchema", "responseFormat"];
    keys.iter().any(|key| configuration(body, key).is_some())
}

fn check(model: &Google, body: &Value) -> Result<(), Refused> {
    let empty = json!({});
    let config = body.get("generationConfig").unwrap_or(&empty);
    let unknown = unknown_member(body, &MEMBERS).map(|key| (key, ""));
    let in_config = unknown_member(config, &CONFIGURATION);
    let in_config = in_config.map(|key| (key, " at 'generation_config'"));
    if let Some((key, place)) = unknown.or(in_config) {
        return Err(Refused::bad(format!(
            "Invalid JSON payload received. Unknown name \"{key}\"{place}: Cannot find field."
        )));
    }
    check_thinking(model, body)?;
    let most = configuration(body, "maxOutputTokens").and_then(Value::as_u64);
    let most = most.unwrap_or(1);
    refuse_if(most > model.max_output, || {
        format!(
            "Unable to submit request because it has a maxOutputTokens value of {most} but the supported range is from 1 \
             (inclusive) to {} (exclusive). Update the value and try again.",
            model.max_output + 1
        )
    })?;
    let has_tools = declarations(body).next().is_some();
    let is_json = configuration(body, "responseMimeType") == Some(&json!("application/json"));
    refuse_if(
        has_tools && (is_json || has_schema(body)) && !model.is_third_or_later(),
        || {
            "Function calling with a response mime type: 'application/json' is unsupported"
                .to_owned()
        },
    )?;
    let wants_kind = configuration(body, "responseJsonSchema").is_some();
    refuse_if(wants_kind && !is_json, || {
        "A response schema is set, but the response mime type is not 'application/json'.".to_owned()
    })?;
    check_contents(model, items(body, "contents"))
}

fn check_thinking(model: &Google, body: &Value) -> Result<(), Refused> {
    let Some(thinking) = configuration(body, "thinkingConfig") else {
        return Ok(());
    };
    let level = text(thinking, "thinkingLevel").map(str::to_lowercase);
    let budget = thinking.get("thinkingBudget").and_then(Value::as_u64);
    if let Some(level) = &level {
        refuse_if(model.levels.is_empty(), || {
            "Thinking level is not supported for this model.".to_owned()
        })?;
        refuse_if(!model.levels.contains(&level.as_str()), || {
            format!(
                "'{level}' is not a supported thinking level for this model. Allowed values are: {}.",
                model.levels.join(", ")
            )
        })?;
        refuse_if(budget.is_some(), || {
            "You can only set only one of thinking budget and thinking level.".to_owned()
        })?;
    }
    if let (Some(budget), Some((least, most))) = (budget, model.budget) {
        refuse_if(!(least..=most).contains(&budget), || {
            format!(
                "The thinking budget {budget} is invalid. Please choose a value between {least} and {most}."
            )
        })?;
    }
    Ok(())
}

fn check_contents(model: &Google, contents: &[Value]) -> Result<(), Refused> {
    let is_model = |content: &Value| text(content, "role") == Some("model");
    let ends_with_model = contents.last().is_some_and(is_model);
    refuse_if(ends_with_model && !model.may_end_with_model(), || {
        "Requests ending with a model turn are not supported.".to_owned()
    })?;
    for (at, content) in contents.iter().enumerate() {
        if !is_model(content) {
            continue;
        }
        let parts = items(content, "parts").iter();
        let calls: Vec<&Value> = parts
            .filter(|part| part.get("functionCall").is_some())
            .collect();
        let Some(first) = calls.first() else {
            continue;
        };
        if model.is_third_or_later() {
            check_signature(first, at)?;
        }
        let next = contents.get(at + 1).map(|next| items(next, "parts"));
        let results = next.unwrap_or_default().iter();
        let results = results.filter(|part| part.get("functionResponse").is_some());
        refuse_if(results.count() != calls.len(), || {
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn."
                .to_owned()
        })?;
    }
    Ok(())
}

fn check_signature(call: &Value, at: usize) -> Result<(), Refused> {
    let name = call.pointer("/functionCall/name").and_then(Value::as_str);
    let name = name.unwrap_or_default();
    match text(call, "thoughtSignature") {
        None => Err(Refused::bad(format!(
            "Function call `{name}` in the {at}. content block is missing a `thought_signature`."
        ))),
        Some(signature) if signature == UNSIGNED || signature.starts_with(SIGNED) => Ok(()),
        Some(_) => Err(Refused::bad("Corrupted thought signature.")),
    }
}
