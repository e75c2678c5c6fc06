//! The saved form of a run, as JSON.
//!
//! The JSON has all values that the run needs to continue, including its agent. The tools are bound again.
//! The argument texts are kept to the letter, so that a run continues as if it had never been saved.

use super::agent_run::AgentRun;
use super::output::Output;
use super::place::caller_and_id;
use super::state::{
    Attempts, Begun, CallState, Outcome, Phase, State, Summarising, Turn, TurnCall, Weight,
};
use super::{Run, UsageLimits};
use crate::conversation::{
    Compaction, Exactness, Message, ReadError, Role, SummaryScope, call_from_json, call_to_json,
    check_messages, messages_from_json, messages_to_json, with_repeated_media,
    without_repeated_media,
};
use crate::model::{FinishReason, Usage};
use crate::response::ToolInvocation;
use agent_spec::json::agent_pattern_from_json;
use agent_spec::{Agent, Model};
use agent_tool::__private::{
    ErrorKind, MediaForm, checked_part_from_json, content_from_json, content_to_json, opt_text,
    part_to_json, text,
};
use agent_tool::Error;
use agent_tool::library::BoundTools;
use agent_tool::media::Part;
use agent_tool::tool::ToolError;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The value of `format`, which distinguishes a saved run from other JSON.
const FORMAT: &str = "agent-run";

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

type Read<T> = Result<T, ReadError>;

/// Writes a run as JSON.
pub(super) fn write(run: &Run) -> Value {
    let mut json = write_run(run.first());
    json["format"] = FORMAT.into();
    json["version"] = VERSION.into();
    let agents = run.runs().skip(1).map(|(place, agent)| {
        let place = place.run.as_ref().to_owned();
        (place, write_run(agent))
    });
    let agents: Map<String, Value> = agents.collect();
    if !agents.is_empty() {
        json["agents"] = agents.into();
    }
    json
}

fn write_run(run: &AgentRun) -> Value {
    let mut json = json!({"instruction": run.instruction});
    // Within `json!`, a value would be copied.
    json["agent"] = run.agent.to_json();
    json["output"] = run.output.as_ref().map(Output::to_json).into();
    json["state"] = write_state(&run.state);
    json
}

/// Reads the agent of a saved run.
pub(super) fn read_agent(json: &Value) -> Result<Agent, Error> {
    check_format(json)?;
    agent_of(json)
}

fn agent_of(json: &Value) -> Result<Agent, Error> {
    let agent = json.get("agent").unwrap_or(&Value::Null);
    let pattern = agent_pattern_from_json(agent).map_err(unreadable)?;
    Ok(Agent::from_pattern(&pattern)?)
}

/// Reads a saved run, whose tools are bound again.
pub(super) fn read(json: &Value, tools: &BoundTools) -> Result<Run, Error> {
    check_format(json)?;
    let mut run = Run::of_first(read_run(json, tools)?);
    // Callers come before the agents that they call, because their places are shorter.
    let agents = json.get("agents").and_then(Value::as_object);
    let agents: BTreeMap<_, _> = agents.into_iter().flatten().collect();
    for (place, json) in agents {
        read_agent_run(&mut run, place, json)?;
    }
    // Does nothing for a run that was saved between two steps. It moves an edited file on from a state
    // in which the run would wait for ever.
    run.advance_all();
    Ok(run)
}

/// Reads the run of the agent at a place.
fn read_agent_run(run: &mut Run, place: &str, json: &Value) -> Result<(), Error> {
    let wrong = |text: String| unreadable(ReadError::new(text));
    let (caller, id) = caller_and_id(place);
    let call = run.run_at(caller).and_then(|caller| {
        let (_, call) = caller.call_made(id)?;
        Some((caller.tools(), call.tool)).filter(|(tools, tool)| {
            let tool = tools.get(tool);
            tool.is_some_and(|tool| tool.rule().is_agent)
        })
    });
    let Some((tools, name)) = call else {
        let text = format!("`agents` has a run of `{place}`, which is no call of an agent");
        return Err(wrong(text));
    };
    let (_, tools) = tools.agent(&name)?;
    let agent = read_run(json, &tools)?;
    if agent.agent.name() != name {
        return Err(wrong(format!(
            "the run of `{place}` is not one of `{name}`"
        )));
    }
    run.insert_agent(caller, id, agent);
    Ok(())
}

/// Reads the run of one agent.
fn read_run(json: &Value, tools: &BoundTools) -> Result<AgentRun, Error> {
    let agent = tools.complete(agent_of(json)?)?;
    let mut specs = agent.tools().iter();
    if let Some(spec) = specs.find(|spec| tools.get(spec.name()).is_none()) {
        return Err(Error::tool(format!(
            "the saved run needs the tool `{}`, which is not bound",
            spec.name()
        )));
    }
    let instruction = text(json, "instruction").map_err(unreadable)?;
    let state = read_state(json.get("state").unwrap_or(&Value::Null)).map_err(unreadable)?;
    let output = Output::from_json(json.get("output").unwrap_or(&Value::Null));
    let output = output.map_err(unreadable)?;
    let mut run = AgentRun::assemble(agent, instruction, tools, output, state);
    run.find_targets();
    check_saved(&run).map_err(unreadable)?;
    Ok(run)
}

fn check_format(json: &Value) -> Result<(), Error> {
    if json.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(Error::validation("this JSON is not a saved run"));
    }
    match json.get("version").and_then(Value::as_u64) {
        Some(VERSION) => Ok(()),
        found => Err(Error::validation(format!(
            "the saved run has version {}; this program reads version {VERSION}",
            found.map_or_else(|| "?".to_owned(), |version| version.to_string())
        ))),
    }
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::validation("the saved run cannot be read").with_source(error)
}

// Writing.

fn write_state(state: &State) -> Value {
    let mut attempts = Map::new();
    for (name, held) in &state.attempts {
        attempts.insert(name.clone(), write_attempts(held));
    }
    let history = without_repeated_media(&state.history);
    let mut json = json!({
        "id": state.id,
        "start": state.start,
        "hidden": state.hidden,
        "compaction": state.compaction.as_ref().map(write_compaction),
        "phase": write_phase(&state.phase),
        "isAnswerTaken": state.is_answer_taken,
        "said": messages_to_json(&state.said, Exactness::Exact, MediaForm::Data),
        "iterations": state.iterations,
        "attempts": attempts,
        "badCalls": state.bad_calls,
        "paused": {"content": content_to_json(&state.paused, MediaForm::Data)},
        "askedAgain": state.asked_again,
        "fallback": state.fallback,
        "unavailable": state.unavailable.as_deref().map(write_error_of_run),
        "usage": state.usage.to_json(),
        "cost": state.cost,
        "warnings": state.warnings,
        "limits": state.limits.to_json(),
        "invocations": state.invocations.iter().map(write_invocation).collect::<Value>(),
        "nestedCalls": state.nested_calls,
        "bytes": state.bytes,
        "unknownCalls": state.unknown_calls,
        "variables": *state.variables,
        "given": state.given,
    });
    json["history"] = messages_to_json(&history, Exactness::Exact, MediaForm::Data);
    json
}

pub(super) fn write_compaction(options: &Compaction) -> Value {
    json!({
        "above": options.above,
        "model": options.model.as_ref().map(ToString::to_string),
        "instruction": options.instruction,
        "aboutTokens": options.about,
    })
}

pub(super) fn write_error_of_run(error: &Error) -> Value {
    let mut json = json!({"kind": error.kind().word(), "text": error.to_string()});
    error.write_marks(&mut json);
    json
}

fn write_phase(phase: &Phase) -> Value {
    match phase {
        Phase::AskModel => json!({"name": "askModel"}),
        Phase::Summarise(summarising) => json!({
            "name": "summarise",
            "messages": summarising.scope.messages,
            "messagesOfTurn": summarising.scope.messages_of_turn,
            "isFirstPart": summarising.is_first_part,
            "askedAgain": summarising.asked_again,
            "usage": summarising.usage.to_json(),
        }),
        Phase::Tools(Turn {
            calls,
            accounted,
            open,
            ..
        }) => json!({
            "name": "tools",
            "calls": calls.iter().map(write_turn_call).collect::<Value>(),
            "accounted": accounted,
            "open": open,
        }),
        Phase::Done {
            parts,
            finish_reason,
        } => json!({
            "name": "done",
            "content": content_to_json(parts, MediaForm::Data),
            "finishReason": finish_reason.as_str(),
        }),
        Phase::Failed(error) => {
            let mut json = json!({
                "name": "failed",
                "kind": error.kind().word(),
                "message": error.to_string(),
            });
            error.write_marks(&mut json);
            json
        }
    }
}

fn write_turn_call(call: &TurnCall) -> Value {
    let (name, detail) = match &call.state {
        CallState::AwaitingApproval { arguments, .. } => ("awaitingApproval", json!(arguments)),
        CallState::Ready { arguments, .. } => ("ready", json!(arguments)),
        CallState::Finished(outcome) => ("finished", write_outcome(outcome)),
    };
    let call_json = call_to_json(&call.call, Exactness::Exact);
    let mut json = json!({"call": call_json, "state": name, "detail": detail});
    if let CallState::AwaitingApproval { in_doubt: true, .. } = &call.state {
        json["inDoubt"] = true.into();
    }
    if let CallState::Ready { begun, .. } = &call.state
        && *begun != Begun::Unsaid
    {
        json["begun"] = (*begun == Begun::Yes).into();
    }
    if let Some((usage, cost)) = &call.used {
        json["usage"] = usage.to_json();
        json["cost"] = (*cost).into();
    }
    json
}

pub(super) fn write_outcome(outcome: &Outcome) -> Value {
    let weight = match outcome.weight {
        Weight::Attempt => "attempt",
        Weight::Mistake => "mistake",
        Weight::Spent => "spent",
        Weight::Free => "free",
    };
    let mut json = json!({"arguments": outcome.arguments, "weight": weight});
    json["result"] = write_result(&outcome.result);
    if !outcome.parts.is_empty() {
        json["parts"] = outcome.parts.iter().map(write_part).collect();
    }
    json
}

fn write_part(part: &Part) -> Value {
    part_to_json(part, MediaForm::Data)
}

fn write_attempts(attempts: &Attempts) -> Value {
    json!({"failures": attempts.failures, "exhausted": attempts.exhausted})
}

fn write_invocation(invocation: &ToolInvocation) -> Value {
    json!({
        "tool": invocation.tool,
        "callId": invocation.call_id,
        "args": invocation.args,
        "result": write_result(&invocation.result),
        "errorText": invocation.error_text,
        "attempt": invocation.attempt,
        "usage": invocation.usage.as_ref().map(Usage::to_json),
        "cost": invocation.cost,
    })
}

fn write_result(result: &Result<Value, ToolError>) -> Value {
    match result {
        Ok(value) => json!({"value": value}),
        Err(error) => json!({"error": write_error(error)}),
    }
}

fn write_error(error: &ToolError) -> Value {
    json!({"kind": error.word(), "text": error.text()})
}

// Reading.

fn read_state(json: &Value) -> Read<State> {
    let history = messages_from_json(member(json, "history")?)?;
    let history = with_repeated_media(history);
    let start = number(json, "start")?;
    if start >= history.len() {
        return Err(ReadError::new("`start` is beyond the history"));
    }
    let hidden = number(json, "hidden")?;
    if hidden > start {
        return Err(ReadError::new("`hidden` is beyond the input"));
    }
    let phase = read_phase(member(json, "phase")?)?;
    let members = member(json, "attempts")?
        .as_object()
        .ok_or_else(|| ReadError::new("`attempts` is an object"))?;
    let mut attempts = HashMap::new();
    for (name, json) in members {
        attempts.insert(name.clone(), read_attempts(json)?);
    }
    Ok(State {
        id: text(json, "id")?,
        history,
        start,
        hidden,
        compaction: read_compaction(json.get("compaction").unwrap_or(&Value::Null))?,
        is_answer_taken: boolean(json, "isAnswerTaken")?,
        phase,
        said: messages_from_json(member(json, "said")?)?,
        iterations: number(json, "iterations")?,
        attempts,
        bad_calls: number(json, "badCalls")?,
        paused: content_from_json(member(json, "paused")?)?,
        asked_again: boolean(json, "askedAgain")?,
        fallback: number(json, "fallback")?,
        unavailable: read_unavailable(member(json, "unavailable")?)?,
        usage: read_usage(member(json, "usage")?)?,
        cost: read_cost(member(json, "cost")?)?,
        warnings: read_warnings(member(json, "warnings")?)?,
        limits: UsageLimits::from_json(member(json, "limits")?)?,
        invocations: list(json, "invocations", read_invocation)?,
        nested_calls: number(json, "nestedCalls")?,
        bytes: number(json, "bytes")?,
        unknown_calls: list(json, "unknownCalls", read_unknown_call)?,
        variables: Arc::new(read_variables(member(json, "variables")?)?),
        given: member(json, "given")?.clone(),
    })
}

fn read_unknown_call(json: &Value) -> Read<(String, String)> {
    match json.as_array().map(Vec::as_slice) {
        Some([Value::String(tool), Value::String(arguments)]) => {
            Ok((tool.clone(), arguments.clone()))
        }
        _ => Err(ReadError::new(
            "`unknownCalls` has a tool and arguments for each call",
        )),
    }
}

fn read_variables(json: &Value) -> Read<BTreeMap<String, String>> {
    let wrong = || ReadError::new("`variables` is an object of texts");
    let mut variables = BTreeMap::new();
    for (name, value) in json.as_object().ok_or_else(wrong)? {
        let text = value.as_str().ok_or_else(wrong)?;
        variables.insert(name.clone(), text.to_owned());
    }
    Ok(variables)
}

pub(super) fn read_compaction(json: &Value) -> Read<Option<Compaction>> {
    if json.is_null() {
        return Ok(None);
    }
    let model = match opt_text(json, "model")? {
        None => None,
        Some(model) => Some(
            Model::parse(&model)
                .map_err(|error| ReadError::new(format!("the model of `compaction`: {error}")))?,
        ),
    };
    Ok(Some(Compaction {
        above: number(json, "above")?,
        model,
        instruction: opt_text(json, "instruction")?,
        about: opt_number(json, "aboutTokens")?,
    }))
}

/// Reads the usage. It counts against the limits, so a missing number is an error and not zero.
fn read_usage(json: &Value) -> Read<Usage> {
    let usage = Usage::from_json(json);
    if usage.to_json() != *json {
        return Err(ReadError::new("`usage` does not say what was used"));
    }
    Ok(usage)
}

/// Reads the warnings about a request or a run.
pub(super) fn read_warnings(json: &Value) -> Read<Vec<String>> {
    let texts = json.as_array().into_iter().flatten();
    let texts: Option<Vec<String>> = texts.map(|text| Some(text.as_str()?.to_owned())).collect();
    texts.ok_or_else(|| ReadError::new("`warnings` is a list of texts"))
}

fn read_cost(json: &Value) -> Read<Option<f64>> {
    match (json, json.as_f64()) {
        (Value::Null, _) => Ok(None),
        (_, Some(dollars)) if dollars >= 0.0 => Ok(Some(dollars)),
        _ => Err(ReadError::new("`cost` is a number of dollars")),
    }
}

/// Reads the first provider error.
fn read_unavailable(json: &Value) -> Read<Option<Arc<Error>>> {
    if json.is_null() {
        return Ok(None);
    }
    Ok(Some(Arc::new(read_error_of_run(json)?.into_unavailable())))
}

/// Reads an error. Its source is not saved, because it can be of any type.
pub(super) fn read_error_of_run(json: &Value) -> Read<Error> {
    Ok(Error::new(read_kind(json)?, text(json, "text")?).with_marks(json))
}

fn read_kind(json: &Value) -> Read<ErrorKind> {
    ErrorKind::from_word(&text(json, "kind")?)
        .ok_or_else(|| ReadError::new("the kind of the error is unknown"))
}

fn read_phase(json: &Value) -> Read<Phase> {
    Ok(match text(json, "name")?.as_str() {
        "askModel" => Phase::AskModel,
        "summarise" => Phase::Summarise(Summarising {
            scope: SummaryScope::new(number(json, "messages")?)
                .with_messages_of_turn(number(json, "messagesOfTurn")?),
            is_first_part: boolean(json, "isFirstPart")?,
            asked_again: boolean(json, "askedAgain")?,
            usage: read_usage(member(json, "usage")?)?,
        }),
        "tools" => {
            let turn = Turn::new(
                list(json, "calls", read_turn_call)?,
                number(json, "accounted")?,
                number(json, "open")?,
            );
            if turn.accounted > turn.open || turn.open > turn.calls.len() {
                return Err(ReadError::new("the calls of the turn do not add up"));
            }
            Phase::Tools(turn)
        }
        "done" => Phase::Done {
            parts: content_from_json(json)?,
            finish_reason: FinishReason::from_word(&text(json, "finishReason")?),
        },
        "failed" => {
            let error = Error::new(read_kind(json)?, text(json, "message")?);
            Phase::Failed(Arc::new(error.with_marks(json)))
        }
        other => return Err(ReadError::new(format!("`{other}` is not a phase"))),
    })
}

fn read_turn_call(json: &Value) -> Read<TurnCall> {
    let arguments = || text(json, "detail");
    let state = match text(json, "state")?.as_str() {
        "awaitingApproval" => CallState::AwaitingApproval {
            arguments: arguments()?,
            in_doubt: json.get("inDoubt") == Some(&Value::Bool(true)),
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
        "finished" => CallState::Finished(read_outcome(member(json, "detail")?)?),
        other => {
            return Err(ReadError::new(format!(
                "`{other}` is not a state of a call"
            )));
        }
    };
    Ok(TurnCall {
        call: call_from_json(member(json, "call")?)?,
        target: None,
        state,
        used: match json.get("usage") {
            None => None,
            Some(usage) => Some((read_usage(usage)?, read_cost(member(json, "cost")?)?)),
        },
    })
}

pub(super) fn read_outcome(json: &Value) -> Read<Outcome> {
    Ok(Outcome {
        arguments: opt_text(json, "arguments")?,
        result: read_result(member(json, "result")?)?,
        parts: match json.get("parts") {
            None => Vec::new(),
            Some(_) => list(json, "parts", read_part)?,
        },
        weight: match text(json, "weight")?.as_str() {
            "attempt" => Weight::Attempt,
            "mistake" => Weight::Mistake,
            "spent" => Weight::Spent,
            "free" => Weight::Free,
            other => return Err(ReadError::new(format!("`{other}` is not a weight"))),
        },
    })
}

/// Reads a part of a tool's result.
fn read_part(json: &Value) -> Read<Part> {
    let part = checked_part_from_json(json)?;
    match part.is_models() {
        true => Err(ReadError::new(format!(
            "a tool returns no part of the type `{}`",
            part.kind()
        ))),
        false => Ok(part),
    }
}

fn read_attempts(json: &Value) -> Read<Attempts> {
    Ok(Attempts {
        failures: number(json, "failures")?,
        exhausted: boolean(json, "exhausted")?,
    })
}

fn read_invocation(json: &Value) -> Read<ToolInvocation> {
    Ok(ToolInvocation {
        tool: text(json, "tool")?,
        call_id: text(json, "callId")?,
        args: member(json, "args")?.clone(),
        result: read_result(member(json, "result")?)?,
        error_text: opt_text(json, "errorText")?,
        attempt: number(json, "attempt")?,
        usage: match json.get("usage") {
            None | Some(Value::Null) => None,
            Some(usage) => Some(read_usage(usage)?),
        },
        cost: read_cost(json.get("cost").unwrap_or(&Value::Null))?,
    })
}

fn read_result(json: &Value) -> Read<Result<Value, ToolError>> {
    match json.get("value") {
        Some(value) => Ok(Ok(value.clone())),
        None => read_error(member(json, "error")?).map(Err),
    }
}

fn read_error(json: &Value) -> Read<ToolError> {
    ToolError::from_word(&text(json, "kind")?, text(json, "text")?)
        .ok_or_else(|| ReadError::new("the kind of a tool's error is unknown"))
}

fn member<'a>(json: &'a Value, key: &str) -> Read<&'a Value> {
    json.get(key)
        .ok_or_else(|| ReadError::new(format!("`{key}` is missing")))
}

fn number<T: TryFrom<u64>>(json: &Value, key: &str) -> Read<T> {
    member(json, key)?
        .as_u64()
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| ReadError::new(format!("`{key}` is a number")))
}

fn opt_number<T: TryFrom<u64>>(json: &Value, key: &str) -> Read<Option<T>> {
    match json.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => number(json, key).map(Some),
    }
}

fn boolean(json: &Value, key: &str) -> Read<bool> {
    let found = member(json, key)?.as_bool();
    found.ok_or_else(|| ReadError::new(format!("`{key}` is `true` or `false`")))
}

fn list<T>(json: &Value, key: &str, item: fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    let items = member(json, key)?.as_array();
    let items = items.ok_or_else(|| ReadError::new(format!("`{key}` is an array")))?;
    // A loop, because an iterator chain would be compiled anew for each type of item.
    let mut list = Vec::with_capacity(items.len());
    for json in items {
        list.push(item(json)?);
    }
    Ok(list)
}

// Checking. A saved run may have been edited by anybody. Each rule that a run keeps is checked, so that a
// changed file can neither stall the run nor make it send a history that a provider refuses.

fn check_saved(run: &AgentRun) -> Result<(), ReadError> {
    let state = &run.state;
    check_input_place(state)?;
    if state.fallback > run.agent.settings().fallback.len() {
        return Err(ReadError::new(
            "`fallback` counts more models than the agent names",
        ));
    }
    check_said(state)?;
    let last = state.history.last().map(Message::role);
    match &state.phase {
        Phase::Tools(turn) => {
            check_turn(state, turn)?;
            check_open_calls(run, turn)
        }
        Phase::Summarise(summarising) => check_summarising(run, summarising),
        // A paused answer is sent back.
        Phase::AskModel if last == Some(Role::Assistant) && state.paused.is_empty() => Err(
            ReadError::new("the model is to be asked, and the history ends with what it said"),
        ),
        // A typed answer is a call, which has its result.
        Phase::Done { .. } if last != Some(Role::Assistant) && !ends_with_typed_answer(run) => Err(
            ReadError::new("the run is done, and the history does not end with an answer"),
        ),
        Phase::AskModel | Phase::Done { .. } | Phase::Failed(_) => check_history(&state.history),
    }
}

/// Checks that the messages that wait to be heard were said, and that the run comes to hear them.
fn check_said(state: &State) -> Result<(), ReadError> {
    if !state.said.iter().all(Message::is_steering) {
        return Err(ReadError::new("`said` has a message that nobody said"));
    }
    let waits = match &state.phase {
        Phase::Tools(_) => true,
        Phase::AskModel => !state.paused.is_empty(),
        _ => false,
    };
    if !waits && !state.said.is_empty() {
        return Err(ReadError::new(
            "`said` has messages for which nothing is waited",
        ));
    }
    Ok(())
}

/// Checks that the messages of a summary that is due are there, and that the run continues behind it.
fn check_summarising(run: &AgentRun, summarising: &Summarising) -> Result<(), ReadError> {
    let (state, scope) = (&run.state, summarising.scope);
    let of_turn = state.history.len() - state.start - 1;
    if state.compaction.is_none()
        || scope.messages > state.start
        || scope.messages_of_turn > of_turn
        || scope == SummaryScope::default()
    {
        return Err(ReadError::new(
            "the summary that is due does not stand for messages of the history",
        ));
    }
    check_history(&state.history)
}

fn ends_with_typed_answer(run: &AgentRun) -> bool {
    let last = run.state.history.last();
    let name = last.filter(|message| message.role() == Role::Function && !message.is_error());
    let name = name.and_then(Message::name);
    let output = run.output.as_ref().map(Output::name);
    output.is_some() && name == output
}

fn check_history(history: &[Message]) -> Result<(), ReadError> {
    check_messages(history).map_err(|invalid| {
        ReadError::new(format!("its history cannot be sent to a model: {invalid}"))
    })
}

/// Checks the place of the input.
fn check_input_place(state: &State) -> Result<(), ReadError> {
    let input = state.history.get(state.start);
    if input.is_none_or(|message| message.role() != Role::User) {
        return Err(ReadError::new("`start` is not the place of an input"));
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
fn check_open_calls(run: &AgentRun, turn: &Turn) -> Result<(), ReadError> {
    for turn_call in &turn.calls {
        let (CallState::Ready { arguments, .. } | CallState::AwaitingApproval { arguments, .. }) =
            &turn_call.state
        else {
            continue;
        };
        let call = turn_call.made();
        let (id, tool) = (call.id(), call.tool());
        if run.tools.get(tool).is_none() {
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
