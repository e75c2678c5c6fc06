//! The folders, hosts, variables and commands that the tools of an agent can reach, as documents state them.

use crate::source::{ReadError, read_all};
use agent_spec::Grants;
use agent_spec::check::{AgentElement, AgentNode, Options, check};
use agent_spec::mcp::{McpLock, McpTransport};
use agent_spec::secret::redacted;
use std::path::PathBuf;

/// The MCP servers that documents describe.
#[derive(Clone, Debug, Default)]
pub struct Servers(Vec<McpLock>);

/// The reach of the tools of an agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reach<'a> {
    /// The agent's own grants. Without these, the tools may access what the host and the callers of the agent grant.
    pub grants: Option<&'a Grants>,
    /// The servers that have tools of the agent.
    pub servers: Vec<&'a McpLock>,
}

impl Servers {
    /// Adds the servers of files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn add_files(&mut self, files: &[PathBuf]) -> Result<(), Vec<ReadError>> {
        for source in read_all(files)? {
            self.add(&check(&source.text, Options::default()).servers);
        }
        Ok(())
    }

    /// Adds servers that were read.
    pub fn add(&mut self, servers: &[McpLock]) {
        let is_new = |server: &&McpLock| !self.0.contains(server);
        let new: Vec<McpLock> = servers.iter().filter(is_new).cloned().collect();
        self.0.extend(new);
    }

    /// Returns the reach of the tools of an agent.
    #[must_use]
    pub fn reach_of<'a>(&'a self, node: &'a AgentNode) -> Reach<'a> {
        let has = |server: &McpLock| {
            node.elements.iter().any(|element| {
                let mut tools = server.tools().iter().map(|tool| tool.spec().name());
                matches!(element, AgentElement::Tool { tool, .. } if tools.any(|name| name == tool.spec.name()))
            })
        };
        Reach {
            grants: node.agent.settings().grants.as_ref(),
            servers: self.0.iter().filter(|server| has(server)).collect(),
        }
    }
}

impl Reach<'_> {
    /// Returns the reach in words, a text for each part.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![match self.grants {
            None => "all that the host grants".to_owned(),
            Some(grants) => grants_text(grants),
        }];
        lines.extend(self.servers.iter().map(|server| {
            let (way, variables) = way_of(server);
            let variables = match variables.is_empty() {
                true => String::new(),
                false => format!(", which gets {}", variables.join(", ")),
            };
            format!("{way} (MCP server `{}`){variables}", server.name())
        }));
        lines
    }
}

fn grants_text(grants: &Grants) -> String {
    const WORDS: [&str; 4] = ["reads", "writes", "hosts", "variables"];
    let parts = grants.parts().into_iter().zip(WORDS);
    let parts = parts.filter(|((_, texts), _)| !texts.is_empty());
    let parts: Vec<String> = parts
        .map(|((_, texts), word)| {
            let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
            format!("{word} {}", texts.join(", "))
        })
        .collect();
    match parts.is_empty() {
        true => "no folder, host or variable".to_owned(),
        false => parts.join("; "),
    }
}

/// Returns the command or the address of a server, and the variables of the environment that it gets.
#[must_use]
pub fn way_of(server: &McpLock) -> (String, Vec<String>) {
    match server.transport() {
        McpTransport::Command { command, env } => {
            let words: Vec<&str> = command.iter().map(|word| word.as_str()).collect();
            let variables = env.iter().map(|name| name.as_str().to_owned());
            (redacted(&words.join(" ")).into_owned(), variables.collect())
        }
        McpTransport::Http { url, headers } => {
            let names = headers.iter().flat_map(|(_, value)| variables_in(value));
            (redacted(url).into_owned(), names.collect())
        }
        _ => (String::new(), Vec::new()),
    }
}

/// Returns the names between `{{` and `}}`.
fn variables_in(value: &str) -> Vec<String> {
    let parts = value.split("{{").skip(1);
    let names = parts.filter_map(|part| part.split_once("}}"));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}
