//! The document of a server: reaching the server as it says, and writing down the tools that the server has.

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
    /// The other tools.
    pub refused: Vec<RefusedTool>,
    /// The [problems](ConnectedServer::warnings) of the server that leave its tools usable, and what the schemas of the tools
    /// say that is not checked before a call: regular expressions that cannot be used here, and parts of which the document
    /// has the text only.
    pub warnings: Vec<String>,
}

impl McpServer {
    /// Describes the server of a document, whose tools are the contract:
    ///
    /// * The [library](ConnectedServer::library) has the tools of the document, with the descriptions and signatures that the
    ///   document gives them. A tool of the server that no longer accepts the calls of the document, or is gone, is
    ///   [refused](ConnectedServer::refused), so that binding an agent that has it fails with the reason. So is a tool that
    ///   the document does not have.
    /// * `requiresApproval` of the document holds for each agent that has the tool, whatever the agent says, and of the
    ///   timeouts the shortest counts.
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

    /// Describes the server of a document as [`locked`](Self::locked) does, with the tools that the server has now, whatever
    /// the document says about them: to compare both. Tools of the document keep their names.
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
    /// Writes the server's tools down as they were when it was connected. `transport` says how the server is reached. Of a
    /// [locked](McpServer::locked) server, these are the tools of its document.
    #[must_use]
    pub fn imported(&self, transport: McpTransport) -> ImportedTools {
        let library = self.library();
        let mut refused = self.refused().to_vec();
        let mut tools = Vec::new();
        let mut written = HashSet::new();
        for tool in self.tools() {
            // A tool that the server lists again has the name of the first.
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
                Ok(spec) => tools.push(McpTool::new(spec, tool.remote.clone())),
                Err(found) => refused.push(RefusedTool {
                    name: tool.name.clone(),
                    remote: tool.remote.clone(),
                    reason: found.to_string(),
                }),
            }
        }
        // The list of tools has no key any more that the server was given.
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
