//! The values that all requests share, and the queries on them.

use crate::limits::OwnerLimits;
use crate::owner::{FindOwner, Owner};
use crate::problem::Problem;
use agent_runtime::conversation::{ConversationName, ConversationStore};
use agent_runtime::journal::{Journal, RunFilter, RunInfo, RunState};
use agent_runtime::run::PendingCall;
use agent_runtime::runtime::{RunOptions, RunSnapshot};
use agent_runtime::{Agent, Runtime, ToolLibrary};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The state of a handler.
pub(crate) type Shared<O> = State<Arc<Inner<O>>>;

/// Gives each run the options of the host, by the id of its owner.
pub(crate) type Given = Arc<dyn Fn(&str, RunOptions) -> RunOptions + Send + Sync>;

/// Whether a person may decide on a call of a run.
pub(crate) type Decides<O> = Arc<dyn Fn(&O, &RunInfo, &PendingCall) -> bool + Send + Sync>;

/// The treatment of a message of a conversation whose last run has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecondTurn {
    /// The message is refused with 409 and the id of the run.
    Refuse,
    /// The message waits for this time until the run has ended, and is refused then. If the run waits for a
    /// decision, the message is refused at once.
    Wait(Duration),
}

/// The values that all requests share.
pub(crate) struct Inner<O> {
    pub(crate) runtime: Runtime,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) conversations: Arc<dyn ConversationStore>,
    pub(crate) agents: BTreeMap<String, Agent>,
    pub(crate) tools: ToolLibrary,
    pub(crate) find: FindOwner<O>,
    pub(crate) given: Given,
    pub(crate) decides: Decides<O>,
    pub(crate) second_turn: SecondTurn,
    pub(crate) limits: OwnerLimits,
    pub(crate) variables: Vec<String>,
    pub(crate) edits: bool,
    /// Whether clients get the reasons of failed runs.
    pub(crate) shows_reasons: bool,
    pub(crate) max_body: usize,
    /// Held by an owner's request while it begins a run, so that two of them do not pass a limit together.
    pub(crate) starting: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
    /// Whether no further run may begin.
    pub(crate) is_closing: AtomicBool,
}

impl<O: Owner> Inner<O> {
    /// Finds the owner of a request, after the origin of the request was checked.
    pub(crate) async fn owner(&self, parts: &Parts) -> Result<O, Problem> {
        crate::request::check_origin(parts)?;
        let found = (self.find)(parts.clone()).await;
        let found = found.map_err(|text| Problem::new(StatusCode::UNAUTHORIZED, text))?;
        match found.id().is_empty() {
            true => Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "the request has no owner",
            )),
            false => Ok(found),
        }
    }

    pub(crate) fn agent(&self, name: &str) -> Result<&Agent, Problem> {
        let agent = self.agents.get(name);
        agent.ok_or_else(|| Problem::not_found("agent", name))
    }

    /// Returns the options that the host gives a run.
    pub(crate) fn options_of(&self, run: &RunInfo) -> RunOptions {
        (self.given)(
            run.owner.as_deref().unwrap_or_default(),
            RunOptions::new().streaming(),
        )
    }

    /// Returns the name of an owner's conversation.
    pub(crate) fn conversation(&self, owner: &O, name: &str) -> Result<ConversationName, Problem> {
        let name = ConversationName::new(name).and_then(|name| name.of_owner(&owner.id()));
        name.map_err(|error| Problem::bad_request(error.to_string()))
    }

    /// Reads a run. A run of another owner is not found, unless `or_decides` is set and the person may decide
    /// on a call that waits.
    pub(crate) async fn run_of(
        &self,
        owner: &O,
        id: &str,
        or_decides: bool,
    ) -> Result<RunSnapshot, Problem> {
        let missing = || Problem::not_found("run", id);
        let run = match self.runtime.snapshot(id).await {
            Ok(run) => run,
            Err(error) if error.is_validation() => return Err(missing()),
            Err(error) => return Err(Problem::of(&error)),
        };
        let decides = |call: &PendingCall| (self.decides)(owner, &run.info, call);
        let is_own = run.info.owner.as_ref() == Some(&owner.id());
        match is_own || or_decides && run.waiting.iter().any(decides) {
            true => Ok(run),
            false => Err(missing()),
        }
    }

    /// Returns the entry of the run of a conversation that has not ended.
    pub(crate) async fn open_run(
        &self,
        conversation: &ConversationName,
    ) -> Result<Option<RunInfo>, Problem> {
        let filter = RunFilter::new().conversation(conversation.clone());
        let filter = filter.states([RunState::Running, RunState::Waiting]);
        let listed = self.journal.list(&filter).await;
        let mut listed = listed.map_err(|error| Problem::of_store(&error))?;
        Ok(listed.pop())
    }

    /// The lock of an owner's requests that begin runs.
    pub(crate) fn starting(&self, owner: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        starting.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = starting.get(owner).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        starting.insert(owner.to_owned(), Arc::downgrade(&lock));
        lock
    }
}
