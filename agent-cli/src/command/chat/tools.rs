//! The tools of an agent, as people read them.

use agent_lsp::terminal::sanitize;
use agent_runtime::{Agent, ToolLibrary, ToolSpec};

/// The tools that an agent may call, a line with the signature and one with the description each.
pub(super) fn list(agent: &Agent, library: &ToolLibrary) -> String {
    if agent.tools().is_empty() {
        return "the agent has no tools".to_owned();
    }
    let tools = agent.tools().iter().map(|spec| line(spec, library));
    sanitize(&tools.collect::<Vec<_>>().join("\n"))
}

fn line(spec: &ToolSpec, library: &ToolLibrary) -> String {
    let tool = library.lookup(spec.name());
    let asks = tool.is_some_and(|tool| tool.descriptor().settings().requires_approval);
    let asks = if asks || spec.requires_approval() {
        " (asks you first)"
    } else {
        ""
    };
    format!(
        "🛠️ {} {}{asks}\n   {}",
        spec.name(),
        spec.signature(),
        spec.description()
    )
}
