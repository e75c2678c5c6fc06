//! The records of a run: each input that its driver gives it, as JSON, and replaying them.
//!
//! A record has the members `kind`, `step` and `at`, and those of its kind. The records of one step are what the driver
//! gives a run between two waits. [`Replay`] applies the records to a run in the order of the driver, and each step ends
//! as it does there: the run begins what is due.

use super::nested::{Due, Spent};
use super::saved::{
    read_error_of_run, read_outcome, write_compaction, write_error_of_run, write_outcome,
};
use super::state::{Begun, CallState, Outcome, Phase};
use super::{Decision, Run};
#[cfg(feature = "testing")]
use super::{HostValues, MAX_RESULT_TEXT, PendingCall, saved::read_compaction, texts};
use crate::conversation::{
    ConversationName, Exactness, Message, ReadError, ToolCall, call_from_json, call_to_json,
    message_from_json, messages_to_json,
};
use crate::error::Error;
#[cfg(feature = "testing")]
use crate::media::Media;
use crate::media::{KeptMedia, MediaForm, Sha256, content_from_json, content_to_json};
use crate::model::{FinishReason, ModelReply, ModelRequest, Usage};
use crate::read_json::{opt_text, text};
use crate::redact::Redactor;
#[cfg(feature = "testing")]
use crate::tool::ToolError;
use agent_spec::ToolSettings;
use serde_json::{Map, Value, json};
#[cfg(feature = "testing")]
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The value of `format` in the first record of a run.
const FORMAT: &str = "agent-journal";

/// The version of the records that is written. Later versions are refused.
const VERSION: u64 = 1;

/// The kinds of records.
mod kind {
    pub(super) const STARTED: &str = "started";
    pub(super) const REPLIED: &str = "replied";
    pub(super) const REQUEST_FAILED: &str = "requestFailed";
    pub(super) const BEGUN: &str = "callBegun";
    pub(super) const FINISHED: &str = "callFinished";
    pub(super) const AGENT_BEGUN: &str = "agentBegun";
    pub(super) const AGENT_ENDED: &str = "agentEnded";
    pub(super) const STOPPED: &str = "stopped";
    pub(super) const SAID: &str = "said";
    pub(super) const ASKED: &str = "decisionAsked";
    pub(super) const DECIDED: &str = "decisionMade";
    pub(super) const DOUBTED: &str = "callInDoubt";
    pub(super) const ENDED: &str = "ended";
}

/// The decision that it is not known whether a call was made.
const UNKNOWN: &str = "unknown";

type Read<T> = Result<T, ReadError>;

/// Calls: the place of the run of each, and its id there.
pub(crate) type CallPlaces = Vec<(Arc<str>, String)>;

/// The beginning of a run, or its state when a driver continues it after it was paused. Replaying begins at the last
/// record of this kind.
pub(crate) fn started(run: &Run, conversation: Option<&ConversationName>) -> Value {
    json!({
        "kind": kind::STARTED,
        "format": FORMAT,
        "version": VERSION,
        "conversation": conversation.map(ConversationName::as_str),
        "run": run.to_json(),
        "host": host_to_json(run),
    })
}

/// Returns the stored conversation of the record of a start.
///
/// # Errors
/// When it has no name of a conversation.
pub(crate) fn stored_as(started: &Value) -> Read<Option<ConversationName>> {
    let name = opt_text(started, "conversation")?.map(ConversationName::new);
    name.transpose()
        .map_err(|error| ReadError::new(error.to_string()))
}

/// Writes the values of the host on which requests depend: a replay has no runtime. Recovery takes those of its own.
fn host_to_json(run: &Run) -> Value {
    let tools = run.tools().with_those_of_agents().filter_map(|tool| {
        let settings = &tool.rule().settings;
        let mut json = Map::new();
        if settings.sequential {
            json.insert("sequential".to_owned(), true.into());
        }
        if !settings.retryable {
            json.insert("retryable".to_owned(), false.into());
        }
        if settings.requires_approval {
            json.insert("requiresApproval".to_owned(), true.into());
        }
        let name = tool.rule().name().to_owned();
        (!json.is_empty()).then_some((name, Value::Object(json)))
    });
    json!({
        "resultLimit": run.host.result_limit,
        "hooks": run.host.holds_agents,
        "compaction": run.host.compaction.as_ref().map(write_compaction),
        "tools": tools.collect::<Map<_, _>>(),
    })
}

/// A reply of a model to the request of the run at a place, and the digest of that request.
pub(crate) fn replied(place: &str, reply: &ModelReply, request: Option<Sha256>) -> Value {
    let calls = reply.tool_calls.iter();
    json!({
        "kind": kind::REPLIED,
        "run": place,
        "content": content_to_json(&reply.parts, MediaForm::Data),
        "toolCalls": calls.map(|call| call_to_json(call, Exactness::Text)).collect::<Value>(),
        "finishReason": reply.finish_reason.as_str(),
        "usage": reply.usage.to_json(),
        "id": reply.id,
        "model": reply.model,
        "requestSha256": request.map(|digest| digest.to_string()),
    })
}

/// Gives the calls of a reply the ids under which the run took them.
pub(crate) fn name_calls(replied: &mut Value, calls: &[ToolCall]) {
    let recorded = replied["toolCalls"].as_array_mut();
    let recorded = recorded.filter(|recorded| recorded.len() == calls.len());
    for (json, call) in recorded.into_iter().flatten().zip(calls) {
        json["id"] = call.id().into();
    }
}

/// The failure of the request of the run at a place, and the digest of that request.
pub(crate) fn request_failed(place: &str, error: &Error, request: Option<Sha256>) -> Value {
    json!({
        "kind": kind::REQUEST_FAILED,
        "run": place,
        "error": write_error_of_run(error),
        "requestSha256": request.map(|digest| digest.to_string()),
    })
}

/// Whether a record is the failure of a request of the first agent.
pub(crate) fn is_request_failed(record: &Value) -> bool {
    record["kind"] == kind::REQUEST_FAILED && record["run"] == ""
}

/// The beginning of a call. It is in the journal before the tool runs.
pub(crate) fn call_begun(place: &str, id: &str, tool: &str, arguments: &str) -> Value {
    json!({"kind": kind::BEGUN, "run": place, "call": id, "tool": tool, "arguments": arguments})
}

/// The outcome of a call that `run` has taken, and what agents used that its tool called.
pub(crate) fn call_finished(run: &Run, place: &str, id: &str, spent: Option<&Spent>) -> Value {
    let outcome = run.run_at(place).and_then(|own| own.outcome(id));
    json!({
        "kind": kind::FINISHED,
        "run": place,
        "call": id,
        "outcome": outcome.map(write_outcome),
        "spent": spent.map(|spent| spent.to_json()),
    })
}

/// The beginning of the run of an agent whose call the hooks let pass.
pub(crate) fn agent_begun(place: &str, id: &str, arguments: &str) -> Value {
    json!({"kind": kind::AGENT_BEGUN, "run": place, "call": id, "arguments": arguments})
}

/// The end of the run of an agent, whose result its caller takes.
pub(crate) fn agent_ended(place: &str) -> Value {
    json!({"kind": kind::AGENT_ENDED, "run": place})
}

/// The end of the run at a place because of a limit, a hook or a cancellation.
pub(crate) fn stopped(place: &str, error: &Error) -> Value {
    json!({"kind": kind::STOPPED, "run": place, "error": write_error_of_run(error)})
}

/// A message that was said while the run went on.
pub(crate) fn said(message: &Message) -> Value {
    let messages = std::slice::from_ref(message);
    let messages = messages_to_json(messages, Exactness::Exact, MediaForm::Data);
    json!({"kind": kind::SAID, "messages": messages})
}

/// The calls on which a person must decide.
pub(crate) fn decision_asked<'c>(calls: impl Iterator<Item = &'c str>) -> Value {
    json!({"kind": kind::ASKED, "calls": calls.collect::<Vec<_>>()})
}

/// A person's decision on a call.
pub(crate) fn decision_made(call: &str, decision: &Decision) -> Value {
    let mut json = json!({"kind": kind::DECIDED, "call": call});
    let (word, detail) = match decision {
        Decision::Approve => ("approve", Value::Null),
        Decision::Deny { reason } => ("deny", json!(reason)),
        Decision::Edit { args } => ("edit", args.to_string().into()),
        Decision::Done { result } => ("done", result.to_string().into()),
        Decision::Unknown => (UNKNOWN, Value::Null),
    };
    json["decision"] = word.into();
    json["detail"] = detail;
    json
}

/// A call that was begun before a crash and may not be made again without a person's decision.
pub(crate) fn call_in_doubt(place: &str, id: &str) -> Value {
    json!({"kind": kind::DOUBTED, "run": place, "call": id})
}

/// The end of the run. It has no effect on the run, which has ended by itself.
pub(crate) fn ended(run: &Run) -> Value {
    json!({
        "kind": kind::ENDED,
        "usage": run.usage().to_json(),
        "cost": run.cost(),
        "error": run.failure().map(write_error_of_run),
    })
}

/// The end of a run that was cancelled while nobody drove it.
pub(crate) fn cancelled(cost: Option<f64>) -> Value {
    let error = write_error_of_run(&Error::cancelled(super::texts::CANCELLED));
    json!({"kind": kind::ENDED, "cost": cost, "error": error})
}

/// Returns a record with its secrets replaced. A call with such arguments is marked, because it cannot be made again as
/// it was. Bytes of media stay as they are.
pub(crate) fn without_secrets(record: &Value, redactor: &Redactor) -> Value {
    let mut record = masked(record, redactor);
    if record["kind"] == kind::BEGUN {
        record["isMasked"] = true.into();
    }
    record
}

fn masked(json: &Value, redactor: &Redactor) -> Value {
    match json {
        Value::Array(items) => items.iter().map(|item| masked(item, redactor)).collect(),
        Value::Object(members) => {
            let is_media = members.contains_key("mediaType");
            let members = members
                .iter()
                .map(|(key, value)| match is_media && key == "data" {
                    true => (key.clone(), value.clone()),
                    false => (redactor.text(key), masked(value, redactor)),
                });
            Value::Object(members.collect())
        }
        plain => redactor.value(plain),
    }
}

/// Whether a record has the state of the whole run.
pub(crate) fn is_started(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::STARTED)
}

/// Returns the time of a record from which the time limit of the run counts: its start, and each decision of a person, who
/// may take any time.
pub(crate) fn limited_since(record: &Value) -> Option<SystemTime> {
    let kind = record.get("kind").and_then(Value::as_str);
    kind.filter(|kind| [kind::STARTED, kind::DECIDED].contains(kind))?;
    // The host's `OnDoubt` decides at once.
    if record.get("decision").and_then(Value::as_str) == Some(UNKNOWN) {
        return None;
    }
    let at = record.get("at").and_then(Value::as_u64)?;
    UNIX_EPOCH.checked_add(Duration::from_millis(at))
}

/// Returns the saved run of a record that [`started`] made.
///
/// # Errors
/// When the record is no such record, or one of a newer version.
pub(crate) fn saved_run(record: &Value) -> Read<&Value> {
    let is_ours = record.get("format").and_then(Value::as_str) == Some(FORMAT);
    if !is_ours || !is_started(record) {
        return Err(ReadError::new("its first record is not that of a start"));
    }
    match record.get("version").and_then(Value::as_u64) {
        Some(1..=VERSION) => {}
        found => {
            return Err(ReadError::new(format!(
                "its format has version {}, and this program reads version {VERSION}; it was written by a newer one",
                found.map_or_else(|| "?".to_owned(), |version| version.to_string())
            )));
        }
    }
    Ok(record.get("run").unwrap_or(&Value::Null))
}

/// Returns the values of the host of a record that [`started`] made, and the settings of its tools by their names.
#[cfg(feature = "testing")]
pub(crate) fn recorded_host(record: &Value) -> Read<(HostValues, BTreeMap<String, ToolSettings>)> {
    let host = record.get("host").unwrap_or(&Value::Null);
    let is = |json: &Value, key: &str| json.get(key).and_then(Value::as_bool);
    let limit = host.get("resultLimit").and_then(Value::as_u64);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let tools = host.get("tools").and_then(Value::as_object);
    let tools = tools.into_iter().flatten().map(|(name, json)| {
        let mut settings = ToolSettings::DEFAULT;
        settings.sequential = is(json, "sequential").unwrap_or(false);
        settings.retryable = is(json, "retryable").unwrap_or(true);
        settings.requires_approval = is(json, "requiresApproval").unwrap_or(false);
        (name.clone(), settings)
    });
    let values = HostValues {
        result_limit: limit.unwrap_or(MAX_RESULT_TEXT),
        holds_agents: is(host, "hooks").unwrap_or(false),
        compaction: read_compaction(host.get("compaction").unwrap_or(&Value::Null))?,
        reports_begun: true,
        ..HostValues::default()
    };
    Ok((values, tools.collect()))
}

/// Returns the digest of the request that a record answers; `None` if an older version wrote the record.
#[cfg(feature = "testing")]
pub(crate) fn answered_digest(record: &Value) -> Option<Sha256> {
    record.get("requestSha256")?.as_str()?.parse().ok()
}

/// A recorded result of a call, and the media that it names by their digests.
#[cfg(feature = "testing")]
pub(crate) struct CallResult {
    pub(crate) result: Result<Value, ToolError>,
    pub(crate) media: Vec<Media>,
}

/// Returns the result of a record that [`call_finished`] made; `None` if the run did not take it.
#[cfg(feature = "testing")]
pub(crate) fn result_of_call(record: &Value) -> Read<Option<CallResult>> {
    let outcome = member(record, "outcome")?;
    if outcome.is_null() {
        return Ok(None);
    }
    let outcome = read_outcome(outcome)?;
    let media = outcome.parts.iter();
    Ok(Some(CallResult {
        media: media.filter_map(|part| part.media().cloned()).collect(),
        result: outcome.result,
    }))
}

/// Returns the error of a call that a person denied.
#[cfg(feature = "testing")]
pub(crate) fn denial(reason: Option<&str>, in_doubt: bool) -> ToolError {
    match in_doubt {
        true => ToolError::Execution(texts::interrupted(reason)),
        false => ToolError::Authorization(texts::denied(reason)),
    }
}

/// Whether a record has the answer to a request.
#[cfg(feature = "testing")]
pub(crate) fn is_answer(record: &Value) -> bool {
    let kind = record.get("kind").and_then(Value::as_str);
    [Some(kind::REPLIED), Some(kind::REQUEST_FAILED)].contains(&kind)
}

/// Whether a record has the beginning of the run of an agent that hooks let pass.
#[cfg(feature = "testing")]
pub(crate) fn is_agent_begun(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::AGENT_BEGUN)
}

/// Whether a record has the end of the run.
#[cfg(feature = "testing")]
pub(crate) fn is_end(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::ENDED)
}

/// Returns the place of the run that a record is about.
#[cfg(feature = "testing")]
pub(crate) fn place(record: &Value) -> &str {
    let place = record.get("run").and_then(Value::as_str);
    place.unwrap_or_default()
}

/// A run that gets the records that follow its start.
pub(crate) struct Replay {
    run: Run,
    /// The places of the runs whose calls finished in this step, which still count their results.
    called: Vec<Arc<str>>,
    /// Whether the run has begun in this step what was due.
    is_begun: bool,
    step: Option<u64>,
    /// The calls whose recorded arguments are not those that were used.
    masked: CallPlaces,
    /// The requests without answers, and the places of their runs.
    requests: Vec<(Arc<str>, Box<ModelRequest>)>,
    /// Whether the run may be that of another agent, or have other tools, than the run that was recorded.
    is_other: bool,
    /// The outcomes of calls that the other run has not opened yet, with the places of their runs and their ids.
    late: Vec<(String, String, Outcome)>,
}

impl Replay {
    /// Creates the replay of a run, as the record of its start has it.
    pub(crate) fn new(run: Run, start: &Value) -> Self {
        Self {
            run,
            called: Vec::new(),
            is_begun: false,
            step: start.get("step").and_then(Value::as_u64),
            masked: Vec::new(),
            requests: Vec::new(),
            is_other: false,
            late: Vec::new(),
        }
    }

    /// Replays the records of a run in another one, whose agent or tools differ: what does not fit that run is passed
    /// over.
    #[cfg(feature = "testing")]
    pub(crate) fn of_other(mut self) -> Self {
        self.is_other = true;
        self
    }

    /// The run, as far as the records lead.
    #[cfg(feature = "testing")]
    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    /// Makes all calls that wait for a decision, apart from those of these ids.
    #[cfg(feature = "testing")]
    pub(crate) fn approve_except(&mut self, waiting: &[PendingCall]) {
        for call in self.run.awaiting_approval() {
            if waiting.iter().all(|other| other.id != call.id) {
                // The call waits, so that it can be approved.
                let _ = self.run.approve(&call.id, Decision::Approve);
            }
        }
    }

    /// Ends the last step. Returns the requests that are under way, and the places of their runs.
    #[cfg(feature = "testing")]
    pub(crate) fn under_way(&mut self) -> Vec<(Arc<str>, Box<ModelRequest>)> {
        self.end_step();
        let mut requests = std::mem::take(&mut self.requests);
        requests.retain(|(place, _)| self.awaits_reply(place));
        requests
    }

    fn awaits_reply(&self, place: &str) -> bool {
        self.run.run_at(place).is_some_and(Run::awaits_reply)
    }

    /// Returns the run after all records, and its calls that were begun, have no result and may not be made again without
    /// a person's decision.
    pub(crate) fn finish(mut self) -> (Run, CallPlaces) {
        self.end_step();
        let mut doubted = Vec::new();
        self.run.add_calls_in_doubt(&self.masked, &mut doubted);
        (self.run, doubted)
    }

    /// Gives the run a record. Returns the request that it answers, if it is such a record.
    ///
    /// # Errors
    /// When the record cannot be read, or does not fit the run.
    pub(crate) fn apply(&mut self, record: &Value) -> Read<Option<Box<ModelRequest>>> {
        let step = record.get("step").and_then(Value::as_u64);
        if step != self.step {
            self.end_step();
            self.step = step;
            self.is_begun = false;
        }
        let kind = text(record, "kind")?;
        let place = opt_text(record, "run")?.unwrap_or_default();
        let id = || text(record, "call");
        let is_outcome = [kind::REPLIED, kind::REQUEST_FAILED, kind::FINISHED].contains(&&*kind);
        if !is_outcome {
            self.advance();
        }
        let answered = match [kind::REPLIED, kind::REQUEST_FAILED].contains(&&*kind) {
            true => self.answered(&place),
            false => None,
        };
        match kind.as_str() {
            kind::REPLIED => {
                let reply = read_reply(record)?;
                if !self.is_other || self.awaits_reply(&place) {
                    let replied = self.run.reply_to(&place, reply);
                    replied.map_err(|error| not_fitting(&kind, &error))?;
                }
            }
            kind::REQUEST_FAILED => {
                let error = read_error_of_run(member(record, "error")?)?;
                if let Some(own) = self.run_at(&place)? {
                    // The error that ends the run is in its state.
                    let _ = own.model_failed(error);
                }
            }
            kind::FINISHED => self.finish_call(record, &place, &id()?)?,
            kind::BEGUN => {
                self.begin_due();
                if let Some(own) = self.run_at(&place)? {
                    own.begin_call(&id()?);
                }
                if record.get("isMasked").is_some() {
                    self.masked.push((place.as_str().into(), id()?));
                }
            }
            kind::AGENT_BEGUN => {
                let (id, arguments) = (id()?, text(record, "arguments")?);
                if let Some(own) = self.run_at(&place)? {
                    own.change_arguments(&id, arguments);
                    // The failure is recorded as the outcome of the call.
                    let _ = own.begin_agent(&id);
                }
            }
            kind::AGENT_ENDED => self.end_agent(&place)?,
            kind::STOPPED => {
                let error = read_error_of_run(member(record, "error")?)?;
                if let Some(own) = self.run_at(&place)? {
                    own.stop(error);
                }
            }
            kind::SAID => {
                let messages = member(record, "messages")?.as_array();
                for json in messages.into_iter().flatten() {
                    self.run.hear_again(message_from_json(json)?);
                }
            }
            kind::DECIDED => {
                let (id, decision) = (id()?, read_decision(record)?);
                if self.is_other && !self.run.awaits_decision(&id) {
                    self.run.ask(&id);
                }
                let decided = self.run.approve_again(&id, decision);
                if !self.is_other {
                    decided.map_err(|error| not_fitting(&kind, &error))?;
                }
            }
            kind::DOUBTED => {
                let id = id()?;
                if let Some(own) = self.run_at(&place)? {
                    own.doubt(&id);
                }
            }
            kind::ASKED | kind::ENDED => {}
            other => return Err(ReadError::new(format!("`{other}` is no kind of a record"))),
        }
        Ok(answered)
    }

    /// Takes the request of the run at a place.
    fn answered(&mut self, place: &str) -> Option<Box<ModelRequest>> {
        let mut requests = self.requests.iter();
        let at = requests.rposition(|(run, _)| **run == *place)?;
        Some(self.requests.swap_remove(at).1)
    }

    /// Returns the run at a place. `None` if there is none and the records are those of another run.
    fn run_at(&mut self, place: &str) -> Read<Option<&mut Run>> {
        match self.run.run_at_mut(place) {
            None if !self.is_other => {
                Err(ReadError::new(format!("the run has no agent at `{place}`")))
            }
            run => Ok(run),
        }
    }

    fn finish_call(&mut self, record: &Value, place: &str, id: &str) -> Read<()> {
        let outcome = member(record, "outcome")?;
        if !outcome.is_null() {
            let outcome = read_outcome(outcome)?;
            let is_other = self.is_other;
            match self.run_at(place)? {
                Some(own) if !is_other || own.takes_outcome(id) => own
                    .put_outcome(id, outcome)
                    .map_err(|error| not_fitting(kind::FINISHED, &error))?,
                // Its tool runs alone in the other run.
                _ => self.late.push((place.to_owned(), id.to_owned(), outcome)),
            }
        }
        let spent = member(record, "spent")?;
        if !spent.is_null() {
            let spent = Spent::from_json(spent)?;
            self.run.count_call(place, id, &spent);
        }
        self.called.push(place.into());
        Ok(())
    }

    fn end_agent(&mut self, place: &str) -> Read<()> {
        let (caller, id) = (super::caller_of(place), super::last_id(place));
        let kept = KeptMedia::default();
        if let Some(own) = self.run_at(caller)?
            && let Some(result) = own.agent_result(id, &kept)
        {
            own.take_agent_result(id, result, &kept);
        }
        Ok(())
    }

    /// Counts the results of the calls that finished.
    fn advance(&mut self) {
        for place in std::mem::take(&mut self.called) {
            if let Some(own) = self.run.run_at_mut(&place) {
                own.advance();
            }
        }
        while let Some(at) = self.late.iter().position(|(place, id, _)| {
            let own = self.run.run_at(place);
            own.is_some_and(|own| own.takes_outcome(id))
        }) {
            let (place, id, outcome) = self.late.remove(at);
            if let Some(own) = self.run.run_at_mut(&place) {
                // The call is open, so that it takes its outcome.
                let _ = own.put_outcome(&id, outcome);
                own.advance();
            }
        }
    }

    /// Lets the run begin what is due, as a driver does once in a step.
    fn begin_due(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        self.run.hold_limits();
        if !self.run.is_over() && self.run.awaiting_approval().is_empty() {
            let mut due = Vec::new();
            self.run.take_due(&mut due);
            for due in due {
                if let Due::Request { place, request } = due {
                    self.requests.push((place.run, request));
                }
            }
        }
    }

    fn end_step(&mut self) {
        self.advance();
        self.begin_due();
        self.run.hold_limits();
    }
}

/// The calls of a run that a crash interrupted.
impl Run {
    /// The outcome of a call of this run, once it is finished.
    fn outcome(&self, id: &str) -> Option<&Outcome> {
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        match &turn.call(id)?.state {
            CallState::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Takes a message that was said, as the driver did.
    fn hear_again(&mut self, message: Message) {
        let is_late = self.is_over() && self.failure().is_some() || self.state.is_answer_taken;
        match is_late {
            true => self.state.history.push(message),
            false => {
                self.state.said.push(message);
                self.hear();
            }
        }
    }

    /// Adds the calls that were begun and have no result, and whose tools may not run twice or not with the arguments
    /// that are recorded.
    fn add_calls_in_doubt(&self, masked: &CallPlaces, calls: &mut CallPlaces) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        for call in &turn.calls {
            let tool = call.call.tool();
            if let CallState::Ready {
                begun: Begun::Yes, ..
            } = &call.state
                && !self.tools.is_agent(tool)
            {
                let call = (Arc::clone(&self.place().run), call.call.id().to_owned());
                let may_run_twice = self.tools.settings(tool).is_some_and(may_run_twice);
                if !may_run_twice || masked.contains(&call) {
                    calls.push(call);
                }
            }
        }
        for agent in turn.agents() {
            agent.add_calls_in_doubt(masked, calls);
        }
    }

    /// Whether the call of an id is open and has no outcome.
    fn takes_outcome(&self, id: &str) -> bool {
        let Phase::Tools(turn) = &self.state.phase else {
            return false;
        };
        turn.open_call(id).is_some_and(|call| {
            matches!(
                call.state,
                CallState::Ready { .. } | CallState::Agent { .. }
            )
        })
    }

    /// Lets a call wait for a person's decision.
    fn ask(&mut self, id: &str) {
        if let Some((own, id)) = self.run_of_call(id)
            && let Phase::Tools(turn) = &mut own.state.phase
        {
            turn.ask(id, false);
        }
    }

    /// Lets a call that was begun wait for a person's decision whether to make it again.
    pub(crate) fn doubt(&mut self, id: &str) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.ask(id, true);
        }
    }
}

fn may_run_twice(settings: &ToolSettings) -> bool {
    settings.idempotent || settings.read_only
}

impl Spent {
    fn to_json(self) -> Value {
        json!({
            "usage": self.usage.to_json(),
            "cost": self.cost,
            "calls": self.calls,
            "bytes": self.bytes,
        })
    }

    fn from_json(json: &Value) -> Read<Self> {
        let number = |key: &str| {
            let number = json.get(key).and_then(Value::as_u64);
            let number = number.and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| ReadError::new(format!("`{key}` is a number")))
        };
        Ok(Self {
            usage: Usage::from_json(member(json, "usage")?),
            cost: member(json, "cost")?.as_f64(),
            calls: number("calls")?,
            bytes: number("bytes")?,
        })
    }
}

/// Reads the answer of a model, or the error, of a record that answers a request.
///
/// # Errors
/// When the record cannot be read.
#[cfg(feature = "testing")]
pub(crate) fn read_answer(record: &Value) -> Read<Result<ModelReply, Error>> {
    match record.get("error") {
        Some(error) => Ok(Err(read_error_of_run(error)?)),
        None => Ok(Ok(read_reply(record)?)),
    }
}

fn read_reply(json: &Value) -> Read<ModelReply> {
    let calls = member(json, "toolCalls")?.as_array();
    let calls = calls.into_iter().flatten().map(call_from_json);
    Ok(ModelReply {
        parts: content_from_json(json)?,
        tool_calls: calls.collect::<Result<_, _>>()?,
        finish_reason: FinishReason::from_word(&text(json, "finishReason")?),
        usage: Usage::from_json(member(json, "usage")?),
        id: opt_text(json, "id")?,
        model: opt_text(json, "model")?,
    })
}

fn read_decision(json: &Value) -> Read<Decision> {
    let value = || {
        let detail = text(json, "detail")?;
        let value = serde_json::from_str(&detail);
        value.map_err(|error| ReadError::new(format!("`detail` is no JSON: {error}")))
    };
    Ok(match text(json, "decision")?.as_str() {
        "approve" => Decision::Approve,
        "deny" => Decision::Deny {
            reason: opt_text(json, "detail")?,
        },
        "edit" => Decision::Edit { args: value()? },
        "done" => Decision::Done { result: value()? },
        UNKNOWN => Decision::Unknown,
        other => return Err(ReadError::new(format!("`{other}` is no decision"))),
    })
}

fn member<'a>(json: &'a Value, key: &str) -> Read<&'a Value> {
    json.get(key)
        .ok_or_else(|| ReadError::new(format!("`{key}` is missing")))
}

fn not_fitting(kind: &str, error: &Error) -> ReadError {
    ReadError::new(format!("its `{kind}` does not fit the run: {error}"))
}
