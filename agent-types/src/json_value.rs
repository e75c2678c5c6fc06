//! JSON values: objects whose members keep their order, values of gram as JSON and as its text, paths in
//! a value.

pub(crate) mod ordered;
pub(crate) mod path;
pub(crate) mod reader;
mod surrogates;
mod text;

pub use ordered::{Ordered, json_to_value, value_to_json};
pub(crate) use ordered::{plain, serialize_members, to_map};
pub(crate) use path::{Path, describe, shorten};
pub(crate) use reader::{KeyProblem, json_depth, read_json};
pub use reader::{
    MAX_ARGUMENT_VALUES, MAX_VALUES, has_more_values_than, parse_json, too_many_values,
    value_count, values_in,
};
pub use surrogates::{ends_with_half, join_halves, without_lone_surrogates};
pub use text::{json_bytes, json_len, json_text};
