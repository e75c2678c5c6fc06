//! The language server for agents declared in gram.
//!
//! [`serve`] runs the server on standard input and output. [`ServerConfig`] contains everything that the
//! server needs from its program, because this crate does not depend on `gramwork-runtime` or on built-in tools.
//!
//! The private module `language` has the editor features as functions of texts and byte offsets, and the
//! private module `server` has everything that depends on the protocol.
//!
//! ```no_run
//! use agent_lsp::{Exit, ServerConfig, serve};
//!
//! let exit = serve(ServerConfig::default())?;
//! assert_eq!(exit, Exit::AfterShutdown);
//! # Ok::<(), agent_lsp::ServeError>(())
//! ```

mod language;
mod server;

pub use server::{Exit, ServeError, ServerConfig, serve};
