//! The state that all requests share.

use crate::documents::{DocumentAgent, Documents};
use crate::trial::{Check, Trial};
use crate::wire::WireLog;
use agent_runtime::{Agent, Error, Runtime, ToolContext, ToolLibrary};
use agent_spec::Grants;
use agent_web::Web;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use std::collections::BTreeMap;
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
    pub(crate) check: Box<Check>,
    /// The access that the program grants to all tools.
    pub(crate) grants: Grants,
    pub(crate) wire: Option<WireLog>,
    pub(crate) served: Mutex<Served>,
    /// Held while the agents or the trials are replaced, which takes several steps.
    pub(crate) serving: Mutex<()>,
    /// The number of updates of the documents.
    pub(crate) version: watch::Sender<u64>,
}

/// The documents, and the last ones without errors.
#[derive(Default)]
pub(crate) struct Served {
    pub(crate) documents: Documents,
    pub(crate) agents: Vec<DocumentAgent>,
    /// The models and settings that a person tries in place of those of these agents, by the names of the agents.
    pub(crate) trials: BTreeMap<String, Trial>,
    /// The agents that run: those of the documents, changed by the trials.
    pub(crate) running: Vec<DocumentAgent>,
    /// The routes of the agents that run; `None` before the first documents without errors.
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

    /// Replaces the agents of the documents, if others are given, and changes the trials. A trial of an agent that is gone, or
    /// that does not fit any more, ends.
    pub(crate) fn serve(
        &self,
        agents: Option<Vec<DocumentAgent>>,
        change: impl FnOnce(&mut BTreeMap<String, Trial>),
    ) -> Result<(), Error> {
        let _turn = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        let (agents, mut trials) = {
            let served = self.served();
            let agents = agents.unwrap_or_else(|| served.agents.clone());
            (agents, served.trials.clone())
        };
        change(&mut trials);
        let mut running = agents.clone();
        for own in &mut running {
            let trial = trials.get(own.agent.name());
            let changed = trial.and_then(|trial| trial.apply(&*self.check, own).ok()?.1);
            match changed {
                Some(changed) => own.agent = changed,
                None => drop(trials.remove(own.agent.name())),
            }
        }
        trials.retain(|name, _| running.iter().any(|own| own.agent.name() == name));
        let web = self.routes(&running)?;
        let mut served = self.served();
        served.agents = agents;
        served.trials = trials;
        served.running = running;
        served.web = Some(web);
        Ok(())
    }

    /// Builds the routes of agents. Only requests with the token get there, so that each has the same owner.
    pub(crate) fn routes(&self, agents: &[DocumentAgent]) -> Result<Web<String>, Error> {
        let agents: Vec<Agent> = agents.iter().map(|agent| agent.agent.clone()).collect();
        agent_web::router(&self.runtime, agents, self.library.clone())
            .owner(|_: Parts| future::ready(Ok::<_, String>(OWNER.to_owned())))
            .allow_edits()
            .show_reasons()
            // The person at the page owns the whole journal.
            .may_decide(|_, _, _| true)
            .build()
    }
}
