//! Composing the patterns of agents.

use super::change::set_elements;
use super::{AgentPattern, ToolPattern, is_tool, opt_reference, too_deep};
use crate::agent::conflict;
use crate::diagnostic::{Diagnostic, Diagnostics};
use agent_gram::Pattern;

impl AgentPattern {
    /// This agent with the tools of another one as well, as [`Agent::extend`](crate::Agent::extend)
    /// does it: all else is this agent's.
    ///
    /// A reference goes with any definition of its name, which then stands in its place.
    ///
    /// # Errors
    /// When a tool is defined in both, and differently. The findings name all such tools.
    pub fn extend(&self, other: &AgentPattern) -> Result<AgentPattern, Diagnostics> {
        let mut elements = self.0.elements().to_vec();
        let mut conflicts = Vec::new();
        for theirs in other.0.elements() {
            let Some(name) = opt_tool_name(theirs) else {
                continue;
            };
            let ours = elements
                .iter_mut()
                .find(|element| opt_tool_name(element) == Some(name));
            match ours {
                None => elements.push(theirs.clone()),
                Some(_) if !is_tool(theirs) => {}
                Some(ours) if !is_tool(ours) => *ours = theirs.clone(),
                Some(ours) => conflicts.extend(opt_conflict(self, ours, other, theirs)),
            }
        }
        if !conflicts.is_empty() {
            return Err(Diagnostics::new(String::new(), conflicts));
        }
        let mut extended = self.clone();
        // Each element stood in an agent already, so that this one is as deep as the deeper one.
        set_elements(&mut extended.0, elements).map_err(|error| too_deep(&error))?;
        Ok(extended)
    }
}

/// The name of the tool that an element defines or refers to.
fn opt_tool_name(element: &Pattern) -> Option<&str> {
    if is_tool(element) {
        return Some(&element.subject().identity);
    }
    opt_reference(element)
}

/// What is wrong when two definitions differ in what they mean; they may be spelled differently.
fn opt_conflict(
    first: &AgentPattern,
    ours: &Pattern,
    second: &AgentPattern,
    theirs: &Pattern,
) -> Option<Diagnostic> {
    if ours == theirs {
        return None;
    }
    let spec = |pattern: &Pattern| ToolPattern(pattern.clone()).to_tool_spec().ok();
    let names = (first.name(), second.name());
    match (spec(ours), spec(theirs)) {
        (Some(ours), Some(theirs)) if ours == theirs => None,
        (Some(ours), Some(theirs)) => Some(conflict::between(names, &ours, &theirs)),
        _ => {
            let difference = "they differ, and not both are correct";
            Some(conflict::of(names, &ours.subject().identity, difference))
        }
    }
}
