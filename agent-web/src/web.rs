//! The routes, and the end of the server.

use crate::owner::Owner;
use crate::problem::{self, Problem};
use crate::redaction;
use crate::state::Inner;
use crate::{conversations, runs, status, ui};
use agent_runtime::journal::RunInfo;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{map_response, map_response_with_state};
use axum::routing::{get, post};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The routes of agents, from [`WebBuilder::build`](crate::WebBuilder::build). Clones share their state.
pub struct Web<O>(Arc<Inner<O>>);

impl<O> Clone for Web<O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The interval at which the end of the live runs is checked, when the server ends.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

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
            .fallback(|| async {
                let detail =
                    "there is no such route; `POST /AGENT/runs` sends a message to an agent";
                Problem::new(StatusCode::NOT_FOUND, detail)
            })
            .layer(map_response(problem::with_details))
            .layer(map_response_with_state(
                Arc::clone(&self.0),
                redaction::redact::<O>,
            ))
            .with_state(Arc::clone(&self.0))
    }

    /// Continues the runs of the journal that no process drives, in a task of its own. Call this when the
    /// server starts, and again and again with a journal that several processes share. Runs without an owner,
    /// and runs of agents that have no routes here, are left alone, because another program that has the same
    /// journal began them.
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

    /// Lets no further run begin, and waits until the runs of this process have ended, but not longer than
    /// `longest`. A run that has not ended stays in the journal when the process ends, and the next process
    /// [continues](Self::recover) it. Returns whether all have ended.
    pub async fn close(&self, longest: Duration) -> bool {
        self.0.is_closing.store(true, Ordering::Relaxed);
        let ended = async {
            while !self.0.runtime.live_runs().is_empty() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        tokio::time::timeout(longest, ended).await.is_ok()
    }
}
