//! What documents say, in the words of gram.

use super::change::DocumentPart;
use agent_gram::Span;
use agent_gram::print::writer::to_string;
use agent_spec::binding::{Message, Policy, first_mismatch};
use agent_spec::secret::covered;
use agent_spec::write::{json_text, signature_text};
use agent_spec::{Kind, Param, Returns, Signature, Type};
use std::borrow::Cow;

/// A parameter, such as `(name::Text {default: "world"})`.
pub(super) fn parameter(param: &Param) -> String {
    let text = signature_text(&alone(param));
    text.strip_suffix("==>(::Null)").unwrap_or(&text).to_owned()
}

/// A result, such as `(::String)`.
pub(super) fn result(returns: &Returns) -> String {
    let text = signature_text(&Signature::new(Vec::new(), returns.clone()));
    text.strip_prefix("()==>").unwrap_or(&text).to_owned()
}

/// A description in quotes.
pub(super) fn description(text: Option<&str>) -> String {
    match text {
        Some(text) => serde_json::Value::from(text).to_string(),
        None => "no description".to_owned(),
    }
}

/// A value as JSON or, when a key is in it, words for it: covered, it would look like any other key.
pub(super) fn value(value: &agent_gram::Value) -> String {
    let text = json_text(value);
    match covered(&text) {
        Cow::Borrowed(_) => format!("`{text}`"),
        Cow::Owned(_) => "a value with a key, which is covered here".to_owned(),
    }
}

/// What is said somewhere.
pub(super) fn stated(text: impl Into<String>, span: Option<Span>) -> Option<DocumentPart> {
    Some(DocumentPart {
        text: text.into(),
        span,
    })
}

/// A signature of one parameter, which returns nothing.
pub(super) fn alone(param: &Param) -> Signature {
    Signature::new(vec![param.clone()], nothing())
}

/// No result.
pub(super) fn nothing() -> Returns {
    Returns::new(Type::new(Kind::Null))
}

/// Why the binding rule refuses a tool of one signature for a spec of another, in its own words;
/// nothing when it does not. The descriptions come first on each side.
pub(super) fn refusal_of_rule(
    name: &str,
    spec: (&str, &Signature),
    tool: (&str, &Signature),
) -> Option<String> {
    let mismatch = first_mismatch(spec, tool, Policy::Compatible)?;
    let message = Message {
        name,
        spec,
        tool,
        mismatch,
    };
    let text = to_string(|writer| message.write_summary(writer));
    // Two keys look alike when they are covered.
    let has_key = matches!(covered(&text), Cow::Owned(_));
    Some(if has_key {
        format!("{text} (what looks like a key is covered)")
    } else {
        text
    })
}
