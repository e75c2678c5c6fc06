//! The place of a run among the runs that called each other.

use agent_spec::Agent;
use std::sync::Arc;

/// The number of agents below the first that may call each other, unless the agent sets `maxDepth`.
pub const MAX_DEPTH: u32 = 8;

/// The place of a run among the runs that called each other.
#[derive(Clone, Debug)]
pub struct Place {
    /// The ids of the calls that led here, joined by `/`; empty for the first run.
    pub run: Arc<str>,
    /// The names of the agents that led here, joined by `/`, that of the run's own agent included.
    pub path: Arc<str>,
    /// The number of agents that may still call each other below this run.
    depth_left: u32,
}

impl Place {
    /// The place of the first run, of this agent.
    pub(super) fn first(agent: &Agent) -> Self {
        Self {
            run: Arc::from(""),
            path: Arc::from(agent.name()),
            depth_left: max_depth(agent),
        }
    }

    /// The place of the run of an agent that a call of this run calls.
    pub(super) fn below(&self, call_id: &str, agent: &Agent) -> Self {
        Self {
            run: joined(&self.run, call_id).into(),
            path: joined(&self.path, agent.name()).into(),
            depth_left: self.depth_left.saturating_sub(1).min(max_depth(agent)),
        }
    }

    /// The place of the run of an agent that the body of the tool of this path calls.
    pub(super) fn below_tool(&self, tool: &str, agent: &Agent, depth_left: u32) -> Self {
        Self {
            run: Arc::from(""),
            path: joined(tool, agent.name()).into(),
            depth_left: depth_left.min(self.depth_left),
        }
    }

    /// The number of agents that may still call each other below this run.
    pub(crate) fn depth_left(&self) -> u32 {
        self.depth_left
    }

    /// The id of a call of this run, as the driver sees it.
    pub(crate) fn call_id(&self, id: &str) -> String {
        joined(&self.run, id)
    }

    /// The id that a call has in this run.
    pub(super) fn own_id<'i>(&self, id: &'i str) -> &'i str {
        let own = id.strip_prefix(&*self.run).unwrap_or(id);
        own.strip_prefix('/').unwrap_or(own)
    }

    /// The id of the call of this run that leads to the run of a place.
    pub(super) fn next_id<'i>(&self, run: &'i str) -> Option<&'i str> {
        let below = match self.run.is_empty() {
            true => run,
            false => run.strip_prefix(&*self.run)?.strip_prefix('/')?,
        };
        below.split('/').next()
    }

    /// The path of a tool of this run.
    pub(super) fn tool_path(&self, tool: &str) -> String {
        joined(&self.path, tool)
    }
}

fn max_depth(agent: &Agent) -> u32 {
    agent.settings().max_depth.unwrap_or(MAX_DEPTH)
}

fn joined(first: &str, then: &str) -> String {
    match first.is_empty() {
        true => then.to_owned(),
        false => format!("{first}/{then}"),
    }
}
