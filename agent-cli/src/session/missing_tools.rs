//! Tools of an agent that the command has no function for.

use crate::mcp_server::{about_document, document_of_tool};
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::AgentTool;
use std::collections::HashSet;

/// Returns the reason why tools of an agent are missing here although `agent check` accepts them; empty if no
/// tool is missing.
pub(crate) fn about_missing_tools(library: &ToolLibrary, agent: &Agent) -> String {
    let called = agent.agents();
    let agents: HashSet<&str> = called.iter().map(|agent| agent.name()).collect();
    let known: HashSet<&str> = library.names().collect();
    let mut names = std::iter::once(agent)
        .chain(called.iter().copied())
        .flat_map(|agent| agent.all_tools().map(AgentTool::name));
    let is_here = |name: &str| {
        let is_explained = library.reason_of(name).is_some();
        known.contains(name) || agents.contains(name) || is_explained
    };
    match names.find(|name| !is_here(name)) {
        None => String::new(),
        Some(missing) => match document_of_tool(missing) {
            Some(path) => format!("  {}\n", about_document(missing, &path)),
            None => "  `agent run` has the built-in tools, see `agent tools`, and those of the MCP servers of `--mcp`; \
                     `--tools` and a project file name tools for checks, and a program with their functions runs the \
                     agent\n"
                .to_owned(),
        },
    }
}
