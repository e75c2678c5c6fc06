//! A server whose tools can be called.

use super::connection::Connection;
use super::error::{Kind, McpError};
use super::read_tools::{ReadTools, RefusedTool, ServerTool, read_tools};
use super::server::McpServer;
use agent_runtime::__private::shortened;
use agent_runtime::ToolLibrary;
use std::fmt;
use std::sync::Arc;

impl McpServer {
    /// Starts the server, or contacts it, and reads its tools. This needs a Tokio runtime with time and IO.
    ///
    /// Dropping the future ends a server that was started.
    ///
    /// # Errors
    /// When the server is described wrongly, cannot be started or reached, does not speak the protocol, or takes too long.
    /// A tool that cannot be used is no error; see [`ConnectedServer::refused`].
    pub async fn connect(mut self) -> Result<ConnectedServer, McpError> {
        self.prepare()?;
        let (connection, info) = Connection::open(self).await?;
        let list = connection.list();
        let tools = Arc::clone(&connection);
        let read = tokio::task::spawn_blocking(move || read_tools(&tools, &list));
        let read = read.await.map_err(|error| {
            let text = format!(
                "the tools of the server `{}` cannot be read: {error}",
                connection.server.name
            );
            McpError::new(Kind::Server, text)
        })?;
        let server_info = info.server_info.as_ref();
        Ok(ConnectedServer {
            server_name: server_info.map(|info| shortened(&info.name, 200)),
            server_version: server_info.map(|info| shortened(&info.version, 200)),
            protocol: shortened(info.protocol_version.as_str(), 200),
            connection,
            read: Arc::new(read),
        })
    }
}

/// A server whose tools can be called. Its process ends when this value and all of its tools are dropped.
///
/// A server that ends by itself is started again at the next call. A call during which it ends gives the model an error.
#[derive(Clone)]
pub struct ConnectedServer {
    pub(super) connection: Arc<Connection>,
    pub(super) read: Arc<ReadTools>,
    server_name: Option<String>,
    server_version: Option<String>,
    protocol: String,
}

impl ConnectedServer {
    /// The name that the host gave the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.connection.server.name
    }

    /// The name that the server reported for itself, if any.
    #[must_use]
    pub fn server_name(&self) -> Option<&str> {
        self.server_name.as_deref()
    }

    /// The version that the server reported, if any.
    #[must_use]
    pub fn server_version(&self) -> Option<&str> {
        self.server_version.as_deref()
    }

    /// The revision of the protocol, such as `2026-07-28`.
    #[must_use]
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Returns the tools, for [`ToolLibrary::merge`] and for runs. Each tool of an agent is compared with the server's when
    /// it is bound, and again at each call after the server changed its list.
    ///
    /// The library also has the reasons for which tools were [refused](Self::refused), so that binding an agent that uses
    /// such a tool fails with the reason.
    #[must_use]
    pub fn library(&self) -> ToolLibrary {
        self.read.library.clone()
    }

    /// The tools as the server described them when it was connected, in its order.
    #[must_use]
    pub fn tools(&self) -> &[ServerTool] {
        &self.read.tools
    }

    /// The tools that are not in the library, with the reasons.
    #[must_use]
    pub fn refused(&self) -> &[RefusedTool] {
        &self.read.refused
    }

    /// The problems of the server that leave its tools usable, such as a list of tools without an end, of which the first
    /// pages were read.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.read.warnings
    }

    /// Ends the server, and waits until its process has ended. Later calls of its tools give errors.
    pub async fn close(&self) {
        self.connection.close().await;
    }
}

impl fmt::Debug for ConnectedServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ConnectedServer")
            .field("name", &self.name())
            .field("protocol", &self.protocol)
            .field("tools", &self.read.tools.len())
            .finish_non_exhaustive()
    }
}
