//! Tools for agents: functions that a model can call.
//!
//! This crate is all that a package of tools needs. [`#[tool]`](macro@tool) turns a documented function into a [`Tool`]
//! with its signature in gram, [`tools!`] collects tools in a [`ToolLibrary`], and [`agent!`] checks an agent against
//! them when it is compiled. `gramwork-runtime`, which has all names of this crate too, runs the agents: a program depends
//! on it alone.
//!
//! ```
//! use agent_tool::{ToolContext, tool, tools};
//!
//! /// Returns a friendly greeting message for the given name
//! #[tool]
//! fn say_hello(#[tool(default = "world")] person_name: String) -> String {
//!     format!("Hello, {person_name}!")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_tool::ToolError> {
//! let library = tools![say_hello];
//! let tool = library.lookup("sayHello").expect("it was just added");
//! let signature = tool.descriptor().signature().expect("a function has one");
//! assert_eq!(signature.to_string(), r#"(personName::Text {default: "world"})==>(::String)"#);
//!
//! let greeting = agent_tool::tool::invoke_tool(&**tool, "{}", &ToolContext::detached()).await?;
//! assert_eq!(greeting, "Hello, world!");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `json-schema` | no | tools that bring any JSON Schema ([`create_tool`](tool::create_tool), [`ToolConfig`](tool::ToolConfig)); without it, those that a gram type expresses; the values of the keyword `schema` are validated |
//! | `pattern` | yes | the keyword `pattern` of texts; without it a type with a pattern is an error |
//! | `schemars` | no | `Json<T>`: parameters of types that have a JSON Schema by schemars, which is re-exported |
//! | `chrono`, `jiff`, `rust_decimal`, `url`, `uuid` | no | the types of these crates as parameters and results |
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Lets generated code name this crate by one path, inside of this crate as well as outside.
extern crate self as agent_tool;

#[doc(hidden)]
pub mod __private;
mod cancel;
mod config_checks;
mod context;
mod env;
mod error;
mod error_path;
mod extensions;
#[cfg(feature = "schemars")]
mod json;
pub mod library;
mod macros;
pub mod media;
pub mod permissions;
mod read_json;
pub mod redact;
pub mod spec;
pub mod tool;
mod tool_error;
pub mod trace;

// Exported so that the macro can report to a package without agent-runtime what it needs.
#[doc(hidden)]
pub use agent_macros::agent_fn;
pub use agent_macros::{GramType, tool, toolbox};
#[doc(inline)]
pub use agent_spec::{Agent, GramType, Grants, Model, Signature, ToolSpec};
pub use cancel::Cancellation;
pub use context::ToolContext;
pub use env::Environment;
pub use error::Error;
pub use extensions::Extension;
#[cfg(feature = "schemars")]
pub use json::Json;
#[doc(inline)]
pub use library::ToolLibrary;
#[doc(inline)]
pub use permissions::Permissions;
#[doc(inline)]
pub use tool::{Tool, ToolError};

/// The notation that agents are written in. Its types are used in signatures of [`spec`].
pub use agent_gram as gram;
/// JSON Schemas of Rust types, for [`Json`].
#[cfg(feature = "schemars")]
pub use schemars;
pub use serde;
/// The JSON values that tools accept and return, in the version that this crate uses.
pub use serde_json;
