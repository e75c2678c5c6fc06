//! The records of a run: each input that its driver gives it, as JSON, and replaying them.
//!
//! A record has the members `kind`, `step` and `at`, and those of its kind. The records of one step are what the driver
//! gives a run between two waits. [`Replay`] applies the records to a run in the order of the driver, and each step ends
//! as it does there: the run begins what is due.

pub(crate) mod read;
mod replay;

pub use read::{
    CallResult, answered_digest, denial, is_agent_begun, is_answer, is_end, not_known, place,
    read_answer, recorded_host, result_of_call,
};
pub use replay::Replay;

use super::saved::{read_warnings, write_compaction, write_error_of_run, write_outcome};
use super::{Decision, Run, Spent};
use crate::conversation::{
    ConversationName, Exactness, Message, ReadError, ToolCall, call_from_json, call_to_json,
    messages_to_json,
};
use crate::model::{FinishReason, ModelReply, Usage};
use agent_tool::__private::{MediaForm, content_from_json, content_to_json, opt_text, text};
use agent_tool::Error;
use agent_tool::media::Sha256;
use agent_tool::redact::Redactor;
use serde_json::{Map, Value, json};
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
pub type CallPlaces = Vec<(Arc<str>, String)>;

/// The beginning of a run, or its state when a driver continues it after it was paused. Replaying begins at the last
/// record of this kind.
pub(crate) fn started(run: &Run, conversation: Option<&ConversationName>) -> Value {
    let mut record = json!({
        "kind": kind::STARTED,
        "format": FORMAT,
        "version": VERSION,
        "conversation": conversation.map(ConversationName::as_str),
    });
    // Within `json!`, a value would be copied.
    record["run"] = run.to_json();
    record["host"] = host_to_json(run);
    record
}

/// Returns the stored conversation of the record of a start.
///
/// # Errors
/// When it has no name of a conversation.
pub fn stored_as(started: &Value) -> Read<Option<ConversationName>> {
    let name = opt_text(started, "conversation")?.map(ConversationName::new);
    name.transpose()
        .map_err(|error| ReadError::new(error.to_string()))
}

/// Writes the values of the host on which requests depend: a replay has no runtime. Recovery takes those of its own.
fn host_to_json(run: &Run) -> Value {
    let tools = run
        .first()
        .tools()
        .with_those_of_agents()
        .filter_map(|tool| {
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
    let mut json = json!({
        "resultLimit": run.first().host.result_limit,
        "hooks": run.first().host.holds_agents,
        "compaction": run.first().host.compaction.as_ref().map(write_compaction),
    });
    json["tools"] = tools.collect::<Map<_, _>>().into();
    json
}

/// A reply of a model to the request of the run at a place, and the digest of that request.
pub(crate) fn replied(place: &str, reply: &ModelReply, request: Option<Sha256>) -> Value {
    let calls = reply.tool_calls.iter();
    let mut record = json!({
        "kind": kind::REPLIED,
        "run": place,
        "finishReason": reply.finish_reason.as_str(),
        "id": reply.id,
        "model": reply.model,
        "requestDigest": request.map(|digest| digest.to_string()),
    });
    record["content"] = content_to_json(&reply.parts, MediaForm::Data);
    record["toolCalls"] = calls
        .map(|call| call_to_json(call, Exactness::Text))
        .collect();
    record["usage"] = reply.usage.to_json();
    if let Some(dollars) = reply.cost {
        record["cost"] = dollars.into();
    }
    if !reply.warnings.is_empty() {
        record["warnings"] = reply.warnings.clone().into();
    }
    record
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
        "requestDigest": request.map(|digest| digest.to_string()),
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
    let mut record = json!({"kind": kind::FINISHED, "run": place, "call": id});
    record["outcome"] = outcome.map(write_outcome).into();
    record["spent"] = spent.map(|spent| spent.to_json()).into();
    record
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
    let mut record = json!({"kind": kind::SAID});
    record["messages"] = messages;
    record
}

/// The calls on which a person must decide, and the key of the decisions, if the run has one.
pub(crate) fn decision_asked<'c>(calls: impl Iterator<Item = &'c str>, key: Option<&str>) -> Value {
    let mut json = json!({"kind": kind::ASKED, "calls": calls.collect::<Vec<_>>()});
    if let Some(key) = key {
        json["key"] = key.into();
    }
    json
}

/// Whether a record asks for decisions that have this key.
pub fn asks_for(record: &Value, key: &str) -> bool {
    record["kind"] == kind::ASKED && record["key"] == key
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
        "error": run.first().failure().map(write_error_of_run),
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
pub fn is_started(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::STARTED)
}

/// Returns the time of a record from which the time limit of the run counts: its start, and each decision of a person, who
/// may take any time.
pub fn limited_since(record: &Value) -> Option<SystemTime> {
    let kind = record.get("kind").and_then(Value::as_str);
    kind.filter(|kind| [kind::STARTED, kind::DECIDED].contains(kind))?;
    // The host's `OnDoubt` decides at once.
    if record.get("decision").and_then(Value::as_str) == Some(UNKNOWN) {
        return None;
    }
    let at = record.get("at").and_then(Value::as_u64)?;
    UNIX_EPOCH.checked_add(Duration::from_millis(at))
}

/// Returns the saved run of a record that `started` made.
///
/// # Errors
/// When the record is no such record, or one of a newer version.
pub fn saved_run(record: &Value) -> Read<&Value> {
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
        cost: json.get("cost").and_then(Value::as_f64),
        warnings: match json.get("warnings") {
            None => Vec::new(),
            Some(warnings) => read_warnings(warnings)?,
        },
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
