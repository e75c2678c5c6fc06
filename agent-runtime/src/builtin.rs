//! Tools that come with the crate. The `agent` command offers them to every agent file.

mod hello;
#[cfg(feature = "builtin-web")]
mod web;

pub use hello::{say_goodbye, say_hello};

use crate::library::ToolLibrary;

/// All built-in tools.
#[must_use]
pub fn library() -> ToolLibrary {
    crate::tools![say_hello, say_goodbye]
}
