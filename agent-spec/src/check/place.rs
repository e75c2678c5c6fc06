//! Where a record stands, which decides what its keys can be.

use crate::check::tool::TOOL_KEYS;
use crate::grants::GRANT_KEYS;
use crate::settings::AGENT_KEYS;
use crate::write::step::KEYS;

/// Where a record stands, which decides what its keys can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The record of an agent.
    Agent,
    /// `grants` of an agent.
    Grants,
    /// The record of a tool.
    Tool,
    /// The node of a parameter.
    Parameter,
    /// The node of a result.
    Result,
    /// A field in a list of fields: `fields: [{name: "age", …}]`.
    Field,
    /// A map in the place of a type where `fields` is a map, so that the key is the field's name:
    /// `fields: {age: {type: "Int", …}}`.
    Entry,
    /// A map in the place of a type: `elementType: {type: "Object", …}`.
    Type,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 8] = [
        Self::Agent,
        Self::Grants,
        Self::Tool,
        Self::Parameter,
        Self::Result,
        Self::Field,
        Self::Entry,
        Self::Type,
    ];

    /// The keys that say something here, in the order they are written. An agent and a tool keep
    /// others as well.
    pub fn keys(self) -> impl Iterator<Item = &'static str> + Clone {
        // What has no key of its own: the name of a parameter and the type of a node stand before
        // the record.
        let (more, without): (&[&str], &[&str]) = match self {
            Place::Agent => (&AGENT_KEYS, &KEYS),
            Place::Grants => (&GRANT_KEYS, &KEYS),
            Place::Tool => (&TOOL_KEYS, &KEYS),
            Place::Parameter => (&["paramName"], &["name", "type"]),
            Place::Result => (&[], &["name", "type", "default"]),
            Place::Field => (&[], &[]),
            Place::Entry => (&[], &["name"]),
            Place::Type => (&[], &["name", "default", "description"]),
        };
        let keys = KEYS.iter().filter(|key| !without.contains(key));
        more.iter().chain(keys).copied()
    }

    /// What has the record, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Place::Agent => "an agent",
            Place::Grants => "`grants`",
            Place::Tool => "a tool",
            Place::Parameter => "a parameter",
            Place::Result => "a result",
            Place::Field | Place::Entry => "a field",
            Place::Type => "a type",
        }
    }
}
