//! The records of a run: each input that its driver gives it, and replaying them.
//!
//! A record is JSON with `kind`, `step` and `at`, and the members of its kind. The records of one step are what the driver
//! gives a run between two waits. [`Replay`] applies the records to a run in the order of the driver, and
//! ends each step as the driver does: the run begins the due requests and calls.

pub(crate) mod read;
mod replay;

pub use read::{
    CallResult, answered_digest, denial, is_agent_begun, is_answer, is_end, not_known, place,
    read_answer, recorded_host, result_of_call,
};
pub use replay::Replay;

pub use super::place::CallPlaces;

use super::saved::{self, from_json};
use super::state::Outcome;
use super::{Decision, PendingCall, Run, Spent};
use crate::conversation::{
    Compaction, ConversationName, Exactness, Message, ReadError, Taint, call_from_json,
    call_to_json,
};
use crate::model::{FinishReason, ModelReply, Usage};
use agent_effects::Effects;
use agent_spec::WhenTainted;
use agent_tool::__private::{MediaForm, content_from_json, content_to_json, opt_text, text};
use agent_tool::Error;
use agent_tool::media::Sha256;
use agent_tool::redact::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The value of `format` in the first record of a run.
const FORMAT: &str = "agent-journal";

/// The version of the records. Other versions are rejected.
const VERSION: u64 = 1;

/// The decision that it is not known whether a call was made.
const UNKNOWN: &str = "unknown";

type Read<T> = Result<T, ReadError>;

/// A record. `run` is the place of the run of the record, and `call` the id of a call in that run.
#[derive(Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum RunRecord {
    /// The beginning of a run, or its state when a driver continues it after it was paused. Replaying begins at the last
    /// record of this kind.
    Started {
        format: String,
        version: u64,
        conversation: Option<String>,
        run: Value,
        host: RecordedHost,
    },
    /// A reply of a model, and the digest of the request.
    Replied {
        run: String,
        request_digest: Option<String>,
        #[serde(flatten, with = "reply")]
        reply: ModelReply,
    },
    /// The failure of a request.
    RequestFailed {
        run: String,
        request_digest: Option<String>,
        #[serde(with = "saved::error")]
        error: Arc<Error>,
    },
    /// The beginning of a call. It is in the journal before the tool runs.
    CallBegun {
        run: String,
        call: String,
        tool: String,
        arguments: String,
        /// Whether secrets in the arguments were replaced, so that the call cannot be made again as it was.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_masked: bool,
    },
    /// The outcome of a call, if the run accepted it, and the usage of the agents that its tool called.
    CallFinished {
        run: String,
        call: String,
        outcome: Option<Outcome>,
        spent: Option<Spent>,
        /// The taint that the result brings into the conversation, for people.
        #[serde(default, skip_serializing_if = "Taint::is_clean")]
        taint: Taint,
    },
    /// The beginning of the run of an agent whose call the hooks allowed.
    AgentBegun {
        run: String,
        call: String,
        arguments: String,
    },
    /// The end of the run of an agent, whose result its caller receives.
    AgentEnded {
        run: String,
        /// The taint that the result brings into the conversation of the caller, for people.
        #[serde(default, skip_serializing_if = "Taint::is_clean")]
        taint: Taint,
    },
    /// The end of a run because of a limit, a hook or a cancellation.
    Stopped {
        run: String,
        #[serde(with = "saved::error")]
        error: Arc<Error>,
    },
    /// The beginning of an answer that was streamed when the run failed or was cancelled.
    AnswerInterrupted { text: String },
    /// Messages that were sent during the run.
    Said {
        #[serde(with = "saved::messages")]
        messages: Vec<Message>,
    },
    /// The calls on which a person must decide, and the key of the decisions, if the run has one.
    DecisionAsked {
        calls: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The reasons of the calls that `whenTainted` guards, for people, by their ids.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        reasons: BTreeMap<String, String>,
    },
    /// A person's decision on a call, whose id leads to it.
    DecisionMade {
        call: String,
        #[serde(flatten, with = "decision")]
        decision: Decision,
    },
    /// A call that was begun before a crash and may not be made again without a person's decision.
    CallInDoubt { run: String, call: String },
    /// The end of the run. It has no effect on the run, which has ended by itself.
    Ended {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        cost: Option<f64>,
        #[serde(with = "saved::opt_error")]
        error: Option<Arc<Error>>,
    },
}

/// The values of the host on which requests depend, because a replay has no runtime. Recovery uses the values
/// of its own runtime.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordedHost {
    result_limit: usize,
    /// Whether the driver began agents itself, because there were hooks.
    hooks: bool,
    compaction: Option<Compaction>,
    #[serde(default)]
    when_tainted: WhenTainted,
    /// The settings that differ from the defaults, by the names of the tools.
    tools: BTreeMap<String, RecordedTool>,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RecordedTool {
    is_sequential: bool,
    is_tried_once: bool,
    requires_approval: bool,
    #[serde(skip_serializing_if = "Effects::is_none")]
    effects: Effects,
}

impl RunRecord {
    pub(crate) fn started(run: &Run, conversation: Option<&ConversationName>) -> Self {
        let host = &run.first().host;
        let tools = run.first().tools().with_those_of_agents();
        let tools = tools.map(|tool| {
            let settings = &tool.rule().settings;
            let recorded = RecordedTool {
                is_sequential: settings.sequential,
                is_tried_once: !settings.retryable,
                requires_approval: settings.requires_approval,
                effects: tool.rule().effects,
            };
            (tool.rule().name().to_owned(), recorded)
        });
        Self::Started {
            format: FORMAT.to_owned(),
            version: VERSION,
            conversation: conversation.map(|name| name.as_str().to_owned()),
            run: run.to_json(),
            host: RecordedHost {
                result_limit: host.result_limit,
                hooks: host.holds_agents,
                compaction: host.compaction.clone(),
                when_tainted: host.when_tainted,
                tools: tools
                    .filter(|(_, tool)| *tool != RecordedTool::default())
                    .collect(),
            },
        }
    }

    pub(crate) fn request_failed(run: &str, error: &Error, request: Option<Sha256>) -> Self {
        Self::RequestFailed {
            run: run.to_owned(),
            request_digest: request.map(|digest| digest.to_string()),
            error: Arc::new(error.again()),
        }
    }

    pub(crate) fn stopped(run: &str, error: &Error) -> Self {
        Self::Stopped {
            run: run.to_owned(),
            error: Arc::new(error.again()),
        }
    }

    /// The outcome of a call that `run` has taken.
    pub(crate) fn call_finished(run: &Run, place: &str, id: &str, spent: Option<Spent>) -> Self {
        let own = run.run_at(place);
        Self::CallFinished {
            run: place.to_owned(),
            call: id.to_owned(),
            outcome: own.and_then(|own| own.outcome(id)).cloned(),
            spent,
            taint: own.map_or(Taint::Clean, |own| own.taint_of_call(id)),
        }
    }

    /// The calls on which a person must decide.
    pub(crate) fn decision_asked(calls: &[PendingCall], key: Option<String>) -> Self {
        let reason =
            |call: &PendingCall| Some((call.id.clone(), call.guarded.as_ref()?.reason.clone()));
        Self::DecisionAsked {
            calls: calls.iter().map(|call| call.id.clone()).collect(),
            key,
            reasons: calls.iter().filter_map(reason).collect(),
        }
    }

    pub(crate) fn decision_made(call: &str, decision: &Decision) -> Self {
        Self::DecisionMade {
            call: call.to_owned(),
            decision: decision.clone(),
        }
    }

    pub(crate) fn ended(run: &Run) -> Self {
        let error = run.first().failure();
        Self::Ended {
            usage: Some(run.usage()),
            cost: run.cost(),
            error: error.map(|error| Arc::new(error.again())),
        }
    }

    /// The end of a run that was cancelled while nobody drove it.
    pub(crate) fn cancelled(cost: Option<f64>) -> Self {
        let error = Error::cancelled(super::texts::CANCELLED);
        Self::Ended {
            usage: None,
            cost,
            error: Some(Arc::new(error)),
        }
    }

    /// Whether this is the failure of a request of the first agent.
    pub(crate) fn is_request_failed(&self) -> bool {
        matches!(self, Self::RequestFailed { run, .. } if run.is_empty())
    }

    /// Reads a record.
    pub(crate) fn read(json: &Value) -> Read<Self> {
        from_json(json, "$").map_err(|error| ReadError::new(error.to_string()))
    }
}

/// A record as it is written, with the number of its step and the time.
#[derive(Serialize)]
pub(crate) struct TimedRecord<'r> {
    #[serde(flatten)]
    pub(crate) record: &'r RunRecord,
    pub(crate) step: u64,
    pub(crate) at: u64,
}

saved::form!(
    reply: ModelReply,
    |reply| {
        let calls = reply.tool_calls.iter();
        let mut json = json!({
            "finishReason": reply.finish_reason.as_str(),
            "id": reply.id,
            "model": reply.model,
            "usage": reply.usage,
        });
        json["content"] = content_to_json(&reply.parts, MediaForm::Data);
        json["toolCalls"] = calls
            .map(|call| call_to_json(call, Exactness::Text))
            .collect();
        if let Some(dollars) = reply.cost {
            json["cost"] = dollars.into();
        }
        if !reply.usage_parts.is_empty() {
            json["usageParts"] = json!(reply.usage_parts);
        }
        if !reply.warnings.is_empty() {
            json["warnings"] = reply.warnings.clone().into();
        }
        json
    },
    |json| {
        let calls = json.get("toolCalls").and_then(Value::as_array);
        let calls = calls.into_iter().flatten().map(call_from_json);
        let warnings = json.get("warnings").and_then(Value::as_array);
        let warnings = warnings.into_iter().flatten().filter_map(Value::as_str);
        Ok(ModelReply {
            parts: content_from_json(json)?,
            tool_calls: calls.collect::<Result<_, _>>()?,
            finish_reason: FinishReason::from_word(&text(json, "finishReason")?),
            usage: Usage::from_json(json.get("usage").unwrap_or(&Value::Null)),
            usage_parts: match json.get("usageParts") {
                Some(parts) => from_json(parts, "usageParts")
                    .map_err(|error| ReadError::new(error.to_string()))?,
                None => Vec::new(),
            },
            id: opt_text(json, "id")?,
            model: opt_text(json, "model")?,
            cost: json.get("cost").and_then(Value::as_f64),
            warnings: warnings.map(str::to_owned).collect(),
        })
    },
);

saved::form!(
    decision: Decision,
    |decision| {
        let (word, detail) = match decision {
            Decision::Approve => ("approve", Value::Null),
            Decision::Deny { reason } => ("deny", json!(reason)),
            Decision::Edit { args } => ("edit", args.to_string().into()),
            Decision::Done { result } => ("done", result.to_string().into()),
            Decision::Unknown => (UNKNOWN, Value::Null),
        };
        json!({"decision": word, "detail": detail})
    },
    |json| {
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
    },
);

/// Returns the stored conversation of the record of a start.
///
/// # Errors
/// When it has no name of a conversation.
pub fn stored_as(started: &Value) -> Read<Option<ConversationName>> {
    let name = opt_text(started, "conversation")?.map(|name| name.parse::<ConversationName>());
    name.transpose()
        .map_err(|error| ReadError::new(error.to_string()))
}

/// Whether a record asks for decisions that have this key.
pub fn asks_for(record: &Value, key: &str) -> bool {
    record["kind"] == "decisionAsked" && record["key"] == key
}

/// Returns a record with its secrets replaced. The beginning of a call is marked, because it cannot be made
/// again as it was. Bytes of media stay as they are.
pub(crate) fn without_secrets(record: &Value, redactor: &Redactor) -> Value {
    let mut record = masked(record, redactor);
    if record["kind"] == "callBegun" {
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
    record["kind"] == "started"
}

/// Returns the time of a record from which the time limit of the run counts: its start, and each decision of a person, who
/// may take any time.
pub fn limited_since(record: &Value) -> Option<SystemTime> {
    let kind = record.get("kind").and_then(Value::as_str);
    kind.filter(|kind| ["started", "decisionMade"].contains(kind))?;
    // The host's `OnDoubt` decides at once.
    if record["decision"] == UNKNOWN {
        return None;
    }
    let at = record.get("at").and_then(Value::as_u64)?;
    UNIX_EPOCH.checked_add(Duration::from_millis(at))
}

/// Returns the saved run of a record that `started` made.
///
/// # Errors
/// When the record is not that of a start, or has another version.
pub fn saved_run(record: &Value) -> Read<&Value> {
    let is_ours = record.get("format").and_then(Value::as_str) == Some(FORMAT);
    if !is_ours || !is_started(record) {
        return Err(ReadError::new("its first record is not that of a start"));
    }
    match record.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        found => {
            return Err(ReadError::new(format!(
                "its format has version {}, and this program reads version {VERSION}; it was written by a newer one",
                found.map_or_else(|| "?".to_owned(), |version| version.to_string())
            )));
        }
    }
    Ok(record.get("run").unwrap_or(&Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::UsagePart;

    #[test]
    fn a_reply_is_read_as_it_was_written() {
        let mut reply = ModelReply::text("Hello!").with_usage(Usage::of_request(30, 4));
        let mut other = UsagePart::new(Some("another".to_owned()), Usage::of_request(20, 3));
        other.cost = Some(0.25);
        for parts in [
            Vec::new(),
            vec![UsagePart::new(None, Usage::of_request(10, 1)), other],
        ] {
            reply.usage_parts = parts;
            let record = RunRecord::Replied {
                run: String::new(),
                request_digest: None,
                reply: reply.clone(),
            };
            let json = serde_json::to_value(&record).expect("JSON");
            match RunRecord::read(&json) {
                Ok(RunRecord::Replied { reply: read, .. }) => assert_eq!(read, reply),
                other => panic!("{:?}", other.err()),
            }
        }
    }
}
