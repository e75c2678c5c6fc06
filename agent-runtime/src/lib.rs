#![doc = include_str!("docs/crate.md")]
// So that what the macros make names this crate by one path, inside it as well as outside.
extern crate self as agent_runtime;

#[doc(hidden)]
pub mod __private;
pub mod approval;
pub mod conversation;
pub mod cost;
mod drive;
pub mod event;
mod executable;
pub mod hook;
mod id;
pub mod journal;
pub mod model;
pub mod response;
pub mod run;
pub mod runtime;
pub mod testing;
pub mod trace;
mod usage;

/// The facts about models, for [`RuntimeBuilder::catalog`](runtime::RuntimeBuilder::catalog).
#[doc(inline)]
pub use agent_catalog as catalog;
pub use agent_macros::agent_fn;
#[doc(inline)]
pub use conversation::{Conversation, Message};
#[doc(inline)]
pub use event::Event;
pub use executable::Executable;
#[doc(inline)]
pub use hook::Hook;
#[doc(inline)]
pub use response::AgentResponse;
#[doc(inline)]
pub use runtime::Runtime;

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
