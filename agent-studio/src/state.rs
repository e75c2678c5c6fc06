//! The state that all requests share.

use crate::documents::{DocumentAgent, Documents};
use agent_runtime::{Agent, Error, Runtime, ToolContext, ToolLibrary};
use agent_web::Web;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use std::future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The owner of the runs and conversations of the page.
pub(crate) const OWNER: &str = "studio";

/// The values that all requests share.
pub(crate) struct State {
    pub(crate) runtime: Runtime,
    pub(crate) library: ToolLibrary,
    /// The context of tools that are called alone.
    pub(crate) context: ToolContext,
    pub(crate) token: String,
    pub(crate) is_read_only: bool,
    pub(crate) is_offline: bool,
    pub(crate) served: Mutex<Served>,
    /// The number of updates of the documents.
    pub(crate) version: watch::Sender<u64>,
}

/// The documents, and the last ones without errors.
#[derive(Default)]
pub(crate) struct Served {
    pub(crate) documents: Documents,
    pub(crate) agents: Vec<DocumentAgent>,
    /// The routes of these agents; `None` before the first documents without errors.
    pub(crate) web: Option<Web<String>>,
}

impl State {
    pub(crate) fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request has the token. All bytes are compared, so that the time says nothing about the beginning.
    pub(crate) fn has_token(&self, headers: &HeaderMap) -> bool {
        let sent = headers
            .get(header::AUTHORIZATION)
            .map(|value| value.as_bytes());
        let sent = sent
            .and_then(|value| value.strip_prefix(b"Bearer "))
            .unwrap_or_default();
        let differences = sent.iter().zip(self.token.as_bytes());
        let differences = differences.fold(0, |all, (left, right)| all | (left ^ right));
        sent.len() == self.token.len() && differences == 0
    }

    /// Builds the routes of agents. Only requests with the token get there, so that each has the same owner.
    pub(crate) fn routes(&self, agents: &[DocumentAgent]) -> Result<Web<String>, Error> {
        let agents: Vec<Agent> = agents.iter().map(|agent| agent.agent.clone()).collect();
        agent_web::router(&self.runtime, agents, self.library.clone())
            .owner(|_: Parts| future::ready(Ok::<_, String>(OWNER.to_owned())))
            .allow_edits()
            .build()
    }
}
