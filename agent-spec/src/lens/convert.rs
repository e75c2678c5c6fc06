//! Specs to patterns.

use crate::agent::Agent;
use crate::duration::measurement_of;
use crate::grants::Grants;
use crate::lens::{AgentPattern, ToolPattern};
use crate::settings::Settings;
use crate::signature::Signature;
use crate::tool::ToolSpec;
use agent_gram::value::{Array, Record, Text};
use agent_gram::{Pattern, Subject, Value, ValueError};

/// The tool as a pattern. Reading the pattern gives an equal spec.
pub(crate) fn tool_pattern(tool: &ToolSpec) -> ToolPattern {
    let mut subject = Subject::new(tool.name().to_owned()).with_label("Tool");
    subject.properties = tool_properties(tool).unwrap_or_default();
    let elements = vec![signature_pattern(tool.signature()).unwrap_or_default()];
    ToolPattern(Pattern::new(subject, elements).unwrap_or_default())
}

/// The agent as a pattern. Reading the pattern gives an equal agent.
pub(crate) fn agent_pattern(agent: &Agent) -> AgentPattern {
    let mut subject = Subject::new(agent.name().to_owned()).with_label("Agent");
    subject.properties = agent_properties(agent).unwrap_or_default();
    let tools = agent.tools().iter();
    let elements = tools.map(|tool| tool_pattern(tool).0).collect();
    AgentPattern(Pattern::new(subject, elements).unwrap_or_default())
}

/// A signature as the pattern that its text is read as.
///
/// # Errors
/// When it nests too deep for gram, which one made in code may do until it becomes part of a spec.
pub(super) fn signature_pattern(signature: &Signature) -> Result<Pattern, ValueError> {
    // The text of a signature is gram by construction, so that its depth is all that can be wrong.
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
    extend(&mut record, tool.extra())?;
    Ok(record)
}

fn agent_properties(agent: &Agent) -> Result<Record, ValueError> {
    let mut record = Record::new();
    if let Some(description) = agent.description() {
        record.insert("description", text(description))?;
    }
    record.insert("instruction", text(agent.instruction()))?;
    record.insert("model", text(&agent.model().to_string()))?;
    insert_settings(&mut record, agent.settings())?;
    extend(&mut record, agent.extra())?;
    Ok(record)
}

fn insert_settings(record: &mut Record, settings: &Settings) -> Result<(), ValueError> {
    if let Some(temperature) = &settings.temperature {
        record.insert("temperature", Value::Decimal(temperature.clone()))?;
    }
    if let Some(top_p) = &settings.top_p {
        record.insert("topP", Value::Decimal(top_p.clone()))?;
    }
    if let Some(seed) = settings.seed {
        record.insert("seed", Value::Integer(seed.into()))?;
    }
    if let Some(count) = settings.max_tokens {
        record.insert("maxTokens", Value::Integer(count.into()))?;
    }
    if !settings.stop.is_empty() {
        let items = settings.stop.iter().map(|item| text(item)).collect();
        record.insert("stop", Value::Array(Array::new(items)?))?;
    }
    if let Some(effort) = settings.reasoning_effort {
        record.insert("reasoningEffort", text(effort.as_str()))?;
    }
    if let Some(choice) = &settings.tool_choice {
        record.insert("toolChoice", text(choice.as_str()))?;
    }
    if let Some(count) = settings.max_iterations {
        record.insert("maxIterations", Value::Integer(count.into()))?;
    }
    if let Some(timeout) = settings.tool_timeout {
        record.insert("toolTimeout", Value::from(measurement_of(timeout)))?;
    }
    if let Some(url) = &settings.base_url {
        record.insert("baseUrl", text(url))?;
    }
    if !settings.fallback.is_empty() {
        let items = settings
            .fallback
            .iter()
            .map(|model| text(&model.to_string()))
            .collect();
        record.insert("fallback", Value::Array(Array::new(items)?))?;
    }
    if let Some(grants) = &settings.grants {
        record.insert("grants", Value::Map(grants_record(grants)?))?;
    }
    if !settings.extra.is_empty() {
        record.insert("extra", Value::Map(settings.extra.clone()))?;
    }
    Ok(())
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
