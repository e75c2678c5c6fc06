//! The runs of the journal, and the steps of a run.

use crate::problem::{Problem, json_answer};
use crate::state::State;
use crate::steps::{Entry, Outcome, RecordedCall, Step, Steps, caller_of, text_of};
use agent_runtime::conversation::Part;
use agent_runtime::journal::{RunFilter, RunInfo};
use axum::extract::{self, Path};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// `GET /studio/runs`: all runs of the journal, the last started first.
pub(crate) async fn list(
    extract::State(studio): extract::State<Arc<State>>,
) -> Result<Response, Problem> {
    let journal = studio
        .runtime
        .journal()
        .map_err(|error| unavailable(&error))?;
    let filter = RunFilter::new();
    let listed = journal
        .list(&filter)
        .await
        .map_err(|error| unavailable(&error))?;
    Ok(json_answer(&listed.iter().rev().map(info_json).collect()))
}

/// `GET /studio/runs/{id}`: the steps of a run.
pub(crate) async fn show(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let journal = studio
        .runtime
        .journal()
        .map_err(|error| unavailable(&error))?;
    let stored = journal
        .read(&id)
        .await
        .map_err(|error| unavailable(&error))?;
    let Some(stored) = stored else {
        let text = format!("the journal has no run `{id}`");
        return Err(Problem(StatusCode::NOT_FOUND, text));
    };
    stored.verify().map_err(|error| unavailable(&error))?;
    let redactor = studio.runtime.redactor();
    let records = stored.records.iter().map(|record| {
        let record = agent_spec::json::parse_json(&record.json());
        record.map(|record| redactor.value(&record))
    });
    let steps = Steps::new(records, studio.runtime.prices().clone());
    let steps = steps.map_err(|error| {
        Problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("a record cannot be read: {error}"),
        )
    })?;
    Ok(json_answer(&json!({
        "info": info_json(&stored.info),
        "steps": steps.entries.iter().map(|entry| step_json(entry, &steps)).collect::<Value>(),
        "open": steps.unfinished().map(|call| open_json(call, &steps)).collect::<Value>(),
    })))
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn info_json(info: &RunInfo) -> Value {
    json!({
        "run": info.run,
        "agent": info.agent,
        "state": info.state,
        "started": milliseconds(info.started),
        "updated": milliseconds(info.updated),
        "cost": info.cost,
        "conversation": info.conversation.as_ref().map(|name| name.name()),
    })
}

fn open_json(call: &RecordedCall, steps: &Steps) -> Value {
    let place = caller_of(&call.id);
    json!({
        "call": call.id,
        "tool": call.tool,
        "args": json_of(&call.arguments),
        "state": call.state,
        "place": place,
        "path": steps.path(place),
    })
}

/// The value of a JSON text, or the text itself.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn step_json(entry: &Entry, steps: &Steps) -> Value {
    let mut json = match &entry.step {
        Step::Said(parts) => json!({"kind": "said", "text": shown(parts)}),
        Step::Replied(reply) => json!({
            "kind": "replied",
            "since": reply.since,
            "text": shown(&reply.parts),
            "thoughts": reply.parts.iter().filter_map(thoughts_of).collect::<String>(),
            "model": reply.model,
            "finishReason": reply.finish_reason,
            "usage": {
                "sent": reply.usage.input_tokens,
                "written": reply.usage.output_tokens,
                "cached": reply.usage.cached_tokens,
            },
            "dollars": reply.dollars,
            "calls": reply.calls.iter().map(|call| steps.calls[*call].id.as_str()).collect::<Value>(),
        }),
        Step::Called(index) => called_json(&steps.calls[*index]),
        Step::Decided(decided) => json!({
            "kind": "decided",
            "call": decided.call,
            "decision": decided.decision,
            "detail": decided.detail,
        }),
        Step::Interrupted(call) => json!({"kind": "interrupted", "call": call}),
        Step::Failed(failure) => json!({
            "kind": "failed",
            "since": failure.since,
            "error": failure.text,
            "errorKind": failure.kind,
        }),
    };
    json["at"] = entry.at.into();
    json["place"] = entry.place.as_str().into();
    json["path"] = steps.path(&entry.place).into();
    json
}

fn called_json(call: &RecordedCall) -> Value {
    let (result, error) = match &call.outcome {
        Some(Outcome::Result(json, _)) => (json_of(json), None),
        Some(Outcome::Error(_, text)) => (Value::Null, Some(text)),
        Some(Outcome::Ended) | None => (Value::Null, None),
    };
    json!({
        "kind": "called",
        "call": call.id,
        "tool": call.tool,
        "args": json_of(&call.arguments),
        "result": result,
        "error": error,
        "since": call.times.map(|(begun, _)| begun),
    })
}

/// The text of parts, and a line for each image, document and recording.
fn shown(parts: &[Part]) -> String {
    let mut text = text_of(parts);
    for media in parts.iter().filter_map(Part::media) {
        let kind = media.media_type().unwrap_or("media of an unknown type");
        text.push_str(&format!("\n[{kind}]"));
    }
    text
}

fn thoughts_of(part: &Part) -> Option<&str> {
    match part {
        Part::Thinking(thoughts) => Some(thoughts.text()),
        _ => None,
    }
}

fn unavailable(error: &dyn std::error::Error) -> Problem {
    Problem(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("the journal cannot be read: {error}"),
    )
}
