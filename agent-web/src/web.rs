//! The routes that were built, and what all requests share.

use crate::builder::SecondTurn;
use crate::limits::OwnerLimits;
use crate::owner::{FindOwner, Owner};
use crate::problem::Problem;
use crate::{conversations, runs, status, ui};
use agent_runtime::conversation::{ConversationName, ConversationStore};
use agent_runtime::journal::{Journal, RunFilter, RunInfo, RunState};
use agent_runtime::run::PendingCall;
use agent_runtime::runtime::{RunOptions, RunSnapshot};
use agent_runtime::{Agent, Runtime, ToolLibrary};
use axum::Router;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{get, post};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// What a host gives each run, by the id of its owner.
pub(crate) type Given = Arc<dyn Fn(&str, RunOptions) -> RunOptions + Send + Sync>;

/// Whether a person may decide on a call of a run.
pub(crate) type Decides<O> = Arc<dyn Fn(&O, &RunInfo, &PendingCall) -> bool + Send + Sync>;

/// The routes of agents, from [`WebBuilder::build`](crate::WebBuilder::build). Clones are the same.
pub struct Web<O>(Arc<Inner<O>>);

impl<O> Clone for Web<O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// What all requests share.
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
    pub(crate) max_body: usize,
    /// Held by an owner's request while it begins a run, so that two of them do not pass a limit together.
    pub(crate) starting: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
    /// Whether no further run may begin.
    pub(crate) is_closing: AtomicBool,
}

/// The time between two looks at the runs that go on, when the server ends.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

impl<O: Owner> Web<O> {
    pub(crate) fn of(inner: Inner<O>) -> Self {
        Self(Arc::new(inner))
    }

    /// Returns the routes, for [`Router::nest`], or as a server of their own. The router is a `tower` service.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/health", get(status::health))
            .route("/ready", get(status::ready::<O>))
            .route("/waiting", get(runs::waiting::<O>))
            .route("/runs/{id}/events", get(runs::events::<O>))
            .route("/runs/{id}/decisions", post(runs::decide::<O>))
            .route("/runs/{id}/stop", post(runs::stop::<O>))
            .route("/runs/{id}/say", post(runs::say::<O>))
            .route("/conversations", get(conversations::list::<O>))
            .route(
                "/conversations/{name}",
                get(conversations::show::<O>).delete(conversations::delete::<O>),
            )
            .route("/{agent}/runs", post(runs::begin::<O>))
            .route("/{agent}/schema", get(status::schema::<O>))
            .route("/{agent}/ui", post(ui::chat::<O>))
            .route("/{agent}/ui/{conversation}", get(ui::history::<O>))
            .route("/{agent}/ui/{conversation}/stream", get(ui::resume::<O>))
            .with_state(Arc::clone(&self.0))
    }

    /// Goes on with the runs of the journal that no process drives, in a task of its own: when the server starts, and with a
    /// journal that several processes share, again and again. Runs without an owner, and those of agents that have no
    /// routes here, are left alone, because another program that has the same journal began them.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn recover(&self) {
        let inner = Arc::clone(&self.0);
        tokio::spawn(async move {
            let given = |run: &RunInfo| {
                let is_ours = run.owner.is_some() && inner.agents.contains_key(&run.agent);
                is_ours.then(|| inner.options_of(run))
            };
            let recovered = inner.runtime.recover_with(&inner.tools, given).await;
            if let Err(error) = recovered {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "the runs of the journal cannot be recovered");
            }
        });
    }

    /// Lets no further run begin, and waits until those that go on here have ended, but not longer than this. Whatever still
    /// goes on stays in the journal when the process ends, and the next one [goes on](Self::recover) with it. Returns
    /// whether all have ended.
    pub async fn close(&self, longest: Duration) -> bool {
        self.0.is_closing.store(true, Ordering::Relaxed);
        let ended = async {
            while self.0.runtime.has_live_runs() {
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
        };
        tokio::time::timeout(longest, ended).await.is_ok()
    }
}

impl<O: Owner> Inner<O> {
    /// Finds the owner of a request, after it was checked where the request comes from.
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

    /// What the host gives a run.
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

    /// Reads a run. One of another owner is not there, unless `or_decides` and the person may decide on a call that waits.
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
