//! The steps of a run, as the engine keeps them.

use crate::bounds::ADDED_BYTES;
use crate::cut::cut_messages;
use crate::media::{MediaStore, Text};
use crate::progress::Event;
use agent_runtime::__private::with_causes;
use agent_runtime::conversation::{ConversationName, StoreError};
use agent_runtime::journal::{self, Record, RunInfo, RunState, StoredRun};
use agent_runtime::run::PendingCall;
use agent_runtime::{Conversation, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of the format of steps. A worker refuses steps of a later format.
const FORMAT: u32 = 1;

/// The name that the conversation of an object has in its runs.
pub(crate) fn conversation_name() -> ConversationName {
    ConversationName::new("conversation").unwrap_or_else(|_| unreachable!("a valid name"))
}

/// A step of a run: the records that it added, and the outcome if the run stopped with it. A step without
/// both means that the run continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    format: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<Commit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    pub(crate) records: Vec<Text>,
    /// The messages that the run adds to the conversation when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) messages: Option<Text>,
}

/// The state in which a run stops, for ever or until somebody decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    /// The response, as JSON.
    Done(Text),
    Waiting(Vec<WaitingCall>),
    /// A decision does not fit its call, for this reason.
    Refused(String),
    Failed {
        kind: String,
        text: String,
    },
}

/// A call on which a person must decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) path: String,
    pub(crate) arguments: Value,
    /// Whether the call was begun by a worker that died, so that it may have been made.
    pub(crate) in_doubt: bool,
}

impl Step {
    pub(crate) fn new(commit: Option<Commit>, outcome: Option<Outcome>) -> Self {
        Self {
            format: FORMAT,
            commit,
            outcome,
        }
    }

    pub(crate) fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Reads a step that the engine kept.
    ///
    /// # Errors
    /// When another version of this crate wrote the step.
    pub(crate) fn read(json: &[u8]) -> Result<Self, StoreError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let read: Result<Self, _> = serde_json::from_slice(json);
        let format = match &read {
            Ok(step) => step.format,
            // A later format may have other members.
            Err(_) => serde_json::from_slice(json).map_or(FORMAT, |Head { format }| format),
        };
        match format > FORMAT {
            true => Err(StoreError::format(format!(
                "the run was begun by a newer version of agent-restate, whose steps have the format {format}; this worker \
                 reads those up to {FORMAT}. Let a worker with the newer version continue it: `restate invocations \
                 pause INVOCATION` and `restate invocations resume INVOCATION --deployment latest` send it to the newest"
            ))),
            false => read.map_err(|error| {
                StoreError::format("a step of the run cannot be read").with_source(error)
            }),
        }
    }
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

impl Commit {
    /// Takes the records of a commit, without the first ones, which the engine has already.
    ///
    /// # Errors
    /// When the store of media cannot be written.
    pub(crate) async fn of(
        commit: &journal::Commit,
        known: usize,
        media: Option<&dyn MediaStore>,
    ) -> Result<Self, StoreError> {
        let info = &commit.info;
        let started = info.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut records = Vec::new();
        for record in commit.records.iter().skip(known) {
            records.push(Text::keep(record.json().into_owned(), media).await?);
        }
        let messages = match &commit.turn {
            None => None,
            Some(turn) => {
                let messages: Conversation = turn.messages.iter().cloned().collect();
                let mut json = messages.to_json_with_data();
                let mut text = Text::keep(json.to_string(), media).await?;
                if text.len() > ADDED_BYTES {
                    cut_messages(&mut json);
                    text = Text::keep(json.to_string(), media).await?;
                }
                Some(text)
            }
        };
        Ok(Self {
            run: info.run.clone(),
            agent: info.agent.clone(),
            state: info.state.as_str().to_owned(),
            started: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            cost: info.cost,
            records,
            messages,
        })
    }

    /// Whether the run continues after the commit.
    pub(crate) fn is_running(&self) -> bool {
        self.state == RunState::Running.as_str()
    }

    /// Whether the run has ended with the commit.
    pub(crate) fn is_over(&self) -> bool {
        let mut over = RunState::ALL.into_iter().filter(|state| state.is_over());
        over.any(|state| state.as_str() == self.state)
    }

    /// Joins this commit with an earlier one.
    pub(crate) fn after(mut self, earlier: Option<Self>) -> Self {
        if let Some(mut earlier) = earlier {
            earlier.records.append(&mut self.records);
            self.records = earlier.records;
        }
        self
    }

    /// The approximate number of bytes that the engine keeps.
    pub(crate) fn len(&self) -> usize {
        let texts = self.records.iter().chain(&self.messages);
        texts.map(Text::len).sum()
    }
}

/// The records of a run that the engine has.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// The last commit, without its records.
    last: Option<Commit>,
    records: Vec<Text>,
    turns: usize,
    is_calling: bool,
}

impl Records {
    /// Adds a commit, and returns the events of its records.
    pub(crate) fn add(&mut self, mut commit: Commit) -> Vec<Event> {
        let events: Vec<Event> = commit.records.iter().filter_map(Event::of).collect();
        for event in &events {
            if event.is_reply() {
                self.turns += 1;
                self.is_calling = false;
            } else if event.is_begun_call() {
                self.is_calling = true;
            }
        }
        self.records.append(&mut commit.records);
        self.last = Some(commit);
        events
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the name of the next step, for people: which turn it belongs to, and whether the model is asked or calls are
    /// made.
    pub(crate) fn next_step(&self) -> String {
        match (self.is_empty(), self.is_calling) {
            (true, _) => "start".to_owned(),
            (_, true) => format!("turn {}: calls", self.turns),
            (_, false) => format!("turn {}: model", self.turns + 1),
        }
    }

    /// Returns the run in the form of a journal; `None` if it was not begun.
    ///
    /// # Errors
    /// When the store of media cannot be read, or a newer version wrote the run.
    pub(crate) async fn to_stored(
        &self,
        media: Option<&dyn MediaStore>,
    ) -> Result<Option<StoredRun>, StoreError> {
        let Some(last) = &self.last else {
            return Ok(None);
        };
        let mut info = RunInfo::new(&last.run, &last.agent);
        let mut states = RunState::ALL.into_iter();
        let state = states.find(|state| state.as_str() == last.state);
        info.state = state
            .ok_or_else(|| StoreError::format(format!("`{}` is no state of a run", last.state)))?;
        let started = UNIX_EPOCH.checked_add(Duration::from_millis(last.started));
        info.started = started.unwrap_or_else(SystemTime::now);
        info.cost = last.cost;
        info.conversation = Some(conversation_name());
        let mut previous = Record::first_checksum();
        let mut records = Vec::with_capacity(self.records.len());
        for (position, text) in (0..).zip(&self.records) {
            let json = text.restore(media).await?;
            // The checksums are computed here and not kept, because the engine itself keeps the records
            // unchanged.
            let record = Record::sealed(&last.run, position, json, &previous);
            previous = *record.checksum();
            records.push(record);
        }
        let count = records.len() as u64;
        Ok(Some(StoredRun::new(info, records, count, previous)))
    }
}
