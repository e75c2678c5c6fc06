//! The first difference between two requests.

use super::text::{message_text, request_text, settings_text, tool_text};
use agent_core::__private::request_to_json;
use agent_core::model::ModelRequest;
use agent_spec::terminal;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestPart {
    /// The model.
    Model,
    /// The settings that the model gets, such as `temperature`.
    Settings,
    /// The instruction.
    Instruction,
    /// The description or the signature of the tool of this name, or whether it is offered.
    Tool(String),
    /// The order of the tools.
    ToolOrder,
    /// The message of this number, from 1.
    Message(usize),
    /// The whole request, which only one of the two runs sends.
    Request,
}

impl fmt::Display for RequestPart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => out.write_str("the model"),
            Self::Settings => out.write_str("the settings"),
            Self::Instruction => out.write_str("the instruction"),
            Self::Tool(name) => write!(out, "the tool `{}`", terminal::line(name, 100)),
            Self::ToolOrder => out.write_str("the order of the tools"),
            Self::Message(number) => write!(out, "message {number}"),
            Self::Request => out.write_str("the request"),
        }
    }
}

/// The first request that differs from the recorded one, and its first part that differs.
///
/// Its text has both texts of that part, line by line, without characters that control a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestDifference {
    /// The number of the request among those of the run and of the agents that it called, from 1.
    pub request: usize,
    /// The names of the agents that lead to the request, joined by `/`: `support/billing`.
    pub agent: String,
    /// The part.
    pub part: RequestPart,
    /// The part in the recorded run; `None` if it has no such part.
    pub recorded: Option<String>,
    /// The part with the new agent; `None` if there is no such part.
    pub new: Option<String>,
    /// The whole request of the recorded run; `None` if only the new agent sends it.
    pub recorded_request: Option<String>,
    /// The whole request of the new agent; `None` if only the recorded run sent it.
    pub new_request: Option<String>,
    /// The error with which the run of the new agent ended, if it therefore does not send the request.
    pub ended: Option<String>,
}

impl RequestDifference {
    /// Compares the requests of one place in two runs. Returns `None` if they are equal.
    pub(super) fn between(
        request: usize,
        agent: &str,
        recorded: Option<&ModelRequest>,
        new: Option<&ModelRequest>,
    ) -> Option<Self> {
        let (recorded, new) = (recorded.map(request_to_json), new.map(request_to_json));
        let whole = |json: &Option<Value>| json.as_ref().map(request_text);
        let (part, texts) = match (&recorded, &new) {
            (Some(recorded), Some(new)) => first_part(recorded, new)?,
            (None, None) => return None,
            _ => (RequestPart::Request, (whole(&recorded), whole(&new))),
        };
        Some(Self {
            request,
            agent: agent.to_owned(),
            part,
            recorded: texts.0,
            new: texts.1,
            recorded_request: whole(&recorded),
            new_request: whole(&new),
            ended: None,
        })
    }
}

/// The texts of a part, as far as there is one.
type Texts = (Option<String>, Option<String>);

fn first_part(recorded: &Value, new: &Value) -> Option<(RequestPart, Texts)> {
    if recorded == new {
        return None;
    }
    let pair = |key: &str| (&recorded[key], &new[key]);
    let text = |json: &Value| json.as_str().map(str::to_owned);
    for (key, part) in [
        ("model", RequestPart::Model),
        ("settings", RequestPart::Settings),
        ("instruction", RequestPart::Instruction),
    ] {
        let (one, other) = pair(key);
        if one != other {
            let texts = match part {
                RequestPart::Settings => (Some(settings_text(one)), Some(settings_text(other))),
                _ => (text(one), text(other)),
            };
            return Some((part, texts));
        }
    }
    for (one, other) in [pair("tools"), pair("deferredTools")] {
        if one != other {
            return Some(first_tool(list(one), list(other)));
        }
    }
    let (one, other) = (list(&recorded["messages"]), list(&new["messages"]));
    let at = (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))?;
    let shown = |messages: &[Value]| messages.get(at).map(shown_message);
    Some((RequestPart::Message(at + 1), (shown(one), shown(other))))
}

fn first_tool(recorded: &[Value], new: &[Value]) -> (RequestPart, Texts) {
    // If several tools have one name, the first is used.
    let by_name = |tools: &'_ [Value]| -> HashMap<String, String> {
        let tools = tools.iter().rev();
        let tools = tools.map(|tool| (tool_name(tool).to_owned(), tool_text(tool)));
        tools.collect()
    };
    let (ours, theirs) = (by_name(recorded), by_name(new));
    for tool in recorded.iter().chain(new) {
        let name = tool_name(tool);
        let texts = (ours.get(name).cloned(), theirs.get(name).cloned());
        if texts.0 != texts.1 {
            return (RequestPart::Tool(name.to_owned()), texts);
        }
    }
    let names = |tools: &[Value]| {
        let names: Vec<&str> = tools.iter().map(tool_name).collect();
        Some(names.join("\n"))
    };
    (RequestPart::ToolOrder, (names(recorded), names(new)))
}

fn tool_name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn shown_message(message: &Value) -> String {
    let role = message["role"].as_str().unwrap_or_default();
    format!("{role}:\n{}", message_text(message))
}

impl fmt::Display for RequestDifference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (request, part) = (self.request, &self.part);
        let agent = terminal::line(&self.agent, 200);
        match (&self.recorded, &self.new) {
            (Some(_), None) if *part == RequestPart::Request => {
                write!(out, "request {request} of `{agent}` is not sent any more")?;
                if let Some(ended) = &self.ended {
                    write!(out, ": {}", terminal::line(ended, 500))?;
                }
            }
            (None, Some(_)) if *part == RequestPart::Request => write!(
                out,
                "request {request} of `{agent}` was not sent by the recorded run"
            )?,
            (Some(_), None) => write!(out, "request {request} of `{agent}` no longer has {part}")?,
            (None, Some(_)) => write!(out, "request {request} of `{agent}` has {part} now")?,
            _ => write!(
                out,
                "request {request} of `{agent}` differs from the recorded one in {part}"
            )?,
        }
        let lines = |text: &Option<String>| -> Vec<String> {
            let lines = text.iter().flat_map(|text| text.split('\n'));
            lines.map(terminal::text).collect()
        };
        let (recorded, new) = (lines(&self.recorded), lines(&self.new));
        let pairs = || recorded.iter().zip(&new);
        let before = pairs().take_while(|(one, other)| one == other).count();
        let rest = recorded.len().min(new.len()) - before;
        let pairs = recorded.iter().rev().zip(new.iter().rev()).take(rest);
        let after = pairs.take_while(|(one, other)| one == other).count();
        for line in &recorded[before..recorded.len() - after] {
            write!(out, "\n- {line}")?;
        }
        for line in &new[before..new.len() - after] {
            write!(out, "\n+ {line}")?;
        }
        Ok(())
    }
}
