//! Writing the state of a run.

use crate::conversation::{Exactness, call_to_json, messages_to_json};
use crate::error::Error;
use crate::response::ToolInvocation;
use crate::run::state::{
    Attempts, Begun, CallState, Outcome, Phase, State, Turn, TurnCall, Weight,
};
use crate::tool::ToolError;
use serde_json::{Map, Value, json};

pub(super) fn state(state: &State) -> Value {
    let mut attempts = Map::new();
    for (name, held) in &state.attempts {
        attempts.insert(name.clone(), self::attempts(held));
    }
    json!({
        "id": state.id,
        "history": messages_to_json(&state.history, Exactness::Exact),
        "start": state.start,
        "asides": state.asides,
        "phase": phase(&state.phase),
        "iterations": state.iterations,
        "attempts": attempts,
        "badCalls": state.bad_calls,
        "askedAgain": state.asked_again,
        "fallback": state.fallback,
        "unavailable": state.unavailable.as_deref().map(unavailable),
        "usage": state.usage.to_json(),
        "cost": state.cost,
        "limits": state.limits.to_json(),
        "invocations": state.invocations.iter().map(invocation).collect::<Value>(),
    })
}

fn unavailable(error: &Error) -> Value {
    json!({"kind": error.kind().word(), "text": error.to_string()})
}

fn phase(phase: &Phase) -> Value {
    match phase {
        Phase::AskModel => json!({"name": "askModel"}),
        Phase::Tools(Turn {
            calls,
            accounted,
            open,
            ..
        }) => json!({
            "name": "tools",
            "calls": calls.iter().map(turn_call).collect::<Value>(),
            "accounted": accounted,
            "open": open,
        }),
        Phase::Done {
            content,
            finish_reason,
        } => json!({
            "name": "done",
            "content": content,
            "finishReason": finish_reason.as_str(),
        }),
        Phase::Failed { kind, message } => json!({
            "name": "failed",
            "kind": kind.word(),
            "message": message,
        }),
    }
}

fn turn_call(call: &TurnCall) -> Value {
    let (name, detail) = match &call.state {
        CallState::AwaitingApproval { arguments } => ("awaitingApproval", json!(arguments)),
        CallState::Ready { arguments, .. } => ("ready", json!(arguments)),
        CallState::Finished(outcome) => ("finished", self::outcome(outcome)),
    };
    let call_json = call_to_json(&call.call, Exactness::Exact);
    let mut json = json!({"call": call_json, "state": name, "detail": detail});
    if let CallState::Ready { begun, .. } = &call.state
        && *begun != Begun::Unsaid
    {
        json["begun"] = (*begun == Begun::Yes).into();
    }
    json
}

fn outcome(outcome: &Outcome) -> Value {
    let weight = match outcome.weight {
        Weight::Attempt => "attempt",
        Weight::Mistake => "mistake",
        Weight::Spent => "spent",
        Weight::Free => "free",
    };
    json!({
        "arguments": outcome.arguments,
        "result": result(&outcome.result),
        "weight": weight,
    })
}

fn attempts(attempts: &Attempts) -> Value {
    let exhausted = attempts.exhausted.as_ref();
    json!({
        "failures": attempts.failures,
        "exhausted": exhausted.map(|(error, text)| json!({"error": self::error(error), "text": text})),
    })
}

fn invocation(invocation: &ToolInvocation) -> Value {
    json!({
        "tool": invocation.tool,
        "callId": invocation.call_id,
        "args": invocation.args,
        "result": result(&invocation.result),
        "errorText": invocation.error_text,
        "attempt": invocation.attempt,
    })
}

fn result(result: &Result<Value, ToolError>) -> Value {
    match result {
        Ok(value) => json!({"value": value}),
        Err(error) => json!({"error": self::error(error)}),
    }
}

fn error(error: &ToolError) -> Value {
    json!({"kind": error.word(), "text": error.text()})
}
