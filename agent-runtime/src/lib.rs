#![doc = include_str!("docs/crate.md")]
// The lower floors have items that only runs use. With runs, these lints hold for all of them.
// So that what the macros make names this crate by one path, inside it as well as outside.
extern crate self as agent_runtime;

#[doc(hidden)]
pub mod __private;
pub mod approval;
mod cancel;
mod context;
pub mod conversation;
pub mod cost;
mod drive;
mod env;
mod error;
mod error_path;
pub mod event;
mod executable;
mod extensions;
pub mod hook;
mod id;
pub mod journal;
#[cfg(feature = "schemars")]
mod json;
pub mod library;
mod macros;
pub mod media;
pub mod model;
pub mod permissions;
mod read_json;
pub mod redact;
pub mod response;
pub mod run;
pub mod runtime;
pub mod spec;
pub mod testing;
mod time_limit;
pub mod tool;
mod tool_error;
pub mod trace;
mod usage;

/// The facts about models, for [`RuntimeBuilder::catalog`](runtime::RuntimeBuilder::catalog).
#[doc(inline)]
pub use agent_catalog as catalog;
pub use agent_macros::agent_fn;
pub use agent_macros::{GramType, tool, toolbox};
#[doc(inline)]
pub use agent_spec::{Agent, GramType, Grants, Model, Signature, ToolSpec};
pub use cancel::Cancellation;
pub use context::ToolContext;
#[doc(inline)]
pub use conversation::{Conversation, Message};
pub use env::Environment;
pub use error::Error;
#[doc(inline)]
pub use event::Event;
pub use executable::Executable;
pub use extensions::Extension;
#[doc(inline)]
pub use hook::Hook;
#[cfg(feature = "schemars")]
pub use json::Json;
#[doc(inline)]
pub use library::ToolLibrary;
#[doc(inline)]
pub use permissions::Permissions;
#[doc(inline)]
pub use response::AgentResponse;
#[doc(inline)]
pub use runtime::Runtime;
#[doc(inline)]
pub use tool::{Tool, ToolError};

/// The notation that agents are written in. Its types stand in signatures of [`spec`].
pub use agent_gram as gram;
/// JSON Schemas of Rust types, for [`Json`].
#[cfg(feature = "schemars")]
pub use schemars;
pub use serde;
/// The JSON values that tools take and give, of the version that this crate has.
pub use serde_json;
