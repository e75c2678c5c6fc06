//! What the loop knows of each tool, and its limits.

use crate::library::BoundTools;
use agent_spec::{Signature, ToolSettings, ToolSpec};

/// How many turns may call tools, when the agent does not say.
pub const MAX_ITERATIONS: u32 = 10;

/// How many failures of one tool in a row use up its attempts.
pub const MAX_FAILURES: u32 = 3;

/// How many bad calls in a row, of whatever tools, end a run. A call is bad when its tool fails,
/// when the tool cannot be given it, or when it comes after the tool's last attempt; one that a
/// person denied or edited wrongly, or that was cut off, is not.
pub const MAX_BAD_CALLS: u32 = 10;

/// How many calls an answer may have. One with more ends the run: a model that asks for so many at
/// once is broken, and each of them would stand in the next request with its result. Thousands are
/// made, since every call gets its result.
pub const MAX_CALLS: usize = 32_768;

/// How many calls of one answer run at the same time; further ones begin as those end. A model
/// may ask for any number, and each call can hold a thread, a connection or a file.
pub const MAX_CALLS_AT_ONCE: usize = 32;

/// How much of a result the model reads, in bytes, unless
/// [`RuntimeBuilder::result_limit`](crate::RuntimeBuilder::result_limit) says otherwise. The response
/// has the whole result.
pub const MAX_RESULT_TEXT: usize = 262_144;

/// What the loop knows of one tool of the agent.
#[derive(Clone, Debug)]
pub(crate) struct ToolRule {
    pub(crate) spec: ToolSpec,
    pub(crate) implementation: Option<Signature>,
    pub(crate) settings: ToolSettings,
}

impl ToolRule {
    pub(crate) fn name(&self) -> &str {
        self.spec.name()
    }

    /// Spec and function can each demand approval; neither can waive it for the other.
    pub(crate) fn requires_approval(&self) -> bool {
        self.spec.requires_approval() || self.settings.requires_approval
    }
}

/// The agent's tools, and the names of those that the library holds beyond them.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    tools: Vec<ToolRule>,
    undeclared: Vec<String>,
}

impl Rules {
    pub(crate) fn new(tools: &BoundTools) -> Self {
        Self {
            tools: tools.rules(),
            undeclared: tools.undeclared().to_vec(),
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&ToolRule> {
        self.tools.iter().find(|rule| rule.name() == name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(ToolRule::name)
    }

    /// Whether the library holds a tool of this name that the agent does not declare.
    pub(crate) fn is_undeclared(&self, name: &str) -> bool {
        self.undeclared.iter().any(|other| other == name)
    }

    /// Whether no other tool may run beside this one.
    pub(crate) fn is_sequential(&self, name: &str) -> bool {
        self.tool(name).is_some_and(|rule| rule.settings.sequential)
    }
}
