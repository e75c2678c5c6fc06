//! Tools of MCP servers for [agent-runtime](agent_runtime), and its tools and agents as an MCP server.
//!
//! ```no_run
//! # #[cfg(feature = "client")]
//! # mod example {
//! use agent_mcp::McpServer;
//! use agent_runtime::{Agent, Runtime, ToolLibrary};
//!
//! pub async fn ask(runtime: &Runtime, agent: &Agent) -> Result<String, Box<dyn std::error::Error>> {
//!     // The agent uses the tools `files_read` and `files_list`.
//!     let files = McpServer::stdio("files", "mcp-server-files", ["/srv/docs"]);
//!     let files = files.connect().await?;
//!     let mut library = ToolLibrary::new();
//!     library.merge(&files.library())?;
//!     let response = runtime.run(agent, "Sum up the notes.").tools(&library).await?;
//!     Ok(response.content)
//! }
//! # }
//! ```
//!
//! A server is a program of others. It gets only the variables that it is granted, its texts are cut, its annotations are
//! not believed, its questions are declined and its requests for models and folders are refused, unless the host says
//! otherwise.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! | --- | --- | --- |
//! | `client` | yes | `McpServer`: servers that are started as commands or reached by HTTP |
//! | `oauth` | no | `SignIn`: signing in at servers that are reached by HTTP |
//! | `oauth-jwt` | no | signing in as a program that has a private key |
//! | `server` | no | `Server`: your tools and agents for MCP clients, over standard input and output |
//! | `server-http` | no | `Server::http`: the same over Streamable HTTP |
//! | `json-schema` | no | the feature of the same name of `gramwork-runtime` |
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "client", feature = "server"))]
mod lines;
mod name;
#[cfg(any(feature = "client", feature = "server"))]
mod rmcp_workarounds;
#[cfg(feature = "server")]
mod server;

/// The document of a server's tools.
pub use agent_spec::mcp::{McpLock, McpTool, McpTransport};
#[cfg(feature = "client")]
pub use client::{
    Annotations, ConnectedServer, ImportedTools, InputAnswer, InputForm, InputRequest, McpError,
    McpServer, RefusedTool, ServerTool,
};
#[cfg(feature = "oauth")]
pub use client::{MissingAuthorization, SignIn, TokenFolder, TokenFuture, TokenLock, TokenStore};
pub use name::tool_names;
#[cfg(feature = "server")]
pub use server::{Answer, Approvals, ClientUser, ServeError, Server, serve};
#[cfg(feature = "server-http")]
pub use server::{BoundServer, HttpServer};
