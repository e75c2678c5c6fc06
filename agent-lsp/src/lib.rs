//! The language server for agents declared in gram.
//!
//! [`serve`] runs the server on standard input and output. What it needs to know of its program is in
//! [`ServerConfig`]: this crate does not depend on `agent-runtime` or on built-in tools.
//!
//! The private module `language` has the editor features as functions of texts and byte offsets, and the
//! private module `server` has everything that depends on the protocol.
//!
//! The public modules are what the server shares with other programs that read documents and show
//! diagnostics:
//!
//! - [`source`] reads files.
//! - [`folder`] finds the documents in folders.
//! - [`known_tools`] holds the tools and providers that a document may name without declaring them.
//! - [`project`] finds the project file of a document.
//! - [`report`] writes diagnostics as lines of text.
//!
//! ```no_run
//! use agent_lsp::{Exit, ServerConfig, serve};
//!
//! let exit = serve(ServerConfig::default())?;
//! assert_eq!(exit, Exit::AfterShutdown);
//! # Ok::<(), agent_lsp::ServeError>(())
//! ```

pub mod folder;
mod git_excludes;
pub mod known_tools;
mod language;
pub mod project;
pub mod report;
mod server;
pub mod source;

pub use server::{Exit, ServeError, ServerConfig, serve};
