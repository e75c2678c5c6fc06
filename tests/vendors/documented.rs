//! The fake vendors refuse as the vendors' documentation of November 2026 says.

use crate::vendors::refused::Refused;
use crate::vendors::{anthropic, google, openai};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Returns the status and the text of a refusal; `None` for an accepted request.
fn refused(path: &str, body: &Value) -> Option<(u16, String)> {
    let answer = match path {
        "/v1/messages" => anthropic::answer(path, body, "", 0, &HashSet::new()),
        _ if path.starts_with("/v1beta") => google::answer(path, body, 0),
        _ => openai::answer(path, body, 0),
    };
    let refused: Option<Refused> = answer.err();
    refused.map(|refused| (refused.status, refused.message))
}

/// A request of one sentence with further members.
fn body(path: &str, model: &str, more: &Value) -> Value {
    let said = json!([{"role": "user", "content": [{"type": "text", "text": "Hello!"}]}]);
    let mut body = match path {
        "/v1/responses" => json!({"model": model, "input": said}),
        "/v1/messages" => json!({"model": model, "max_tokens": 4_096, "messages": said}),
        "/v1/chat/completions" => json!({"model": model, "messages": said}),
        _ => json!({"contents": [{"role": "user", "parts": [{"text": "Hello!"}]}]}),
    };
    for (key, value) in more.as_object().expect("members") {
        body[key] = value.clone();
    }
    body
}

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";
const MESSAGES: &str = "/v1/messages";

/// Checks the text of a refusal, which is empty for an accepted request.
fn check(path: &str, model: &str, more: &Value, answered: &str) {
    let path = match path {
        "google" => format!("/v1beta/models/{model}:generateContent"),
        path => path.to_owned(),
    };
    let refused = refused(&path, &body(&path, model, more));
    let text = refused.map(|(_, text)| text).unwrap_or_default();
    assert_eq!(text, answered, "{model}: {more}");
}

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "sayHello"}}])
}

#[test]
fn chat_completions() {
    let mut more = json!({ "tools": tools() });
    let text = "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use \
                function tools, use /v1/responses or set reasoning_effort to 'none'.";
    check(CHAT, "gpt-5.6-terra", &more, text);
    check(CHAT, "gpt-5.4", &more, "");
    check(CHAT, "gpt-5", &more, "");
    more["reasoning_effort"] = json!("none");
    check(CHAT, "gpt-5.6-terra", &more, "");
    check(CHAT, "gpt-6-luna", &more, "");
    let text = "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: \
                'low', 'medium', 'high', and 'xhigh'";
    check(CHAT, "gpt-6-astra", &more, text);
    more["reasoning_effort"] = json!("high");
    let text = "Function tools with reasoning_effort are not supported for gpt-6-astra in /v1/chat/completions. To use \
                function tools, use /v1/responses or set reasoning_effort to 'none'.";
    check(CHAT, "gpt-6-astra", &more, text);
    let text = "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: \
                'none', 'low', 'medium', 'high', 'xhigh'.";
    check(
        CHAT,
        "gpt-5.6-luna",
        &json!({"reasoning_effort": "minimal"}),
        text,
    );
    let text = "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is \
                supported.";
    check(CHAT, "gpt-5.6-luna", &json!({"temperature": 0.7}), text);
    check(CHAT, "gpt-5.2", &json!({"temperature": 0.7}), "");
    check(CHAT, "gpt-4o", &json!({"temperature": 0.7}), "");
    let text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    check(CHAT, "gpt-6-astra", &json!({"max_tokens": 9}), text);
    check(CHAT, "gpt-4o", &json!({"max_tokens": 9}), "");
    let text = "Unsupported parameter: 'stop' is not supported with this model.";
    check(CHAT, "o3", &json!({"stop": ["END"]}), text);
    check(CHAT, "gpt-5.2", &json!({"stop": ["END"]}), "");
    let text = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
    check(CHAT, "gpt-4.1", &json!({"reasoning_effort": "low"}), text);
    let only_responses = refused(CHAT, &body(CHAT, "gpt-5.5-pro", &json!({})));
    let text = "This model is only supported in v1/responses and not in v1/chat/completions.";
    assert_eq!(only_responses, Some((404, text.to_owned())));
}

#[test]
fn responses() {
    let text = "Unsupported value: 'minimal' is not supported with the 'gpt-5.6-luna' model. Supported values are: 'none', \
                'low', 'medium', 'high', 'xhigh', and 'max'.";
    check(
        RESPONSES,
        "gpt-5.6-luna",
        &json!({"reasoning": {"effort": "minimal"}}),
        text,
    );
    check(
        RESPONSES,
        "gpt-6-astra",
        &json!({"reasoning": {"effort": "max"}}),
        "",
    );
    let text = "Unsupported parameter: 'temperature' is not supported with this model.";
    check(RESPONSES, "gpt-6-luna", &json!({"temperature": 0}), text);
    let with_none = json!({"temperature": 0, "reasoning": {"effort": "none"}});
    check(RESPONSES, "gpt-6-luna", &with_none, "");
    check(
        RESPONSES,
        "gpt-6-luna",
        &json!({"seed": 7}),
        "Unknown parameter: 'seed'.",
    );
    check(
        RESPONSES,
        "gpt-4o",
        &json!({"stop": ["END"]}),
        "Unknown parameter: 'stop'.",
    );
    let encrypted = json!({"include": ["reasoning.encrypted_content"]});
    check(
        RESPONSES,
        "gpt-4o",
        &encrypted,
        "Encrypted content is not supported with this model.",
    );
    check(RESPONSES, "gpt-5.2", &encrypted, "");
    let text = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
    check(
        RESPONSES,
        "gpt-4o",
        &json!({"reasoning": {"effort": "low"}}),
        text,
    );
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let said = json!({"role": "user", "content": "Hello!"});
    let stored = json!({"input": [said, reasoning, {"role": "assistant", "content": "Hi"}, said]});
    let refused = refused(RESPONSES, &body(RESPONSES, "gpt-5.2", &stored));
    let (_, text) = refused.expect("a refusal");
    assert!(text.starts_with("Item with id 'rs_1' not found."), "{text}");
}

#[test]
fn strict_schemas() {
    let format = |schema: &Value| json!({"text": {"format": {"type": "json_schema", "name": "answer", "strict": true, "schema": schema}}});
    let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let open = "Invalid schema for response_format 'answer': 'additionalProperties' is required to be supplied and to be \
                false.";
    check(RESPONSES, "gpt-6-luna", &format(&schema), open);
    schema["additionalProperties"] = json!(false);
    let optional = "Invalid schema for response_format 'answer': 'required' is required to be supplied and to be an array \
                    including every key in properties. Missing 'a'.";
    check(RESPONSES, "gpt-6-luna", &format(&schema), optional);
    schema["required"] = json!(["a"]);
    check(RESPONSES, "gpt-6-luna", &format(&schema), "");
    for _ in 0..11 {
        schema = json!({"type": "array", "items": schema});
    }
    let deep =
        "Invalid schema for response_format 'answer': it has more than 10 levels of nesting.";
    check(RESPONSES, "gpt-6-luna", &format(&schema), deep);
}

#[test]
fn messages() {
    let text = "`temperature` is deprecated for this model.";
    check(
        MESSAGES,
        "claude-sonnet-5",
        &json!({"temperature": 0}),
        text,
    );
    check(
        MESSAGES,
        "claude-sonnet-4-6",
        &json!({"temperature": 0}),
        "",
    );
    let thinking = |kind: &str| json!({"thinking": {"type": kind, "budget_tokens": 2_048}});
    let text = "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \
                \"output_config.effort\" to control thinking behavior.";
    check(MESSAGES, "claude-sonnet-5", &thinking("enabled"), text);
    check(MESSAGES, "claude-haiku-4-5", &thinking("enabled"), "");
    let text = text.replace("enabled", "disabled");
    check(MESSAGES, "claude-opus-5-5", &thinking("disabled"), &text);
    check(MESSAGES, "claude-haiku-5-5", &thinking("disabled"), "");
    let forced = json!({"tool_choice": {"type": "any"}, "tools": [{"name": "sayHello"}]});
    let text = "tool_choice: type \"tool\" and \"any\" are not supported for this model.";
    check(MESSAGES, "claude-opus-5-5", &forced, text);
    check(MESSAGES, "claude-haiku-5-5", &forced, "");
    let mut with_budget = forced;
    with_budget["thinking"] = thinking("enabled")["thinking"].take();
    let text = "Thinking may not be enabled when tool_choice forces tool use.";
    check(MESSAGES, "claude-sonnet-4-6", &with_budget, text);
    let effort = json!({"output_config": {"effort": "xhigh"}});
    let text = "This model does not support the effort parameter.";
    check(MESSAGES, "claude-haiku-4-5", &effort, text);
    check(MESSAGES, "claude-sonnet-5", &effort, "");
    let ended = json!({"messages": [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi"}]});
    let text = "This model does not support assistant message prefill. The conversation must end with a user message.";
    check(MESSAGES, "claude-sonnet-5", &ended, text);
}

#[test]
fn generated_content() {
    let level =
        |level: &str| json!({"generationConfig": {"thinkingConfig": {"thinkingLevel": level}}});
    let text = "'minimal' is not a supported thinking level for this model. Allowed values are: low, medium, high.";
    check("google", "gemini-3.7-flash", &level("MINIMAL"), text);
    check("google", "gemini-3.6-flash", &level("MINIMAL"), "");
    let text = "Thinking level is not supported for this model.";
    check("google", "gemini-2.5-pro", &level("LOW"), text);
    let mut both = level("LOW");
    both["generationConfig"]["thinkingConfig"]["thinkingBudget"] = json!(2_048);
    let text = "You can only set only one of thinking budget and thinking level.";
    check("google", "gemini-3.8-flash", &both, text);
    let said = json!({"role": "user", "parts": [{"text": "Hello!"}]});
    let answered = json!({"role": "model", "parts": [{"text": "Hi"}]});
    let ended = json!({"contents": [said, answered]});
    let text = "Requests ending with a model turn are not supported.";
    check("google", "gemini-3.6-flash", &ended, text);
    check("google", "gemini-3.5-flash", &ended, "");
    let mut call = json!({"functionCall": {"name": "sayHello", "args": {}}});
    let called = |call: &Value| {
        let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "sayHello"}}]});
        json!({"contents": [said, {"role": "model", "parts": [call]}, result]})
    };
    let text = "Function call `sayHello` in the 1. content block is missing a `thought_signature`.";
    check("google", "gemini-3.8-flash", &called(&call), text);
    check("google", "gemini-2.5-flash", &called(&call), "");
    call["thoughtSignature"] = json!("of another backend");
    check(
        "google",
        "gemini-3.8-flash",
        &called(&call),
        "Corrupted thought signature.",
    );
    let schema = json!({
        "tools": [{"functionDeclarations": [{"name": "sayHello"}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {}},
    });
    let text = "Function calling with a response mime type: 'application/json' is unsupported";
    check("google", "gemini-2.5-flash", &schema, text);
    check("google", "gemini-3.8-flash", &schema, "");
}
