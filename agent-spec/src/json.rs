//! The JSON forms of values, patterns, tools and agents.
//!
//! Writing goes through [`Ordered`], a JSON value whose objects keep their members in order, since
//! `serde_json::Value` sorts them. Reading goes through gram patterns: what is wrong with a
//! pattern, the checker says, so JSON and gram get the same diagnostics.

mod agent;
mod error;
mod measurement;
mod ordered;
mod pattern;
mod property;
mod read_agent;
mod read_ordered;
mod read_pattern;
mod read_property;
mod read_spec;
mod read_tool;
mod reader;
mod tool;
mod value;

pub use error::JsonError;
pub use ordered::Ordered;
pub(crate) use ordered::{serialize_members, to_map};
pub use pattern::{pattern_to_json, pattern_to_ordered};
pub use read_agent::agent_pattern_from_json;
pub use read_pattern::pattern_from_json;
pub use read_spec::SpecError;
pub use read_tool::tool_pattern_from_json;
pub use value::{json_to_value, value_to_json};
pub(crate) use value::{plain, plain_members};
