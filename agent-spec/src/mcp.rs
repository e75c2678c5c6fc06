//! The tools of an MCP server as a document has them: how the server is reached, and the specs of its tools.
//!
//! `agent mcp import` writes such a document, a lock: the tools as they were at the import. Agents are
//! checked against the lock, and a server that has changed is compared with the lock.
//!
//! ```
//! use agent_spec::mcp::{McpLock, McpTransport};
//!
//! let lock = McpLock::parse(
//!     r#"[files:Mcp {command: ["files-server", "--stdio"], version: "1.2.0"} |
//!         [files_read:Tool {remote: "read", description: "Reads a file"} | (path::Text)==>(::Any)]
//!     ]"#,
//! )?;
//! assert_eq!(lock.name(), "files");
//! assert!(matches!(lock.transport(), McpTransport::Command { .. }));
//! assert_eq!(lock.tools()[0].remote(), "read");
//! # Ok::<(), agent_spec::Diagnostics>(())
//! ```

use crate::tool::ToolSpec;
use crate::vocabulary::REMOTE;
use agent_gram::Value;
use agent_gram::value::Text;

/// An MCP server of a document, and its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct McpLock {
    pub(crate) name: Text,
    pub(crate) transport: McpTransport,
    pub(crate) version: Option<Text>,
    pub(crate) protocol: Option<Text>,
    pub(crate) tools: Vec<McpTool>,
}

/// The way in which a server is reached. A document gives no consent to the use of the server; the person who
/// runs the agent does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpTransport {
    /// A program that is started, and reads and writes messages on its standard streams.
    Command {
        /// The program and its arguments.
        command: Vec<Text>,
        /// The names of the variables of the environment that the program gets.
        env: Vec<Text>,
    },
    /// An address that accepts messages by HTTP.
    Http {
        /// The address.
        url: Text,
        /// The headers of each request, with `{{NAME}}` for the value of a variable of the environment.
        headers: Vec<(Text, Text)>,
    },
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    pub(crate) spec: ToolSpec,
    pub(crate) remote: Text,
}

impl McpLock {
    /// Creates a lock. Its tools are sorted by name.
    #[must_use]
    pub fn new(name: impl Into<Text>, transport: McpTransport, mut tools: Vec<McpTool>) -> Self {
        tools.sort_by(|one, other| one.spec.name().cmp(other.spec.name()));
        Self {
            name: name.into(),
            transport,
            version: None,
            protocol: None,
            tools,
        }
    }

    /// Returns the same lock with the version of the server.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<Text>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Returns the same lock with the revision of the protocol that the server spoke.
    #[must_use]
    pub fn with_protocol(mut self, protocol: impl Into<Text>) -> Self {
        self.protocol = Some(protocol.into());
        self
    }

    /// Returns the same lock with the time limits, the approvals, the effects and the other properties of an older lock.
    /// Tools are matched by their names at the server.
    #[must_use]
    pub fn with_settings_of(mut self, older: &McpLock) -> Self {
        for tool in &mut self.tools {
            let mut known = older.tools.iter();
            if let Some(known) = known.find(|known| known.remote == tool.remote) {
                tool.spec.set_timeout(known.spec.timeout());
                tool.spec
                    .set_requires_approval(known.spec.requires_approval());
                let effects = known.spec.effects().or(tool.spec.effects());
                tool.spec.set_effects(effects);
                tool.spec.set_extra(known.spec.extra().clone());
                *tool = McpTool::new(tool.spec.clone(), tool.remote.clone());
            }
        }
        self
    }

    /// Returns the name of the server, with which the names of its tools begin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the way in which the server is reached.
    #[must_use]
    pub fn transport(&self) -> &McpTransport {
        &self.transport
    }

    /// Returns the version of the server.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the revision of the protocol, such as `2026-07-28`.
    #[must_use]
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// Returns the tools.
    #[must_use]
    pub fn tools(&self) -> &[McpTool] {
        &self.tools
    }
}

impl McpTool {
    /// Creates a tool from its spec, and from its name at the server.
    #[must_use]
    pub fn new(mut spec: ToolSpec, remote: impl Into<Text>) -> Self {
        let remote = remote.into();
        let mut extra = spec.extra().clone();
        // A text is always within the bounds of a record.
        let _ = extra.insert(REMOTE, Value::String(remote.clone()));
        spec.set_extra(extra);
        Self { spec, remote }
    }

    /// Returns the spec. Its name is the one in documents and for models.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Returns the name at the server.
    #[must_use]
    pub fn remote(&self) -> &str {
        &self.remote
    }
}
