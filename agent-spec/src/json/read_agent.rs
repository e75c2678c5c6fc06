//! Agents from JSON, as patterns.

use super::agent::TOOLS;
use super::error::JsonError;
use super::read_tool::{properties, read_tool};
use super::reader::Reader;
use crate::agent::AGENT_KEYS;
use agent_gram::{Pattern, Subject};

/// Reads the JSON form of an agent as the pattern that declares it, `[name:Agent {…} | tools]`,
/// for the checker to judge.
///
/// Members that mean nothing here become properties; `null` counts as absent. An agent without
/// `tools` is tool-free.
///
/// # Errors
/// When `name`, `model` or `instruction` is missing or no text, a tool is not one (see
/// [`super::tool_pattern_from_json`]), or a member is something that gram cannot say.
pub fn agent_pattern_from_json(json: &serde_json::Value) -> Result<Pattern, JsonError> {
    let reader = Reader::root(json);
    reader.object("an agent, `{\"name\", \"model\", \"instruction\", \"tools\"}`")?;
    let name = reader.member_text("name", "the agent's name")?;
    reader.member_text("model", "the model, such as \"OpenAI/gpt-4o-mini\"")?;
    reader.member_text("instruction", "the agent's instruction")?;
    let mut tools = Vec::new();
    if let Some(list) = reader.opt_member(TOOLS) {
        for (at, tool) in list.array("a list of tools")?.iter().enumerate() {
            tools.push(read_tool(list.item(at, tool))?);
        }
    }
    let mut subject = Subject::new(name.to_owned()).with_label("Agent");
    subject.properties = properties(&reader, &AGENT_KEYS[1..], "toolTimeout", &["name", TOOLS])?;
    Pattern::new(subject, tools)
        .map_err(|error| reader.wrong_because("an agent that gram can say", error.to_string()))
}
