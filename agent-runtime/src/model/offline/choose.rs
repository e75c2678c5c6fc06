//! Which tool a message is about.

use super::{arguments, words};
use crate::model::ToolDefinition;
use std::collections::HashSet;

/// What a word counts for a tool whose name holds it.
const IN_NAME: usize = 3;

/// What a tool needs to be chosen.
const ENOUGH: usize = 3;

/// The tool that a message is about, if there is one.
pub(super) fn tool<'a>(message: &str, tools: &'a [ToolDefinition]) -> Option<&'a ToolDefinition> {
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
