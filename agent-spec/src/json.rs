//! The JSON forms of values, patterns, tools and agents.
//!
//! Writing goes through [`Ordered`], a JSON value whose objects keep their members in order, since
//! `serde_json::Value` sorts them. Reading goes through gram patterns: what is wrong with a
//! pattern, the checker says, so JSON and gram get the same diagnostics.

mod ordered;
mod pattern;
mod reader;
mod spec;

pub use ordered::{Ordered, json_to_value, value_to_json};
pub(crate) use ordered::{plain, plain_members, serialize_members, to_map};
pub use pattern::{pattern_from_json, pattern_to_json, pattern_to_ordered};
pub use reader::JsonError;
pub use spec::{SpecError, agent_pattern_from_json, tool_pattern_from_json};
