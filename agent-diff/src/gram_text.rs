//! Parts of documents as gram text, and the messages of the binding rule about them.

use agent_spec::binding::{Message, Policy, first_mismatch};
use agent_spec::json::json_text;
use agent_spec::secret::redacted;
use agent_spec::{Kind, Param, Returns, Signature, ToolSpec, Type};
use std::borrow::Cow;

/// Writes the name and the signature of a tool.
pub(super) fn tool_text(spec: &ToolSpec) -> String {
    format!("{} {}", spec.name(), spec.signature())
}

/// Writes a parameter, such as `(name::Text {default: "world"})`.
pub(super) fn parameter_text(param: &Param) -> String {
    let text = signature_of(param).to_string();
    text.strip_suffix("==>(::Null)").unwrap_or(&text).to_owned()
}

/// Writes a result, such as `(::String)`.
pub(super) fn result_text(returns: &Returns) -> String {
    let text = Signature::new(Vec::new(), returns.clone()).to_string();
    text.strip_prefix("()==>").unwrap_or(&text).to_owned()
}

/// Writes a description in quotes.
pub(super) fn description_text(text: Option<&str>) -> String {
    match text {
        Some(text) => serde_json::Value::from(text).to_string(),
        None => "no description".to_owned(),
    }
}

/// Writes a value as JSON. A value with a secret in it is described instead, because two secrets look
/// alike when they are redacted.
pub(super) fn value_text(value: &agent_gram::Value) -> String {
    let text = json_text(value);
    match redacted(&text) {
        Cow::Borrowed(_) => format!("`{text}`"),
        Cow::Owned(_) => "a value with a key, which is covered here".to_owned(),
    }
}

/// Returns a signature with one parameter and no result.
fn signature_of(param: &Param) -> Signature {
    Signature::new(vec![param.clone()], no_result())
}

/// Returns a signature without parameters and without a result.
fn empty_signature() -> Signature {
    Signature::new(Vec::new(), no_result())
}

fn no_result() -> Returns {
    Returns::new(Type::new(Kind::Null))
}

/// Returns the message with which the binding rule refuses a tool for a spec, or `None` if the rule accepts
/// it. Each side is a description and a signature.
pub(super) fn binding_refusal(
    name: &str,
    spec: (&str, &Signature),
    tool: (&str, &Signature),
) -> Option<String> {
    let ordered = tool.1.in_order_of(spec.1);
    let tool = (tool.0, &*ordered);
    let mismatch = first_mismatch(spec, tool, Policy::Compatible)?;
    let message = Message {
        name,
        spec,
        tool,
        mismatch,
    };
    let text = message.summary();
    let has_secret = matches!(redacted(&text), Cow::Owned(_));
    Some(if has_secret {
        format!("{text} (what looks like a key is covered)")
    } else {
        text
    })
}

/// Returns the message with which the binding rule refuses a parameter of a function for a parameter of a
/// spec. `None` on one side stands for a signature without parameters.
pub(super) fn parameter_refusal(
    name: &str,
    spec: Option<&Param>,
    tool: Option<&Param>,
) -> Option<String> {
    let signature = |param: Option<&Param>| param.map_or_else(empty_signature, signature_of);
    binding_refusal(name, ("", &signature(spec)), ("", &signature(tool)))
}
