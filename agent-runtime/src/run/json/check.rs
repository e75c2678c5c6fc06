//! Whether a saved run is one that can go on.
//!
//! A file may have been written by anybody. What is read is held against what a run keeps to, so that a
//! run that was tampered with, or cut by a careless hand, sends nothing that a provider refuses and never
//! stands still.

use super::Run;
use crate::conversation::{Message, ReadError, Role, check_messages};
use crate::run::state::{CallState, Phase, State, Turn, TurnCall};
use serde_json::{Map, Value};

pub(super) fn check(run: &Run) -> Result<(), ReadError> {
    let state = &run.state;
    check_own_lines(state)?;
    if state.fallback > run.agent.settings().fallback.len() {
        return Err(ReadError::new(
            "`fallback` counts more models than the agent names",
        ));
    }
    let last = state.history.last().map(Message::role);
    match &state.phase {
        Phase::Tools(turn) => {
            check_turn(state, turn)?;
            check_open_calls(run, turn)
        }
        Phase::AskModel if last == Some(Role::Assistant) => Err(ReadError::new(
            "the model is to be asked, and the history ends with what it said",
        )),
        Phase::Done { .. } if last != Some(Role::Assistant) => Err(ReadError::new(
            "the run is done, and the history does not end with an answer",
        )),
        Phase::AskModel | Phase::Done { .. } | Phase::Failed { .. } => {
            check_history(&state.history)
        }
    }
}

fn check_history(history: &[Message]) -> Result<(), ReadError> {
    check_messages(history).map_err(|invalid| {
        ReadError::new(format!("its history cannot be sent to a model: {invalid}"))
    })
}

/// Checks the input, and the lines that nobody said.
fn check_own_lines(state: &State) -> Result<(), ReadError> {
    let is_user = |at: usize| {
        let message = state.history.get(at);
        message.is_some_and(|message| message.role() == Role::User)
    };
    if !is_user(state.start) {
        return Err(ReadError::new("`start` is not the place of an input"));
    }
    if state
        .asides
        .iter()
        .any(|at| *at <= state.start || !is_user(*at))
    {
        return Err(ReadError::new(
            "`asides` has a place at which the run said nothing",
        ));
    }
    Ok(())
}

/// Checks that the calls of the turn are those of the model's last answer, and that those that are
/// taken in have their results in the history, and no others.
fn check_turn(state: &State, turn: &Turn) -> Result<(), ReadError> {
    let history = &state.history;
    let answer = history.len().checked_sub(turn.accounted + 1);
    let answer = answer.filter(|at| *at > state.start);
    let said = answer.map_or(&[][..], |at| history[at].tool_calls());
    let calls = turn.calls.iter().map(|call| &call.call);
    if said.is_empty() || !said.iter().eq(calls) {
        return Err(ReadError::new(
            "the calls of the turn are not those of the model's last answer",
        ));
    }
    let (taken, open) = turn.calls.split_at(turn.accounted);
    if !taken.iter().all(TurnCall::is_finished) {
        return Err(ReadError::new(
            "a call whose result is in the history is not finished",
        ));
    }
    let missing = open.iter().map(|TurnCall { call, .. }| {
        let (tool, id) = (call.tool(), call.id());
        Message::function(tool, id, "")
    });
    let whole: Vec<Message> = history.iter().cloned().chain(missing).collect();
    check_history(&whole)
}

/// Checks that the calls that are still to be made can be.
fn check_open_calls(run: &Run, turn: &Turn) -> Result<(), ReadError> {
    for TurnCall { call, state } in &turn.calls {
        let (CallState::Ready { arguments, .. } | CallState::AwaitingApproval { arguments }) =
            state
        else {
            continue;
        };
        let (id, tool) = (call.id(), call.tool());
        if run.rules.tool(tool).is_none() {
            let text = format!("the call `{id}` waits, and the agent has no tool `{tool}`");
            return Err(ReadError::new(text));
        }
        if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
            let text = format!("the arguments of the call `{id}` are not an object");
            return Err(ReadError::new(text));
        }
    }
    Ok(())
}
