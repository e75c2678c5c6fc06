//! Options of one drive of a run.

use super::event_queue::EventQueue;
use super::handle::{Inbox, RunHandle};
use super::host::CallingTool;
use super::observers::Observer;
use super::recorder::Recorder;
use crate::conversation::ConversationName;
use crate::event::Event;
use crate::run::UsageLimits;
use agent_spec::Grants;
use agent_tool::__private::Extensions;
use agent_tool::Cancellation;
use std::fmt;
use std::time::Duration;

/// Options for `Runtime::drive`. `RunBuilder` has methods of the same names, apart from those for the keys of paused
/// runs.
#[derive(Default)]
#[must_use]
pub struct DriveOptions<'a> {
    #[doc(hidden)]
    pub observer: Observer<'a>,
    #[doc(hidden)]
    pub queue: Option<EventQueue>,
    pub(crate) streaming: bool,
    pub(crate) cancellation: Cancellation,
    #[doc(hidden)]
    pub usage_limits: Option<UsageLimits>,
    pub(crate) conversation_id: Option<String>,
    #[doc(hidden)]
    pub stored_as: Option<ConversationName>,
    pub(crate) extensions: Extensions,
    pub(crate) grants: Option<Grants>,
    pub(crate) denies: bool,
    pub(crate) pause_key: Option<String>,
    #[doc(hidden)]
    pub answers: Option<String>,
    pub(crate) inbox: Inbox,
    /// The call whose tool called the agent.
    #[doc(hidden)]
    pub caller: Option<CallingTool>,
    /// The record of the run, if the caller has it.
    #[doc(hidden)]
    pub recorder: Option<Box<Recorder>>,
    /// The time since the run was started, if a process that died began it.
    pub(crate) elapsed: Duration,
}

impl<'a> DriveOptions<'a> {
    /// The defaults: no observer, the runtime's limits, extensions and grants.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on with a run that a process that died began.
    #[doc(hidden)]
    pub fn recovered(mut self, recorder: Box<Recorder>, elapsed: Duration) -> Self {
        self.recorder = Some(recorder);
        self.elapsed = elapsed;
        self
    }

    /// Calls `observer` with each event. It runs on the run's own task and should return at once.
    pub fn observer(mut self, observer: &'a mut (dyn FnMut(&Event) + Send)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Asks models to stream their answers, and reports each part as an event.
    pub fn streaming(mut self) -> Self {
        self.streaming = true;
        self
    }

    /// Ends the run when this signal is given. The conversation keeps what was done.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Limits what this run may use, in place of the runtime's limits.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.usage_limits = Some(limits);
        self
    }

    /// Sets the id of the conversation, which links all runs of one conversation in traces. The key for OpenAI's
    /// prompt cache is derived from it; the id itself is not sent to a provider.
    pub fn conversation_id(mut self, id: impl Into<String>) -> Self {
        self.conversation_id = Some(id.into());
        self
    }

    /// Adds the messages of the run to the stored conversation of this name when the run ends, also with an error. Their
    /// secrets that the runtime's redactor knows are replaced.
    ///
    /// The store is that of the runtime's [journal](crate::journal::Journal::conversations), or the one that
    /// `conversations` sets. With a journal, the messages are added once,
    /// also if the process is killed and another one recovers the run. A run that is paused adds
    /// its messages when it was continued and ends.
    ///
    /// If the store cannot be written, the run ends with an error with [`is_journal`](agent_tool::Error::is_journal).
    pub fn stored_as(mut self, name: ConversationName) -> Self {
        self.stored_as = Some(name);
        self
    }

    /// Gives the tools and hooks of this run a value, which they find by its type. It replaces the
    /// runtime's value of that type.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Narrows what the tools of this run may access. Grants that the runtime or the agent does not give
    /// are never added.
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = Some(grants);
        self
    }

    /// Returns a handle, by which another task says something to the model while the run is driven.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.inbox.handle()
    }

    /// Denies calls that need a person's approval when the runtime has no
    /// [`Approver`](crate::approval::Approver). Without this, the run pauses.
    pub fn deny_without_approver(mut self) -> Self {
        self.denies = true;
        self
    }

    /// Sets a key that the [journal](crate::journal::Journal) keeps with the calls on which a person must decide, if the
    /// run is paused. `Runtime::recover_run_with` continues the run for someone who
    /// [has the key](Self::answers), in any process that has the journal.
    ///
    /// Give each drive another key that nobody can guess, such as the digest of a random number that you send to the
    /// person. The key is written into the journal, where `agent runs show` prints it.
    pub fn pause_key(mut self, key: impl Into<String>) -> Self {
        self.pause_key = Some(key.into());
        self
    }

    /// Continues a run of the journal only if it is paused and has this key, as [`pause_key`](Self::pause_key) set it. So
    /// a key is used once: of several processes that answer at the same time, one continues the run, and the run has
    /// another key, or none, when it is paused again. Only `recover_run_with` looks at it.
    pub fn answers(mut self, key: impl Into<String>) -> Self {
        self.answers = Some(key.into());
        self
    }
}

impl fmt::Debug for DriveOptions<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DriveOptions")
            .field("observed", &self.observer.is_some())
            .field("streaming", &self.streaming)
            .field("cancellation", &self.cancellation)
            .finish_non_exhaustive()
    }
}
