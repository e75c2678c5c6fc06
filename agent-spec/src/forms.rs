//! Agents and tools read from and written as gram text, patterns, JSON and JSON Schema.
//!
//! The types themselves are in [`agent`](crate::agent) and [`tool`](crate::tool); here are their methods that need the
//! checker, the writers and the converters.
//!
//! JSON is written through [`Ordered`](agent_types::json::Ordered), because `serde_json::Value` sorts the
//! members of objects. JSON is read as a gram pattern first, so that the checker reports the same
//! diagnostics for JSON as for gram.

mod agent;
mod json_reader;
mod mcp;
mod pattern_json;
mod shared_parts;
mod spec_json;
mod tool;

pub use json_reader::JsonError;
pub use pattern_json::{PatternJson, pattern_from_json, pattern_to_json, pattern_to_ordered};
pub use spec_json::{SpecError, agent_pattern_from_json, tool_pattern_from_json};
