//! The builder of a run.

use super::Runtime;
use super::on_drop::OnDrop;
use super::stream::{RunFuture, RunStream};
use agent_core::__private::{DriveOptions, EventQueue};
use agent_core::RunHandle;
use agent_core::conversation::{Compaction, Conversation, ConversationName, Retention};
use agent_core::event::Event;
use agent_core::response::AgentResponse;
use agent_core::run::{Input, UsageLimits};
use agent_spec::{Agent, Grants};
use agent_tool::library::ToolLibrary;
use agent_tool::{Cancellation, Error};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A run that is being set up: a [new run](Runtime::run), a run that is [continued](Runtime::resume), or a
/// run [of the journal](Runtime::recover_run).
///
/// Awaiting it executes the run. [`stream`](Self::stream) returns the events of the run instead.
///
/// It owns its values, except for an [`observer`](Self::observer), the [`conversation`](Self::conversation) of a new run
/// and a run that is continued, which it borrows. Without these, its future and its stream are
/// `Send + 'static`: they can be spawned, and returned from an HTTP handler.
#[must_use = "a run does nothing until it is awaited or streamed"]
pub struct RunBuilder<'a, S = NewRun<'a>> {
    pub(super) runtime: Runtime,
    pub(super) library: Option<ToolLibrary>,
    pub(crate) options: DriveOptions<'a>,
    pub(super) on_drop: OnDrop<'a>,
    pub(super) source: S,
}

/// A new run, whose response is `R`: see [`Runtime::run`].
pub struct NewRun<'a, R = AgentResponse> {
    pub(super) agent: Result<Agent, Error>,
    pub(super) input: Input,
    pub(super) conversation: Option<&'a mut Conversation>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) compaction: Option<Compaction>,
    pub(super) retention: Option<Retention>,
    pub(super) response: PhantomData<fn() -> R>,
}

/// The run that a [`RunBuilder`] executes: a [`NewRun`], a [`SavedRun`](super::SavedRun) or a
/// [`RecordedRun`](super::RecordedRun).
pub trait RunSource<'a>: sealed::Sealed + Sized {
    /// The value that awaiting the builder returns.
    type Output: 'a;

    #[doc(hidden)]
    fn execute(run: RunBuilder<'a, Self>) -> RunFuture<'a, Self::Output>;

    /// Executes the run for its events. A run that does not end with an answer is an error.
    #[doc(hidden)]
    fn finish(run: RunBuilder<'a, Self>) -> RunFuture<'a, ()>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

impl<S> RunBuilder<'_, S> {
    pub(super) fn of(runtime: &Runtime, source: S) -> Self {
        Self {
            runtime: runtime.clone(),
            library: None,
            options: DriveOptions::default(),
            on_drop: OnDrop::CANCEL,
            source,
        }
    }
}

impl<'a, S: RunSource<'a>> RunBuilder<'a, S> {
    /// Sets the library that implements the agent's tools. A run that is continued keeps the tools that it
    /// has if there is no call of this method.
    pub fn tools(mut self, library: &ToolLibrary) -> Self {
        self.library = Some(library.clone());
        self
    }

    /// Calls `observer` with each event. It runs on the run's own task and should return at once.
    pub fn observer(mut self, observer: &'a mut (dyn FnMut(&Event) + Send)) -> Self {
        self.options.observer = Some(observer);
        self
    }

    /// Asks models to stream their answers, and reports each part to the observer.
    pub fn streaming(mut self) -> Self {
        self.options.streaming = true;
        self
    }

    /// Ends the run when this signal is given. The conversation keeps what was done.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.options.cancellation = cancellation;
        self
    }

    /// Sets what becomes of the run when its future or its stream is dropped before it ends, such as in a web server whose
    /// client hangs up. Without this it is [cancelled](OnDrop::CANCEL): it ends as cancelled in the journal, and the
    /// conversation keeps what was done, the question and the beginning of a streamed answer, marked
    /// [`[interrupted]`](agent_core::conversation::INTERRUPTED). With a journal, a call that was under way and whose tool is
    /// neither `idempotent` nor `read_only` is recorded as in doubt.
    ///
    /// [`OnDrop::CONTINUE`] is for a run that borrows nothing: without an observer, without a conversation that the caller
    /// holds (see [`stored_as`](Self::stored_as)), and no [saved run](super::Runtime::resume).
    ///
    /// ```
    /// use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
    /// use agent_runtime::model::Offline;
    /// use agent_runtime::runtime::OnDrop;
    /// use agent_runtime::{Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let (store, ada) = (MemoryStore::new(), ConversationName::new("ada")?);
    /// let runtime = Runtime::builder().model(Offline::new()).conversations(store.clone()).build()?;
    /// let run = runtime.run(&agent, "Where am I?").stored_as(ada.clone());
    /// let mut events = run.on_drop(OnDrop::CONTINUE).stream();
    /// // The client gets the first event and hangs up.
    /// let _ = events.next().await;
    /// drop(events);
    /// // The run goes on, and its answer is in the conversation.
    /// while store.load(&ada).await?.is_none() {
    ///     tokio::task::yield_now().await;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_drop(mut self, on_drop: OnDrop<'a>) -> Self {
        self.options.leaves_on_drop = on_drop.leaves();
        self.on_drop = on_drop;
        self
    }

    /// Limits what this run may use, in place of the runtime's limits, or of the limits of a run that is
    /// continued.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.options.usage_limits = Some(limits);
        self
    }

    /// Returns a handle with which another task sends messages to the model during the run.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.options.handle()
    }

    /// Sets the id of the conversation, which links all runs of one conversation in traces. The key for OpenAI's
    /// prompt cache is derived from it; the id itself is not sent to a provider.
    pub fn conversation_id(mut self, id: impl Into<String>) -> Self {
        self.options.conversation_id = Some(id.into());
        self
    }

    /// Adds the messages of the run to the stored conversation of this name when the run ends, also with an error. A new
    /// run continues the stored conversation, or the one that [`conversation`](Self::conversation) sets, which the host
    /// loaded; a run that is [recovered](Runtime::recover_run) keeps the name with which it was begun unless you set
    /// another one. Secrets that the runtime's redactor knows are replaced in the stored messages.
    ///
    /// The store is that of the runtime's [journal](agent_core::journal::Journal::conversations), or the one that
    /// [`conversations`](crate::runtime::RuntimeBuilder::conversations) sets. With a journal, the messages are added once,
    /// also if the process is killed and another one [recovers](Runtime::recover) the run. A run that is paused adds its
    /// messages when it was continued and ends.
    ///
    /// ```
    /// use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
    /// use agent_runtime::{Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let store = MemoryStore::new();
    /// let runtime = Runtime::builder().conversations(store.clone()).build()?;
    /// let ada = ConversationName::new("ada")?;
    /// for question in ["Where am I?", "And who am I?"] {
    ///     runtime.run(&agent, question).stored_as(ada.clone()).await?;
    /// }
    /// let stored = store.load(&ada).await?.expect("it is there");
    /// assert_eq!(stored.conversation.turns().count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A runtime without a store is a configuration error. If the store cannot be read or written, the run ends with an
    /// error with [`is_journal`](Error::is_journal).
    pub fn stored_as(mut self, name: ConversationName) -> Self {
        self.options.stored_as = Some(name);
        self
    }

    /// Sets the person or account for whom a new run is executed, such as the user of a web server. The
    /// journal [lists](agent_core::journal::RunFilter::owner) runs by owners, and the name of the
    /// [stored conversation](Self::stored_as) is that of [this owner](ConversationName::of_owner). A run that
    /// is recovered keeps its owner.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.options.owner = Some(owner.into());
        self
    }

    /// Lets the run begin only if no other exclusive run of its [stored conversation](Self::stored_as) is running or waiting
    /// for a decision, in any process that has the journal: two messages of one conversation never overtake each other.
    ///
    /// Without a journal and a stored conversation, this does nothing. Otherwise the run ends with an error with
    /// [`is_journal`](Error::is_journal) before the first request, whose source is a
    /// [`StoreError`](agent_core::conversation::StoreError): with [`busy_run`](agent_core::conversation::StoreError::busy_run)
    /// if there is another run, and with [`is_conflict`](agent_core::conversation::StoreError::is_conflict) if another
    /// run ended just now, so that the run can be begun again.
    pub fn exclusive(mut self) -> Self {
        self.options.is_exclusive = true;
        self
    }

    /// Adds a value that the tools and hooks of this run find by its type. It replaces the runtime's value of
    /// that type.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.options.extensions.insert(value);
        self
    }

    /// Narrows what the tools of this run may access. Grants that the runtime or the agent does not give
    /// are never added.
    pub fn grants(mut self, grants: Grants) -> Self {
        self.options.grants = Some(grants);
        self
    }

    /// Denies calls that need a person's approval when the runtime has no
    /// [`Approver`](agent_core::approval::Approver). Without this, the run pauses: a new run with an error with
    /// [`is_awaiting_approval`](Error::is_awaiting_approval), a run that is continued with
    /// [`RunOutcome::AwaitingApproval`](agent_core::run::RunOutcome).
    pub fn deny_without_approver(mut self) -> Self {
        self.options.denies = true;
        self
    }

    /// Sets a key that the [journal](agent_core::journal::Journal) keeps with the calls on which a person must decide, if
    /// the run is paused. [`Runtime::recover_run`] continues the run for someone who
    /// [has the key](Self::answers), in any process that has the journal.
    ///
    /// Give each part of a run another key that nobody can guess, such as the digest of a random number that you send to
    /// the person. The key is written into the journal, where `agent runs show` prints it.
    pub fn pause_key(mut self, key: impl Into<String>) -> Self {
        self.options.pause_key = Some(key.into());
        self
    }

    /// Returns the events of the run, the parts of the model's answers included. The last item is
    /// [`Event::Finished`], or the error that ended the run; an error with
    /// [`is_awaiting_approval`](Error::is_awaiting_approval) when the run pauses.
    ///
    /// The run only continues while the stream is read, and a model that sends faster than the stream is read is
    /// slowed down. Dropping the stream cancels the run, unless [`on_drop`](Self::on_drop) says otherwise.
    ///
    /// ```
    /// # use agent_runtime::{agent, Error, Event, Runtime};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let runtime = Runtime::offline();
    /// let mut events = runtime.run(&agent, "Hello").stream();
    /// while let Some(event) = events.next().await {
    ///     if let Event::TextDelta { text, .. } = event? {
    ///         print!("{text}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream(self) -> RunStream<'a> {
        let queue = EventQueue::default();
        let mut run = self.streaming().with_queue(queue.clone());
        let (observer, on_drop) = (run.options.observer.take(), run.on_drop);
        RunStream::new(queue, observer, on_drop.guarded(S::finish(run)))
    }

    /// Puts the events of the run into a queue.
    pub(super) fn with_queue(mut self, queue: EventQueue) -> Self {
        self.options.queue = Some(queue);
        self
    }
}

impl<'a, S: RunSource<'a>> IntoFuture for RunBuilder<'a, S> {
    type Output = Result<S::Output, Error>;
    type IntoFuture = RunFuture<'a, S::Output>;

    /// Executes the run. The agent's tools are bound before the first request.
    ///
    /// Dropping the future cancels the run, unless [`on_drop`](Self::on_drop) says otherwise; a conversation then keeps what
    /// was done.
    ///
    /// # Errors
    /// The error that ended the run: see the `is_*` methods of [`Error`]. A call that fails ends no run.
    fn into_future(self) -> Self::IntoFuture {
        self.on_drop.guarded(S::execute(self))
    }
}

impl<S: fmt::Debug> fmt::Debug for RunBuilder<'_, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunBuilder")
            .field("source", &self.source)
            .field("observed", &self.options.observer.is_some())
            .field("streaming", &self.options.streaming)
            .field("cancellation", &self.options.cancellation)
            .finish_non_exhaustive()
    }
}
