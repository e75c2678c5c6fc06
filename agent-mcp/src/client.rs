//! Servers' tools in runs.

mod connected;
mod connection;
mod content;
mod contract;
mod error;
mod handler;
mod http;
mod input;
mod list;
mod lock;
mod message;
#[cfg(feature = "oauth")]
mod oauth;
mod process;
mod server;
mod session;
mod stdio;
mod text;
mod tool;
mod unreadable;

pub use connected::ConnectedServer;
pub use error::McpError;
pub use input::{InputAnswer, InputForm, InputRequest};
pub use lock::ImportedTools;
#[cfg(feature = "oauth")]
pub use oauth::{MissingAuthorization, SignIn, TokenFolder, TokenFuture, TokenLock, TokenStore};
pub use server::McpServer;
pub use tool::{Annotations, RefusedTool, ServerTool};
