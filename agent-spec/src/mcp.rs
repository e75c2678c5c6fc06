//! The tools of an MCP server as a document has them: how the server is reached, and the specs of its tools.
//!
//! `agent mcp import` writes such a document, a lock: the tools as they were when somebody looked at them. Agents are
//! checked against it, and a server that has changed is compared with it.
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

use crate::check::{Options, check};
use crate::diagnostic::{Code, Diagnostics};
use crate::tool::ToolSpec;
use crate::vocabulary::MCP_LABEL;
use agent_gram::collection::sort_by;
use agent_gram::value::{Array, Record, Text};
use agent_gram::{Pattern, Subject, Value, print};

/// The keys of a server's record, in the order in which they are written.
pub(crate) const MCP_KEYS: &[&str] = &["command", "env", "url", "headers", "version", "protocol"];

/// The key of a tool's name at its server.
pub(crate) const REMOTE: &str = "remote";

/// An MCP server of a document, and its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct McpLock {
    pub(crate) name: Text,
    pub(crate) transport: McpTransport,
    pub(crate) version: Option<Text>,
    pub(crate) protocol: Option<Text>,
    pub(crate) tools: Vec<McpTool>,
}

/// The way in which a server is reached. A document gives no consent to it: whoever runs the agent does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpTransport {
    /// A program that is started, and reads and writes messages on its standard streams.
    Command {
        /// The program and its arguments.
        command: Vec<Text>,
        /// The names of the variables of the environment that it gets.
        env: Vec<Text>,
    },
    /// An address that takes messages by HTTP.
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
        sort_by(&mut tools, |one, other| {
            one.spec.name().cmp(other.spec.name())
        });
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

    /// Reads the one server of a document.
    ///
    /// # Errors
    /// All diagnostics of the document; also when it declares no server, or several.
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        let mut checked = check(source, Options::default());
        if checked.has_errors() {
            return Err(Diagnostics::new(source, checked.diagnostics));
        }
        let message = match checked.servers.len() {
            1 => return Ok(checked.servers.remove(0)),
            0 => {
                "the document declares no MCP server; one is written `[name:Mcp {command: […]} | …]`"
            }
            _ => "the document declares several MCP servers; write each into a document of its own",
        };
        Err(Diagnostics::without_text(Code::NothingDeclared, message))
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

    /// Returns the lock as gram in the canonical layout, with a final line end. [`McpLock::parse`] reads an equal lock.
    #[must_use]
    pub fn to_gram(&self) -> String {
        let mut text = print::print_pattern(&self.to_pattern());
        text.push('\n');
        text
    }

    fn to_pattern(&self) -> Pattern {
        let mut record = Record::new();
        // A record of a server nests two levels deep, which is always within bounds.
        let mut put = |key: &'static str, value: Value| _ = record.insert(key, value);
        match &self.transport {
            McpTransport::Command { command, env } => {
                put("command", texts(command));
                if !env.is_empty() {
                    put("env", texts(env));
                }
            }
            McpTransport::Http { url, headers } => {
                put("url", Value::String(url.clone()));
                if !headers.is_empty() {
                    let headers = headers.iter().cloned();
                    let headers = headers.map(|(name, value)| (name, Value::String(value)));
                    let headers = Record::from_entries(headers.collect::<Vec<_>>());
                    put("headers", Value::Map(headers.unwrap_or_default()));
                }
            }
        }
        for (key, text) in [("version", &self.version), ("protocol", &self.protocol)] {
            if let Some(text) = text {
                put(key, Value::String(text.clone()));
            }
        }
        let mut subject = Subject::new(self.name.clone()).with_label(MCP_LABEL);
        subject.properties = record;
        let tools = self.tools.iter();
        let tools = tools.map(|tool| Pattern::from(tool.spec.to_pattern()));
        Pattern::new(subject, tools.collect()).unwrap_or_default()
    }
}

fn texts(texts: &[Text]) -> Value {
    let texts = texts.iter().cloned().map(Value::String);
    Value::Array(Array::new(texts.collect()).unwrap_or_default())
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
