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
//! - `project_file` reads project files, `agent.gram`. Only this module and [`file`](mod@file) read files.
//! - [`Agent::extend`] adds the tools of one agent to another. [`Agent::references`] are the names of the
//!   tools whose specs the agent does not have; binding gives them.
//! - [`parse_signature`] reads one signature. Types themselves, their JSON Schemas and the validation of
//!   values come from the crate `agent-types`, whose names are re-exported here.
//! - [`audit`](mod@audit) says what a message to an agent can cause, and whether the agent leaks.
//! - [`binding`] checks whether an implementation fits a spec, in a `const` as well as at run time.
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
#[doc(hidden)]
pub mod __private;
mod agent;
pub mod audit;
pub mod binding;
pub mod check;
pub mod diagnostic;
pub mod file;
mod forms;
pub mod grants;
pub mod instruction;
pub mod lens;
pub mod mcp;
mod misfit;
pub mod model;
pub mod project_file;
pub mod secret;
pub mod settings;
pub mod style;
mod tool;
mod tool_set;
pub mod vocabulary;
mod write;

/// Values of gram as JSON; agents, tools and patterns as JSON.
pub mod json {
    pub use crate::forms::{
        JsonError, PatternJson, SpecError, agent_pattern_from_json, pattern_from_json,
        pattern_to_json, pattern_to_ordered, tool_pattern_from_json,
    };
    pub use agent_types::json::*;
}

pub use agent::{Agent, AgentTool, MAX_AGENT_DEPTH};
pub use agent_effects as effects;
pub use agent_types::{
    Arguments, Constraints, Field, GramType, Kind, MediaKind, Nest, Param, Returns, Schema,
    SchemaError, Shape, Signature, Type, Violation, Violations,
};
pub use agent_types::{
    case, compare, doc_comment, duration, names, schema, terminal, types, validate,
};
pub use check::parse_signature;
pub use diagnostic::{Code, Diagnostic, Diagnostics, Severity};
pub use grants::Grants;
pub use json::JsonError;
pub use lens::{AgentPattern, ToolPattern};
pub use model::Model;
pub use settings::{
    CompactAbove, PromptCache, ReasoningEffort, SEARCH_TOOLS, Settings, ToolChoice, WhenTainted,
};
pub use style::{Restyled, Style, restyle};
pub use tool::{Contract, ToolDescriptor, ToolSettings, ToolSpec};
pub use tool_set::ToolSet;
