//! Agents and tools as JSON.

use crate::agent::{Agent, AgentTool};
use crate::diagnostic::Diagnostics;
use crate::forms::json_reader::{JsonError, Reader};
use crate::forms::pattern_json::{Members, read_value, write_value};
use crate::lens::{CalledHere, effect_value, reference_pattern, setting_value, with_called_agents};
use crate::settings::{SettingValue, Settings};
use crate::tool::ToolSpec;
use crate::vocabulary::{AGENT_KEYS, Setting, SettingKind, TOOL_KEYS};
use agent_gram::value::{Measurement, Record, Text};
use agent_gram::{Pattern, Subject, Value};
use agent_types::__private::serialize_members;
use agent_types::duration::duration_text;
use agent_types::json::Ordered;
use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// The member that lists an agent's tools.
const TOOLS: &str = "tools";

/// The member with a signature, as gram text.
const SIGNATURE: &str = "typeSignature";

/// The member with the JSON Schema of a signature's parameters, which is written and not read.
const SCHEMA: &str = "schema";

impl Agent {
    /// Returns the JSON form: `{"name", "description"?, "model", "instruction", "tools"}`, then the
    /// settings that are set, then further properties in the form of
    /// [`pattern_to_json`](super::pattern_to_json). A reference to a tool is its name, a string in `tools`.
    ///
    /// A further property with the name of one of these members is omitted, because it would be read as
    /// that member.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        Ordered::Object(agent_members(self)).to_value()
    }

    /// Reads the JSON form. Any provider name is accepted.
    ///
    /// # Errors
    /// When the JSON has another form, or its content has diagnostics.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, SpecError> {
        let pattern = agent_pattern_from_json(json).map_err(SpecError::Form)?;
        Self::from_pattern(&pattern).map_err(SpecError::Content)
    }
}

impl ToolSpec {
    /// Returns the JSON form: `{"name", "description", "typeSignature", "schema"}`, then the settings
    /// that are set, then further properties in the form of
    /// [`pattern_to_json`](super::pattern_to_json).
    ///
    /// `typeSignature` is the source of truth. A further property with the name of one of these members
    /// is omitted, because it would be read as that member.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        Ordered::Object(tool_members(self)).to_value()
    }

    /// Reads the JSON form. `schema` is ignored, because `typeSignature` implies it.
    ///
    /// # Errors
    /// When the JSON has another form, or its content has diagnostics.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, SpecError> {
        let pattern = tool_pattern_from_json(json).map_err(SpecError::Form)?;
        Self::from_pattern(&pattern).map_err(SpecError::Content)
    }
}

impl Settings {
    /// Returns the settings that are set, as members of a JSON object.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        Ordered::Object(settings_members(self)).to_value()
    }
}

impl Serialize for Agent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_members(&agent_members(self), serializer)
    }
}

impl<'de> Deserialize<'de> for Agent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&json).map_err(D::Error::custom)
    }
}

impl Serialize for ToolSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_members(&tool_members(self), serializer)
    }
}

impl<'de> Deserialize<'de> for ToolSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&json).map_err(D::Error::custom)
    }
}

fn agent_members(agent: &Agent) -> Vec<(Text, Ordered)> {
    with_called_agents(agent, |agent, called| {
        let tools = agent.all_tools().map(|tool| match tool {
            AgentTool::Spec(spec) => match called(spec.name()) {
                CalledHere::Tool => Ordered::Object(tool_members(spec)),
                CalledHere::First(members) => Ordered::Object(members),
                CalledHere::Again => Ordered::text(spec.name().to_owned()),
            },
            AgentTool::Reference(name) => Ordered::text(name.to_owned()),
        });
        let tools = tools.collect();
        let mut members = Members::default();
        members.add_text("name", agent.name());
        if let Some(description) = agent.description() {
            members.add_text("description", description);
        }
        members.add("model", Ordered::text(agent.model().to_string()));
        members.add_text("instruction", agent.instruction());
        if let Some(prompt) = agent.prompt() {
            members.add_text("prompt", prompt);
        }
        if let Some(names) = agent.host_variables() {
            let names = names.iter().map(|name| Ordered::text(name.to_string()));
            members.add("variables", Ordered::Array(names.collect()));
        }
        if let Some(signature) = agent.own_signature() {
            members.add_text(SIGNATURE, &signature.to_string());
            members.add(SCHEMA, signature.schema().to_ordered());
        }
        members.add(TOOLS, Ordered::Array(tools));
        members.extend(settings_members(agent.settings()));
        add_call_settings(&mut members, agent.timeout(), agent.requires_approval());
        let known = [AGENT_KEYS, &[TOOLS, SIGNATURE, SCHEMA]].concat();
        add_extra(&mut members, agent.extra(), &known);
        members.into_vec()
    })
}

/// Adds the settings of the calls of a tool, or of an agent that is called as a tool.
fn add_call_settings(members: &mut Members, timeout: Option<Duration>, requires_approval: bool) {
    if let Some(timeout) = timeout {
        members.add("timeout", Ordered::text(duration_text(timeout)));
    }
    if requires_approval {
        members.add("requiresApproval", Ordered::Bool(true));
    }
}

/// The settings that are set, as members.
fn settings_members(settings: &Settings) -> Vec<(Text, Ordered)> {
    let mut members = Members::default();
    for (setting, value) in settings.iter() {
        let json = match value {
            SettingValue::Duration(duration) => Ordered::text(duration_text(duration)),
            value => write_value(&setting_value(value)),
        };
        members.add(setting.key(), json);
    }
    members.into_vec()
}

fn tool_members(tool: &ToolSpec) -> Vec<(Text, Ordered)> {
    let mut members = Members::default();
    members.add_text("name", tool.name());
    members.add_text("description", tool.description());
    members.add_text(SIGNATURE, &tool.signature().to_string());
    members.add(SCHEMA, tool.signature().schema().to_ordered());
    add_call_settings(&mut members, tool.timeout(), tool.requires_approval());
    for (effect, is) in tool.effects().iter() {
        // A list of one text is flat.
        let value = effect_value(effect, is).unwrap_or(Value::Boolean(is));
        members.add(effect.key(), write_value(&value));
    }
    let known = [TOOL_KEYS, &["name", SIGNATURE, SCHEMA]].concat();
    add_extra(&mut members, tool.extra(), &known);
    members.into_vec()
}

/// Adds the properties without a meaning, unless one has the name of a member with a meaning.
fn add_extra(members: &mut Members, extra: &Record, known: &[&str]) {
    for (key, value) in extra.entries() {
        if !known.contains(&key.as_ref()) && !members.has(key) {
            members.add(key.clone(), write_value(value));
        }
    }
}

/// Reads the JSON form of an agent as the pattern that declares it, `[name:Agent {…} | tools]`,
/// for the checker to judge.
///
/// Members without a meaning become properties; `null` counts as absent. An agent without `tools` has no
/// tools. A string in `tools` is a reference to the tool or agent of that name, and an object with `instruction`
/// is another agent.
///
/// # Errors
/// Returns an error when `name`, `model` or `instruction` is missing or not a text, when a tool is
/// invalid (see [`tool_pattern_from_json`]), or when gram cannot express a member.
pub fn agent_pattern_from_json(json: &serde_json::Value) -> Result<Pattern, JsonError> {
    read_agent(Reader::root(json))
}

fn read_agent(reader: Reader<'_>) -> Result<Pattern, JsonError> {
    reader.object("an agent, `{\"name\", \"model\", \"instruction\", \"tools\"}`")?;
    let name = reader.member_text("name", "the agent's name")?;
    reader.member_text("model", "the model, such as \"OpenAI/gpt-6-luna\"")?;
    reader.member_text("instruction", "the agent's instruction")?;
    let mut tools = Vec::new();
    if let Some(signature) = reader.opt_member(SIGNATURE) {
        let text = signature.text("the agent's signature, as gram text")?;
        tools.push(read_signature(&reader, text)?);
    }
    if let Some(list) = reader.opt_member(TOOLS) {
        for (at, tool) in list.array("a list of tools")?.iter().enumerate() {
            tools.push(read_agent_tool(list.item(at, tool))?);
        }
    }
    let mut subject = Subject::new(name.to_owned()).with_label("Agent");
    subject.properties = properties(
        &reader,
        &AGENT_KEYS[1..],
        is_duration,
        &["name", TOOLS, SIGNATURE, SCHEMA],
    )?;
    Pattern::new(subject, tools)
        .map_err(|error| reader.wrong_because("an agent that gram can say", error.to_string()))
}

/// Reads a tool of an agent, or a reference to one.
fn read_agent_tool(reader: Reader<'_>) -> Result<Pattern, JsonError> {
    match reader.value.as_str() {
        Some("") => Err(reader.wrong("the name of a tool")),
        Some(name) => Ok(reference_pattern(name.to_owned())),
        None if reader.value.get("instruction").is_some() => read_agent(reader),
        None => read_tool(reader),
    }
}

/// Reads the JSON form of a tool as the pattern that declares it, `[name:Tool {…} | signature]`,
/// for the checker to judge.
///
/// `schema` is ignored, because `typeSignature` is the source of truth. Members without a meaning become
/// properties; `null` counts as absent.
///
/// # Errors
/// Returns an error when `name`, `description` or `typeSignature` is missing or not a text, when
/// `typeSignature` is not exactly one pattern of gram, or when gram cannot express a member.
pub fn tool_pattern_from_json(json: &serde_json::Value) -> Result<Pattern, JsonError> {
    read_tool(Reader::root(json))
}

fn read_tool(reader: Reader<'_>) -> Result<Pattern, JsonError> {
    reader.object("a tool, `{\"name\", \"description\", \"typeSignature\"}`")?;
    let name = reader.member_text("name", "the tool's name")?;
    reader.member_text("description", "the tool's description")?;
    let text = reader.member_text(SIGNATURE, "the tool's signature, as gram text")?;
    let signature = read_signature(&reader, text)?;
    let mut subject = Subject::new(name.to_owned()).with_label("Tool");
    let skipped = ["name", SIGNATURE, SCHEMA];
    subject.properties = properties(&reader, &["description"], |key| key == "timeout", &skipped)?;
    Pattern::new(subject, vec![signature])
        .map_err(|error| reader.wrong_because("a tool that gram can say", error.to_string()))
}

fn read_signature(reader: &Reader<'_>, text: &str) -> Result<Pattern, JsonError> {
    let wrong = |found: String| JsonError {
        path: reader.path.key(SIGNATURE).to_string(),
        expected: "a signature, such as `(name::Text)==>(::String)`".to_owned(),
        found,
    };
    let mut patterns = agent_gram::parse_patterns(text).map_err(|errors| {
        let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
        wrong(format!("text that is not gram: {}", messages.join("; ")))
    })?;
    match (patterns.pop(), patterns.len()) {
        (Some(signature), 0) => Ok(signature),
        (None, _) => Err(wrong("no pattern".to_owned())),
        (Some(_), more) => Err(wrong(format!("{} patterns", more + 1))),
    }
}

/// Returns the members of an object as properties: those named in `first` in that order, then the others
/// in the order of `serde_json`. A duration may be a text, which is also how it is written.
fn properties(
    reader: &Reader<'_>,
    first: &[&str],
    is_duration: fn(&str) -> bool,
    skipped: &[&str],
) -> Result<Record, JsonError> {
    let members = reader.object("an object")?;
    let rest = members.keys().map(String::as_str);
    let rest = rest.filter(|key| !first.contains(key) && !skipped.contains(key));
    let mut record = Record::new();
    for key in first.iter().copied().chain(rest) {
        let Some(member) = reader.opt_member(key) else {
            continue;
        };
        let value = match read_value(member, 1)? {
            Value::String(text) if is_duration(key) => {
                opt_measurement(&text).unwrap_or(Value::String(text))
            }
            value => value,
        };
        record
            .insert(key.to_owned(), value)
            .map_err(|error| member.wrong_because("what gram can say", error.to_string()))?;
    }
    Ok(record)
}

/// The reason why JSON cannot be read as a tool or an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// The JSON is not of the right form.
    Form(JsonError),
    /// The form is right, and the content has mistakes. Positions are in the gram text of the same
    /// content.
    Content(Diagnostics),
}

impl fmt::Display for SpecError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(error) => error.fmt(out),
            Self::Content(found) => found.fmt(out),
        }
    }
}

impl std::error::Error for SpecError {}

/// Parses a text such as `10s` or `1.5min` as a measurement; `None` for other texts.
fn opt_measurement(text: &str) -> Option<Value> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let number = number.parse().ok()?;
    let measurement = Measurement::new(number, unit.to_owned()).ok()?;
    Some(Value::from(measurement))
}

fn is_duration(key: &str) -> bool {
    key == "timeout"
        || Setting::from_key(key).is_some_and(|setting| setting.kind() == SettingKind::Duration)
}
