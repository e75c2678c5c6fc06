//! The MCP servers of `--mcp`, whose tools an agent calls.

use crate::mcp_server::{login_command, signed_in};
use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use crate::session::warn_about_missing_tools;
use agent_mcp::{ConnectedServer, McpServer};
use agent_project::source;
use agent_runtime::{Agent, Environment, ToolLibrary};
use agent_spec::mcp::McpLock;
use std::collections::HashSet;
use std::path::PathBuf;

/// Connected servers.
pub(crate) struct Servers(Vec<ConnectedServer>);

impl Servers {
    /// Connects the servers of documents at the same time, and adds their tools to a library. With a list of
    /// agents, only the servers of which an agent has a tool are connected. `check` checks the consent to
    /// send variables to the servers, and `set_up` gives each server its settings.
    ///
    /// # Errors
    /// Returns an error if a document cannot be read, a consent is missing, or a server cannot be connected.
    pub(crate) async fn connect(
        files: &[PathBuf],
        agents: Option<&[Agent]>,
        environment: &Environment,
        check: impl Fn(&[McpLock]) -> Result<(), CommandError>,
        set_up: impl Fn(McpServer) -> McpServer,
        library: &mut ToolLibrary,
    ) -> Result<Self, CommandError> {
        let used = agents.map(|agents| agents.iter().flat_map(tools_of).collect::<HashSet<_>>());
        let (mut found, mut locks) = (Vec::new(), Vec::new());
        for source in source::read_all(files)? {
            let lock = McpLock::parse(&source.text).map_err(|found| {
                let name = source.display_name();
                CommandError::new(format!("`{name}` is no document of an MCP server: {found}"))
            })?;
            // A name that begins with that of the server may be a tool that only the server has. The error of
            // the connected server has more details.
            let is_used = used.as_ref().is_none_or(|used| {
                let mut names = used
                    .iter()
                    .filter_map(|name| name.strip_prefix(lock.name()));
                names.any(|rest| rest.starts_with('_'))
            });
            let is_new = locks.iter().all(|known| *known != lock);
            if is_used && is_new {
                let login = login_command(lock.name(), &source.name);
                let server = McpServer::locked(&lock, environment)
                    .map_err(|error| CommandError::new(error.to_string()))?;
                found.push(set_up(signed_in(server, &lock, &login, environment)));
                locks.push(lock);
            }
        }
        // All documents have been read, so a mistake in one starts no server.
        check(&locks)?;
        let connecting = found
            .into_iter()
            .map(|server| tokio::spawn(server.connect()));
        let connecting: Vec<_> = connecting.collect();
        let (mut servers, mut failed) = (Self(Vec::new()), Vec::new());
        for connecting in connecting {
            match connecting.await {
                Ok(Ok(server)) => {
                    server
                        .warnings()
                        .iter()
                        .for_each(|text| warning_to_stderr(text));
                    let merged = library.merge(&server.library());
                    failed.extend(merged.err().map(|error| error.to_string()));
                    servers.0.push(server);
                }
                Ok(Err(error)) => failed.push(error.to_string()),
                Err(error) => failed.push(error.to_string()),
            }
        }
        if failed.is_empty() {
            warn_about_missing_tools(library, agents.unwrap_or_default());
            return Ok(servers);
        }
        servers.close().await;
        Err(CommandError::from_messages(failed))
    }

    /// Ends the servers, and waits until those that were started have ended.
    pub(crate) async fn close(&self) {
        for server in &self.0 {
            server.close().await;
        }
    }
}

/// Returns the names of the tools of an agent, and of all agents that it can call.
fn tools_of(agent: &Agent) -> HashSet<&str> {
    let called = agent.agents();
    let agents = std::iter::once(agent).chain(called);
    agents
        .flat_map(|agent| agent.all_tools().map(|tool| tool.name()))
        .collect()
}
