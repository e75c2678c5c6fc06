//! JSON values: objects whose members keep their order, values of gram as JSON, places in a value.

mod ordered;
mod path;

pub use crate::forms::{
    JsonError, SpecError, agent_pattern_from_json, pattern_from_json, pattern_to_json,
    pattern_to_ordered, tool_pattern_from_json,
};
pub use crate::write::json_text;
pub(crate) use ordered::{Members, from_number, plain, plain_members, serialize_members, to_map};
pub use ordered::{Ordered, json_to_value, value_to_json};
pub(crate) use path::{Path, describe, shorten};
