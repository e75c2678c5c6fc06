//! The values that agents inherit when the body of a tool calls them.

use super::RuntimeConfig;
use super::event_queue::{OuterRun, Reporter};
use super::shared::Shared;
use crate::run::{Inherited, Run, Spent, UsageLimits};
use agent_tool::Cancellation;
use agent_tool::permissions::Permissions;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The parts of a run that the tools of its calls may use.
pub struct Host {
    /// The configuration of the runtime.
    pub config: Arc<RuntimeConfig>,
    shared: Arc<Shared>,
    reporter: Reporter,
    state: Mutex<HostState>,
}

#[derive(Default)]
struct HostState {
    /// The limits that are left to the run.
    left: UsageLimits,
    /// The values that agents in the bodies of its tools inherit.
    inherited: Inherited,
    /// The amounts that agents used, by the ids of the calls whose tools called them.
    spent: BTreeMap<String, Spent>,
}

impl Host {
    pub(super) fn new(config: Arc<RuntimeConfig>, shared: Arc<Shared>, reporter: Reporter) -> Self {
        Self {
            config,
            shared,
            reporter,
            state: Mutex::default(),
        }
    }

    /// Sets the limits that are left to the run, and the values that agents in the bodies of its tools inherit.
    pub(super) fn set_state(&self, left: UsageLimits, inherited: Inherited) {
        let mut state = self.state();
        state.left = left;
        state.inherited = inherited;
    }

    /// Removes the amount that agents used in a call.
    pub(super) fn take_spent(&self, call_id: &str) -> Option<Spent> {
        self.state().spent.remove(call_id)
    }

    fn state(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call whose tool calls an agent.
#[derive(Clone)]
pub struct CallingTool {
    /// The run whose call it is.
    pub host: Arc<Host>,
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool.
    pub tool: String,
    /// The signal that the call was cancelled.
    pub cancellation: Cancellation,
    /// The time at which the call is stopped.
    pub deadline: Option<Instant>,
}

impl fmt::Debug for CallingTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CallingTool")
            .field("call_id", &self.call_id)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

impl CallingTool {
    /// The path of the tool.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.host.shared.place.path, self.tool)
    }

    /// The number of agents that may call each other below the tool.
    pub(super) fn depth_left(&self) -> u32 {
        self.host.shared.place.depth_left()
    }

    pub(super) fn permissions(&self) -> &Permissions {
        &self.host.shared.context.permissions
    }

    pub(super) fn conversation_id(&self) -> Option<&str> {
        self.host.shared.context.conversation_id()
    }

    /// The limits that are left to the run of the tool.
    pub(super) fn left(&self) -> UsageLimits {
        self.host.state().left
    }

    /// Returns the values that an agent inherits. An agent that the same body called before may have been tainted, and its words are
    /// in the body.
    pub(super) fn inherited(&self) -> Inherited {
        let state = self.host.state();
        let mut inherited = state.inherited.clone();
        let spent = state.spent.get(&self.call_id);
        inherited.is_tainted |= spent.is_some_and(Spent::is_tainted);
        inherited
    }

    /// The run of the tool, which gets the events of the agent of this path.
    pub(super) fn outer_run(&self, path: String) -> OuterRun {
        OuterRun {
            reporter: self.host.reporter.clone(),
            call_id: self.call_id.clone(),
            path,
        }
    }

    /// Counts what the run of an agent used.
    pub(super) fn spend(&self, run: &Run) {
        let mut state = self.host.state();
        let spent = state.spent.entry(self.call_id.clone());
        spent.or_default().add(run);
    }
}
