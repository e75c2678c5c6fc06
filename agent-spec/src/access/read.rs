//! Patterns to specs.
//!
//! A pattern is checked by way of its text, so that there is one checker, and its findings can show
//! the line they are about.

use super::property::get;
use super::{is_agent, is_tool, no_agent, no_tool};
use crate::agent::Agent;
use crate::check::{self, Options};
use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::tool::ToolSpec;
use agent_gram::Pattern;

pub(crate) fn read_agent_pattern(pattern: &Pattern) -> Result<Agent, Diagnostics> {
    if !is_agent(pattern) {
        return Err(no_agent());
    }
    let mut models: Vec<Model> = get(pattern, "fallback");
    models.extend(get::<Option<Model>>(pattern, "model"));
    let providers: Vec<&str> = models.iter().map(Model::provider).collect();
    let options = Options {
        providers: &providers,
        ..Options::default()
    };
    let source = agent_gram::print::print_pattern(pattern);
    let checked = check::check(&source, options);
    let failed = checked.has_errors();
    // Agents are read outer ones first, so the first is the pattern itself.
    match checked.agents.into_iter().next() {
        Some(node) if !failed => Ok(node.agent),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}

pub(crate) fn read_tool_pattern(pattern: &Pattern) -> Result<ToolSpec, Diagnostics> {
    if !is_tool(pattern) {
        return Err(no_tool());
    }
    let source = agent_gram::print::print_pattern(pattern);
    let checked = check::check(&source, Options::default());
    let failed = checked.has_errors();
    match checked.tools.into_iter().next() {
        Some(node) if !failed => Ok(node.spec.clone()),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}
