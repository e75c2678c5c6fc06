//! The saved form of a run, as JSON.
//!
//! The JSON has all values that the run needs to continue, including its agent. The tools are bound again.
//! The argument texts are kept to the letter, so that a run continues as if it had never been saved.

use super::Run;
use super::agent_run::AgentRun;
use super::output::Output;
use super::place::caller_and_id;
use super::state::{CallState, Phase, State, Summarising, Turn, TurnCall};
use crate::conversation::{
    Exactness, Message, ReadError, Role, SummaryScope, Taint, ToolCall, call_from_json,
    call_to_json, check_messages, messages_from_json, messages_to_json, with_repeated_media,
    without_repeated_media,
};
use crate::model::{FinishReason, Usage};
use crate::response::ToolInvocation;
use agent_spec::json::agent_pattern_from_json;
use agent_spec::{Agent, Model};
use agent_tool::__private::{
    ErrorAtPath, ErrorKind, MediaForm, content_from_json, part_to_json, read_as, text,
};
use agent_tool::Error;
use agent_tool::library::BoundTools;
use agent_tool::media::Part;
use agent_tool::tool::ToolError;
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
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
    json["state"] = to_json(&run.state);
    json
}

/// Writes a value whose keys are texts, so that this cannot fail.
pub(super) fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Reads a value. `root` names it in the error.
pub(super) fn from_json<T: DeserializeOwned>(json: &Value, root: &str) -> Result<T, ErrorAtPath> {
    T::deserialize(json).map_err(|_| {
        // Parsed once more as text, so that the error has the path.
        let text = json.to_string();
        let read = serde_json::from_str::<T>(&text).map(drop);
        let error = read
            .err()
            .unwrap_or_else(|| de::Error::custom("it cannot be read"));
        ErrorAtPath::new(root, &text, &error, read_as::<T>)
    })
}

/// Reads the agent of a saved run.
pub(super) fn read_agent(json: &Value) -> Result<Agent, Error> {
    check_format(json)?;
    agent_of(json)
}

fn agent_of(json: &Value) -> Result<Agent, Error> {
    let agent = json
        .get("agent")
        .ok_or_else(|| unreadable(ReadError::new("it has no `agent`")))?;
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
    // Does nothing for a run that was saved between two steps. An edited file may be in a state in which the
    // run would otherwise wait forever.
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
    let state: State =
        from_json(json.get("state").unwrap_or(&Value::Null), "state").map_err(unreadable)?;
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
        Some(found) => Err(Error::validation(format!(
            "the saved run has version {found}; this program reads version {VERSION}"
        ))),
        None => Err(Error::validation(format!(
            "the saved run has no `version`; this program reads version {VERSION}"
        ))),
    }
}

fn unreadable(error: impl fmt::Display) -> Error {
    Error::validation(format!("the saved run cannot be read: {error}"))
}

/// Forms of the values in a state that have no serde form, or whose own serde form, which hosts read, is
/// another one.
macro_rules! form {
    ($(#[$doc:meta])* $name:ident: $Type:ty, $write:expr, $read:expr $(,)?) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use super::*;
            use serde::de::{Deserializer, Error as _};
            use serde::ser::Serializer;

            pub(crate) fn serialize<S: Serializer>(value: &$Type, to: S) -> Result<S::Ok, S::Error> {
                let write: fn(&$Type) -> Value = $write;
                write(value).serialize(to)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<$Type, D::Error> {
                let read: fn(&Value) -> Result<$Type, ReadError> = $read;
                read(&Value::deserialize(from)?).map_err(D::Error::custom)
            }
        }
    };
}

pub(crate) use form;

form!(
    /// Messages, in which the bytes that several messages share are written once.
    history: Vec<Message>,
    |messages| {
        let messages = without_repeated_media(messages);
        messages_to_json(&messages, Exactness::Exact, MediaForm::Data)
    },
    |json| Ok(with_repeated_media(messages_from_json(json)?)),
);
form!(
    messages: Vec<Message>,
    |messages| messages_to_json(messages, Exactness::Exact, MediaForm::Data),
    messages_from_json,
);
form!(
    parts: Vec<Part>,
    |parts| parts.iter().map(|part| part_to_json(part, MediaForm::Data)).collect(),
    |json| content_from_json(&json!({ "content": json })),
);
form!(
    tool_call: ToolCall,
    |call| call_to_json(call, Exactness::Exact),
    call_from_json,
);
form!(
    finish_reason: FinishReason,
    |reason| reason.as_str().into(),
    |json| match json.as_str() {
        Some(word) => Ok(FinishReason::from_word(word)),
        None => Err(ReadError::new("the reason is a text")),
    },
);
form!(
    model: Option<Model>,
    |model| model.as_ref().map(ToString::to_string).into(),
    |json| match json.as_str() {
        Some(text) => Model::parse(text)
            .map(Some)
            .map_err(|error| ReadError::new(error.to_string())),
        None => Ok(None),
    },
);
form!(
    result: Result<Value, ToolError>,
    |result| match result {
        Ok(value) => json!({ "value": value }),
        Err(error) => json!({"error": {"kind": error.word(), "text": error.text()}}),
    },
    |json| match (json.get("value"), json.get("error")) {
        (Some(value), _) => Ok(Ok(value.clone())),
        (None, error) => {
            let error = error.unwrap_or(&Value::Null);
            let read = ToolError::from_word(&text(error, "kind")?, text(error, "text")?);
            let read = read.ok_or_else(|| ReadError::new("the kind of a tool's error is unknown"));
            read.map(Err)
        }
    },
);
form!(
    /// An error without its source, which can be of any type.
    error: Arc<Error>,
    |error| write_error(error),
    |json| read_error(json).map(Arc::new),
);
form!(
    /// An error, if there is one.
    opt_error: Option<Arc<Error>>,
    |error| error.as_deref().map(write_error).into(),
    |json| match json {
        Value::Null => Ok(None),
        json => read_error(json).map(Arc::new).map(Some),
    },
);

fn write_error(error: &Error) -> Value {
    let mut json = json!({"kind": error.kind().word(), "text": error.to_string()});
    error.write_marks(&mut json);
    json
}

fn read_error(json: &Value) -> Read<Error> {
    let kind = ErrorKind::from_word(&text(json, "kind")?);
    let kind = kind.ok_or_else(|| ReadError::new("the kind of the error is unknown"))?;
    Ok(Error::new(kind, text(json, "text")?).with_marks(json))
}

/// The calls that have results, with all that a run needs of them.
pub(crate) mod invocations {
    use super::*;

    #[derive(Serialize)]
    struct Written<'a>(#[serde(with = "InvocationForm")] &'a ToolInvocation);

    #[derive(Deserialize)]
    struct Saved(#[serde(with = "InvocationForm")] ToolInvocation);

    pub(crate) fn serialize<S: Serializer>(
        calls: &[ToolInvocation],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(calls.iter().map(Written))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<ToolInvocation>, D::Error> {
        let calls = Vec::<Saved>::deserialize(from)?;
        Ok(calls.into_iter().map(|Saved(call)| call).collect())
    }
}

/// The form of a call that has its result.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ToolInvocation", rename_all = "camelCase")]
pub(crate) struct InvocationForm {
    tool: String,
    call_id: String,
    args: Value,
    #[serde(with = "result")]
    result: Result<Value, ToolError>,
    error_text: Option<String>,
    attempt: u32,
    usage: Option<Usage>,
    cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    taint: Taint,
}

// Checking. A saved run may have been edited by anybody. Each rule that a run keeps is checked, so that a
// changed file can neither stall the run nor make it send a history that a provider refuses.

fn check_saved(run: &AgentRun) -> Result<(), ReadError> {
    let state = &run.state;
    check_input_place(state)?;
    if state.hidden > state.start {
        return Err(ReadError::new("`hidden` is beyond the input"));
    }
    if state.fallback > run.agent.settings().fallback.len() {
        return Err(ReadError::new(
            "`fallback` counts more models than the agent names",
        ));
    }
    check_message(state)?;
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

/// Checks that the waiting messages were sent by the user during the run, and that the run will pass them to
/// the model.
fn check_message(state: &State) -> Result<(), ReadError> {
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

/// Checks that the history has the messages of a summary that is due, and that the run can continue after it.
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

/// Checks that the calls of the turn are the calls of the model's last answer. The calls before `accounted`
/// must have their results in the history, and the other calls must not.
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

/// Checks that the calls that are still to be made can be made.
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
        // The call is made without validating them again.
        if let Err(error) = run.tools.validate(tool, arguments) {
            let text = format!("the arguments of the call `{id}` are wrong: {error}");
            return Err(ReadError::new(text));
        }
    }
    Ok(())
}
