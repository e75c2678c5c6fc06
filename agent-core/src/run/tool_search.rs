//! The search of tools: `toolSearch` of an agent.
//!
//! The model gets [`SEARCH`] and [`CALL`] in place of the tools that it searches, unless its provider has a search of
//! its own. A call of `callTool` stands for the call of another tool, and is planned, made and counted as that call.
//! The conversation keeps the call as the model made it, so that any provider accepts it.

use super::texts;
use crate::conversation::ToolCall;
use crate::model::ToolDefinition;
use agent_effects::Effects;
use agent_gram::value::Record;
use agent_spec::json::parse_json;
use agent_spec::types::{Field, Kind, Shape, Type};
use agent_spec::{Agent, Returns, SEARCH_TOOLS, Signature, ToolChoice, ToolSpec};
use agent_tool::__private::wrong_arguments;
use agent_tool::tool::ToolError;
use serde_json::Value;

static TEXT: Type = Type::new(Kind::Text);
static RECORD: Type = Type::new(Kind::Object(Shape::Open)).with_optional(true);
static ANY: Type = Type::new(Kind::Any);

/// The parameter with the name of the tool that `callTool` calls.
const NAME: &str = "name";

/// The parameter with the arguments of the tool that `callTool` calls.
const ARGUMENTS: &str = "arguments";

/// The tool that finds tools.
pub(super) static SEARCH: ToolSpec = spec(
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
pub(super) static CALL: ToolSpec = spec(
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
    ToolSpec::from_static_settings(
        name,
        description,
        signature,
        None,
        false,
        Effects::NONE,
        Record::new(),
    )
}

/// The maximum number of tools that a search returns.
const MOST_FOUND: usize = 5;

/// The number of bytes of a search's result above which no further tool is added. An MCP server can describe its tools
/// with megabytes, and each further request would contain them.
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
    let (mut sent, mut searched) = (Vec::new(), Vec::new());
    for tool in tools {
        match &settings.tool_choice {
            Some(ToolChoice::Tool(name)) if name == tool.name() => sent.push(tool),
            _ => searched.push(tool),
        }
    }
    if !searched.is_empty() {
        sent.push(ToolDefinition::new(&SEARCH));
        sent.push(ToolDefinition::new(&CALL));
    }
    (sent, searched)
}

/// Returns the call of a tool that a call of `callTool` stands for.
///
/// # Errors
/// The problems of the arguments of `callTool`.
pub(super) fn called(call: &ToolCall) -> Result<ToolCall, ToolError> {
    let text = call.args_text();
    let given = parse_json(text).unwrap_or_default();
    let arguments = match given.get(ARGUMENTS) {
        // Mistakes in this object are mistakes of the call of the tool.
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

/// Returns the call of another tool that a call of `callTool` stands for, if the model searches the tools of the agent:
/// for programs that show the calls of a conversation or a journal, in which they are as the model made them.
#[must_use]
pub fn called_tool(agent: &Agent, call: &ToolCall) -> Option<ToolCall> {
    let is_meant = agent.settings().tool_search == Some(true) && call.tool() == CALL.name();
    is_meant.then(|| called(call).ok()).flatten()
}

/// Returns the result of a call, if the call searches the tools of an agent: for programs that show the calls
/// of a journal, which has no results of searches.
#[must_use]
pub fn search_result(agent: &Agent, call: &ToolCall) -> Option<Result<String, ToolError>> {
    let tools = agent.tools().iter().map(ToolDefinition::new);
    let (_, searched) = separate(agent, tools.collect());
    let is_search = !searched.is_empty() && call.tool() == SEARCH.name();
    is_search.then(|| search(&searched, call.args_text()))
}

/// Returns the tools that fit the query of a search best, as JSON.
pub(super) fn search(tools: &[ToolDefinition], arguments: &str) -> Result<String, ToolError> {
    let checked = SEARCH.signature().check_arguments(arguments, None);
    let checked = checked.map_err(wrong_arguments)?.into_value();
    let found = best(tools, checked["query"].as_str().unwrap_or_default());
    if found.is_empty() {
        return Ok(texts::NOTHING_FOUND.to_owned());
    }
    let mut json = String::new();
    for tool in found {
        let text = definition(tool);
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
    if agent.settings().tool_search == Some(true) {
        for tool in tools {
            if SEARCH_TOOLS.contains(tool) {
                return Some(tool);
            }
        }
    }
    None
}

/// Writes a tool as the model reads it.
fn definition(tool: &ToolDefinition) -> String {
    let (name, description) = (Value::from(tool.name()), Value::from(tool.description()));
    let schema = tool.schema();
    format!("{{\"name\":{name},\"description\":{description},\"inputSchema\":{schema}}}")
}

/// The number of bytes of a query after which its words are ignored. Each word is compared with those of all tools, so
/// that a model's query of megabytes would occupy a thread for minutes.
const MOST_QUERY: usize = 1_000;

/// The score of a tool whose whole name is the query, which is above that of any words.
const NAMED: u32 = 1 << 24;

/// The score of a word that is in the name of a tool. A word in the description scores 1.
const IN_NAME: u32 = 3;

/// Returns the tools whose names and descriptions fit a query, best first. Equal ones keep their order.
///
/// A word counts more the fewer tools have it, so that words such as `the` decide nothing.
fn best<'t>(tools: &'t [ToolDefinition], query: &str) -> Vec<&'t ToolDefinition> {
    let queried = words(&query[..query.floor_char_boundary(MOST_QUERY)]);
    // The fit of each word to each tool.
    let mut fits = Vec::new();
    let mut scores = Vec::new();
    for tool in tools {
        let (name, description) = (words(tool.name()), words(tool.description()));
        for word in &queried {
            fits.push(IN_NAME * fit(&name, word) + fit(&description, word));
        }
        let is_named = tool.name().eq_ignore_ascii_case(query.trim());
        scores.push(if is_named { NAMED } else { 0 });
    }
    for word in 0..queried.len() {
        let fit = |tool: usize| fits[tool * queried.len() + word];
        let mut having = 0;
        for tool in 0..tools.len() {
            having += usize::from(fit(tool) > 0);
        }
        let rarity = (tools.len() / having.max(1)).checked_ilog2().unwrap_or(0) + 1;
        for (tool, score) in scores.iter_mut().enumerate() {
            *score += fit(tool) * rarity;
        }
    }
    // Only a few tools are wanted, so each one is found by a search of all scores.
    let mut found = Vec::new();
    while found.len() < MOST_FOUND {
        let mut best = 0;
        for (at, score) in scores.iter().enumerate() {
            if *score > scores[best] {
                best = at;
            }
        }
        if scores.get(best).is_none_or(|score| *score == 0) {
            break;
        }
        scores[best] = 0;
        found.push(&tools[best]);
    }
    found
}

/// The number of letters from which the beginning of a word counts as the word: `issue` finds `issues`.
const STEM: usize = 3;

/// Returns 2 if `word` is among `words`, 1 if it begins one of them or one of them begins it, else 0.
fn fit(words: &[String], word: &str) -> u32 {
    let begins = |one: &str, other: &str| other.len() >= STEM && one.starts_with(other);
    let mut best = 0;
    for other in words {
        if other == word {
            return 2;
        }
        if begins(other, word) || begins(word, other) {
            best = 1;
        }
    }
    best
}

/// The maximum number of words of a text that are compared. An MCP server can describe a tool with a megabyte of words,
/// each of which is compared with the words of a query.
const MOST_WORDS: usize = 256;

/// Returns the words of a text in lower case, each once. Names in `camelCase` and `snake_case` are split into their
/// words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    let end = |word: &mut String, words: &mut Vec<String>| {
        let ended = std::mem::take(word);
        if !ended.is_empty() && words.len() < MOST_WORDS && !words.contains(&ended) {
            words.push(ended);
        }
    };
    for c in text.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            end(&mut word, &mut words);
        }
        if c.is_alphanumeric() {
            for lower in c.to_lowercase() {
                word.push(lower);
            }
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    end(&mut word, &mut words);
    words
}

/// Returns the text of a member of a JSON object. The last one of equal keys counts, as in [`Value`].
fn member_text<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let (mut depth, mut start) = (0_usize, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    // Whether the value that began is that of the key.
    let (mut is_meant, mut found) = (false, None);
    for (at, byte) in json.bytes().enumerate() {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        let is_end = matches!(byte, b'}' | b']');
        if depth == 1 && (byte == b',' || is_end) && is_meant {
            found = Some(json[start..at].trim());
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => {
                let name = json[start..at].trim();
                is_meant = serde_json::from_str::<String>(name).is_ok_and(|name| name == key);
            }
            _ => {}
        }
        if depth == 1 && matches!(byte, b'{' | b':' | b',') {
            start = at + 1;
            is_meant &= byte == b':';
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_member_is_found_at_the_top_only() {
        for (json, expected) in [
            (
                r#"{"a": {"arguments": 1}, "arguments": {"b": [1, 2]} }"#,
                Some(r#"{"b": [1, 2]}"#),
            ),
            (r#"{"arguments":{},"name":"x"}"#, Some("{}")),
            (
                r#" { "arguments" : { "a" : "}\\\"{," } } "#,
                Some(r#"{ "a" : "}\\\"{," }"#),
            ),
            (r#"{"argum\u0065nts": {"a": 1}}"#, Some(r#"{"a": 1}"#)),
            (
                r#"{"arguments": {"a": 1}, "arguments": {"a": 2}}"#,
                Some(r#"{"a": 2}"#),
            ),
            (r#"{"x": "arguments", "y": {"arguments": {}}}"#, None),
            (
                r#"{"a\"arguments": 1, "b": ["arguments", {"c": ":,"}]}"#,
                None,
            ),
            ("{}", None),
            ("[1, {}]", None),
        ] {
            assert_eq!(member_text(json, ARGUMENTS), expected, "{json}");
        }
    }

    #[test]
    fn words_are_those_of_names_and_texts() {
        assert_eq!(words("createIssue"), ["create", "issue"]);
        assert_eq!(words("github_list_issues2"), ["github", "list", "issues2"]);
        assert_eq!(
            words("Grüße, die GRÜSSE: the the"),
            ["grüße", "die", "grüsse", "the"]
        );
        assert_eq!(words(" - "), [""; 0]);
        let many: String = (0..100_000).map(|at| format!("word{at} ")).collect();
        assert_eq!(words(&many).len(), MOST_WORDS);
    }
}
