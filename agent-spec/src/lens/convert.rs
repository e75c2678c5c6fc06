//! Specs to patterns.

use crate::agent::{Agent, AgentTool};
use crate::grants::Grants;
use crate::lens::{AgentPattern, ToolPattern};
use crate::settings::{CompactAbove, SettingValue, Settings};
use crate::tool::ToolSpec;
use agent_effects::{Effect, PRIVATE};
use agent_gram::value::{Array, Record, Text};
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_types::__private::measurement_of;
use agent_types::Signature;
use std::collections::HashMap;

/// The tool as a pattern. Reading the pattern gives an equal spec.
pub(crate) fn tool_pattern(tool: &ToolSpec) -> ToolPattern {
    let mut subject = Subject::new(tool.name().to_owned()).with_label("Tool");
    subject.properties = tool_properties(tool).unwrap_or_default();
    let elements = vec![signature_pattern(tool.signature()).unwrap_or_default()];
    ToolPattern(Pattern::new(subject, elements).unwrap_or_default())
}

/// The agent as a pattern. Reading the pattern gives an equal agent.
///
/// Each agent that the agent can call is written out at its first call, and named elsewhere.
pub(crate) fn agent_pattern(agent: &Agent) -> AgentPattern {
    let pattern = with_called_agents(agent, |agent, defined| {
        let mut subject = Subject::new(agent.name().to_owned()).with_label("Agent");
        subject.properties = agent_properties(agent).unwrap_or_default();
        let signature = agent.own_signature();
        let signature = signature.map(|own| signature_pattern(own).unwrap_or_default());
        let tools = agent.all_tools().map(|tool| match tool {
            AgentTool::Spec(spec) => match defined(spec.name()) {
                CalledHere::Tool => tool_pattern(spec).0,
                CalledHere::First(pattern) => pattern,
                CalledHere::Again => reference_pattern(spec.name().to_owned()),
            },
            AgentTool::Reference(name) => reference_pattern(name.to_owned()),
        });
        let elements = signature.into_iter().chain(tools).collect();
        Pattern::new(subject, elements).unwrap_or_default()
    });
    AgentPattern(pattern)
}

/// The form of a tool of an agent, in a document that contains each called agent once.
pub(crate) enum CalledHere<T> {
    /// A tool that is no agent.
    Tool,
    /// An agent that is written here.
    First(T),
    /// An agent that is written elsewhere.
    Again,
}

/// Writes an agent, and each agent that it can call at its first caller. `write` gets an agent and a function
/// that returns the form of each of its tools.
pub(crate) fn with_called_agents<T>(
    agent: &Agent,
    write: impl Fn(&Agent, &mut dyn FnMut(&str) -> CalledHere<T>) -> T,
) -> T {
    let called = agent.called_agents();
    let mut names = HashMap::new();
    for (place, called) in called.iter().enumerate() {
        names.insert(called.agent.name(), place);
    }
    let here = |written: &mut [Option<T>], caller: Option<usize>, name: &str| match names
        .get(name)
        .copied()
    {
        None => CalledHere::Tool,
        Some(place) if called[place].caller == caller && name != agent.name() => written[place]
            .take()
            .map_or(CalledHere::Again, CalledHere::First),
        Some(_) => CalledHere::Again,
    };
    let mut written: Vec<Option<T>> = called.iter().map(|_| None).collect();
    // Called agents come after their callers, so in reverse order each is written before its caller.
    for at in (0..called.len()).rev() {
        let value = write(called[at].agent, &mut |name| {
            here(&mut written, Some(at), name)
        });
        written[at] = Some(value);
    }
    write(agent, &mut |name| here(&mut written, None, name))
}

/// The reference to a tool as a pattern.
pub(crate) fn reference_pattern(name: impl Into<Text>) -> Pattern {
    // One subject is one level deep, which is always within bounds.
    Pattern::new(Subject::new(name), Vec::new()).unwrap_or_default()
}

/// A signature as the pattern that its text is read as.
///
/// # Errors
/// When the signature nests too deep for gram. A signature made in code may do so until it becomes part of a
/// spec.
pub(super) fn signature_pattern(signature: &Signature) -> Result<Pattern, ValueError> {
    // The text of a signature is gram by construction, so only its depth can be wrong.
    let patterns = agent_gram::parse_patterns(&signature.to_string());
    let signature = patterns
        .ok()
        .and_then(|patterns| patterns.into_iter().next());
    signature.ok_or(ValueError::TooDeep)
}

fn text(text: &str) -> Value {
    Value::String(Text::new(text))
}

fn tool_properties(tool: &ToolSpec) -> Result<Record, ValueError> {
    let mut record = Record::new();
    record.insert("description", text(tool.description()))?;
    if let Some(timeout) = tool.timeout() {
        record.insert("timeout", Value::from(measurement_of(timeout)))?;
    }
    if tool.requires_approval() {
        record.insert("requiresApproval", Value::Boolean(true))?;
    }
    for (effect, is) in tool.effects().iter() {
        record.insert(effect.key(), effect_value(effect, is)?)?;
    }
    extend(&mut record, tool.extra())?;
    Ok(record)
}

/// A statement about an effect as the value of its key.
pub(crate) fn effect_value(effect: Effect, is: bool) -> Result<Value, ValueError> {
    Ok(match effect {
        Effect::ReadsPrivate => text_list(is.then(|| text(PRIVATE)).into_iter())?,
        _ => Value::Boolean(is),
    })
}

fn agent_properties(agent: &Agent) -> Result<Record, ValueError> {
    let mut record = Record::new();
    if let Some(description) = agent.description() {
        record.insert("description", text(description))?;
    }
    record.insert("instruction", text(agent.instruction()))?;
    if let Some(prompt) = agent.prompt() {
        record.insert("prompt", text(prompt))?;
    }
    if let Some(names) = agent.host_variables() {
        record.insert("variables", text_list(names.iter().map(|name| text(name)))?)?;
    }
    record.insert("model", text(&agent.model().to_string()))?;
    insert_settings(&mut record, agent.settings())?;
    if let Some(timeout) = agent.timeout() {
        record.insert("timeout", Value::from(measurement_of(timeout)))?;
    }
    if agent.requires_approval() {
        record.insert("requiresApproval", Value::Boolean(true))?;
    }
    extend(&mut record, agent.extra())?;
    Ok(record)
}

fn insert_settings(record: &mut Record, settings: &Settings) -> Result<(), ValueError> {
    for (setting, value) in settings.iter() {
        record.insert(setting.key(), setting_value(value))?;
    }
    Ok(())
}

/// A setting as the value that declares it.
pub(crate) fn setting_value(value: SettingValue<'_>) -> Value {
    const FLAT: &str = "a list of texts is flat";
    match value {
        SettingValue::Number(number) => Value::Decimal(number.clone()),
        SettingValue::Integer(integer) => Value::Integer(integer.into()),
        SettingValue::Count(count) => Value::Integer(count.into()),
        SettingValue::Texts(texts) => text_list(texts.iter().map(|item| text(item))).expect(FLAT),
        SettingValue::Effort(effort) => text(effort.as_str()),
        SettingValue::Cache(cache) => text(cache.as_str()),
        SettingValue::CompactAbove(CompactAbove::Auto) => text(CompactAbove::AUTO),
        SettingValue::CompactAbove(CompactAbove::Tokens(tokens)) => Value::Integer(tokens.into()),
        SettingValue::Choice(choice) => text(choice.as_str()),
        SettingValue::Flag(is) => Value::Boolean(is),
        SettingValue::WhenTainted(when) => text(when.as_str()),
        SettingValue::Duration(duration) => Value::from(measurement_of(duration)),
        SettingValue::Url(url) => text(url),
        SettingValue::Models(models) => {
            text_list(models.iter().map(|model| text(&model.to_string()))).expect(FLAT)
        }
        SettingValue::Grants(grants) => Value::Map(grants_record(grants).expect(FLAT)),
        SettingValue::Record(record) => Value::Map(record.clone()),
    }
}

fn text_list(items: impl Iterator<Item = Value>) -> Result<Value, ValueError> {
    Array::new(items.collect()).map(Value::Array)
}

pub(super) fn grants_record(grants: &Grants) -> Result<Record, ValueError> {
    let mut record = Record::new();
    for (key, part) in grants.parts() {
        if !part.is_empty() {
            let items = part.iter().map(|item| text(item)).collect();
            record.insert(key, Value::Array(Array::new(items)?))?;
        }
    }
    Ok(record)
}

fn extend(record: &mut Record, extra: &Record) -> Result<(), ValueError> {
    for (key, value) in extra.entries() {
        record.insert(key.clone(), value.clone())?;
    }
    Ok(())
}
