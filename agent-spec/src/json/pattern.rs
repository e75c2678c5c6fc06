//! Patterns as JSON.

use super::ordered::{Members, Ordered};
use super::property::{property, record};
use agent_gram::{Pattern, Subject};

/// A pattern as JSON: `{"subject":{"identity","labels","properties"},"elements":[…]}`.
///
/// Values are native where JSON has them. The others, and maps that could be taken for one of
/// these, are objects with a `type`:
///
/// | gram | JSON |
/// | --- | --- |
/// | symbol | `{"type":"symbol","value":"Person"}` |
/// | tagged text | `{"type":"tagged","tag":"date","content":"2026-11-21"}` |
/// | range | `{"type":"range","lower":1,"upper":10}`, an open end being `null` |
/// | measurement | `{"type":"measurement","value":10,"unit":"s"}` |
/// | integer beyond 64 bits | `{"type":"integer","value":"18446744073709551616"}` |
/// | map whose `type` is one of these words or `map` | `{"type":"map","entries":{…}}` |
#[must_use]
pub fn pattern_to_json(pattern: &Pattern) -> serde_json::Value {
    pattern_to_ordered(pattern).to_value()
}

/// The same with properties in the order of the source.
#[must_use]
pub fn pattern_to_ordered(pattern: &Pattern) -> Ordered {
    let elements = pattern.elements().iter().map(pattern_to_ordered).collect();
    let mut members = Members::default();
    members.add("subject", subject(pattern.subject()));
    members.add("elements", Ordered::Array(elements));
    Ordered::Object(members.into_vec())
}

fn subject(subject: &Subject) -> Ordered {
    let labels = subject.labels.iter().cloned().map(Ordered::Text).collect();
    let mut members = Members::default();
    members.add("identity", Ordered::Text(subject.identity.clone()));
    members.add("labels", Ordered::Array(labels));
    members.add("properties", record(&subject.properties, property));
    Ordered::Object(members.into_vec())
}
