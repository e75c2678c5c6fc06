//! Agents: `[name:Agent {instruction: "…", model: "Provider/id"} | tools]`.

use crate::agent::{Agent, AgentFunction, OwnTool};
use crate::check::document::Definitions;
use crate::check::keys::{warn_of_extra_key, warn_of_own_key};
use crate::check::model_rules::check_model;
use crate::check::places::{AgentElement, AgentNode, SignaturePlaces, ToolNode, ToolPlaces};
use crate::check::reader::{Quoted, Reader, read_duration};
use crate::check::shapes::{Member, Shape};
use crate::check::signature::{nodes_of, read_agent_signature};
use crate::check::templates::{check_templates, read_variables, refuse_filled_twice};
use crate::check::tool::read_tool;
use crate::diagnostic::{Code, Diagnostic};
use crate::grants::{Grants, check_grant};
use crate::model::{Model, PROVIDERS, nearest_provider};
use crate::settings::{
    CompactAbove, PromptCache, RESERVED_EXTRAS, ReasoningEffort, SEARCH_TOOLS, SettingValue,
    Settings, TOOL_CHOICES, ToolChoice,
};
use crate::tool::ToolSpec;
use crate::vocabulary::{
    AGENT_KEYS, AGENT_LABEL, GRANT_KEYS, RecordKind, Setting, SettingKind, TOOL_LABELS,
};
use agent_gram::collection::NameIndex;
use agent_gram::syntax::{
    Arrow, Element, Node, Number, NumberKind, Property, Record, Subject, Value, ValueKind,
};
use agent_gram::value::{Decimal, Text};
use agent_gram::{Span, lower, value};
use agent_types::Signature;
use agent_types::names::{is_tool_name, nearest, nearly_spells};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Reads an agent. Returns `None` when the agent or one of its tools has an error.
pub(super) fn read_agent(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions<'_>,
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
    let ReadElements {
        signature,
        is_signature_wrong,
        elements,
    } = read_elements(reader, shape, definitions);
    refuse_filled_twice(reader, &properties.variables, signature.as_ref());
    check_templates(reader, &properties, signature.as_ref(), is_signature_wrong);
    refuse_duplicate_tools(reader, &elements);
    if properties.settings.tool_search == Some(true) {
        refuse_names_of_the_search(reader, shape, &elements);
    }
    let complete = elements.iter().all(Option::is_some);
    // A tool with errors may be the chosen tool.
    if let Some(choice) = &properties.settings.tool_choice
        && complete
        && !reader.is_broken(shape.after_head())
    {
        check_tool_choice(reader, shape, choice, &elements);
    }
    if !reader.is_broken(shape.span) {
        let signature = signature.as_ref().map(|own| &own.signature);
        check_model(reader, shape, &properties, signature, &elements);
    }
    if reader.errors() > before || !complete || reader.is_broken(shape.span) {
        return None;
    }
    let name = name?;
    let elements: Vec<AgentElement> = elements.into_iter().flatten().collect();
    let may_copy = |element: &AgentElement| match element {
        AgentElement::Tool {
            tool,
            reference: Some(span),
        } => {
            let whole = tool.places.whole;
            reader.may_copy(whole.len(), *span)
        }
        _ => true,
    };
    if !elements.iter().all(may_copy) {
        return None;
    }
    let mut agent = Agent::from_parts(
        Text::new(name.text()),
        properties.instruction?.0,
        properties.model?,
    );
    agent.set_description(properties.description);
    agent.set_settings(properties.settings);
    agent.set_extra(properties.extra);
    // The specs of other agents are known when all agents are read.
    agent.set_tools(elements.iter().map(|element| match element {
        AgentElement::Tool { tool, .. } => OwnTool::Spec(tool.spec.clone()),
        AgentElement::Agent { name, .. } | AgentElement::Unknown { name, .. } => {
            OwnTool::Reference(Text::new(name))
        }
    }));
    let (signature, places) = match signature {
        Some(OwnSignature { signature, places }) => (Some(signature), Some(places)),
        None => (None, None),
    };
    agent.set_function(AgentFunction::new(
        signature,
        properties.prompt.map(|(text, _)| text),
        properties
            .variables
            .map(|names| names.into_iter().map(|(name, _)| name).collect()),
        properties.timeout,
        properties.requires_approval,
    ));
    Some(AgentNode {
        agent,
        name: name.span(),
        description: properties.described_at.unwrap_or(name.span()),
        is_inside: false,
        signature: places,
        elements,
    })
}

/// The properties of an agent.
#[derive(Default)]
pub(super) struct AgentProperties<'t> {
    pub(super) instruction: Option<(Text, Value<'t>)>,
    pub(super) prompt: Option<(Text, Value<'t>)>,
    /// The names of `variables`.
    pub(super) variables: Option<Vec<(Text, Span)>>,
    pub(super) model: Option<Model>,
    description: Option<Text>,
    described_at: Option<Span>,
    timeout: Option<Duration>,
    requires_approval: bool,
    pub(super) settings: Settings,
    extra: value::Record,
}

fn read_agent_properties<'t>(reader: &mut Reader<'_>, shape: &Shape<'t>) -> AgentProperties<'t> {
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
            "description" => {
                read.description = reader.owned_text(value, "`description`");
                read.described_at = Some(value.span());
            }
            "instruction" => {
                let text = reader.owned_text(value, "`instruction`");
                if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                    let message = "the instruction of an agent must not be empty";
                    reader.error(Code::MissingInstruction, value.span(), message);
                }
                read.instruction = text.map(|text| (text, value));
            }
            "prompt" => {
                let text = reader.owned_text(value, "`prompt`");
                if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                    let message = "the template of the user message must not be empty";
                    reader.report(
                        Diagnostic::new(Code::BadValue, value.span(), message).with_help(
                            "remove `prompt`: the message is then made of the parameters",
                        ),
                    );
                }
                read.prompt = text.map(|text| (text, value));
            }
            "variables" => read.variables = Some(read_variables(reader, value)),
            "timeout" => read.timeout = read_duration(reader, value, "`timeout`"),
            "requiresApproval" => {
                read.requires_approval =
                    reader.boolean(value, "`requiresApproval`").unwrap_or(false);
            }
            "model" => {
                let instead = reader.options.model_rules.and_then(|rules| rules.instead);
                read.model = read_model(reader, value, "`model`", instead);
            }
            key => {
                if let Some(setting) = Setting::from_key(key) {
                    read_setting(reader, setting, value, &mut read.settings);
                    continue;
                }
                if is_tools(key) {
                    reader.report(tools_as_property(shape, *property));
                    continue;
                }
                // A misspelt key would otherwise be kept as an extra property without any effect.
                if AGENT_KEYS.iter().any(|known| nearly_spells(key, known)) {
                    reader.unknown_key(property.key(), RecordKind::Agent.owner(), AGENT_KEYS);
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
        ("model", Code::MissingModel, "model: \"OpenAI/gpt-6-luna\""),
    ] {
        if !has(key) {
            let message = format!("Agent must have '{key}' property");
            let found = Diagnostic::new(code, shape.head, message);
            reader.missing_key(found, key, example, own.clone());
        }
    }
    // Too deep cannot be: the parser's bound is that of values.
    read.extra = value::Record::from_entries(extra).unwrap_or_default();
    read
}

/// Whether a property is called as the tools of an agent are elsewhere.
fn is_tools(key: &str) -> bool {
    let folded: String = key.chars().filter(|c| !matches!(c, '_' | '-')).collect();
    [
        "tool",
        "tools",
        "toolspec",
        "toolspecs",
        "toolspecifications",
        "toolset",
        "agenttools",
        "agenttoolspecs",
        "functions",
    ]
    .iter()
    .any(|name| folded.eq_ignore_ascii_case(name))
}

/// Returns the error about tools in a property, which would be kept without any effect.
fn tools_as_property(shape: &Shape<'_>, property: Property<'_>) -> Diagnostic {
    let key = property.key();
    let named = |value: Value<'_>| match value.kind() {
        ValueKind::String { text, .. } | ValueKind::Symbol(text) => {
            is_tool_name(text).then(|| text.to_owned())
        }
        _ => None,
    };
    let names: Vec<String> = items(property.value())
        .into_iter()
        .filter_map(named)
        .collect();
    let names = match names.as_slice() {
        [] => "sayHello".to_owned(),
        names => names.join(", "),
    };
    let agent = shape.identity.map_or("name", |name| name.text());
    let message = format!("`{}` is not a property of an agent", key.text());
    Diagnostic::new(Code::UnknownProperty, key.span(), message).with_help(format!(
        "the tools of an agent come after a bar: `[{agent}:Agent {{…}} | {names}]`"
    ))
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

/// Reads a model and checks that its provider is known, or that of the model that is asked instead.
fn read_model(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
    instead: Option<&Model>,
) -> Option<Model> {
    let text = reader.text(value, what)?;
    let model = match Model::parse(text) {
        Ok(model) => model,
        Err(error) => {
            reader.error(Code::BadModel, value.span(), error.to_string());
            return None;
        }
    };
    let asked = instead.unwrap_or(&model);
    let (provider, options) = (asked.provider(), &reader.options);
    let catalog = options.model_rules.map(|rules| rules.catalog);
    if options.any_provider
        || PROVIDERS.contains(&provider)
        || catalog.is_some_and(|catalog| catalog.provider(provider).is_some())
        || options.providers.contains(&provider)
    {
        return Some(model);
    }
    let found = Diagnostic::new(
        Code::UnknownProvider,
        value.span(),
        format!("`{provider}` is not a known provider"),
    );
    let help = match nearest_provider(provider, reader.options.providers) {
        Some(meant) => format!("did you mean `{meant}/{}`?", asked.id()),
        None => {
            format!(
                "known providers: {}; `{provider}` becomes one with `--provider {provider}=URL` (in \
                 code, `providers: [\"{provider}\"]`)",
                known_providers(reader.options.providers)
            )
        }
    };
    reader.report(found.with_help(help));
    None
}

/// Lists the known providers, of which a project file may have any number.
fn known_providers(registered: &[&str]) -> String {
    listed(registered.iter().chain(&PROVIDERS).copied())
}

/// Lists names, and the number of those beyond the first.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    const LISTED: usize = 20;
    let more = names.clone().count().saturating_sub(LISTED);
    let listed: Vec<&str> = names.take(LISTED).collect();
    match more {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// Reads one setting.
fn read_setting(
    reader: &mut Reader<'_>,
    setting: Setting,
    value: Value<'_>,
    settings: &mut Settings,
) {
    let what = Quoted(setting.key());
    match setting.kind() {
        SettingKind::Number(most) => {
            if let Some(number) = read_number(reader, value, what, most) {
                settings.set(setting, SettingValue::Number(&number));
            }
        }
        SettingKind::Integer => {
            if let Some(integer) = reader.integer(value, what, "a whole number of 64 bits") {
                settings.set(setting, SettingValue::Integer(integer));
            }
        }
        SettingKind::Count(most) => {
            if let Some(count) = read_count(reader, value, what, most) {
                settings.set(setting, SettingValue::Count(count));
            }
        }
        SettingKind::Texts => {
            let mut texts = Vec::new();
            for item in items(value) {
                texts.extend(reader.owned_text(item, what));
            }
            settings.set(setting, SettingValue::Texts(&texts));
        }
        SettingKind::Effort => {
            if let Some(effort) = read_effort(reader, value, what) {
                settings.set(setting, SettingValue::Effort(effort));
            }
        }
        SettingKind::Cache => {
            if let Some(cache) = read_cache(reader, value, what) {
                settings.set(setting, SettingValue::Cache(cache));
            }
        }
        SettingKind::CompactAbove => {
            if let Some(above) = read_compact_above(reader, value, what) {
                settings.set(setting, SettingValue::CompactAbove(above));
            }
        }
        // Whether the agent has such a tool is known when its elements are read.
        SettingKind::Choice => {
            if let Some(text) = reader.text(value, what) {
                settings.set(setting, SettingValue::Choice(&ToolChoice::of(text)));
            }
        }
        SettingKind::Flag => {
            if let Some(is) = reader.boolean(value, what) {
                settings.set(setting, SettingValue::Flag(is));
            }
        }
        SettingKind::Duration => {
            if let Some(duration) = read_duration(reader, value, what) {
                settings.set(setting, SettingValue::Duration(duration));
            }
        }
        SettingKind::Url => {
            if let Some(url) = read_url(reader, value, what) {
                settings.set(setting, SettingValue::Url(url));
            }
        }
        SettingKind::Models => {
            let mut models = Vec::new();
            for item in items(value) {
                models.extend(read_model(reader, item, what, None));
            }
            settings.set(setting, SettingValue::Models(&models));
        }
        SettingKind::Grants => {
            if let Some(grants) = read_grants(reader, value) {
                settings.set(setting, SettingValue::Grants(&grants));
            }
        }
        SettingKind::Record => {
            settings.set(setting, SettingValue::Record(&read_extra(reader, value)));
        }
    }
}

fn read_number(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: Quoted<'_>,
    most: f64,
) -> Option<Decimal> {
    if let ValueKind::Number(number) = value.kind() {
        let number = match number.kind() {
            NumberKind::Integer(value) => Some(value as f64),
            NumberKind::Decimal(value) => Some(value),
            NumberKind::Measurement { .. } => None,
        };
        if let Some(number) = number.filter(|number| (0.0..=most).contains(number)) {
            return Decimal::new(number).ok();
        }
    }
    reader.wrong(value, what, &format!("a number from 0 to {most}"))
}

fn read_count(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
    most: u32,
) -> Option<u32> {
    let is_above = |number: Number<'_>| matches!(number.kind(), NumberKind::Integer(count) if count > most.into());
    let range = match value.kind() {
        ValueKind::Number(number) if is_above(number) => format!("a whole number from 1 to {most}"),
        _ if most == u32::MAX => "a whole number, 1 or more".to_owned(),
        _ => format!("a whole number from 1 to {most}"),
    };
    let count = reader.integer(value, what, &range)?;
    if count == 0 || count > most {
        reader.wrong(value, what, &range)
    } else {
        Some(count)
    }
}

fn read_effort(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: Quoted<'_>,
) -> Option<ReasoningEffort> {
    let word = reader.text(value, what)?;
    let effort = ReasoningEffort::of(word);
    if effort.is_none() {
        let known = ReasoningEffort::ALL.map(ReasoningEffort::as_str);
        let message = format!("{word:?} is no effort that a model has");
        let found = Diagnostic::new(Code::BadValue, value.span(), message);
        reader.report(found.with_help(match nearest(word, known) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("the efforts are {}", known.join(", ")),
        }));
    }
    effort
}

fn read_cache(reader: &mut Reader<'_>, value: Value<'_>, what: Quoted<'_>) -> Option<PromptCache> {
    let word = reader.text(value, what)?;
    let cache = PromptCache::of(word);
    if cache.is_none() {
        let message = format!("{word:?} is not a time for which requests are cached");
        let known = PromptCache::ALL.map(|cache| format!("{:?}", cache.as_str()));
        let found = Diagnostic::new(Code::BadValue, value.span(), message);
        reader.report(found.with_help(format!("known: {}", known.join(", "))));
    }
    cache
}

fn read_compact_above(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: Quoted<'_>,
) -> Option<CompactAbove> {
    let ValueKind::String { text, .. } = value.kind() else {
        return read_count(reader, value, what, u32::MAX).map(CompactAbove::Tokens);
    };
    if text == CompactAbove::AUTO {
        return Some(CompactAbove::Auto);
    }
    let message = format!("{text:?} is no number of tokens");
    let found = Diagnostic::new(Code::BadValue, value.span(), message);
    let help = "write a whole number, or \"auto\" for four fifths of the model's context";
    reader.report(found.with_help(help));
    None
}

pub(super) fn read_url<'t>(
    reader: &mut Reader<'_>,
    value: Value<'t>,
    what: Quoted<'_>,
) -> Option<&'t str> {
    let url = reader.text(value, what)?;
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '\\', '?', '#']).next());
    let message = match host.unwrap_or_default() {
        "" => "must be an `http://` or `https://` address with a host",
        host if host.contains('@') => {
            "must hold no user name or password; a server that wants a key gets it in a header"
        }
        _ => return Some(url),
    };
    reader.error(Code::BadValue, value.span(), format!("{what} {message}"));
    None
}

/// The items of a list; a value that is no list counts as a list of one.
pub(crate) fn items(value: Value<'_>) -> Vec<Value<'_>> {
    match value.kind() {
        ValueKind::Array(array) => array.items().collect(),
        _ => vec![value],
    }
}

const WHAT: &str = "what `extra` says";

/// Reads the members. Reports a part that JSON cannot express at its position.
fn read_extra(reader: &mut Reader<'_>, value: Value<'_>) -> value::Record {
    let ValueKind::Map(record) = value.kind() else {
        let expected =
            "a record of what the provider is sent, such as `{parallel_tool_calls: false}`";
        return reader.wrong(value, "`extra`", expected).unwrap_or_default();
    };
    for property in record.properties() {
        refuse_reserved(reader, property.key());
    }
    check_record(reader, record);
    match lower::lower_value(value) {
        agent_gram::Value::Map(record) => record,
        _ => value::Record::new(),
    }
}

fn refuse_reserved(reader: &mut Reader<'_>, key: agent_gram::syntax::Name<'_>) {
    if !RESERVED_EXTRAS.contains(&key.text()) {
        return;
    }
    let help = match key.text() {
        "model" => "write the model into the agent's own `model`",
        "messages" => "the instruction and the conversation are sent as messages",
        "tools" => "the tools are the agent's elements, after the `|`",
        _ => "the program that runs the agent decides whether the answer is streamed",
    };
    let message = format!(
        "`{}` in `extra` would replace what the run sends",
        key.text()
    );
    let found = Diagnostic::new(Code::ReservedExtra, key.span(), message);
    reader.report(found.with_help(help));
}

fn check_record(reader: &mut Reader<'_>, record: Record<'_>) {
    reader.refuse_duplicate_keys(record.properties());
    for property in record.properties() {
        warn_of_extra_key(reader, property);
        check_value(reader, property.value());
    }
}

fn check_value(reader: &mut Reader<'_>, value: Value<'_>) {
    const PLAIN: &str =
        "a text in quotes, a number, `true`, `false`, a list or a record, to be sent as JSON";
    match value.kind() {
        ValueKind::Map(record) => check_record(reader, record),
        ValueKind::Array(array) => {
            for item in array.items() {
                check_value(reader, item);
            }
        }
        // Reads the symbol as text, which reports that it must be quoted.
        ValueKind::Symbol(_) => {
            reader.text(value, WHAT);
        }
        ValueKind::Range { .. } => refuse(reader, value, PLAIN),
        ValueKind::Number(number) if matches!(number.kind(), NumberKind::Measurement { .. }) => {
            refuse(reader, value, PLAIN);
        }
        _ => {}
    }
}

fn refuse(reader: &mut Reader<'_>, value: Value<'_>, expected: &str) {
    let _: Option<()> = reader.wrong(value, WHAT, expected);
}

/// Reads the grants.
fn read_grants(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Grants> {
    let ValueKind::Map(record) = value.kind() else {
        let expected = "a record of what the tools may touch, such as `{read: [\"docs\"]}`";
        return reader.wrong(value, "`grants`", expected);
    };
    reader.refuse_duplicate_keys(record.properties());
    let mut grants = Grants::new();
    for property in record.properties() {
        let key = property.key();
        match grants.part_mut(key.text()) {
            Some(part) => *part = Cow::Owned(read_part(reader, property)),
            None => {
                reader.unknown_key(key, RecordKind::Grants.owner(), &GRANT_KEYS);
            }
        }
    }
    Some(grants)
}

fn read_part(reader: &mut Reader<'_>, property: Property<'_>) -> Vec<Text> {
    let key = property.key().text();
    let items = items(property.value()).into_iter();
    items
        .filter_map(|item| {
            let text = reader.owned_text(item, Quoted(key))?;
            match check_grant(key, &text) {
                Ok(()) => Some(text),
                Err(reason) => {
                    let message = format!("what `{key}` grants, {:?}, {reason}", text.as_str());
                    reader.error(Code::BadValue, item.span(), message);
                    None
                }
            }
        })
        .collect()
}

/// The signature of an agent, with its positions.
pub(super) struct OwnSignature {
    pub(super) signature: Signature,
    pub(super) places: SignaturePlaces,
}

/// The elements of an agent.
struct ReadElements {
    signature: Option<OwnSignature>,
    /// Whether the agent has a signature with errors, or may have one in broken code.
    is_signature_wrong: bool,
    /// The other elements. An element with errors is `None`.
    elements: Vec<Option<AgentElement>>,
}

/// Reads the signature and the other elements.
fn read_elements(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions<'_>,
) -> ReadElements {
    let broken = reader.is_broken(shape.after_head());
    let mut is_signature_wrong = broken;
    let mut own: Option<OwnSignature> = None;
    let mut first: Option<Span> = None;
    let mut is_several_reported = false;
    let mut elements = Vec::new();
    for &element in &shape.elements {
        if let Some(path) = opt_signature(element) {
            if reader.is_broken(element.span()) {
                elements.push(None);
                continue;
            }
            if let Some(first) = first {
                if std::mem::replace(&mut is_several_reported, true) {
                    continue;
                }
                let message = "an agent has at most one signature";
                let found = Diagnostic::new(Code::SeveralSignatures, element.span(), message);
                reader.report(found.with_label(first, "the first one").with_help(
                    "keep one: its parameters are what the agent is called with, its result is the answer",
                ));
                continue;
            }
            first = Some(element.span());
            let read = read_agent_signature(reader, path);
            own = read.map(|(signature, places)| OwnSignature { signature, places });
            if own.is_none() {
                // A signature with errors is an element with errors.
                elements.push(None);
                is_signature_wrong = true;
            }
            continue;
        }
        // Next to a syntax error, what seems to be an odd element may be part of a good one.
        let odd = !is_known_element(element);
        elements.push(if odd && broken {
            None
        } else {
            read_element(reader, element, definitions)
        });
        // A path that is no signature, because it has no types or its arrows have labels, was meant as one.
        is_signature_wrong |= path_of(element).is_some();
    }
    ReadElements {
        signature: own,
        is_signature_wrong,
        elements,
    }
}

/// Returns an element that is a signature: nodes with types, and arrows between them without a subject. In a
/// pattern that was read from JSON, a long path is a bracket without a head.
pub(super) fn opt_signature(element: Member<'_>) -> Option<Element<'_>> {
    let (element, nodes, arrows) = path_of(element)?;
    let has_type = |subject: Subject<'_>| subject.labels().next().is_some();
    if !nodes.iter().filter_map(Node::subject).any(has_type) {
        return None;
    }
    arrows
        .iter()
        .all(|arrow| arrow.subject().is_none())
        .then_some(element)
}

/// Returns an element that is a path, with its nodes and arrows.
fn path_of(element: Member<'_>) -> Option<(Element<'_>, Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    let Member::Element(element) = element else {
        return None;
    };
    if let Element::Bracket(bracket) = element
        && bracket.subject().is_some()
    {
        return None;
    }
    let (nodes, arrows) = nodes_of(element)?;
    Some((element, nodes, arrows))
}

fn is_known_element(element: Member<'_>) -> bool {
    matches!(element, Member::Element(Element::Reference(_)))
        || element.shape().is_some_and(|shape| {
            shape.label(&TOOL_LABELS).is_some() || shape.label(&[AGENT_LABEL]).is_some()
        })
}

fn read_element(
    reader: &mut Reader<'_>,
    element: Member<'_>,
    definitions: &Definitions<'_>,
) -> Option<AgentElement> {
    if reader.is_broken(element.span()) {
        return None;
    }
    if let Member::Element(Element::Reference(name)) = element {
        return read_reference(reader, name.text(), name.span(), definitions);
    }
    if let Some(shape) = element.shape() {
        if shape.label(&TOOL_LABELS).is_some() {
            // The tool was read with all tools. An agent with a broken tool is incomplete.
            let name = shape.identity?.text();
            let tool = definitions.tool(name)?;
            // When several definitions are equal, only the one at this element has the right positions.
            let tool = if tool.places.whole == shape.span {
                Arc::clone(tool)
            } else {
                Arc::new(read_tool(reader, &shape)?)
            };
            return Some(AgentElement::Tool {
                tool,
                reference: None,
            });
        }
        // The agent is read with all agents.
        if shape.label(&[AGENT_LABEL]).is_some() {
            let name = shape.identity?;
            return Some(AgentElement::Agent {
                name: name.text().to_owned(),
                span: name.span(),
            });
        }
        if let Some(name) = shape.identity
            && shape.labels.is_empty()
            && shape.properties.is_empty()
            && shape.elements.is_empty()
        {
            return read_reference(reader, name.text(), name.span(), definitions);
        }
        // Only tools have exactly one element, so this is a tool with a wrong label or without a label.
        if shape.elements.len() == 1 {
            let label = shape.labels.first();
            let found = Diagnostic::new(
                Code::NotATool,
                label.map_or(shape.head, |label| label.name().span()),
                "Tool specification must have ToolSpecification label",
            );
            let known = [TOOL_LABELS[0], TOOL_LABELS[1], AGENT_LABEL];
            let meant = label.and_then(|label| nearest(label.name().text(), known));
            reader.report(match meant {
                Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
                None => {
                    found.with_help("write the label `Tool` after the name: `[sayHello:Tool …`")
                }
            });
            return None;
        }
    }
    reader.report(
        Diagnostic::new(
            Code::NotATool,
            element.span(),
            "an element of an agent must be its signature, a tool, another agent, or the name of a tool or agent",
        )
        .with_help(
            "write a signature, `(text::Text)==>(::String)`; a tool, `[sayHello:Tool {description: \"…\"} | \
             (personName::Text)==>(::String)]`; an agent, `[name:Agent {…}]`; or a name alone",
        ),
    );
    None
}

fn read_reference(
    reader: &mut Reader<'_>,
    name: &str,
    span: Span,
    definitions: &Definitions<'_>,
) -> Option<AgentElement> {
    if definitions.agents.contains(name) {
        return Some(AgentElement::Agent {
            name: name.to_owned(),
            span,
        });
    }
    if let Some(tool) = definitions.tools.get(name) {
        return Some(AgentElement::Tool {
            tool: Arc::clone(tool.as_ref()?),
            reference: Some(span),
        });
    }
    if let Some(spec) = reader
        .options
        .known_tools
        .iter()
        .find(|spec| spec.name() == name)
    {
        let tool = ToolNode {
            spec: ToolSpec::clone(spec),
            places: ToolPlaces::default(),
        };
        return Some(AgentElement::Tool {
            tool: Arc::new(tool),
            reference: Some(span),
        });
    }
    if reader.options.keep_unknown_references {
        return Some(AgentElement::Unknown {
            name: name.to_owned(),
            span,
        });
    }
    let found = Diagnostic::new(
        Code::UnknownTool,
        span,
        format!("no tool or agent `{name}` is defined in this document or built in"),
    );
    // Comparing every unknown name with every known one takes quadratic time.
    let known = [
        definitions.agent_names.len(),
        definitions.tools.len(),
        reader.options.known_tools.len(),
    ];
    let meant = if reader.may_search(known.iter().sum()) {
        let mut known = definitions.agent_names.clone();
        for (name, tool) in &definitions.tools {
            if tool.is_some() {
                known.push(name);
            }
        }
        known.extend(reader.options.known_tools.iter().map(ToolSpec::name));
        nearest(name, known)
    } else {
        None
    };
    reader.report(match meant {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
        None => found.with_help(
            "define it: `[name:Tool {description: \"…\"} | (personName::Text)==>(::String)]`",
        ),
    });
    None
}

/// Returns the name of a tool and its position.
fn named(element: &AgentElement) -> (&str, Span) {
    match element {
        AgentElement::Tool { tool, reference } => {
            (tool.spec.name(), reference.unwrap_or(tool.places.name))
        }
        AgentElement::Agent { name, span } | AgentElement::Unknown { name, span } => (name, *span),
    }
}

/// Refuses tools that the agent has already.
fn refuse_duplicate_tools(reader: &mut Reader<'_>, elements: &[Option<AgentElement>]) {
    let (mut seen, mut spans, mut are_agents) = (NameIndex::new(), Vec::new(), Vec::new());
    for element in elements.iter().flatten() {
        let (name, span) = named(element);
        let first = seen.insert_first(name, spans.len());
        spans.push(span);
        let is_agent = matches!(element, AgentElement::Agent { .. });
        are_agents.push(is_agent);
        // A tool and an agent of one name are reported where the agent is defined.
        if let Some(first) = first
            && are_agents[first] == is_agent
        {
            let found = Diagnostic::new(
                Code::DuplicateTool,
                span,
                format!("the agent has the tool `{name}` twice"),
            );
            reader.report(
                found
                    .with_label(spans[first], "first here")
                    .with_help("remove one of them"),
            );
        }
    }
}

/// Refuses tools with the names of the tools that `toolSearch` adds.
fn refuse_names_of_the_search(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    elements: &[Option<AgentElement>],
) {
    let is_search = |key: &str| key == Setting::ToolSearch.key();
    let mut properties = shape.properties.iter();
    let Some(property) = properties.find(|property| is_search(property.key().text())) else {
        return;
    };
    for element in elements.iter().flatten() {
        let (name, span) = named(element);
        if !SEARCH_TOOLS.contains(&name) {
            continue;
        }
        let message = format!("`toolSearch` adds a tool `{name}`, and the agent has one already");
        let found = Diagnostic::new(Code::DuplicateTool, span, message);
        reader.report(
            found
                .with_label(property.key().span(), "adds it")
                .with_help("rename the tool, or remove `toolSearch`"),
        );
    }
}

/// Checks that there is a tool to call when one must be called.
fn check_tool_choice(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    choice: &ToolChoice,
    elements: &[Option<AgentElement>],
) {
    let is_choice = |key: &str| key == Setting::ToolChoice.key();
    let mut properties = shape.properties.iter();
    let Some(property) = properties.find(|property| is_choice(property.key().text())) else {
        return;
    };
    let tools: Vec<&str> = elements
        .iter()
        .flatten()
        .map(|element| named(element).0)
        .collect();
    let (message, help) = match choice {
        ToolChoice::Required if tools.is_empty() => (
            "`toolChoice` demands a call, and the agent has no tools".to_owned(),
            "add a tool, or remove `toolChoice`".to_owned(),
        ),
        ToolChoice::Tool(name) if !tools.contains(&name.as_str()) => {
            // No call can be demanded of an agent without tools.
            let mut known = TOOL_CHOICES.to_vec();
            known.retain(|word| !tools.is_empty() || !ToolChoice::of(word).is_forced());
            known.extend_from_slice(&tools);
            let help = match nearest(name, known.iter().copied()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("known here: {}", known.join(", ")),
            };
            let message = format!(
                "{name:?} is neither \"auto\", \"required\" or \"none\" nor a tool of the agent"
            );
            (message, help)
        }
        _ => return,
    };
    let found = Diagnostic::new(Code::BadToolChoice, property.value().span(), message);
    reader.report(found.with_help(help));
}
