//! Which tools of a document are meant.

use crate::outcome::Trouble;
use crate::tools::{known_instead, tools_of};
use agent_lsp::source::Source;
use agent_spec::ToolSpec;
use agent_spec::check::Checked;
use std::collections::{HashMap, HashSet};

/// The tools of a document, or of one agent in it, in order; those that are named, when some are.
///
/// # Errors
/// When there is no agent or tool of a name, or no tool at all.
pub(super) fn choose<'a>(
    checked: &'a Checked,
    agent: Option<&str>,
    names: &[String],
    source: &Source,
) -> Result<Vec<&'a ToolSpec>, Trouble> {
    let (place, tools) = match agent {
        None => (format!("`{}`", source.display_name()), tools_of(checked)),
        Some(name) => (
            format!("the agent `{name}`"),
            tools_of_agent(checked, name, source)?,
        ),
    };
    if tools.is_empty() {
        return Err(Trouble::new(format!(
            "{place} has no tools, so there is nothing to write"
        )));
    }
    if names.is_empty() {
        return Ok(tools);
    }
    let by_name: HashMap<&str, &ToolSpec> = tools.iter().map(|tool| (tool.name(), *tool)).collect();
    let unknown: Vec<String> = names
        .iter()
        .filter(|name| !by_name.contains_key(name.as_str()))
        .map(|name| {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
            format!(
                "{place} has no tool `{name}`; {}",
                known_instead(name, &known)
            )
        })
        .collect();
    if !unknown.is_empty() {
        return Err(Trouble::of_all(unknown));
    }
    let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
    Ok(tools
        .into_iter()
        .filter(|tool| wanted.contains(tool.name()))
        .collect())
}

fn tools_of_agent<'a>(
    checked: &'a Checked,
    name: &str,
    source: &Source,
) -> Result<Vec<&'a ToolSpec>, Trouble> {
    let agents = checked.agents.iter().map(|node| &node.agent);
    if let Some(agent) = agents.clone().find(|agent| agent.name() == name) {
        return Ok(agent.tools().iter().collect());
    }
    let known: Vec<&str> = agents.map(|agent| agent.name()).collect();
    Err(Trouble::new(format!(
        "`{}` has no agent `{name}`; {}",
        source.display_name(),
        known_instead(name, &known)
    )))
}
