//! Which tool a message is about.

use super::{arguments, words};
use crate::model::ToolDefinition;
use agent_spec::ToolChoice;
use std::collections::HashSet;

/// What a word counts for a tool whose name holds it.
const IN_NAME: usize = 3;

/// What a tool needs to be chosen.
const ENOUGH: usize = 3;

/// The tool to call, if one is to be called.
pub(super) fn tool<'a>(
    message: &str,
    tools: &'a [ToolDefinition],
    choice: Option<&ToolChoice>,
) -> Option<&'a ToolDefinition> {
    match choice {
        Some(ToolChoice::None) => None,
        Some(ToolChoice::Tool(name)) => tools.iter().find(|tool| tool.name() == name.as_str()),
        Some(ToolChoice::Required) => fitting(message, tools).or(tools.first()),
        _ => fitting(message, tools),
    }
}

/// The tool that a message is about, if there is one.
fn fitting<'a>(message: &str, tools: &'a [ToolDefinition]) -> Option<&'a ToolDefinition> {
    let mut said: HashSet<String> = words::of(message).into_iter().collect();
    if arguments::sum(message).is_some() {
        said.insert(words::RECKONING.to_owned());
    }
    let mut best = None;
    for tool in tools {
        let count = count(&said, tool);
        if count >= ENOUGH && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn count(said: &HashSet<String>, tool: &ToolDefinition) -> usize {
    let name = words::of(tool.name());
    let description = words::of(tool.description());
    said.iter()
        .map(|word| {
            if name.contains(word) {
                IN_NAME
            } else {
                usize::from(description.contains(word))
            }
        })
        .sum()
}
