//! The runs of the journal, and the steps of a run.

use crate::problem::{Problem, json_answer};
use crate::state::State;
use crate::steps::{Entry, Outcome, RecordedCall, Step, Steps, caller_of, text_of};
use agent_runtime::conversation::Part;
use agent_runtime::journal::{RunFilter, RunInfo, RunState, StoredRun};
use agent_runtime::runtime::{OnDrop, RunOptions};
use axum::extract::{self, Path, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The maximum number of characters of a text or a value in the list of steps. The step itself has all of it.
const MAX_SHOWN: usize = 16_000;

/// The members of steps that can be long.
const LONG: [&str; 6] = ["text", "thoughts", "args", "result", "error", "detail"];

/// `GET /studio/runs`: all runs of the journal, the last started first.
pub(crate) async fn list(
    extract::State(studio): extract::State<Arc<State>>,
) -> Result<Response, Problem> {
    let journal = studio.runtime.journal().map_err(Problem::unavailable)?;
    let filter = RunFilter::new();
    let listed = journal.list(&filter).await.map_err(Problem::unavailable)?;
    let live = studio.runtime.live_runs();
    let infos = listed.iter().rev().map(|info| info_json(info, &live));
    Ok(json_answer(&infos.collect()))
}

#[derive(Deserialize)]
pub(crate) struct Unless {
    /// The time of the last change that the page knows.
    unless: Option<u64>,
}

/// `GET /studio/runs/{id}`: the steps of a run, with long texts and values cut.
pub(crate) async fn show(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
    Query(Unless { unless }): Query<Unless>,
) -> Result<Response, Problem> {
    let stored = stored(&studio, &id).await?;
    // While a run goes on, several changes may have one time.
    if unless == Some(milliseconds(stored.info.updated)) && stored.info.state != RunState::Running {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let steps = steps_of(&studio, &stored)?;
    let entries = steps.entries.iter().enumerate().map(|(number, entry)| {
        let mut json = step_json(entry, &steps);
        json["number"] = number.into();
        cut(json)
    });
    Ok(json_answer(&json!({
        "info": info_json(&stored.info, &studio.runtime.live_runs()),
        "steps": entries.collect::<Value>(),
        "open": steps.unfinished().map(|call| cut(open_json(call, &steps))).collect::<Value>(),
    })))
}

/// `GET /studio/runs/{id}/steps/{number}`: a step of a run, with its whole texts and values.
pub(crate) async fn step(
    extract::State(studio): extract::State<Arc<State>>,
    Path((id, number)): Path<(String, usize)>,
) -> Result<Response, Problem> {
    let steps = steps_of(&studio, &stored(&studio, &id).await?)?;
    let entry = steps.entries.get(number);
    let entry = entry.ok_or_else(|| not_found(format_args!("the run has no step {number}")))?;
    let mut json = step_json(entry, &steps);
    json["number"] = number.into();
    Ok(json_answer(&json))
}

/// `GET /studio/runs/{id}/exchanges`: what was sent to the servers of models, without the texts.
pub(crate) async fn exchanges(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (exchanges, problem) = match &studio.wire {
        Some(log) => (
            log.exchanges(&id).map_err(Problem::unavailable)?,
            log.problem(),
        ),
        None => (Vec::new(), None),
    };
    Ok(json_answer(
        &json!({"exchanges": exchanges, "problem": problem}),
    ))
}

/// `GET /studio/runs/{id}/exchanges/{number}`: a request to the server of a model, and its answer.
pub(crate) async fn exchange(
    extract::State(studio): extract::State<Arc<State>>,
    Path((id, number)): Path<(String, u32)>,
) -> Result<Response, Problem> {
    let found = match &studio.wire {
        Some(log) => log.exchange(&id, number).map_err(Problem::unavailable)?,
        None => None,
    };
    let found = found.ok_or_else(|| not_found("the exchange was not kept"))?;
    Ok(json_answer(&studio.runtime.redactor().value(&json!(found))))
}

/// `GET /studio/runs/{id}/cassette`: the requests and answers of a run, for tests that replay them.
pub(crate) async fn cassette(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let file = tempfile::NamedTempFile::new().map_err(Problem::unavailable)?;
    let exported = studio
        .runtime
        .export_cassette(&id, &studio.library, file.path());
    if exported.await.map_err(Problem::conflict_of)? == 0 {
        let text = "no model has answered in this run, so there is nothing to replay";
        return Err(Problem::conflict(text));
    }
    let text = std::fs::read_to_string(file.path()).map_err(Problem::unavailable)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// `POST /studio/runs/{id}/resume`: continues a run whose process is gone.
pub(crate) async fn resume(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let stored = stored(&studio, &id).await?;
    match stored.info.state {
        RunState::Running => {}
        RunState::Waiting => return Err(Problem::conflict("the run waits for a decision")),
        _ => return Err(Problem::conflict("the run has ended")),
    }
    let run = studio.runtime.recover_run(&id).tools(&studio.library);
    let run = run
        .options(RunOptions::new().streaming())
        .on_drop(OnDrop::LEAVE);
    run.spawn().await.map_err(Problem::conflict_of)?;
    Ok(StatusCode::ACCEPTED.into_response())
}

/// Reads a run of the journal.
pub(crate) async fn stored(studio: &State, id: &str) -> Result<StoredRun, Problem> {
    let journal = studio.runtime.journal().map_err(Problem::unavailable)?;
    let stored = journal.read(id).await.map_err(Problem::unavailable)?;
    let stored = stored.ok_or_else(|| not_found(format_args!("the journal has no run `{id}`")))?;
    stored.verify().map_err(Problem::unavailable)?;
    Ok(stored)
}

fn steps_of(studio: &State, stored: &StoredRun) -> Result<Steps, Problem> {
    let redactor = studio.runtime.redactor();
    let records = stored.records.iter().map(|record| {
        let record = agent_spec::json::parse_json(&record.json());
        record.map(|record| redactor.value(&record))
    });
    let steps = Steps::new(records, studio.runtime.prices().clone());
    steps.map_err(|error| {
        let text = format!("a record cannot be read: {error}");
        Problem(StatusCode::INTERNAL_SERVER_ERROR, text)
    })
}

fn not_found(text: impl std::fmt::Display) -> Problem {
    Problem(StatusCode::NOT_FOUND, text.to_string())
}

/// Cuts long texts of a step. A long value becomes the beginning of its JSON. `cut` lists the members.
fn cut(mut step: Value) -> Value {
    let mut cut = Vec::new();
    for name in LONG {
        let Some(value) = step.get_mut(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let text = match &*value {
            Value::String(text) => Cow::from(text),
            value => value.to_string().into(),
        };
        let is_long = text.len() > MAX_SHOWN;
        if is_long {
            let beginning = text[..text.floor_char_boundary(MAX_SHOWN)].to_owned();
            *value = beginning.into();
            cut.push(name);
        }
    }
    if !cut.is_empty() {
        step["cut"] = json!(cut);
    }
    step
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// `live` are the runs that this process drives.
fn info_json(info: &RunInfo, live: &[String]) -> Value {
    json!({
        "run": info.run,
        "agent": info.agent,
        "state": info.state,
        "started": milliseconds(info.started),
        "updated": milliseconds(info.updated),
        "cost": info.cost,
        "conversation": info.conversation.as_ref().map(|name| name.name()),
        "owner": info.owner,
        "driven": live.contains(&info.run),
    })
}

fn open_json(call: &RecordedCall, steps: &Steps) -> Value {
    let place = caller_of(&call.id);
    json!({
        "call": call.id,
        "tool": call.tool,
        "args": json_of(&call.arguments),
        "state": call.state,
        "guarded": call.guarded,
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
    let taint = Some(call.taint).filter(|taint| !taint.is_clean());
    json!({
        "kind": "called",
        "call": call.id,
        "taint": taint,
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
