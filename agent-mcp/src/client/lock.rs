//! The document of a server: connecting to the server that it describes, and recording the tools of a server.

use super::connected::ConnectedServer;
use super::error::{Kind, McpError};
use super::read_tools::RefusedTool;
use super::server::McpServer;
use agent_runtime::Environment;
use agent_spec::ToolSpec;
use agent_spec::instruction::{InstructionPart, parts};
use agent_spec::mcp::{McpLock, McpTool, McpTransport};
use std::collections::HashSet;
use std::sync::Arc;

/// A document of a server's tools as they are now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedTools {
    /// The server, and the tools that can be used.
    pub lock: McpLock,
    /// The tools that cannot be used.
    pub refused: Vec<RefusedTool>,
    /// The [problems](ConnectedServer::warnings) of the server that leave its tools usable, and the parts of
    /// the tools' schemas that are not checked before a call: regular expressions that cannot be used here,
    /// and parts that the document contains only as text.
    pub warnings: Vec<String>,
}

impl McpServer {
    /// Describes the server of a document, whose tools are the contract:
    ///
    /// * The [library](ConnectedServer::library) has the tools of the document, with the descriptions and
    ///   signatures that the document gives them. A tool of the server that no longer accepts the calls of the
    ///   document, no longer exists, or is not in the document is [refused](ConnectedServer::refused), so that
    ///   binding an agent that has it fails with the reason.
    /// * `requiresApproval` of the document applies to each agent that has the tool, whatever the agent says.
    ///   The shortest of the timeouts applies.
    ///
    /// The variables that the document names come from `environment`: those of `env` are given to the command, and those of
    /// `headers` are put into the headers. Calling this is the consent to both, which no document can give.
    ///
    /// # Errors
    /// A Configuration error that names a variable that is not set.
    pub fn locked(lock: &McpLock, environment: &Environment) -> Result<Self, McpError> {
        let mut server = Self::reached(lock, environment)?;
        server.is_locked = true;
        Ok(server)
    }

    /// Describes the server of a document as [`locked`](Self::locked) does, but with the tools that the
    /// server has now, whatever the document says about them. Use this to compare both. Tools of the document
    /// keep their names.
    ///
    /// # Errors
    /// As those of [`locked`](Self::locked).
    pub fn reached(lock: &McpLock, environment: &Environment) -> Result<Self, McpError> {
        let variable = |name: &str| {
            environment.get(name).ok_or_else(|| {
                let text = format!(
                    "the server `{}` needs the variable `{name}`, which is not set",
                    lock.name()
                );
                McpError::new(Kind::Configuration, text)
            })
        };
        let mut server = match lock.transport() {
            McpTransport::Command { command, env } => {
                let command: Vec<&str> = command.iter().map(|text| text.as_str()).collect();
                let (program, arguments) = command.split_first().unwrap_or((&"", &[]));
                let mut server = Self::stdio(lock.name(), program, arguments);
                for name in env {
                    server = server.env(name.as_str(), variable(name)?);
                }
                server
            }
            McpTransport::Http { url, headers } => {
                let mut server = Self::http(lock.name(), url.as_str());
                for (name, template) in headers {
                    let mut value = String::new();
                    for part in parts(template) {
                        match part {
                            InstructionPart::Variable(name) => value.push_str(&variable(name)?),
                            InstructionPart::Text(text) | InstructionPart::Malformed(text) => {
                                value.push_str(text)
                            }
                            _ => {}
                        }
                    }
                    server = server.header(name.as_str(), value);
                }
                server
            }
            _ => {
                let text = format!(
                    "the server `{}` is reached in a way that this program was built without",
                    lock.name()
                );
                return Err(McpError::new(Kind::Configuration, text));
            }
        };
        server.lock = Some(Arc::new(lock.clone()));
        Ok(server)
    }
}

impl ConnectedServer {
    /// Returns a document of the server's tools as they were when it was connected. `transport` describes how
    /// the server is reached. For a [locked](McpServer::locked) server, these are the tools of its document.
    #[must_use]
    pub fn imported(&self, transport: McpTransport) -> ImportedTools {
        let library = self.library();
        let mut refused = self.refused().to_vec();
        let mut tools = Vec::new();
        let mut written = HashSet::new();
        for tool in self.tools() {
            // A tool that the server lists again has the name of its first entry.
            if !written.insert(&tool.name) {
                continue;
            }
            let Some(found) = library.lookup(&tool.name) else {
                continue;
            };
            let Some(signature) = found.descriptor().signature() else {
                continue;
            };
            let description = found.descriptor().description().trim().to_owned();
            match ToolSpec::with_signature(tool.name.clone(), description, signature.clone()) {
                Ok(spec) => {
                    let spec = spec.with_effects(found.descriptor().settings().effects);
                    tools.push(McpTool::new(spec, tool.remote.clone()));
                }
                Err(found) => refused.push(RefusedTool {
                    name: tool.name.clone(),
                    remote: tool.remote.clone(),
                    reason: found.to_string(),
                }),
            }
        }
        // The keys that the server was given are already redacted in the list of tools.
        let redactor = &self.connection.server.redactor;
        let mut lock = McpLock::new(self.name().to_owned(), transport, tools);
        if let Some(version) = self.server_version() {
            lock = lock.with_version(redactor.text(version));
        }
        lock = lock.with_protocol(redactor.text(self.protocol()));
        ImportedTools {
            lock,
            refused,
            warnings: [self.warnings(), &self.read.losses].concat(),
        }
    }
}
