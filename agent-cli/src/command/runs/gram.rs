//! A run as a gram document.

use super::info_json;
use crate::gram_value::gram_value;
use agent_gram::{Pattern, Subject, ValueError};
use agent_runtime::conversation::Part;
use agent_runtime::journal::RunInfo;
use agent_runtime::model::FinishReason;
use agent_runtime::{AgentResponse, Message};
use agent_spec::json::parse_json;
use agent_studio::steps::{Entry, Outcome, RecordedCall, Reply, Step, Steps, text_of};
use serde_json::{Value as Json, json};

/// Returns the pattern of a run, labelled `Run`. Its elements are the messages of the user, and an `AgentResponse` for
/// each reply of a model with the calls that the model asked for. Calls without results are labelled `PendingCall`, so
/// that a search for results does not find them.
pub(super) fn pattern(info: &RunInfo, steps: &Steps) -> Result<Pattern, ValueError> {
    let mut subject = labelled("Run");
    if let Json::Object(members) = info_json(info) {
        for (key, value) in &members {
            put(&mut subject, key, value)?;
        }
    }
    let elements = steps.entries.iter().filter_map(|entry| {
        let element = element(entry, steps)?;
        Some(element.and_then(|element| with_place(element, entry)))
    });
    Pattern::new(subject, elements.collect::<Result<Vec<_>, _>>()?)
}

/// Returns the pattern of a step; `None` for the result of a call, which is an element of its reply.
fn element(entry: &Entry, steps: &Steps) -> Option<Result<Pattern, ValueError>> {
    let plain = |label: &'static str, members: &[(&str, Json)]| {
        let mut subject = labelled(label);
        for (key, value) in members {
            put(&mut subject, key, value)?;
        }
        Pattern::new(subject, Vec::new())
    };
    Some(match &entry.step {
        Step::Said(parts) => said(parts),
        Step::Replied(reply) => replied(reply, steps),
        Step::Called(_) => return None,
        Step::Decided(decided) => plain(
            "Decision",
            &[
                ("callId", json!(decided.call)),
                ("decision", json!(decided.decision)),
                ("detail", json!(decided.detail)),
            ],
        ),
        Step::Interrupted(id) => plain("InterruptedCall", &[("callId", json!(id))]),
        Step::Failed(failure) => plain(
            "RunError",
            &[("kind", json!(failure.kind)), ("text", json!(failure.text))],
        ),
    })
}

/// Adds the time of a step and the place of its run.
fn with_place(pattern: Pattern, entry: &Entry) -> Result<Pattern, ValueError> {
    let mut subject = pattern.subject().clone();
    put(&mut subject, "at", &json!(entry.at))?;
    if !entry.place.is_empty() {
        put(&mut subject, "run", &json!(entry.place))?;
    }
    Pattern::new(subject, pattern.elements().to_vec())
}

fn said(parts: &[Part]) -> Result<Pattern, ValueError> {
    let message = Message::user_parts(parts.to_vec());
    let conversation: agent_runtime::Conversation = [message].into_iter().collect();
    let pattern = conversation.to_pattern()?;
    match pattern.elements() {
        [message] => Ok(message.clone()),
        _ => Ok(pattern),
    }
}

fn replied(reply: &Reply, steps: &Steps) -> Result<Pattern, ValueError> {
    let mut response = AgentResponse::default();
    response.content = text_of(&reply.parts);
    // Parts that only the provider understands are of no use to readers.
    let parts = reply.parts.iter();
    let parts = parts.filter(|part| !matches!(part, Part::Provider(_)));
    response.parts = parts.cloned().collect();
    response.usage = reply.usage;
    response.cost = reply.dollars;
    response.finish_reason = FinishReason::from_word(&reply.finish_reason);
    let pattern = response.to_pattern()?;
    let mut elements = pattern.elements().to_vec();
    for call in &reply.calls {
        elements.push(called(&steps.calls[*call])?);
    }
    Pattern::new(pattern.subject().clone(), elements)
}

/// Returns the pattern of a call, in the form of `ToolInvocation::to_pattern`.
fn called(call: &RecordedCall) -> Result<Pattern, ValueError> {
    let is_pending = call.outcome.is_none();
    let mut subject = labelled(match is_pending {
        true => "PendingCall",
        false => "ToolInvocation",
    });
    put(&mut subject, "callId", &json!(call.id))?;
    let arguments = parse_json(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
    insert(&mut subject, "args", &arguments)?;
    match &call.outcome {
        None => {
            put(&mut subject, "state", &json!(call.state))?;
            put(&mut subject, "guarded", &json!(call.guarded))?;
        }
        Some(Outcome::Error(kind, text)) => {
            put(&mut subject, "error", &json!({"kind": kind, "text": text}))?;
        }
        Some(Outcome::Result(json, _)) => {
            let value = parse_json(json).unwrap_or_default();
            insert(&mut subject, "result", &value)?;
        }
        Some(Outcome::Ended) => insert(&mut subject, "result", &Json::Null)?,
    }
    if !is_pending {
        put(&mut subject, "attempt", &json!(call.attempt))?;
        let taint = Some(call.taint).filter(|taint| !taint.is_clean());
        put(&mut subject, "taint", &json!(taint))?;
    }
    if let Some((begun, ended)) = call.times {
        put(&mut subject, "at", &json!(begun))?;
        put(
            &mut subject,
            "milliseconds",
            &json!(ended.saturating_sub(begun)),
        )?;
    }
    let tool = Pattern::new(Subject::new(call.tool.clone()), Vec::new())?;
    Pattern::new(subject, vec![tool])
}

fn labelled(label: &'static str) -> Subject {
    Subject::default().with_label(label)
}

/// Sets a property, unless it is `null`.
fn put(subject: &mut Subject, key: &str, value: &Json) -> Result<(), ValueError> {
    match value {
        Json::Null => Ok(()),
        value => insert(subject, key, value),
    }
}

/// Sets a property.
fn insert(subject: &mut Subject, key: &str, value: &Json) -> Result<(), ValueError> {
    let value = gram_value(value)?;
    subject.properties.insert(key.to_owned(), value)?;
    Ok(())
}
