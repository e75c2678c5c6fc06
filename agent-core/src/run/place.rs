//! The place of a run among the runs that called each other.

use super::step::PendingCall;
use agent_effects::bounds::DEFAULT_DEPTH;
use agent_spec::Agent;
use std::sync::Arc;

/// The number of agents below the first that may call each other, unless the agent sets `maxDepth`.
pub const MAX_DEPTH: u32 = DEFAULT_DEPTH;

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

/// Calls: the place of the run of each, and its id there.
pub type CallPlaces = Vec<(Arc<str>, String)>;

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

    /// Gives a call of this run the id and the path that the host sees.
    pub(crate) fn locate(&self, call: &mut PendingCall) {
        if !self.run.is_empty() {
            call.id = self.call_id(&call.id);
        }
        call.path = joined(&self.path, &call.path);
    }
}

fn max_depth(agent: &Agent) -> u32 {
    agent.settings().max_depth.unwrap_or(MAX_DEPTH)
}

/// Joins the id of a call to the place of its run, or a name to a path.
pub(super) fn joined(first: &str, then: &str) -> String {
    match first.is_empty() {
        true => then.to_owned(),
        false => format!("{first}/{then}"),
    }
}

/// Whether `place` is the place of `run`, or of a run that leads to `run`. The first run leads to all runs.
pub(crate) fn leads_to(place: &str, run: &str) -> bool {
    place.is_empty()
        || run
            .strip_prefix(place)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The place of the run that makes a call, and the id that the call has there. The place of an agent can be
/// passed, too, because it is the id of its call.
pub(crate) fn caller_and_id(call: &str) -> (&str, &str) {
    call.rsplit_once('/').unwrap_or(("", call))
}
