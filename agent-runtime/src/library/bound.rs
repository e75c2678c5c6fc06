//! Specs with their implementations.

use super::BindPolicy;
use crate::tool::Tool;
use agent_spec::binding::first_mismatch;
use agent_spec::{Signature, ToolSettings, ToolSpec};
use std::fmt;
use std::sync::Arc;

/// The tools of an agent, each with its implementation.
#[derive(Clone, Debug, Default)]
pub struct BoundTools {
    tools: Vec<BoundTool>,
    undeclared: Vec<String>,
}

/// A spec with its implementation.
#[derive(Clone)]
pub struct BoundTool {
    spec: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl BoundTools {
    pub(super) fn new(tools: Vec<BoundTool>, undeclared: Vec<String>) -> Self {
        Self { tools, undeclared }
    }

    /// The tools, in the order of the agent.
    pub fn iter(&self) -> std::slice::Iter<'_, BoundTool> {
        self.tools.iter()
    }

    /// The tool of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&BoundTool> {
        self.tools.iter().find(|tool| tool.spec.name() == name)
    }

    /// The number of tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether the agent has no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The names that the library holds and the agent does not declare.
    #[must_use]
    pub fn undeclared(&self) -> &[String] {
        &self.undeclared
    }

    pub(crate) fn rules(&self) -> Vec<ToolRule> {
        self.tools.iter().map(BoundTool::rule).collect()
    }
}

impl BoundTool {
    pub(super) fn new(spec: ToolSpec, tool: Arc<dyn Tool>) -> Self {
        Self { spec, tool }
    }

    /// The spec, which is what the model sees.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The implementation.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    pub(crate) fn rule(&self) -> ToolRule {
        let descriptor = self.tool.descriptor();
        // An argument may be left to the tool only where the binding rule holds, which a tool that
        // was bound by its name alone need not keep.
        let keeps_the_rule = |theirs: &&Signature| {
            let ours = ("", self.spec.signature());
            first_mismatch(ours, ("", theirs), BindPolicy::Compatible).is_none()
        };
        ToolRule {
            spec: self.spec.clone(),
            implementation: descriptor.signature().filter(keeps_the_rule).cloned(),
            settings: *descriptor.settings(),
        }
    }
}

/// The part of a bound tool that the loop needs, without the implementation.
#[derive(Clone, Debug)]
pub(crate) struct ToolRule {
    pub(crate) spec: ToolSpec,
    /// The tool's own signature, if missing arguments may be left to the tool's defaults.
    pub(crate) implementation: Option<Signature>,
    pub(crate) settings: ToolSettings,
}

impl ToolRule {
    pub(crate) fn name(&self) -> &str {
        self.spec.name()
    }

    /// Whether the spec or the tool demands approval. Neither can waive it for the other.
    pub(crate) fn requires_approval(&self) -> bool {
        self.spec.requires_approval() || self.settings.requires_approval
    }
}

impl fmt::Debug for BoundTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BoundTool")
            .field("name", &self.spec.name())
            .finish_non_exhaustive()
    }
}
