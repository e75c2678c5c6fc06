//! The language server for agents declared in gram.
//!
//! [`serve`] runs it. Besides the server, this crate has what the server shares with other programs that read documents
//! and show diagnostics:
//!
//! - [`source`] reads files.
//! - [`known_tools`] holds the tools and providers that a document may name without declaring them.
//! - [`report`] writes diagnostics as lines of text.
//! - [`terminal`] removes control characters from text that a terminal shows.

pub mod known_tools;
mod language;
pub mod report;
mod server;
pub mod source;
pub mod terminal;

pub use server::{Exit, ServeError, ServerConfig, serve};
