//! Options of one drive of a run.

use super::event_queue::EventQueue;
use super::handle::{Inbox, RunHandle};
use super::host::CallingTool;
use super::observers::Observer;
use super::recorder::Recorder;
use crate::conversation::ConversationName;
use crate::run::UsageLimits;
use agent_spec::Grants;
use agent_tool::__private::Extensions;
use agent_tool::Cancellation;
use std::time::Duration;
use tokio::sync::{OwnedMutexGuard, oneshot};

/// Options of [`RuntimeConfig::drive`](super::RuntimeConfig::drive). `RunBuilder` of `agent-runtime` sets
/// them; its methods describe each option.
#[derive(Default)]
pub struct DriveOptions<'a> {
    /// Gets each event.
    pub observer: Observer<'a>,
    /// Gets the events of a host that takes them out itself.
    pub queue: Option<EventQueue>,
    /// Whether models are asked to stream their answers.
    pub streaming: bool,
    /// Ends the run.
    pub cancellation: Cancellation,
    /// The limits that replace those of the run.
    pub usage_limits: Option<UsageLimits>,
    /// The id that links the runs of a conversation in traces.
    pub conversation_id: Option<String>,
    /// The stored conversation that gets the messages.
    pub stored_as: Option<ConversationName>,
    /// The values that tools and hooks find by their types.
    pub extensions: Extensions,
    /// Narrows what tools may access.
    pub grants: Option<Grants>,
    /// Whether dropping the drive leaves the run as it is, instead of cancelling the run.
    pub leaves_on_drop: bool,
    /// Whether calls that need an approval are denied if there is no approver.
    pub denies: bool,
    /// The key that the journal keeps with the calls that wait for a decision.
    pub pause_key: Option<String>,
    /// The call whose tool called the agent.
    pub caller: Option<CallingTool>,
    /// The record of the run, if the caller has it.
    pub recorder: Option<Box<Recorder>>,
    /// Whether the run is not recorded although the runtime has a journal.
    pub is_unrecorded: bool,
    /// The time since the run was started, if a process that died began it.
    pub elapsed: Duration,
    /// Receives the id of the run when the beginning of the run is in its journal.
    pub started: Option<oneshot::Sender<String>>,
    /// Keeps other tasks of this process from acquiring runs, until this run is live.
    pub acquiring: Option<OwnedMutexGuard<()>>,
    /// The person or account for whom the run is.
    pub owner: Option<String>,
    /// Whether no other exclusive run of the conversation may be running or waiting.
    pub is_exclusive: bool,
    pub(crate) inbox: Inbox,
}

impl DriveOptions<'_> {
    /// Returns a handle, with which another task sends messages to the model while the run is driven.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.inbox.handle()
    }
}
