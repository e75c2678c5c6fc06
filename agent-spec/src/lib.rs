//! Agents, tools and type signatures: what a gram document declares, checked.
//!
//! - [`check`](mod@check) reads a document: its agents and tools, with the place of every part, and
//!   everything that is wrong with it, each finding with a stable [`Code`], a place and advice.
//! - [`Agent`], [`ToolSpec`], [`Signature`], [`Type`] are what was read. A `const` can hold them, so
//!   that `agent!` builds them without parsing at run time; they can be made in code as well
//!   ([`Agent::new`], [`ToolSpec::new`]), with the same checks.
//! - [`AgentPattern`] and [`ToolPattern`] are the same as patterns, with typed access (see
//!   [`lens`]).
//! - `style` writes signatures so that the official tools of gram can read them, and back.
//! - `mcp` has the tools of MCP servers as documents have them.
//! - `project` reads project files, `agent.gram`. Only this module and [`file`](mod@file) read files.
//! - [`Agent::extend`] adds the tools of one agent to another. [`Agent::references`] are the names of the
//!   tools whose specs the agent does not have; binding gives them.
//! - [`Signature::schema`] is the JSON Schema of a tool's parameters, always derived, never stored;
//!   `Signature::from_schemas` reads one from schemas that others wrote.
//!   [`Signature::check_arguments`] validates a call.
//! - [`terminal`] makes text of others safe to show to a person.
//! - [`binding`] says whether an implementation fits a spec, in a `const` as well as at run time.
//!
//! This crate does not use HTTP, call models or call tools.
//!
//! ```
//! use agent_spec::check::{Options, check};
//!
//! let checked = check("[t:Tool {description: \"d\"} | (name::Txt)==>(::String)]", Options::default());
//! let found = &checked.diagnostics[0];
//! assert_eq!(found.code().as_str(), "agent::unknown-type");
//! assert_eq!(found.help(), Some("did you mean `Text`?"));
//! ```
//!
//! # Limits
//! Patterns (`pattern: "…"`) need the feature `pattern`. They are parsed by the crate `regex-lite`: no
//! look-around, and classes such as `\\d` are ASCII. Whether one pattern or format is narrower than
//! another is decided by their texts. The work of compiling and matching the patterns of a document, a schema
//! or a value is limited; beyond the limit the pattern or the text is refused.
//!
//! JSON Schemas (`schema: "…"` of `Any`) are compared, written and sent to models;
//! the values are validated by agent-runtime with its feature `json-schema`.
#[doc(hidden)]
pub mod __private;
mod agent;
pub mod binding;
pub mod case;
pub mod check;
pub mod compare;
mod constraints;
pub mod diagnostic;
pub mod doc_comment;
pub mod duration;
pub mod file;
mod foreign_words;
mod forms;
mod gram_type;
pub mod grants;
mod host;
pub mod instruction;
mod json_value;
pub mod lens;
pub mod mcp;
mod media;
mod media_form;
pub mod model;
mod multiple;
pub mod names;
pub mod project;
pub mod schema;
pub mod secret;
pub mod settings;
mod signature;
pub mod style;
pub mod terminal;
mod text;
mod tool;
mod tool_set;
mod type_expression;
pub mod types;
pub mod validate;
pub mod vocabulary;
mod write;

/// Values of gram as JSON; agents, tools and patterns as JSON.
pub mod json {
    pub use crate::forms::{
        JsonError, PatternJson, SpecError, agent_pattern_from_json, pattern_from_json,
        pattern_to_json, pattern_to_ordered, tool_pattern_from_json,
    };
    #[doc(hidden)]
    pub use crate::json_value::number;
    pub use crate::json_value::{
        MAX_ARGUMENT_VALUES, MAX_VALUES, Ordered, has_more_values_than, json_text, json_to_value,
        parse_json, too_many_values, value_count, value_to_json, values_in,
    };
}

pub use agent::{Agent, AgentTool, MAX_AGENT_DEPTH};
pub use agent_gram::value::Nest;
pub use diagnostic::{Code, Diagnostic, Diagnostics, Severity};
pub use gram_type::GramType;
pub use grants::Grants;
pub use json::JsonError;
pub use lens::{AgentPattern, ToolPattern};
pub use media::MediaKind;
pub use model::Model;
pub use schema::Schema;
pub use schema::SchemaError;
pub use settings::{
    CompactAbove, PromptCache, ReasoningEffort, SEARCH_TOOLS, Settings, ToolChoice,
};
pub use signature::{Returns, Signature};
pub use style::{Restyled, Style, restyle};
pub use tool::{Contract, ToolDescriptor, ToolSettings, ToolSpec};
pub use tool_set::ToolSet;
pub use types::{Constraints, Field, Kind, Param, Shape, Type};
pub use validate::{Arguments, Violation, Violations};
