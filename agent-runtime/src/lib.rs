#![doc = include_str!("docs/crate.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Lets the code that the macros generate name this crate by one path, inside the crate as well as outside.
extern crate self as agent_runtime;

#[doc(hidden)]
pub mod __private;
mod agent_function;
mod executable;
pub mod model;
mod replace_file;
pub mod runtime;
pub mod testing;

/// The facts about models, for [`RuntimeBuilder::catalog`](runtime::RuntimeBuilder::catalog).
#[doc(inline)]
pub use agent_catalog as catalog;
pub use agent_macros::agent_fn;
pub use executable::Executable;
#[doc(inline)]
pub use runtime::{Runtime, RuntimeBuilder};

/// Runs, and all that drives them.
#[doc(inline)]
pub use agent_core::{
    AgentResponse, Conversation, Event, Hook, Message, approval, conversation, cost, event, hook,
    journal, response, run, trace,
};
/// Tools, and all that they need.
#[doc(inline)]
pub use agent_tool::{
    Agent, Cancellation, Environment, Error, Extension, GramType, Grants, Model, Permissions,
    Signature, Tool, ToolContext, ToolError, ToolLibrary, ToolSpec, agent, gram, library, media,
    permissions, redact, serde, serde_json, spec, tool, tool_set, toolbox, tools,
};
#[cfg(feature = "schemars")]
#[doc(inline)]
pub use agent_tool::{Json, schemars};
