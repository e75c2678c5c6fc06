//! Which agent of a document is run.

use crate::outcome::Trouble;
use crate::output::error_to_stderr;
use agent_lsp::source::Source;
use agent_spec::Agent;
use agent_spec::check::Checked;
use agent_spec::names::nearest;

/// The agent of a name, or the only one. Gives nothing, having said so, when the document has no
/// agent: then the document is at fault, and not the command line.
///
/// # Errors
/// When there is no agent of the name, or there are several and no name was given.
pub(super) fn choose(
    source: &Source,
    checked: &Checked,
    name: Option<&str>,
) -> Result<Option<Agent>, Trouble> {
    let agents = &checked.agents;
    let chosen = match name {
        Some(name) => agents.iter().find(|node| node.agent.name() == name),
        None if agents.len() == 1 => agents.first(),
        None => None,
    };
    if let Some(node) = chosen {
        return Ok(Some(node.agent.clone()));
    }
    let file = source.display_name();
    let names: Vec<&str> = agents.iter().map(|node| node.agent.name()).collect();
    let all = names.join(", ");
    if names.is_empty() {
        error_to_stderr(&format!(
            "`{file}` declares tools, but no agent that could be run"
        ));
        return Ok(None);
    }
    let message = match name {
        None => format!("`{file}` declares several agents; choose one with --agent: {all}"),
        Some(name) => match nearest(name, names) {
            Some(meant) => format!("`{file}` declares no agent `{name}`; did you mean `{meant}`?"),
            None => format!("`{file}` declares no agent `{name}`; it declares {all}"),
        },
    };
    Err(Trouble::new(message))
}
