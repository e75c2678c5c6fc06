//! Writes Rust functions for the tools and agents of a document, for `agent new-tools`.
//!
//! ```
//! use agent_codegen::generate_module;
//! use agent_spec::ToolSpec;
//!
//! let greet = ToolSpec::new("sayHello", "Greets somebody", "(name::Text)==>(::String)")?;
//! let module = generate_module(&[&greet], &[]);
//! assert!(module.text.contains("fn say_hello(name: String)"), "{}", module.text);
//! # Ok::<(), agent_spec::Diagnostics>(())
//! ```

mod agent_function;
mod attribute;
mod doc_comment;
mod identifier;
mod line_width;
mod module;
mod serde_rename;
#[cfg(test)]
mod tests;
mod type_name;
mod types;

pub use agent_function::AgentFunction;
pub use identifier::is_keyword;
pub use module::{GeneratedModule, generate_module};
