//! Reading the state of a run.

use crate::conversation::{ReadError, call_from_json, messages_from_json, opt_text, text};
use crate::error::{Error, Kind};
use crate::model::{FinishReason, Usage};
use crate::response::ToolInvocation;
use crate::run::UsageLimits;
use crate::run::state::{
    Attempts, Begun, CallState, Outcome, Phase, State, Turn, TurnCall, Weight,
};
use crate::tool::ToolError;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

type Read<T> = Result<T, ReadError>;

pub(super) fn state(json: &Value) -> Read<State> {
    let history = messages_from_json(member(json, "history")?)?;
    let start = number(json, "start")?;
    if start >= history.len() {
        return Err(ReadError::new("`start` is beyond the history"));
    }
    let members = member(json, "attempts")?
        .as_object()
        .ok_or_else(|| ReadError::new("`attempts` is an object"))?;
    let mut attempts = HashMap::new();
    for (name, json) in members {
        attempts.insert(name.clone(), self::attempts(json)?);
    }
    Ok(State {
        id: text(json, "id")?,
        history,
        start,
        asides: list(json, "asides", place)?,
        phase: phase(member(json, "phase")?)?,
        iterations: number(json, "iterations")?,
        attempts,
        bad_calls: number(json, "badCalls")?,
        asked_again: boolean(json, "askedAgain")?,
        fallback: number(json, "fallback")?,
        unavailable: unavailable(member(json, "unavailable")?)?,
        usage: usage(member(json, "usage")?)?,
        cost: cost(member(json, "cost")?)?,
        limits: UsageLimits::from_json(member(json, "limits")?)?,
        invocations: list(json, "invocations", invocation)?,
    })
}

/// What was used counts against the limits: a number that is not there is not zero.
fn usage(json: &Value) -> Read<Usage> {
    let usage = Usage::from_json(json);
    if usage.to_json() != *json {
        return Err(ReadError::new("`usage` does not say what was used"));
    }
    Ok(usage)
}

fn cost(json: &Value) -> Read<Option<f64>> {
    match (json, json.as_f64()) {
        (Value::Null, _) => Ok(None),
        (_, Some(dollars)) if dollars >= 0.0 => Ok(Some(dollars)),
        _ => Err(ReadError::new("`cost` is a number of dollars")),
    }
}

/// What caused the error is not saved: it may be anything.
fn unavailable(json: &Value) -> Read<Option<Arc<Error>>> {
    if json.is_null() {
        return Ok(None);
    }
    let error = Error::new(kind(json)?, text(json, "text")?);
    Ok(Some(Arc::new(error.into_unavailable())))
}

fn kind(json: &Value) -> Read<Kind> {
    Kind::from_word(&text(json, "kind")?)
        .ok_or_else(|| ReadError::new("the kind of the error is unknown"))
}

fn phase(json: &Value) -> Read<Phase> {
    Ok(match text(json, "name")?.as_str() {
        "askModel" => Phase::AskModel,
        "tools" => {
            let turn = Turn::new(
                list(json, "calls", turn_call)?,
                number(json, "accounted")?,
                number(json, "open")?,
            );
            if turn.accounted > turn.open || turn.open > turn.calls.len() {
                return Err(ReadError::new("the calls of the turn do not add up"));
            }
            Phase::Tools(turn)
        }
        "done" => Phase::Done {
            content: text(json, "content")?,
            finish_reason: FinishReason::from_word(&text(json, "finishReason")?),
        },
        "failed" => Phase::Failed {
            kind: kind(json)?,
            message: text(json, "message")?,
        },
        other => return Err(ReadError::new(format!("`{other}` is not a phase"))),
    })
}

fn turn_call(json: &Value) -> Read<TurnCall> {
    let arguments = || text(json, "detail");
    let state = match text(json, "state")?.as_str() {
        "awaitingApproval" => CallState::AwaitingApproval {
            arguments: arguments()?,
        },
        "ready" => CallState::Ready {
            arguments: arguments()?,
            begun: match json.get("begun") {
                None => Begun::Unsaid,
                Some(Value::Bool(false)) => Begun::No,
                Some(Value::Bool(true)) => Begun::Yes,
                Some(_) => return Err(ReadError::new("`begun` is `true` or `false`")),
            },
        },
        "finished" => CallState::Finished(outcome(member(json, "detail")?)?),
        other => {
            return Err(ReadError::new(format!(
                "`{other}` is not a state of a call"
            )));
        }
    };
    Ok(TurnCall {
        call: call_from_json(member(json, "call")?)?,
        state,
    })
}

fn outcome(json: &Value) -> Read<Outcome> {
    Ok(Outcome {
        arguments: opt_text(json, "arguments")?,
        result: result(member(json, "result")?)?,
        weight: match text(json, "weight")?.as_str() {
            "attempt" => Weight::Attempt,
            "mistake" => Weight::Mistake,
            "spent" => Weight::Spent,
            "free" => Weight::Free,
            other => return Err(ReadError::new(format!("`{other}` is not a weight"))),
        },
    })
}

fn attempts(json: &Value) -> Read<Attempts> {
    let exhausted = match member(json, "exhausted")? {
        Value::Null => None,
        json => Some((error(member(json, "error")?)?, text(json, "text")?)),
    };
    Ok(Attempts {
        failures: number(json, "failures")?,
        exhausted,
    })
}

fn invocation(json: &Value) -> Read<ToolInvocation> {
    Ok(ToolInvocation {
        tool: text(json, "tool")?,
        call_id: text(json, "callId")?,
        args: member(json, "args")?.clone(),
        result: result(member(json, "result")?)?,
        error_text: opt_text(json, "errorText")?,
        attempt: number(json, "attempt")?,
    })
}

fn result(json: &Value) -> Read<Result<Value, ToolError>> {
    match json.get("value") {
        Some(value) => Ok(Ok(value.clone())),
        None => error(member(json, "error")?).map(Err),
    }
}

fn error(json: &Value) -> Read<ToolError> {
    ToolError::from_word(&text(json, "kind")?, text(json, "text")?)
        .ok_or_else(|| ReadError::new("the kind of a tool's error is unknown"))
}

fn member<'a>(json: &'a Value, key: &str) -> Read<&'a Value> {
    json.get(key)
        .ok_or_else(|| ReadError::new(format!("`{key}` is missing")))
}

fn place(json: &Value) -> Read<usize> {
    let place = json.as_u64().and_then(|place| usize::try_from(place).ok());
    place.ok_or_else(|| ReadError::new("a place in the history is a number"))
}

fn number<T: TryFrom<u64>>(json: &Value, key: &str) -> Read<T> {
    member(json, key)?
        .as_u64()
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| ReadError::new(format!("`{key}` is a number")))
}

fn boolean(json: &Value, key: &str) -> Read<bool> {
    let found = member(json, key)?.as_bool();
    found.ok_or_else(|| ReadError::new(format!("`{key}` is `true` or `false`")))
}

fn list<T>(json: &Value, key: &str, item: fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    let items = member(json, key)?.as_array();
    let items = items.ok_or_else(|| ReadError::new(format!("`{key}` is an array")))?;
    // Collected, each kind of list has all the links of the chain compiled for itself.
    let mut list = Vec::with_capacity(items.len());
    for json in items {
        list.push(item(json)?);
    }
    Ok(list)
}
