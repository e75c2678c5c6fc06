//! Reads the properties of an agent.

use crate::check::keys::{warn_of_extra_key, warn_of_own_key};
use crate::check::reader::{Quoted, Reader, items, read_duration, read_url};
use crate::check::shapes::Shape;
use crate::diagnostic::{Code, Diagnostic};
use crate::grants::{Grants, check_grant};
use crate::instruction::{InstructionPart, parts};
use crate::model::{Model, PROVIDERS, nearest_provider};
use crate::secret::redacted;
use crate::settings::{
    CompactAbove, PromptCache, RESERVED_EXTRAS, ReasoningEffort, SettingValue, Settings,
    ToolChoice, WhenTainted,
};
use crate::vocabulary::{AGENT_KEYS, GRANT_KEYS, RecordKind, Setting, SettingKind};
use agent_gram::syntax::{Number, NumberKind, Property, Record, Value, ValueKind};
use agent_gram::value::{Decimal, Text};
use agent_gram::{Span, lower, value};
use agent_types::names::{is_tool_name, nearest, nearly_spells};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

/// The properties of an agent.
#[derive(Default)]
pub(super) struct AgentProperties<'t> {
    pub(super) instruction: Option<(Text, Value<'t>)>,
    pub(super) prompt: Option<(Text, Value<'t>)>,
    /// The names of `variables`.
    pub(super) variables: Option<Vec<(Text, Span)>>,
    pub(super) model: Option<Model>,
    pub(super) description: Option<Text>,
    pub(super) described_at: Option<Span>,
    pub(super) timeout: Option<Duration>,
    pub(super) requires_approval: bool,
    pub(super) settings: Settings,
    pub(super) extra: value::Record,
}

pub(super) fn read_agent_properties<'t>(
    reader: &mut Reader<'_>,
    shape: &Shape<'t>,
) -> AgentProperties<'t> {
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
        if has(key) {
            continue;
        }
        let message = format!("Agent must have '{key}' property");
        let found = Diagnostic::new(code, shape.head, message);
        // The names that other formats have for it.
        let other = ["system", "systemPrompt", "system_prompt", "prompt"];
        match other
            .into_iter()
            .find(|other| key == "instruction" && has(other))
        {
            Some(other) => reader.report(found.with_help(format!(
                "the system message is the property `instruction`; `{other}` is another one"
            ))),
            None => reader.missing_key(found, key, example, own.clone()),
        }
    }
    // The value cannot be too deep, because the parser has the same bound as values.
    read.extra = value::Record::from_entries(extra).unwrap_or_default();
    read
}

/// Whether a property has a name that stands for the tools of an agent in other formats.
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

/// Reads a model and checks that its provider is known. If `instead` replaces the model, the
/// provider of `instead` is checked.
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

/// Lists some of the known providers, the registered ones first. A project file may have any number of them.
fn known_providers(registered: &[&str]) -> String {
    let best_known = &PROVIDERS[..7];
    let shown = registered.iter().chain(best_known).take(20);
    let shown: Vec<&str> = shown.copied().collect();
    format!("{} and others", shown.join(", "))
}

/// Reads the names of the variables that the host fills.
fn read_variables(reader: &mut Reader<'_>, value: Value<'_>) -> Vec<(Text, Span)> {
    let mut names: Vec<(Text, Span)> = Vec::new();
    for item in items(value) {
        let Some(name) = reader.owned_text(item, "`variables`") else {
            continue;
        };
        // A template can contain only a name that parses as a variable in double braces.
        if parts(&format!("{{{{{name}}}}}")) != [InstructionPart::Variable(&name)] {
            let message = format!("{:?} is not the name of a variable", redacted(&name));
            let found = Diagnostic::new(Code::BadVariable, item.span(), message);
            reader.report(
                found.with_help("write letters, digits, `_`, `-` or `.`, as in `{{name}}`"),
            );
        } else {
            names.push((name, item.span()));
        }
    }
    let mut seen = HashSet::new();
    let is_first: Vec<bool> = names
        .iter()
        .map(|(name, _)| seen.insert(name.clone()))
        .collect();
    let mut is_first = is_first.into_iter();
    names.retain(|(name, span)| {
        let is_first = is_first.next().unwrap_or_default();
        if !is_first {
            let message = format!("`{name}` is listed twice");
            let found = Diagnostic::new(Code::UnusedParameter, *span, message);
            reader.report(found.with_help("remove one of them"));
        }
        is_first
    });
    names
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
        SettingKind::WhenTainted => {
            if let Some(when) = read_when_tainted(reader, value, what) {
                settings.set(setting, SettingValue::WhenTainted(when));
            }
        }
        // Whether the agent has the chosen tool is checked after its elements were read.
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

fn read_when_tainted(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: Quoted<'_>,
) -> Option<WhenTainted> {
    let word = reader.text(value, what)?;
    let when = WhenTainted::of(word);
    if when.is_none() {
        let message = format!("{word:?} is nothing that `whenTainted` can do with a call");
        let known = WhenTainted::ALL.map(WhenTainted::as_str);
        let found = Diagnostic::new(Code::BadValue, value.span(), message);
        reader.report(found.with_help(match nearest(word, known) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!(
                "known: {}",
                known.map(|word| format!("{word:?}")).join(", ")
            ),
        }));
    }
    when
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
