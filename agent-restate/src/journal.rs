//! The journal of a run that the engine keeps.
//!
//! A runtime has one journal for all its runs. Here each run is driven within a task-local value, its [`Invocation`], so
//! that the journal knows which run it is asked about.

use crate::bounds::{COMMIT_BYTES, RESULTS_BYTES, too_large};
use crate::media::MediaStore;
use crate::step::Commit;
use agent_runtime::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Revision, StoreError, StoreFuture,
    StoredConversation,
};
use agent_runtime::journal::{
    self, Journal, Lease, Mail, ReceivedMail, Record, RunFilter, RunInfo, StoredRun,
};
use agent_runtime::media::Sha256;
use agent_runtime::{Conversation, Message};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

tokio::task_local! {
    static INVOCATION: Arc<Invocation>;
}

/// The run of one invocation, as its journal sees it.
pub(crate) struct Invocation {
    /// The messages of the conversation before the run.
    history: Arc<Conversation>,
    media: Option<Arc<dyn MediaStore>>,
    state: Mutex<State>,
}

struct State {
    /// The id of the run; `None` before its first commit.
    run: Option<String>,
    /// The records that the engine had when this attempt of the invocation began to drive the run.
    stored: Option<StoredRun>,
    /// The number of records that the engine has, and the checksum of the last one.
    count: u64,
    last_checksum: Sha256,
    /// The commit that waits until the engine has it.
    waiting: Option<Waiting>,
    /// The reason why the engine can never accept a commit of the run.
    refused: Option<String>,
    /// The number of bytes of the results since the last commit.
    results: usize,
}

struct Waiting {
    /// The commit; `None` after it was given to the engine.
    commit: Option<Commit>,
    count: u64,
    last_checksum: Sha256,
    kept: oneshot::Sender<()>,
}

impl Invocation {
    pub(crate) fn new(
        history: Arc<Conversation>,
        media: Option<Arc<dyn MediaStore>>,
        stored: Option<StoredRun>,
    ) -> Arc<Self> {
        let state = State {
            run: stored.as_ref().map(|stored| stored.info.run.clone()),
            count: stored.as_ref().map_or(0, |stored| stored.count),
            last_checksum: stored
                .as_ref()
                .map_or_else(Record::first_checksum, |stored| stored.last_checksum),
            stored,
            waiting: None,
            refused: None,
            results: 0,
        };
        Arc::new(Self {
            history,
            media,
            state: Mutex::new(state),
        })
    }

    /// Runs work whose runs use the journal of this invocation.
    pub(crate) fn scope<F: Future>(
        self: &Arc<Self>,
        work: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        INVOCATION.scope(Arc::clone(self), work)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the commit that waits, for the engine.
    pub(crate) fn take_commit(&self) -> Option<Commit> {
        self.state().waiting.as_mut()?.commit.take()
    }

    /// Lets the run continue, because the engine has the commit that it was given.
    pub(crate) fn keep(&self) {
        let mut state = self.state();
        let Some(waiting) = state.waiting.take_if(|waiting| waiting.commit.is_none()) else {
            return;
        };
        state.results = 0;
        state.count = waiting.count;
        state.last_checksum = waiting.last_checksum;
        // The run may have been dropped.
        let _ = waiting.kept.send(());
    }

    /// The reason why the engine can never accept a commit of the run.
    pub(crate) fn refused(&self) -> Option<String> {
        self.state().refused.clone()
    }

    /// Whether the next commit can have a result of so many bytes, too.
    pub(crate) fn takes_result(&self, bytes: usize) -> bool {
        let mut state = self.state();
        let takes = self.media.is_some() || state.results + bytes <= RESULTS_BYTES;
        if takes {
            state.results += bytes;
        }
        takes
    }

    /// Whether the engine has, or is given, records of a run. Other runs, such as one that a tool begins with the runtime of
    /// the agent, have no journal.
    fn has(&self, run: &str) -> bool {
        self.state().run.as_deref() == Some(run)
    }

    async fn append(&self, lease: &Lease, commit: journal::Commit) -> Result<(), StoreError> {
        let (count, last_checksum) = {
            let mut state = self.state();
            let run = state.run.get_or_insert_with(|| lease.run.clone());
            if *run != lease.run {
                return Err(no_invocation());
            }
            (state.count, state.last_checksum)
        };
        let known = commit.known(count, |_| Ok::<_, StoreError>(Some(last_checksum)))?;
        let made = Commit::of(&commit, known, self.media.as_deref()).await?;
        // The future of an earlier commit was dropped, and the engine has that commit.
        if made.records.is_empty() && made.is_running() {
            return Ok(());
        }
        if made.len() > COMMIT_BYTES {
            let text = too_large("a step of the run", made.len(), COMMIT_BYTES);
            self.state().refused = Some(text.clone());
            return Err(StoreError::unavailable(text));
        }
        let (kept, is_kept) = oneshot::channel();
        self.state().waiting = Some(Waiting {
            commit: Some(made),
            count: commit.position + commit.records.len() as u64,
            last_checksum: commit
                .records
                .last()
                .map_or(last_checksum, |record| *record.checksum()),
            kept,
        });
        is_kept
            .await
            .map_err(|_| StoreError::lease_lost(&lease.run))
    }
}

/// The journal of a runtime whose runs are invocations of the engine.
pub(crate) struct EngineJournal;

/// The error for a run that is no invocation, such as one that the program starts with the runtime of an agent.
fn no_invocation() -> StoreError {
    StoreError::unavailable(
        "the run is no invocation of the engine: the runtime of a `DurableAgent` runs that agent alone",
    )
}

/// The run within which this is called.
pub(crate) fn invocation() -> Option<Arc<Invocation>> {
    INVOCATION.try_with(Arc::clone).ok()
}

impl Journal for EngineJournal {
    fn begin(&self, run: &str) -> Lease {
        Lease::new(run, 1)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            Ok(invocation.has(run).then(|| Lease::new(run, 1)))
        })
    }

    /// Does nothing, because the engine runs one attempt of an invocation at a time, and accepts no records
    /// of an earlier attempt.
    fn renew<'a>(&'a self, _lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn release(&self, _lease: &Lease) {}

    fn append<'a>(&'a self, lease: &'a Lease, commit: journal::Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            invocation.append(lease, commit).await
        })
    }

    /// Returns the records that the engine had when the drive of the run began. They are returned once only,
    /// because a drive reads them once, and they are as large as the conversation.
    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(async move {
            let invocation = invocation().ok_or_else(no_invocation)?;
            if !invocation.has(run) {
                return Ok(None);
            }
            Ok(invocation.state().stored.take())
        })
    }

    fn list<'a>(&'a self, _filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns `false`, because the engine has no mail: its handlers cancel a run, and nobody else reaches
    /// the run.
    fn send<'a>(&'a self, _run: &'a str, _mail: &'a Mail) -> StoreFuture<'a, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }

    fn mail<'a>(&'a self, _lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
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
            let history = Conversation::clone(&invocation.history);
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

    fn list<'a>(&'a self, _owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn delete<'a>(&'a self, _name: &'a ConversationName) -> StoreFuture<'a, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }
}
