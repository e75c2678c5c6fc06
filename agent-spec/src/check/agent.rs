//! Agents: `[name:Agent {instruction: "…", model: "Provider/id"} | tools]`.

mod elements;
mod extra;
mod grants;
mod settings;
mod tool_choice;

use super::document::Definitions;
use super::keys::warn_of_own_key;
use super::place::Place;
use super::places::{AgentElement, AgentNode};
use super::reader::Reader;
use super::shapes::Shape;
use crate::agent::{AGENT_KEYS, Agent, Settings};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Model, PROVIDERS, nearest_provider};
use crate::names::nearly_spells;
use agent_gram::lower;
use agent_gram::syntax::Value;
use agent_gram::value::{Record, Text};
use elements::{read_elements, refuse_duplicate_tools};
use settings::read_setting;
use std::fmt;
use tool_choice::check_tool_choice;

/// The label that makes a pattern an agent.
pub(super) const AGENT_LABEL: &str = "Agent";

/// Reads an agent. Gives nothing when there is an error in it, its tools included.
pub(super) fn read_agent(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions,
) -> Option<AgentNode> {
    let before = reader.errors();
    let name = shape.identity.filter(|name| !name.text().is_empty());
    if name.is_none() {
        reader.report(
            Diagnostic::new(
                Code::MissingName,
                shape.head,
                "Agent must have a non-empty pattern identifier (name)",
            )
            .with_help("write the name before the label: `[my_agent:Agent …`"),
        );
    }
    let properties = if reader.is_broken(shape.before_elements()) {
        AgentProperties::default()
    } else {
        read_agent_properties(reader, shape)
    };
    let elements = read_elements(reader, shape, definitions);
    refuse_duplicate_tools(reader, &elements);
    let complete = elements.iter().all(Option::is_some);
    // A tool that could not be read may be the one that is meant.
    if let Some(choice) = &properties.settings.tool_choice
        && complete
        && !reader.is_broken(shape.after_head())
    {
        check_tool_choice(reader, shape, choice, &elements);
    }
    if reader.errors() > before || !complete || reader.is_broken(shape.span) {
        return None;
    }
    let name = name?;
    let elements: Vec<AgentElement> = elements.into_iter().flatten().collect();
    let mut agent = Agent::from_parts(
        Text::new(name.text()),
        properties.instruction?,
        properties.model?,
    );
    agent.set_description(properties.description);
    agent.set_settings(properties.settings);
    agent.set_extra(properties.extra);
    agent.set_tools(
        elements
            .iter()
            .filter_map(|element| match element {
                AgentElement::Tool { tool, .. } => Some(tool.spec.clone()),
                AgentElement::Unknown { .. } => None,
            })
            .collect(),
    );
    Some(AgentNode {
        agent,
        name: name.span(),
        elements,
    })
}

#[derive(Default)]
struct AgentProperties {
    instruction: Option<Text>,
    model: Option<Model>,
    description: Option<Text>,
    settings: Settings,
    extra: Record,
}

fn read_agent_properties(reader: &mut Reader<'_>, shape: &Shape<'_>) -> AgentProperties {
    let mut read = AgentProperties::default();
    let mut extra = Vec::new();
    let has = |key: &str| {
        shape
            .properties
            .iter()
            .any(|property| property.key().text() == key)
    };
    reader.refuse_duplicate_keys(shape.properties.iter().copied());
    for property in &shape.properties {
        let value = property.value();
        match property.key().text() {
            "name" => check_name(reader, shape, value),
            "description" => read.description = reader.owned_text(value, "`description`"),
            "instruction" => {
                read.instruction = reader.owned_text(value, "`instruction`");
                if read
                    .instruction
                    .as_ref()
                    .is_some_and(|text| text.trim().is_empty())
                {
                    let message = "the instruction of an agent must not be empty";
                    reader.error(Code::MissingInstruction, value.span(), message);
                }
            }
            "model" => read.model = read_model(reader, value, "`model`"),
            key if AGENT_KEYS.contains(&key) => {
                read_setting(reader, key, value, &mut read.settings);
            }
            key => {
                // A misspelt key would otherwise be kept in silence and do nothing.
                if AGENT_KEYS.iter().any(|known| nearly_spells(key, known)) {
                    reader.unknown_key(property.key(), Place::Agent.name(), &AGENT_KEYS);
                } else {
                    warn_of_own_key(reader, *property);
                    extra.push((Text::new(key), lower::lower_value(value)));
                }
            }
        }
    }
    let keys = shape.properties.iter().map(|property| property.key());
    let own = keys.filter(|key| !AGENT_KEYS.contains(&key.text()));
    for (key, code, example) in [
        (
            "instruction",
            Code::MissingInstruction,
            "instruction: \"You are a friendly assistant.\"",
        ),
        ("model", Code::MissingModel, "model: \"OpenAI/gpt-4o-mini\""),
    ] {
        if !has(key) {
            let message = format!("Agent must have '{key}' property");
            let found = Diagnostic::new(code, shape.head, message);
            reader.missing_key(found, key, example, own.clone());
        }
    }
    // Too deep cannot be: the parser's bound is that of values.
    read.extra = Record::from_entries(extra).unwrap_or_default();
    read
}

fn check_name(reader: &mut Reader<'_>, shape: &Shape<'_>, value: Value<'_>) {
    let Some(given) = reader.text(value, "`name`") else {
        return;
    };
    if let Some(identity) = shape.identity
        && identity.text() != given
    {
        reader.report(
            Diagnostic::new(
                Code::BadName,
                value.span(),
                format!(
                    "`name` says {given:?}, but the agent is named `{}`",
                    identity.text()
                ),
            )
            .with_label(identity.span(), "the agent's name")
            .with_help("remove `name`: the identifier is the name"),
        );
    }
}

/// Reads a model and checks that its provider is known.
fn read_model(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
) -> Option<Model> {
    let text = reader.text(value, what)?;
    let model = match Model::parse(text) {
        Ok(model) => model,
        Err(error) => {
            reader.error(Code::BadModel, value.span(), error.to_string());
            return None;
        }
    };
    let provider = model.provider();
    if PROVIDERS.contains(&provider) || reader.options.providers.contains(&provider) {
        return Some(model);
    }
    let found = Diagnostic::new(
        Code::UnknownProvider,
        value.span(),
        format!("`{provider}` is not a known provider"),
    );
    let help = match nearest_provider(provider, reader.options.providers) {
        Some(meant) => format!("did you mean `{meant}/{}`?", model.id()),
        None => {
            let known: Vec<&str> = PROVIDERS
                .iter()
                .chain(reader.options.providers)
                .copied()
                .collect();
            format!(
                "known providers: {}; `{provider}` becomes one with `--provider {provider}=URL` (in \
                 code, `providers: [\"{provider}\"]`)",
                known.join(", ")
            )
        }
    };
    reader.report(found.with_help(help));
    None
}
