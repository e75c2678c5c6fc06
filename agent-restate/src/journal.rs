//! The journal of a run that the engine keeps.
//!
//! A runtime has one journal for all its runs. Here each run is driven within a task-local value, its [`Invocation`], so
//! that the journal knows which run it is asked about.

use crate::step::{Commit, Snapshot};
use agent_runtime::Conversation;
use agent_runtime::Message;
use agent_runtime::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Revision, StoreError, StoreFuture,
    StoredConversation,
};
use agent_runtime::journal::{self, Journal, Lease, RunInfo, StoredRun};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

tokio::task_local! {
    static INVOCATION: Arc<Invocation>;
}

/// The run of one invocation, as its journal sees it.
#[derive(Default)]
pub(crate) struct Invocation {
    /// The messages of the conversation before the run.
    pub(crate) history: Conversation,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The records that the engine has; `None` before the first commit.
    stored: Option<Snapshot>,
    /// The commit that waits until the engine has it.
    waiting: Option<Waiting>,
}

struct Waiting {
    commit: journal::Commit,
    kept: oneshot::Sender<()>,
}

impl Invocation {
    pub(crate) fn new(history: Conversation, stored: Option<Snapshot>) -> Arc<Self> {
        let state = State {
            stored,
            waiting: None,
        };
        Arc::new(Self {
            history,
            state: Mutex::new(state),
        })
    }

    /// Does work in whose runs the journal is that of this invocation.
    pub(crate) fn scope<F: Future>(
        self: &Arc<Self>,
        work: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        INVOCATION.scope(Arc::clone(self), work)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the commit that waits, for the engine.
    pub(crate) fn waiting_commit(&self) -> Option<Commit> {
        let state = self.state();
        state
            .waiting
            .as_ref()
            .map(|waiting| Commit::of(&waiting.commit))
    }

    /// Lets the run go on, because the engine has the commit that waits.
    pub(crate) fn keep(&self) {
        let mut state = self.state();
        let Some(Waiting { commit, kept }) = state.waiting.take() else {
            return;
        };
        state
            .stored
            .get_or_insert_default()
            .add(&Commit::of(&commit));
        // The run may have been dropped.
        let _ = kept.send(());
    }
}

/// The journal of a runtime whose runs are invocations of the engine.
pub(crate) struct EngineJournal;

/// The error for a run that is no invocation, such as one that the program starts with the runtime of an agent.
fn no_invocation() -> StoreError {
    StoreError::unavailable("the run is no invocation of the engine")
}

fn invocation() -> Option<Arc<Invocation>> {
    INVOCATION.try_with(Arc::clone).ok()
}

impl Journal for EngineJournal {
    fn begin(&self, run: &str) -> Lease {
        Lease::new(run, 1)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            let state = invocation.state();
            let is_stored = state
                .stored
                .as_ref()
                .is_some_and(|stored| stored.run() == run);
            Ok(is_stored.then(|| Lease::new(run, 1)))
        })
    }

    /// The engine runs one attempt of an invocation at a time, and takes no records of an earlier one.
    fn renew<'a>(&'a self, _lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn release(&self, _lease: &Lease) {}

    fn append<'a>(&'a self, lease: &'a Lease, commit: journal::Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            let (kept, is_kept) = oneshot::channel();
            invocation.state().waiting = Some(Waiting { commit, kept });
            is_kept
                .await
                .map_err(|_| StoreError::lease_lost(&lease.run))
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            let state = invocation.state();
            let stored = state.stored.as_ref().filter(|stored| stored.run() == run);
            stored.map(Snapshot::to_stored).transpose()
        })
    }

    fn list(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn delete<'a>(&'a self, _run: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }

    /// The conversation of the object, which gets the messages of a run with the commit that ends it.
    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        Some(Arc::new(ObjectConversation))
    }
}

/// The conversation in the state of the object.
struct ObjectConversation;

impl ConversationStore for ObjectConversation {
    fn load<'a>(
        &'a self,
        _name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            let history = invocation.history.clone();
            Ok(Some(StoredConversation::new(history, Revision::new(0))))
        })
    }

    fn append<'a>(
        &'a self,
        _name: &'a ConversationName,
        _messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(std::future::ready(Err(no_invocation())))
    }

    fn append_run<'a>(
        &'a self,
        _name: &'a ConversationName,
        _run: &'a str,
        _messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(std::future::ready(Err(no_invocation())))
    }

    fn save<'a>(
        &'a self,
        _name: &'a ConversationName,
        _conversation: &'a Conversation,
        _expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        Box::pin(std::future::ready(Err(no_invocation())))
    }

    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn delete<'a>(&'a self, _name: &'a ConversationName) -> StoreFuture<'a, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }
}
