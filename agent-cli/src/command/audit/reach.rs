//! The folders, hosts, variables and commands that the tools of an agent can reach, as documents state them.

use crate::outcome::CommandError;
use crate::projects::unreadable;
use agent_project::loaded_project::{folder_of, load_found};
use agent_project::source::{self, Source};
use agent_spec::Grants;
use agent_spec::check::{AgentElement, AgentNode, Checked, Options, check};
use agent_spec::mcp::{McpLock, McpTransport};
use agent_spec::project_file::find;
use agent_spec::secret::redacted;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The MCP servers that documents describe.
pub(super) struct Servers(Vec<McpLock>);

/// The reach of the tools of an agent.
pub(super) struct Reach<'a> {
    /// The agent's own grants. Without these, the tools may access what the host and the callers of the agent grant.
    pub(super) grants: Option<&'a Grants>,
    /// The servers that have tools of the agent.
    pub(super) servers: Vec<&'a McpLock>,
}

impl Servers {
    /// Reads the servers of the files of `--tools` and `--mcp`.
    pub(super) fn read<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<Self, CommandError> {
        let files: Vec<PathBuf> = files.cloned().collect();
        let mut servers = Self(Vec::new());
        servers.add_all(&source::read_all(&files)?);
        Ok(servers)
    }

    /// Adds the servers of a document and of the tool files of its project.
    pub(super) fn add_of_document(
        &mut self,
        document: &Path,
        checked: &Checked,
    ) -> Result<(), CommandError> {
        let project = load_found(find(folder_of(document))).map_err(unreadable)?;
        if let Some(project) = project {
            self.add_all(&source::read_all(&project.tool_files)?);
        }
        self.add(&checked.servers);
        Ok(())
    }

    fn add_all(&mut self, sources: &[Source]) {
        for source in sources {
            self.add(&check(&source.text, Options::default()).servers);
        }
    }

    fn add(&mut self, servers: &[McpLock]) {
        let is_new = |server: &&McpLock| !self.0.contains(server);
        let new: Vec<McpLock> = servers.iter().filter(is_new).cloned().collect();
        self.0.extend(new);
    }

    /// Returns the reach of the tools of an agent.
    pub(super) fn reach_of<'a>(&'a self, node: &'a AgentNode) -> Reach<'a> {
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
    pub(super) fn lines(&self) -> Vec<String> {
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

    /// Returns the reach for programs.
    pub(super) fn json(&self) -> Json {
        let grants = self.grants.map(|grants| {
            let parts = grants.parts().into_iter();
            let parts = parts.map(|(key, texts)| {
                let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
                (key.to_owned(), json!(texts))
            });
            Json::Object(parts.collect())
        });
        let servers = self.servers.iter().map(|server| {
            let (way, variables) = way_of(server);
            json!({"name": server.name(), "reachedBy": way, "variables": variables})
        });
        json!({"grants": grants, "servers": servers.collect::<Vec<_>>()})
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
fn way_of(server: &McpLock) -> (String, Vec<String>) {
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
