//! That all rows do the same: every reader takes the document, and finds as much in it.

use crate::data::{AGENTS, TOOLS_OF_AN_AGENT};
use crate::input::Input;
use crate::rows::{json_value, official_tree};
use agent_gram::Pattern;

/// Says what was held against what.
///
/// # Errors
/// When a reader does not take its text, or finds something else in it than the others.
pub(crate) fn verify(input: &Input) -> Result<String, String> {
    let tools = AGENTS * TOOLS_OF_AN_AGENT;
    equal("our patterns", input.patterns.len(), AGENTS)?;
    equal(
        "our tools",
        input.patterns.iter().map(our_tools).sum(),
        tools,
    )?;

    let theirs = gram_codec::parse_gram(&input.gram)
        .map_err(|error| format!("relateby-gram refuses the document: {error}"))?;
    equal("patterns of relateby-gram", theirs.len(), AGENTS)?;
    let their_tools = theirs.iter().flat_map(|agent| &agent.elements);
    let their_tools = their_tools.filter(|tool| tool.value.labels.contains("Tool"));
    equal("tools of relateby-gram", their_tools.count(), tools)?;

    let tree = official_tree(&input.gram).ok_or("tree-sitter gave up")?;
    if tree.root_node().has_error() {
        return Err("tree-sitter-gram finds errors in the document".to_owned());
    }
    equal(
        "patterns of tree-sitter-gram",
        tree.root_node().named_child_count(),
        AGENTS,
    )?;

    for (name, text) in [("agents", &input.json), ("patterns", &input.patterns_json)] {
        let value = json_value(text).map_err(|error| format!("{name} as JSON: {error}"))?;
        equal(name, value.as_array().map_or(0, Vec::len), AGENTS)?;
    }

    let checked = agent_spec::check::check(&input.gram, Default::default());
    if let Some(found) = checked.diagnostics.first() {
        return Err(format!("the checker finds something: {}", found.message()));
    }
    equal("checked agents", checked.agents.len(), AGENTS)?;
    equal("checked tools", checked.tools.len(), tools)?;

    let printed = agent_gram::print(&input.patterns);
    if agent_gram::parse_patterns(&printed).as_ref() != Ok(&input.patterns) {
        return Err("what is printed does not read back".to_owned());
    }
    Ok(format!(
        "{AGENTS} agents with {tools} tools: {} bytes of gram, {} of JSON, {} of patterns as JSON. \
         Every reader takes its text and finds all of them.",
        input.gram.len(),
        input.json.len(),
        input.patterns_json.len(),
    ))
}

fn our_tools(pattern: &Pattern) -> usize {
    let tools = pattern.elements().iter();
    tools
        .filter(|tool| tool.subject().has_label("Tool"))
        .count()
}

fn equal(what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found}, expected {expected}"))
    }
}
