//! The tools and agents that a document defines, by name.

use crate::check::places::ToolNode;
use std::collections::HashMap;
use std::sync::Arc;

/// The tools a document defines, by name.
#[derive(Default)]
pub(super) struct Definitions<'t> {
    /// Each tool without errors; `None` for a tool with errors, because a reference to it is not a
    /// second mistake.
    pub(super) tools: HashMap<String, Option<Arc<ToolNode>>>,
    /// The places in `agent_names` of the names of all agents, also of those with errors.
    pub(super) agents: HashMap<&'t str, usize>,
    pub(super) agent_names: Vec<&'t str>,
}

impl Definitions<'_> {
    /// Returns the tool of a name, if it is defined without errors.
    pub(super) fn tool(&self, name: &str) -> Option<&Arc<ToolNode>> {
        self.tools.get(name)?.as_ref()
    }
}
