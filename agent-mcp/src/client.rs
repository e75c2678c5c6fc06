//! The MCP client: the tools of servers in runs.

mod argument_map;
mod connected;
mod connection;
mod content;
mod contract;
mod error;
mod fetch_tool_list;
mod handler;
mod http;
mod input;
mod lock;
mod message;
#[cfg(feature = "oauth")]
mod oauth;
mod process;
mod read_tools;
mod server;
mod session;
mod stdio;
#[cfg(test)]
mod tests;
mod tool;
mod tool_list;

pub use connected::ConnectedServer;
pub use error::McpError;
pub use input::{InputAnswer, InputForm, InputRequest};
pub use lock::ImportedTools;
#[cfg(feature = "oauth")]
pub use oauth::{MissingAuthorization, SignIn, TokenFolder, TokenFuture, TokenLock, TokenStore};
pub use read_tools::{RefusedTool, ServerTool};
pub use server::McpServer;
pub use tool::Annotations;
