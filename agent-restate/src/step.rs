//! The steps of a run, as the engine keeps them.

use agent_runtime::conversation::StoreError;
use agent_runtime::journal::{self, Record, RunInfo, RunState, StoredRun};
use agent_runtime::run::PendingCall;
use agent_runtime::{AgentResponse, Conversation, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A step of a run: what it added to its records, and the outcome if it was the last one for now.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) commit: Option<Commit>,
    pub(crate) outcome: Option<Outcome>,
}

/// Records that are kept together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Commit {
    run: String,
    agent: String,
    state: String,
    /// The time at which the run was started, in milliseconds.
    started: u64,
    cost: Option<f64>,
    /// The JSON texts.
    pub(crate) records: Vec<String>,
    /// The messages that the run adds to the conversation when it ends.
    pub(crate) messages: Option<Value>,
}

/// The state in which a run stops, for ever or until somebody decides.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    /// The response, as JSON.
    Done(Value),
    Waiting(Vec<WaitingCall>),
    /// A decision does not fit its call, for this reason.
    Refused(String),
    Failed {
        kind: String,
        text: String,
    },
}

/// A call on which a person must decide.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) path: String,
    pub(crate) arguments: Value,
    /// Whether the call was begun by a worker that died, so that it may have been made.
    pub(crate) in_doubt: bool,
}

impl WaitingCall {
    pub(crate) fn of(call: &PendingCall) -> Self {
        Self {
            id: call.id.clone(),
            tool: call.tool.clone(),
            path: call.path.clone(),
            arguments: call.args(),
            in_doubt: call.in_doubt,
        }
    }
}

impl Outcome {
    pub(crate) fn done(response: &AgentResponse) -> Self {
        Self::Done(response.to_json())
    }

    pub(crate) fn waiting<'c>(calls: impl IntoIterator<Item = &'c PendingCall>) -> Self {
        Self::Waiting(calls.into_iter().map(WaitingCall::of).collect())
    }

    pub(crate) fn failed(error: &Error) -> Self {
        Self::Failed {
            kind: error.kind_name().to_owned(),
            text: with_causes(error),
        }
    }
}

/// Returns an error with its causes on one line.
pub(crate) fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl Commit {
    /// Whether the run goes on after the commit.
    pub(crate) fn is_running(&self) -> bool {
        self.state == RunState::Running.as_str()
    }

    pub(crate) fn of(commit: &journal::Commit) -> Self {
        let info = &commit.info;
        let started = info.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let messages = commit.turn.as_ref().map(|turn| {
            let messages: Conversation = turn.messages.iter().cloned().collect();
            messages.to_json_with_data()
        });
        Self {
            run: info.run.clone(),
            agent: info.agent.clone(),
            state: info.state.as_str().to_owned(),
            started: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            cost: info.cost,
            records: commit
                .records
                .iter()
                .map(|record| record.json().into_owned())
                .collect(),
            messages,
        }
    }
}

/// The records of a run that the engine has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    last: Option<Commit>,
    records: Vec<String>,
}

impl Snapshot {
    pub(crate) fn add(&mut self, commit: &Commit) {
        self.records.extend(commit.records.iter().cloned());
        self.last = Some(Commit {
            records: Vec::new(),
            ..commit.clone()
        });
    }

    /// The id of the run.
    pub(crate) fn run(&self) -> &str {
        self.last.as_ref().map_or("", |commit| &commit.run)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the name of the next step, for people: which turn it belongs to, and whether the model is asked or calls are
    /// made.
    pub(crate) fn next_step(&self) -> String {
        let mut turn = 1;
        let mut is_calling = false;
        for record in &self.records {
            match kind_of(record) {
                Some("replied") => {
                    turn += 1;
                    is_calling = false;
                }
                Some("callBegun") => is_calling = true,
                _ => {}
            }
        }
        match (self.is_empty(), is_calling) {
            (true, _) => "start".to_owned(),
            (_, true) => format!("turn {}: calls", turn - 1),
            (_, false) => format!("turn {turn}: model"),
        }
    }

    /// Returns the run in the form of a journal.
    ///
    /// # Errors
    /// When the engine's copy was written by a newer version.
    pub(crate) fn to_stored(&self) -> Result<StoredRun, StoreError> {
        let last = self.last.as_ref();
        let last = last.ok_or_else(|| StoreError::format("the run has no records"))?;
        let mut info = RunInfo::new(&last.run, &last.agent);
        let mut states = RunState::ALL.into_iter();
        let state = states.find(|state| state.as_str() == last.state);
        info.state = state
            .ok_or_else(|| StoreError::format(format!("`{}` is no state of a run", last.state)))?;
        let started = UNIX_EPOCH.checked_add(Duration::from_millis(last.started));
        info.started = started.unwrap_or_else(SystemTime::now);
        info.cost = last.cost;
        info.conversation = Some(crate::object::conversation_name());
        let mut previous = Record::first_checksum();
        let mut records = Vec::with_capacity(self.records.len());
        for (position, json) in (0..).zip(&self.records) {
            // The engine keeps what it is given, so that a checksum of its own says no more.
            let record = Record::sealed(&last.run, position, json.as_str(), &previous);
            previous = *record.checksum();
            records.push(record);
        }
        let count = records.len() as u64;
        Ok(StoredRun::new(info, records, count, previous))
    }
}

/// Returns the kind of a record.
pub(crate) fn kind_of(record: &str) -> Option<&str> {
    let (_, kind) = record.split_once(r#""kind":""#)?;
    Some(kind.split_once('"')?.0)
}
