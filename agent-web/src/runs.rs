//! The routes of runs.

use crate::events::{OwnEvents, follow};
use crate::owner::Owner;
use crate::problem::{Problem, json_answer};
use crate::request::json;
use crate::state::{Inner, SecondTurn, Shared};
use agent_runtime::__private::part_from_json;
use agent_runtime::conversation::{ConversationName, Part, StoreError};
use agent_runtime::event::EventId;
use agent_runtime::journal::{RunFilter, RunState};
use agent_runtime::run::Decision;
use agent_runtime::runtime::{Input, OnDrop, RunOptions, RunSnapshot};
use agent_runtime::{Agent, Error};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::error::Error as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The number of checks whether another process has recorded a decision, and the time between two of them.
const RECORDING_CHECKS: u32 = 5;
const RECORDING_INTERVAL: Duration = Duration::from_millis(50);

/// The body of `POST /{agent}/runs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRun {
    /// The text of the message.
    message: Option<String>,
    /// Text and media beside it, as the content of a message has them.
    #[serde(default)]
    parts: Vec<Value>,
    /// The arguments of an agent that is called as a function.
    arguments: Option<Map<String, Value>>,
    /// The name of the conversation.
    conversation: Option<String>,
    /// Values of the variables that the server allows.
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// Whether the input has words of strangers.
    #[serde(default)]
    untrusted: bool,
}

/// A run that is to begin.
pub(crate) struct Beginning<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) input: Input,
    pub(crate) conversation: Option<ConversationName>,
    pub(crate) variables: BTreeMap<String, String>,
}

/// `POST /{agent}/runs`.
pub(crate) async fn begin<O: Owner>(
    State(web): Shared<O>,
    Path(agent): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let new: NewRun = json(&parts, body, web.max_body).await?;
    let input = input(new.message, &new.parts, new.arguments)?;
    let beginning = Beginning {
        agent: web.agent(&agent)?,
        input: match new.untrusted {
            true => input.untrusted(),
            false => input,
        },
        conversation: match &new.conversation {
            Some(name) => Some(web.conversation(&owner, name)?),
            None => None,
        },
        variables: new.variables,
    };
    let run = web.begin(&owner, beginning).await?;
    let request = (parts, owner.id());
    Ok(follow(
        &web,
        request,
        (&run, None),
        OwnEvents,
        &run_headers(&run),
    ))
}

/// The headers by which a client learns the id of its run.
pub(crate) fn run_headers(run: &str) -> Vec<(HeaderName, HeaderValue)> {
    let id = HeaderValue::from_str(run);
    let id = id.map(|id| (HeaderName::from_static("x-run-id"), id));
    id.into_iter().collect()
}

fn input(
    message: Option<String>,
    parts: &[Value],
    arguments: Option<Map<String, Value>>,
) -> Result<Input, Problem> {
    if let Some(arguments) = arguments {
        return match (message, parts) {
            (None, []) => Ok(Input::from_arguments(Value::Object(arguments))),
            _ => Err(Problem::bad_request(
                "`arguments` stand in place of `message` and `parts`",
            )),
        };
    }
    let mut all: Vec<Part> = message.into_iter().map(Part::Text).collect();
    for part in parts {
        let part = part_from_json(part);
        let part = part.map_err(|error| Problem::bad_request(format!("`parts`: {error}")))?;
        check_part(&part)?;
        all.push(part);
    }
    match all.is_empty() {
        true => Err(Problem::bad_request(
            "there is no `message`, no `parts` and no `arguments`",
        )),
        false => Ok(all.into()),
    }
}

/// Checks that a part is one that a user may send. Bytes that are kept under their digest may be those of another owner, and
/// an uploaded file belongs to the program's account at the provider.
fn check_part(part: &Part) -> Result<(), Problem> {
    let is_sent = match part {
        Part::Text(_) => true,
        part => part
            .media()
            .is_some_and(|media| media.bytes().is_some() || media.url().is_some()),
    };
    match is_sent {
        true => Ok(()),
        false => Err(Problem::bad_request(
            "`parts`: a part is a text, or an image, a document or audio with its bytes or its URL",
        )),
    }
}

impl<O: Owner> Inner<O> {
    /// Begins a run of an owner, and returns its id.
    pub(crate) async fn begin(
        &self,
        owner: &O,
        beginning: Beginning<'_>,
    ) -> Result<String, Problem> {
        if let Some(name) = beginning
            .variables
            .keys()
            .find(|name| !self.variables.contains(name))
        {
            return Err(Problem::bad_request(format!(
                "the variable `{name}` cannot be set here"
            )));
        }
        let until = match self.second_turn {
            SecondTurn::Refuse => None,
            SecondTurn::Wait(longest) => Some(tokio::time::Instant::now() + longest),
        };
        loop {
            let error = match self.try_to_begin(owner, &beginning).await? {
                Ok(run) => return Ok(run),
                Err(error) => error,
            };
            let store = error
                .source()
                .and_then(|source| source.downcast_ref::<StoreError>());
            let is_over = until.is_none_or(|until| until <= tokio::time::Instant::now());
            match store {
                // A run of the conversation ended just now, so that this one had an old history.
                Some(store) if store.is_conflict() => {}
                Some(store) if !is_over && let Some(busy) = store.busy_run() => {
                    let state = self.runtime.snapshot(busy).await.map(|run| run.info.state);
                    if matches!(state, Ok(RunState::Waiting)) {
                        return Err(Problem::busy(busy));
                    }
                    let until = until.unwrap_or_else(tokio::time::Instant::now);
                    let mut events = self.runtime.follow(busy, None);
                    let ended = async { while events.next().await.is_some() {} };
                    let _ = tokio::time::timeout_at(until, ended).await;
                }
                _ => return Err(Problem::of(&error)),
            }
        }
    }

    async fn try_to_begin(
        &self,
        owner: &O,
        beginning: &Beginning<'_>,
    ) -> Result<Result<String, Error>, Problem> {
        let id = owner.id();
        let lock = self.starting(&id);
        let _guard = lock.lock().await;
        if self.is_closing.load(Ordering::Relaxed) {
            let text = "the server is about to end; try again";
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text));
        }
        self.limits.check(&*self.journal, &id).await?;
        let mut run = self.runtime.run(beginning.agent, beginning.input.clone());
        run = run.tools(&self.tools).owner(&id).on_drop(OnDrop::LEAVE);
        run = run.options((self.given)(&id, RunOptions::new()));
        for (name, value) in &beginning.variables {
            run = run.variable(name, value);
        }
        if let Some(name) = &beginning.conversation {
            run = run.stored_as(name.clone()).exclusive();
        }
        Ok(run.spawn().await)
    }

    /// Decides on calls of a run that waits, and continues the run.
    pub(crate) async fn decide(
        &self,
        owner: &O,
        run: &RunSnapshot,
        decisions: BTreeMap<String, Decision>,
    ) -> Result<(), Problem> {
        let id = &run.info.run;
        if decisions.is_empty() {
            return Err(Problem::bad_request("there is no decision"));
        }
        for (call, decision) in &decisions {
            let Some(call) = run.waiting.iter().find(|waiting| waiting.id == *call) else {
                return Err(Problem::conflict(format!(
                    "the call `{call}` does not wait for a decision"
                )));
            };
            if !(self.decides)(owner, &run.info, call) {
                let text = format!("you may not decide on the call of `{}`", call.tool);
                return Err(Problem::new(StatusCode::FORBIDDEN, text));
            }
            if !self.edits && matches!(decision, Decision::Edit { .. } | Decision::Done { .. }) {
                let text = "a call can only be approved or denied here";
                return Err(Problem::new(StatusCode::FORBIDDEN, text));
            }
        }
        let going_on = self
            .runtime
            .recover_run(id)
            .tools(&self.tools)
            .decisions(decisions);
        let going_on = going_on
            .options(self.options_of(&run.info))
            .on_drop(OnDrop::LEAVE);
        let Err(error) = going_on.spawn().await else {
            return Ok(());
        };
        // Somebody else may have decided at the same moment, in another process, which is about to record it.
        for _ in 0..RECORDING_CHECKS {
            if let Ok(now) = self.runtime.snapshot(id).await
                && now.info.state != RunState::Waiting
            {
                return Err(Problem::conflict(
                    "the run does not wait for a decision any more",
                ));
            }
            tokio::time::sleep(RECORDING_INTERVAL).await;
        }
        Err(Problem::of(&error))
    }
}

/// `GET /runs/{id}/events`.
pub(crate) async fn events<O: Owner>(
    State(web): Shared<O>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    web.run_of(&owner, &id, false).await?;
    let after = match parts.headers.get("last-event-id") {
        None => None,
        Some(last) => {
            let last = last.to_str().unwrap_or_default().parse::<EventId>();
            Some(last.map_err(|error| Problem::bad_request(format!("`Last-Event-ID`: {error}")))?)
        }
    };
    let request = (parts, owner.id());
    Ok(follow(
        &web,
        request,
        (&id, after),
        OwnEvents,
        &run_headers(&id),
    ))
}

/// The body of `POST /runs/{id}/decisions`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decisions {
    /// The decisions, by the ids of the calls.
    decisions: BTreeMap<String, ReadDecision>,
}

/// A decision as it is read. Serde ignores further members beside the tag of a variant without members, so that an approval
/// with arguments would be read as one without.
#[derive(Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object such as {\"type\": \"approve\"}"
)]
enum ReadDecision {
    Approve {},
    Deny {
        #[serde(default)]
        reason: Option<String>,
    },
    Edit {
        args: Value,
    },
    Done {
        result: Value,
    },
    Unknown {},
}

impl From<ReadDecision> for Decision {
    fn from(read: ReadDecision) -> Self {
        match read {
            ReadDecision::Approve {} => Self::Approve,
            ReadDecision::Deny { reason } => Self::Deny { reason },
            ReadDecision::Edit { args } => Self::Edit { args },
            ReadDecision::Done { result } => Self::Done { result },
            ReadDecision::Unknown {} => Self::Unknown,
        }
    }
}

/// `POST /runs/{id}/decisions`.
pub(crate) async fn decide<O: Owner>(
    State(web): Shared<O>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let run = web.run_of(&owner, &id, true).await?;
    let Decisions { decisions } = json(&parts, body, web.max_body).await?;
    let decisions = decisions
        .into_iter()
        .map(|(call, read)| (call, read.into()));
    let decisions = decisions.collect();
    web.decide(&owner, &run, decisions).await?;
    // A person who decides on the run of another owner does not see its events.
    if run.info.owner.as_ref() != Some(&owner.id()) {
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let request = (parts, owner.id());
    Ok(follow(
        &web,
        request,
        (&id, run.last),
        OwnEvents,
        &run_headers(&id),
    ))
}

/// `POST /runs/{id}/stop`.
pub(crate) async fn stop<O: Owner>(
    State(web): Shared<O>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let run = web.run_of(&owner, &id, false).await?;
    let _: Map<String, Value> = json(&parts, body, web.max_body).await?;
    if run.info.state.is_over() {
        return Err(Problem::conflict("the run has ended"));
    }
    match web.runtime.cancel_run(&id).await {
        Ok(_) => Ok(StatusCode::ACCEPTED.into_response()),
        Err(error) if error.is_validation() => Err(Problem::conflict(error.to_string())),
        Err(error) => Err(Problem::of(&error)),
    }
}

/// The body of `POST /runs/{id}/say`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SayRequest {
    message: String,
    /// Whether the message has words of strangers.
    #[serde(default)]
    untrusted: bool,
}

/// `POST /runs/{id}/say`.
pub(crate) async fn say<O: Owner>(
    State(web): Shared<O>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let owner = web.owner(&parts).await?;
    web.run_of(&owner, &id, false).await?;
    let SayRequest { message, untrusted } = json(&parts, body, web.max_body).await?;
    if message.trim().is_empty() {
        return Err(Problem::bad_request("the message is empty"));
    }
    let message = match untrusted {
        true => Input::from(message).untrusted(),
        false => message.into(),
    };
    match web.runtime.say(&id, message).await {
        Ok(()) => Ok(StatusCode::ACCEPTED.into_response()),
        Err(error) if error.is_validation() => Err(Problem::conflict(error.to_string())),
        Err(error) => Err(Problem::of(&error)),
    }
}

/// `GET /waiting`: the calls that the person may decide on, with the runs that wait for them.
pub(crate) async fn waiting<O: Owner>(
    State(web): Shared<O>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let filter = RunFilter::new().states([RunState::Waiting]);
    let listed = web.journal.list(&filter).await;
    let mut found = Vec::new();
    for info in listed.map_err(|error| Problem::of_store(&error))? {
        // A run that somebody decided on meanwhile, or that cannot be read, does not wait.
        let Ok(run) = web.runtime.snapshot(&info.run).await else {
            continue;
        };
        let calls = run
            .waiting
            .iter()
            .filter(|call| (web.decides)(&owner, &run.info, call));
        let calls: Vec<_> = calls.collect();
        if !calls.is_empty() {
            found.push(
                json!({"run": info.run, "agent": info.agent, "owner": info.owner, "calls": calls}),
            );
        }
    }
    Ok(json_answer(StatusCode::OK, &found.into()))
}
