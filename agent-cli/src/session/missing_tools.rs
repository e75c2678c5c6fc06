//! Tools of an agent that the command has no function for.

use crate::mcp_server::{about_document, document_of_tool};
use crate::output::warning_to_stderr;
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::AgentTool;
use std::collections::HashSet;

/// Warns about the first tool of these agents that the command has no function for, although `agent check` accepts it. A run
/// of the agent ends with an error that names the tool.
pub(crate) fn warn_about_missing_tools<'a>(
    library: &ToolLibrary,
    agents: impl IntoIterator<Item = &'a Agent>,
) {
    let known: HashSet<&str> = library.names().collect();
    for agent in agents {
        let called = agent.agents();
        let agents: HashSet<&str> = called.iter().map(|agent| agent.name()).collect();
        let mut names = std::iter::once(agent)
            .chain(called.iter().copied())
            .flat_map(|agent| agent.all_tools().map(AgentTool::name));
        // The error of a run says why such a tool is left out.
        let is_explained = |name| library.reason_of(name).is_some();
        let is_here = |name| known.contains(name) || agents.contains(name) || is_explained(name);
        let Some(missing) = names.find(|name| !is_here(name)) else {
            continue;
        };
        return match document_of_tool(missing) {
            Some(path) => warning_to_stderr(&about_document(missing, &path)),
            None => warning_to_stderr(&format!(
                "`{missing}` is not here: `agent` has the built-in tools, see `agent tools`, and those of the MCP servers \
                 of `--mcp`; `--tools` and a project file name tools for checks, and a program with their functions runs \
                 the agent"
            )),
        };
    }
}
