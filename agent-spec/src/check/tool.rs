//! Tools: `[name:Tool {description: "…"} | (…)==>(…)]`.

use crate::check::places::{ToolNode, ToolPlaces};
use crate::check::reader::{Quoted, Reader, items, read_duration};
use crate::check::shapes::{Member, Shape};
use crate::check::signature::read_signature;
use crate::diagnostic::{Code, Diagnostic};
use crate::tool::ToolSpec;
use crate::vocabulary::{RecordKind, TOOL_KEYS};
use agent_effects::{Effect, Effects, PRIVATE};
use agent_gram::syntax::{Property, Value};
use agent_gram::value::{Record, Text};
use agent_gram::{Span, lower};
use agent_types::__private::TOOL_NAMES;
use agent_types::names::{is_tool_name, nearly_spells};
use std::time::Duration;

/// Reads a tool. Returns `None` when it has an error.
pub(super) fn read_tool(reader: &mut Reader<'_>, shape: &Shape<'_>) -> Option<ToolNode> {
    let before = reader.errors();
    let name = read_name(reader, shape);
    let properties = if reader.is_broken(shape.before_elements()) {
        None
    } else {
        Some(read_tool_properties(reader, shape))
    };
    let signature = match shape.elements.as_slice() {
        [element] if reader.is_broken(element.span()) => None,
        [Member::Element(element)] => read_signature(reader, *element),
        _ if reader.is_broken(shape.span) => None,
        elements => {
            let (span, count) = match elements.get(1) {
                Some(second) => (second.span(), elements.len()),
                None => (shape.head, 0),
            };
            let found = Diagnostic::new(
                Code::MissingSignature,
                span,
                format!("a tool has exactly one element, its signature; this one has {count}"),
            );
            reader.report(found.with_help(match count {
                0 => "write `| (personName::Text)==>(::String)`",
                _ => "join the parameters and the result by arrows: `(personName::Text)==>(age::Int)==>(::String)`",
            }));
            None
        }
    };
    if reader.errors() > before || reader.is_broken(shape.span) {
        return None;
    }
    let properties = properties?;
    let (name, name_span) = name?;
    let (signature, signature_places) = signature?;
    let (description, description_span) = properties.description?;
    let mut spec = ToolSpec::from_parts(Text::from(name), description, signature);
    spec.set_timeout(properties.timeout);
    spec.set_requires_approval(properties.requires_approval);
    spec.set_effects(properties.effects);
    spec.set_extra(properties.extra);
    Some(ToolNode {
        spec,
        places: ToolPlaces {
            whole: shape.span,
            name: name_span,
            description: description_span,
            signature: signature_places,
        },
    })
}

fn read_name(reader: &mut Reader<'_>, shape: &Shape<'_>) -> Option<(String, Span)> {
    let Some(name) = shape.identity.filter(|name| !name.text().is_empty()) else {
        reader.report(
            Diagnostic::new(
                Code::MissingName,
                shape.head,
                "Tool must have a non-empty pattern identifier (name)",
            )
            .with_help("write the name before the label: `[sayHello:Tool …`"),
        );
        return None;
    };
    if !is_tool_name(name.text()) && !reader.is_broken(name.span()) {
        reader.report(
            Diagnostic::new(
                Code::BadName,
                name.span(),
                format!(
                    "`{}` is not a name that every provider takes for a tool",
                    name.text()
                ),
            )
            .with_help(TOOL_NAMES),
        );
    }
    Some((name.text().to_owned(), name.span()))
}

struct ToolProperties {
    description: Option<(Text, Span)>,
    timeout: Option<Duration>,
    requires_approval: bool,
    effects: Effects,
    extra: Record,
}

fn read_tool_properties(reader: &mut Reader<'_>, shape: &Shape<'_>) -> ToolProperties {
    let mut read = ToolProperties {
        description: None,
        timeout: None,
        requires_approval: false,
        effects: Effects::NONE,
        extra: Record::new(),
    };
    let mut has_description = false;
    let mut extra = Vec::new();
    reader.refuse_duplicate_keys(shape.properties.iter().copied());
    for property in &shape.properties {
        let value = property.value();
        match property.key().text() {
            "description" => {
                has_description = true;
                let text = reader.owned_text(value, "`description`");
                if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                    let message = "the description of a tool must not be empty";
                    reader.error(Code::MissingDescription, value.span(), message);
                }
                read.description = text.map(|text| (text, value.span()));
            }
            "timeout" => read.timeout = read_duration(reader, value, "`timeout`"),
            "requiresApproval" => {
                read.requires_approval =
                    reader.boolean(value, "`requiresApproval`").unwrap_or(false);
            }
            key => {
                if let Some(effect) = Effect::from_key(key) {
                    read_effect(reader, effect, *property, &mut read.effects);
                    continue;
                }
                // A misspelt key would otherwise be kept as an extra property without any effect.
                if TOOL_KEYS.iter().any(|known| nearly_spells(key, known)) {
                    reader.unknown_key(property.key(), RecordKind::Tool.owner(), TOOL_KEYS);
                } else {
                    extra.push((Text::new(key), lower::lower_value(value)));
                }
            }
        }
    }
    if !has_description {
        let name = shape.identity.map_or("tool", |name| name.text());
        let found = Diagnostic::new(
            Code::MissingDescription,
            shape.head,
            format!(
                "the tool `{name}` needs a description: it is how a model knows when to call it"
            ),
        );
        let keys = shape.properties.iter().map(|property| property.key());
        let own = keys.filter(|key| !TOOL_KEYS.contains(&key.text()));
        reader.missing_key(found, "description", "{description: \"…\"}", own);
    }
    if let Some(contradicted) = read.effects.contradiction() {
        let mut properties = shape.properties.iter();
        let place = properties.find(|property| property.key().text() == contradicted.key());
        let place = place.map_or(shape.head, |property| property.key().span());
        let message = format!(
            "a tool with `readOnly: true` changes nothing, so that `{}: true` contradicts it",
            contradicted.key()
        );
        let found = Diagnostic::new(Code::BadValue, place, message);
        reader.report(found.with_help("remove one of the two"));
    }
    // The value cannot be too deep, because the parser has the same bound as values.
    read.extra = Record::from_entries(extra).unwrap_or_default();
    read
}

/// Reads a statement about an effect of a tool.
fn read_effect(
    reader: &mut Reader<'_>,
    effect: Effect,
    property: Property<'_>,
    effects: &mut Effects,
) {
    let is = match effect {
        Effect::ReadsPrivate => read_reads(reader, property.value()),
        _ => reader.boolean(property.value(), Quoted(effect.key())),
    };
    if let Some(is) = is {
        *effects = effects.with(effect, is);
    }
}

/// Reads the list `reads`: whether it has the word `private`. An empty list states that the tool reads nothing private.
fn read_reads(reader: &mut Reader<'_>, value: Value<'_>) -> Option<bool> {
    let items = items(value);
    let is_private = !items.is_empty();
    for item in items {
        let word = reader.text(item, "`reads`")?;
        if word != PRIVATE {
            let message = format!("{word:?} is nothing that `reads` can name");
            let found = Diagnostic::new(Code::BadValue, item.span(), message);
            reader.report(found.with_help(
                "write `reads: [\"private\"]` for data that not everybody may see, and `reads: []` for none",
            ));
            return None;
        }
    }
    Some(is_private)
}
