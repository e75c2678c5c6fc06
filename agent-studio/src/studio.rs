//! The server of the page, and the state that its requests share.

use crate::access;
use crate::agents::{agents_json, tools_json};
use crate::documents::{Documents, documents_json, findings_json, grants_json};
use crate::page;
use crate::problem::{Problem, json_answer};
use crate::state::{OWNER, State};
use crate::wire::WireLog;
use crate::{branches, conversations, models, replay, runs, tools};
use agent_runtime::journal::RunInfo;
use agent_runtime::runtime::RunOptions;
use agent_runtime::{Runtime, ToolContext, ToolLibrary};
use agent_spec::Grants;
use agent_spec::check::{Checked, Options, check};
use axum::Router;
use axum::extract::{self, Query, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tower::ServiceExt;

/// The time after which a request for changes is answered without one, so that nothing on the way ends the connection.
const POLL: Duration = Duration::from_secs(25);

/// The server of the page. Clones share their state.
///
/// ```
/// use agent_runtime::{Runtime, ToolContext, ToolLibrary};
/// use agent_runtime::journal::MemoryJournal;
/// use agent_studio::{Documents, Studio};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), agent_runtime::Error> {
/// let runtime = Runtime::builder().offline().journal(MemoryJournal::default()).build()?;
/// let studio = Studio::new(runtime, ToolLibrary::new(), ToolContext::detached(), "a long random token");
/// studio.update(Documents::default());
/// let router = studio.router();
/// # let _ = router;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Studio(Arc<State>);

impl Studio {
    /// Creates a server without documents. `runtime` has a journal, `library` has the functions of the tools, and
    /// `context` is that of tools that are called alone. Whoever has the token can do everything that the page can.
    #[must_use]
    pub fn new(
        runtime: Runtime,
        library: ToolLibrary,
        context: ToolContext,
        token: impl Into<String>,
    ) -> Self {
        Self(Arc::new(State {
            runtime,
            library,
            context,
            token: token.into(),
            is_read_only: false,
            is_offline: false,
            check: Box::new(|_, text| Ok(check(text, Options::default()))),
            grants: Grants::default(),
            wire: None,
            served: Mutex::default(),
            serving: Mutex::default(),
            version: watch::Sender::new(0),
        }))
    }

    /// Refuses requests that change something. Call this before clones are made.
    ///
    /// # Panics
    /// When there is a clone.
    #[must_use]
    pub fn read_only(mut self, is_read_only: bool) -> Self {
        Arc::get_mut(&mut self.0).expect("no clone").is_read_only = is_read_only;
        self
    }

    /// Tells the page that the offline model answers. Call this before clones are made.
    ///
    /// # Panics
    /// When there is a clone.
    #[must_use]
    pub fn offline(mut self, is_offline: bool) -> Self {
        Arc::get_mut(&mut self.0).expect("no clone").is_offline = is_offline;
        self
    }

    /// Sets the function that checks a text as if the document of a name had it, for models and settings that a person
    /// tries. Without it, the text is checked alone. Call this before clones are made.
    ///
    /// # Panics
    /// When there is a clone.
    #[must_use]
    pub fn check_with(
        mut self,
        check: impl Fn(&str, &str) -> Result<Checked, String> + Send + Sync + 'static,
    ) -> Self {
        Arc::get_mut(&mut self.0).expect("no clone").check = Box::new(check);
        self
    }

    /// Tells the page what the program lets tools access. Call this before clones are made.
    ///
    /// # Panics
    /// When there is a clone.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        Arc::get_mut(&mut self.0).expect("no clone").grants = grants;
        self
    }

    /// Lets the page show the requests of runs to the servers of models. Install the [layer](WireLog::layer) of the log, too.
    /// Call this before clones are made.
    ///
    /// # Panics
    /// When there is a clone.
    #[must_use]
    pub fn wire(mut self, log: WireLog) -> Self {
        Arc::get_mut(&mut self.0).expect("no clone").wire = Some(log);
        self
    }

    /// Replaces the documents. If one has errors, the agents of the last documents without errors stay. Runs that go on keep
    /// the agents with which they began.
    pub fn update(&self, mut documents: Documents) {
        if let Some(agents) = &documents.agents
            && let Err(error) = self.0.serve(Some(agents.clone()), |_| ())
        {
            documents.problem = Some(error.to_string());
        }
        self.0.served().documents = documents;
        self.0.version.send_modify(|version| *version += 1);
    }

    /// Continues the runs of the page that an earlier process left, in a task of its own.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn recover(&self) {
        let state = Arc::clone(&self.0);
        tokio::spawn(async move {
            let agents = state.served().running.clone();
            let options = |run: &RunInfo| {
                // Runs of other programs in the same journal have other grants.
                let is_ours = run.owner.as_deref() == Some(OWNER);
                let has_agent = agents.iter().any(|own| own.agent.name() == run.agent);
                (is_ours && has_agent).then(|| RunOptions::new().streaming())
            };
            let recovered = state.runtime.recover_with(&state.library, options).await;
            if let Err(error) = recovered {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "the runs of the journal cannot be recovered");
            }
        });
    }

    /// Returns the routes, as a server of their own. The caller checks the header `Host`.
    pub fn router(&self) -> Router {
        let state = &self.0;
        let own = Router::new()
            .route("/studio/state", get(state_of))
            .route("/studio/changes", get(changes))
            .route("/studio/runs", get(runs::list))
            .route("/studio/runs/{id}", get(runs::show))
            .route("/studio/runs/{id}/steps/{number}", get(runs::step))
            .route("/studio/runs/{id}/exchanges", get(runs::exchanges))
            .route("/studio/runs/{id}/exchanges/{number}", get(runs::exchange))
            .route("/studio/runs/{id}/cassette", get(runs::cassette))
            .route("/studio/runs/{id}/resume", post(runs::resume))
            .route(
                "/studio/runs/{id}/replay",
                get(replay::compare).post(replay::ask_anew),
            )
            .route("/studio/models", get(models::list))
            .route(
                "/studio/agents/{name}",
                put(models::change).delete(models::reset),
            )
            .route("/studio/agents/{name}/check", post(models::check))
            .route(
                "/studio/conversations/{name}/branches",
                get(branches::list).post(branches::create),
            )
            .route("/studio/tools/{name}/call", post(tools::call))
            .route(
                "/studio/conversations/{name}/media/{sha256}",
                get(conversations::media),
            )
            .nest("/api", Router::new().fallback(api))
            .layer(from_fn_with_state(Arc::clone(state), access::check))
            .with_state(Arc::clone(state));
        page::routes()
            .merge(own)
            .layer(from_fn(access::add_headers))
    }

    /// Lets no further run begin, and waits until the runs of this process have ended, but not longer than `longest`. Returns
    /// whether all have ended.
    pub async fn close(&self, longest: Duration) -> bool {
        let web = self.0.served().web.clone();
        match web {
            Some(web) => web.close(longest).await,
            None => true,
        }
    }
}

/// `/api/…`: passes a request on to the routes of agent-web.
async fn api(extract::State(studio): extract::State<Arc<State>>, request: Request) -> Response {
    let web = studio.served().web.clone();
    let Some(web) = web else {
        let text = "no document is free of errors yet, so that no agent can run";
        return Problem(StatusCode::SERVICE_UNAVAILABLE, text.to_owned()).into_response();
    };
    let answer = web.router().oneshot(request).await;
    answer.unwrap_or_else(|never| match never {})
}

/// `GET /studio/state`.
async fn state_of(extract::State(studio): extract::State<Arc<State>>) -> Response {
    let version = *studio.version.borrow();
    let served = studio.served();
    let runs = match (&served.documents.agents, &served.web) {
        (Some(_), Some(_)) if served.documents.problem.is_none() => "this",
        (_, Some(_)) => "last good",
        _ => "none",
    };
    let reports = &served.documents.reports;
    let state = json!({
        "version": version,
        "readOnly": studio.is_read_only,
        "offline": studio.is_offline,
        "problem": served.documents.problem,
        "grants": grants_json(&studio.grants),
        "agents": agents_json(&served),
        "tools": tools_json(&served.running, &studio.library),
        "documents": documents_json(reports, runs),
        "findings": findings_json(reports),
    });
    drop(served);
    json_answer(&studio.runtime.redactor().value(&state))
}

#[derive(Deserialize)]
struct After {
    after: u64,
}

/// `GET /studio/changes?after=VERSION`: waits until the state has another version.
async fn changes(
    extract::State(studio): extract::State<Arc<State>>,
    Query(After { after }): Query<After>,
) -> Response {
    let mut version = studio.version.subscribe();
    let changed = version.wait_for(|version| *version != after);
    match tokio::time::timeout(POLL, changed).await {
        Ok(Ok(version)) => json_answer(&json!({"version": *version})),
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}
