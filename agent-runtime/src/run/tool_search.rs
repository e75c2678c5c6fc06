//! The search of tools: `toolSearch` of an agent.
//!
//! The model gets [`SEARCH`] and [`CALL`] in place of the tools that it searches, unless its provider has a search of
//! its own. A call of `callTool` stands for the call of another tool, and is planned, made and counted as that call.
//! The conversation has it as the model made it, so that any provider takes it back.

use super::Run;
use super::state::{Outcome, Phase, Weight};
use super::texts;
use crate::conversation::{Message, ToolCall};
use crate::model::ToolDefinition;
use crate::read_json::member_text;
use crate::tool::{ToolError, wrong_arguments};
use agent_gram::value::Record;
use agent_spec::json::{Ordered, parse_json};
use agent_spec::types::{Field, Kind, Shape, Type};
use agent_spec::{Agent, Returns, SEARCH_TOOLS, Signature, ToolChoice, ToolSpec};
use serde_json::Value;
use std::collections::BTreeSet;

static TEXT: Type = Type::new(Kind::Text);
static RECORD: Type = Type::new(Kind::Object(Shape::Open)).with_optional(true);
static ANY: Type = Type::new(Kind::Any);

/// The parameter with the name of the tool that `callTool` calls.
const NAME: &str = "name";

/// The parameter with the arguments of the tool that `callTool` calls.
const ARGUMENTS: &str = "arguments";

/// The tool that finds tools.
static SEARCH: ToolSpec = spec(
    SEARCH_TOOLS[0],
    "Finds tools by words in their names and descriptions. Most tools are found only in this way, so search before \
     you answer that something cannot be done.",
    const {
        &[Field::from_static(
            "query",
            &TEXT,
            None,
            Some("Words for what a tool should do, in the language of its description"),
        )]
    },
    &TEXT,
);

/// The tool that calls a tool which was found.
static CALL: ToolSpec = spec(
    SEARCH_TOOLS[1],
    "Calls a tool that `searchTools` found.",
    const {
        &[
            Field::from_static(NAME, &TEXT, None, Some("The name of the tool")),
            Field::from_static(
                ARGUMENTS,
                &RECORD,
                None,
                Some("The arguments of the tool, which its `inputSchema` describes"),
            ),
        ]
    },
    &ANY,
);

const fn spec(
    name: &'static str,
    description: &'static str,
    params: &'static [Field],
    returns: &'static Type,
) -> ToolSpec {
    let signature = Signature::from_static(params, Returns::from_static(returns, None));
    ToolSpec::from_static_settings(name, description, signature, None, false, Record::new())
}

/// The maximum number of tools that a search returns.
const MOST_FOUND: usize = 5;

/// The number of bytes of a search's result above which no further tool is added.
const MOST_BYTES: usize = 32_768;

/// Separates the tools that the model searches from those that each request has, and adds the tools of the search to
/// these. An agent that demands the call of a tool needs no search for it.
pub(super) fn separate(
    agent: &Agent,
    tools: Vec<ToolDefinition>,
) -> (Vec<ToolDefinition>, Vec<ToolDefinition>) {
    let settings = agent.settings();
    if settings.tool_search != Some(true) {
        return (tools, Vec::new());
    }
    let is_demanded = |tool: &ToolDefinition| matches!(&settings.tool_choice, Some(ToolChoice::Tool(name)) if name == tool.name());
    let (mut sent, searched): (Vec<_>, Vec<_>) = tools.into_iter().partition(is_demanded);
    if !searched.is_empty() {
        sent.extend([&SEARCH, &CALL].map(ToolDefinition::new));
    }
    (sent, searched)
}

/// Returns the call of a tool that a call of `callTool` stands for.
///
/// # Errors
/// The problems of the arguments of `callTool`.
fn called(call: &ToolCall) -> Result<ToolCall, ToolError> {
    let text = call.args_text();
    let given = parse_json(text).unwrap_or_default();
    let arguments = match given.get(ARGUMENTS) {
        // Its mistakes are those of the call of the tool.
        Some(Value::Object(_)) => member_text(text, ARGUMENTS),
        // Some models write the object as a text.
        Some(Value::String(arguments)) => Some(arguments.as_str()),
        _ => None,
    };
    if let (Some(Value::String(name)), Some(arguments)) = (given.get(NAME), arguments) {
        return Ok(ToolCall::new(call.id(), name, arguments));
    }
    let checked = CALL.signature().check_arguments(text, None);
    let checked = checked.map_err(wrong_arguments)?;
    // The call has no arguments.
    let given = checked.into_value();
    let name = given[NAME].as_str().unwrap_or_default();
    Ok(ToolCall::new(call.id(), name, "{}"))
}

impl Run {
    /// Whether the model searches for tools.
    fn searches(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Whether a call of this name searches for tools.
    pub(super) fn is_search(&self, name: &str) -> bool {
        self.searches() && name == SEARCH.name()
    }

    /// The call of another tool that a call stands for, if it is one of `callTool`.
    pub(super) fn target(&self, call: &ToolCall) -> Option<ToolCall> {
        let is_meant = self.searches() && call.tool() == CALL.name();
        let target = is_meant.then(|| called(call).ok()).flatten();
        target.filter(|target| !self.is_output(target.tool()))
    }

    /// Finds the targets of the calls of a run that was saved.
    pub(super) fn find_targets(&mut self) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        let targets: Vec<_> = turn
            .calls
            .iter()
            .map(|call| self.target(&call.call))
            .collect();
        if let Phase::Tools(turn) = &mut self.state.phase {
            for (call, target) in turn.calls.iter_mut().zip(targets) {
                call.target = target;
            }
        }
    }

    /// The outcome of a search, and of a call of `callTool` that stands for no call of another tool.
    pub(super) fn search_outcome(&self, call: &ToolCall) -> Option<Outcome> {
        if self.is_search(call.tool()) {
            return Some(match search(&self.deferred, call.args_text()) {
                Err(error) => Outcome::refused(error, Weight::Mistake),
                Ok(found) => Outcome {
                    arguments: Some(call.args_text().to_owned()),
                    result: Ok(found.into()),
                    parts: Vec::new(),
                    usage: None,
                    weight: Weight::Free,
                },
            });
        }
        if !self.searches() || call.tool() != CALL.name() {
            return None;
        }
        let error = match called(call) {
            Err(error) => error,
            Ok(target) if self.is_output(target.tool()) => {
                ToolError::Validation(texts::answer_by_call(target.tool()))
            }
            // The call of `callTool` by itself, which is no tool of the agent.
            Ok(_) => return None,
        };
        Some(Outcome::refused(error, Weight::Mistake))
    }

    /// Whether the model has called a tool in this run. A search for tools is no such call.
    pub(super) fn has_called(&self) -> bool {
        let own = self.state.history[self.state.start..].iter();
        let mut calls = own.flat_map(Message::tool_calls);
        calls.any(|call| !self.is_search(call.tool()))
    }
}

/// Returns the call of another tool that a call of `callTool` stands for, if the model searches the tools of the agent:
/// for programs that show the calls of a conversation or a journal, in which they are as the model made them.
#[must_use]
pub fn called_tool(agent: &Agent, call: &ToolCall) -> Option<ToolCall> {
    let is_meant = agent.settings().tool_search == Some(true) && call.tool() == CALL.name();
    is_meant.then(|| called(call).ok()).flatten()
}

/// Returns the result of a call that searches the tools of an agent, if it is one: for programs that show the calls of a
/// journal, which has no results of searches.
#[must_use]
pub fn search_result(agent: &Agent, call: &ToolCall) -> Option<Result<String, ToolError>> {
    let tools = agent.tools().iter().map(ToolDefinition::new);
    let (_, searched) = separate(agent, tools.collect());
    let is_search = !searched.is_empty() && call.tool() == SEARCH.name();
    is_search.then(|| search(&searched, call.args_text()))
}

/// Returns the tools that fit the query of a search best, as JSON.
fn search(tools: &[ToolDefinition], arguments: &str) -> Result<String, ToolError> {
    let checked = SEARCH.signature().check_arguments(arguments, None);
    let checked = checked.map_err(wrong_arguments)?.into_value();
    let found = best(tools, checked["query"].as_str().unwrap_or_default());
    if found.is_empty() {
        return Ok(texts::NOTHING_FOUND.to_owned());
    }
    let mut json = String::new();
    for tool in found {
        let text = definition(tool).to_string();
        if !json.is_empty() && json.len() + text.len() > MOST_BYTES {
            break;
        }
        json.push(if json.is_empty() { '[' } else { ',' });
        json.push_str(&text);
    }
    json.push(']');
    Ok(json)
}

/// Returns the name of a tool of the search that an agent has as one of its own.
pub(super) fn taken_name<'n>(agent: &Agent, tools: &[&'n str]) -> Option<&'n str> {
    let is_on = agent.settings().tool_search == Some(true);
    let mut tools = tools.iter().filter(|_| is_on);
    tools.find(|tool| SEARCH_TOOLS.contains(tool)).copied()
}

/// Writes a tool as the model reads it.
fn definition(tool: &ToolDefinition) -> Ordered {
    Ordered::Object(vec![
        ("name".into(), Ordered::text(tool.name().to_owned())),
        (
            "description".into(),
            Ordered::text(tool.description().to_owned()),
        ),
        ("inputSchema".into(), tool.schema().clone().into_ordered()),
    ])
}

/// The number of bytes of a query after which its words are ignored. Each word is compared with those of all tools.
const MOST_QUERY: usize = 1_000;

/// The score of a word that is in the name of a tool. A word in the description scores 1.
const IN_NAME: u32 = 3;

/// Returns the tools whose names and descriptions fit a query, best first. Equal ones keep their order.
///
/// A word counts more the fewer tools have it, so that words such as `the` decide nothing.
fn best<'t>(tools: &'t [ToolDefinition], query: &str) -> Vec<&'t ToolDefinition> {
    let words = words(&query[..query.floor_char_boundary(MOST_QUERY)]);
    let texts = tools
        .iter()
        .map(|tool| (self::words(tool.name()), self::words(tool.description())));
    let texts: Vec<_> = texts.collect();
    let mut scores = vec![0_u32; tools.len()];
    for word in &words {
        let score = |(name, description): &(BTreeSet<String>, BTreeSet<String>)| {
            IN_NAME * fit(name, word) + fit(description, word)
        };
        let of_word: Vec<u32> = texts.iter().map(score).collect();
        let having = of_word.iter().filter(|score| **score > 0).count();
        let rarity = (tools.len() / having.max(1)).checked_ilog2().unwrap_or(0) + 1;
        for (score, of_word) in scores.iter_mut().zip(of_word) {
            *score = score.saturating_add(of_word * rarity);
        }
    }
    let mut found: Vec<usize> = (0..tools.len()).filter(|at| scores[*at] > 0).collect();
    let key = |at: &usize| {
        let is_named = tools[*at].name().eq_ignore_ascii_case(query.trim());
        std::cmp::Reverse((is_named, scores[*at]))
    };
    found.sort_by_key(key);
    found.truncate(MOST_FOUND);
    found.into_iter().map(|at| &tools[at]).collect()
}

/// The number of letters from which the beginning of a word counts as the word: `issue` finds `issues`.
const STEM: usize = 3;

/// Returns 2 if a word is among others, 1 if one of them begins with it or it begins with one of them, else 0.
fn fit(words: &BTreeSet<String>, word: &str) -> u32 {
    if words.contains(word) {
        return 2;
    }
    let begins = |one: &str, other: &str| other.len() >= STEM && one.starts_with(other);
    let mut words = words.iter();
    u32::from(words.any(|other| begins(other, word) || begins(word, other)))
}

/// Returns the words of a text in lower case. Names in `camelCase` and `snake_case` are split into their words.
fn words(text: &str) -> BTreeSet<String> {
    let (mut words, mut word) = (BTreeSet::new(), String::new());
    let mut was_lower = false;
    for c in text.chars() {
        let begins = c.is_uppercase() && was_lower;
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.insert(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    if !word.is_empty() {
        words.insert(word);
    }
    words
}
