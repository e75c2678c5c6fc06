//! Tools as JSON.

use super::ordered::{Members, Ordered, serialize_members};
use super::property::property;
use crate::duration::duration_text;
use crate::tool::ToolSpec;
use agent_gram::value::{Record, Text};
use serde_core::ser::{Serialize, Serializer};

/// The members of a tool that mean something, in the order they are written.
pub(super) const TOOL_MEMBERS: [&str; 6] = [
    "name",
    "description",
    "typeSignature",
    "schema",
    "timeout",
    "requiresApproval",
];

impl ToolSpec {
    /// The JSON form: `{"name", "description", "typeSignature", "schema"}`, then the settings that
    /// are set, then further properties in the form of [`super::pattern_to_json`].
    ///
    /// `typeSignature` is the source of truth. A further property that has the name of one of
    /// these members is left out, since it would be read as that member.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        tool_to_ordered(self).to_value()
    }
}

/// The JSON form with members in order.
pub(super) fn tool_to_ordered(tool: &ToolSpec) -> Ordered {
    Ordered::Object(members(tool))
}

fn members(tool: &ToolSpec) -> Vec<(Text, Ordered)> {
    let mut members = Members::default();
    members.add_text("name", tool.name());
    members.add_text("description", tool.description());
    members.add_text("typeSignature", &tool.signature().to_string());
    members.add("schema", tool.signature().schema().into_ordered());
    if let Some(timeout) = tool.timeout() {
        members.add("timeout", Ordered::text(duration_text(timeout)));
    }
    if tool.requires_approval() {
        members.add("requiresApproval", Ordered::Bool(true));
    }
    add_extra(&mut members, tool.extra(), &TOOL_MEMBERS);
    members.into_vec()
}

/// Adds the properties that mean nothing to us, unless one has the name of a member that does.
pub(super) fn add_extra(members: &mut Members, extra: &Record, known: &[&str]) {
    for (key, value) in extra.entries() {
        if !known.contains(&key.as_ref()) && !members.has(key) {
            members.add(key.clone(), property(value));
        }
    }
}

impl Serialize for ToolSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_members(&members(self), serializer)
    }
}
