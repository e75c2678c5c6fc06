//! Completion: the texts that can be written at the cursor.
//!
//! The text is parsed with a letter inserted at the cursor: `{ins▮}` as `{ins_}`, `(a::▮` as `(a::_`. The
//! parser recovers from errors, so the letter becomes part of the tree, and its [`CursorContext`] decides
//! which texts are proposed. In comments and in plain texts the letter has no context, and nothing is
//! proposed.

use super::cursor_context::{
    CursorContext, LabelOwner, RecordContext, cursor_context, project_context, touches,
};
use super::markdown::escape;
use super::type_words::{CONSTRUCTORS, is_canonical, is_result_only, text_span, word_at};
use super::vocabulary::{
    KeyDoc, catalog_word_markdown, catalog_words, is_catalog_flag, provider_markdown,
    style_markdown, word_markdown,
};
use agent_effects::PRIVATE;
use agent_gram::Span;
use agent_gram::syntax::{Document, Value, ValueKind};
use agent_spec::check::outline::{AgentOutline, ElementOutline};
use agent_spec::check::{Outline, applies_to, outline};
use agent_spec::model::PROVIDERS;
use agent_spec::settings::TOOL_CHOICES;
use agent_spec::types::TYPE_LABELS;
use agent_spec::validate::ASSERTED_FORMATS;
use agent_spec::vocabulary::{CONST, RecordKind};
use agent_spec::{Kind, PromptCache, ReasoningEffort, Style, ToolSpec, WhenTainted};
use std::collections::HashSet;

/// The letter that is inserted at the cursor.
const PLACEHOLDER: char = '_';

/// The texts that can be written at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The word that is replaced; empty if no word was begun.
    pub(crate) span: Span,
    /// The items, likelier ones first.
    pub(crate) items: Vec<CompletionItem>,
}

/// A text that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletionItem {
    /// The label, which is compared with the word that was begun.
    pub(crate) label: String,
    /// The kind.
    pub(crate) kind: CompletionItemKind,
    /// A short description.
    pub(crate) detail: Option<String>,
    /// The documentation, in Markdown.
    pub(crate) documentation: Option<String>,
    /// The text to insert.
    pub(crate) insert_text: String,
    /// The number of bytes of `insert_text` that are behind the cursor after insertion.
    pub(crate) behind_cursor: usize,
}

impl CompletionItem {
    fn new(label: impl Into<String>, kind: CompletionItemKind) -> Self {
        let label = label.into();
        Self {
            insert_text: label.clone(),
            label,
            kind,
            detail: None,
            documentation: None,
            behind_cursor: 0,
        }
    }
}

/// The kind of a [`CompletionItem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionItemKind {
    /// A label of agents or tools.
    Label,
    /// A type.
    Type,
    /// A key of a record.
    Key,
    /// A value.
    Value,
    /// A tool.
    Tool,
}

/// The span to replace, and the items.
type Items = (Span, Vec<CompletionItem>);

/// Returns the completion at an offset. `known` are the tools that a document may name without defining
/// them.
pub(crate) fn complete(source: &str, offset: usize, known: &[ToolSpec]) -> Option<Completion> {
    complete_in(source, offset, known, cursor_context)
}

/// Returns the completion at an offset of a project file.
pub(crate) fn complete_project(source: &str, offset: usize) -> Option<Completion> {
    complete_in(source, offset, &[], project_context)
}

/// Returns the completion at an offset. `context` finds the context of the offset.
fn complete_in(
    source: &str,
    offset: usize,
    known: &[ToolSpec],
    context: for<'t> fn(&'t Document<'_>, usize) -> Option<CursorContext<'t>>,
) -> Option<Completion> {
    let offset = source.floor_char_boundary(offset);
    let mut text = String::with_capacity(source.len() + PLACEHOLDER.len_utf8());
    text.push_str(source.get(..offset)?);
    text.push(PLACEHOLDER);
    text.push_str(source.get(offset..)?);
    let parsed = agent_gram::parse(&text);
    let cursor = Cursor {
        text: &text,
        offset,
    };
    let (span, items) = match context(&parsed.document, offset)? {
        CursorContext::Key {
            record,
            name,
            other_keys,
            is_annotation,
        } => {
            let span = cursor.word(name.span())?;
            let form = KeyForm::of(&text, name.span().end, is_annotation);
            (span, key_items(&record, &other_keys, form))
        }
        // The name of a field is new.
        CursorContext::Field { .. } => return None,
        CursorContext::Label { owner, name } => (cursor.word(name.span())?, label_items(owner)),
        CursorContext::Type { value } => type_items(cursor, value)?,
        CursorContext::Value { record, key, value } => {
            let outline = outline(&parsed.document);
            value_items(cursor, (&record, key), value, &outline)?
        }
        CursorContext::Element { name } => {
            let outline = outline(&parsed.document);
            let span = cursor.word(name.span())?;
            (span, tool_items(&outline, name.span(), known))
        }
    };
    let span = within_line(source, cursor.in_source(span), offset)?;
    (!items.is_empty()).then_some(Completion { span, items })
}

/// Returns the part of a span on the line of the cursor, because editors replace text only within a line.
/// Returns `None` if the word began on an earlier line.
fn within_line(source: &str, span: Span, offset: usize) -> Option<Span> {
    let is_line_end = |c| matches!(c, '\n' | '\r');
    if source.get(span.start..offset)?.contains(is_line_end) {
        return None;
    }
    let rest = source.get(offset..span.end)?;
    let length = rest.find(is_line_end).unwrap_or(rest.len());
    Some(Span::new(span.start, offset + length))
}

/// The text with the placeholder, and the offset of the placeholder.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl Cursor<'_> {
    /// Returns the span if it covers a bare word that contains the placeholder.
    fn word(self, span: Span) -> Option<Span> {
        let is_bare = !span.text(self.text).starts_with(['"', '\'', '`']);
        (is_bare && self.is_in(span)).then_some(span)
    }

    /// Returns whether the placeholder is within a span.
    fn is_in(self, span: Span) -> bool {
        span.start <= self.offset && self.offset < span.end
    }

    /// Converts a span with the placeholder to the span in the text without it.
    fn in_source(self, span: Span) -> Span {
        Span::new(span.start, span.end.saturating_sub(PLACEHOLDER.len_utf8()))
    }
}

/// The form in which a key is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyForm {
    /// The key and `: `.
    Entry,
    /// The key alone, because a colon or a parenthesis follows already.
    Name,
    /// The key and its value in parentheses, as in annotations.
    Annotation,
}

impl KeyForm {
    /// Returns the form for a key that ends at an offset.
    fn of(text: &str, end: usize, is_annotation: bool) -> Self {
        let rest = text.get(end..).unwrap_or_default();
        match is_annotation {
            // After a blank the parenthesis begins the signature.
            true if rest.starts_with('(') => KeyForm::Name,
            true => KeyForm::Annotation,
            false if rest.trim_start().starts_with(':') => KeyForm::Name,
            false => KeyForm::Entry,
        }
    }

    /// Returns the text to insert for a key, and how many of its bytes are behind the cursor.
    fn insert_text(self, key: &str, doc: Option<&KeyDoc>) -> (String, usize) {
        match self {
            KeyForm::Entry => (format!("{key}: "), 0),
            KeyForm::Name => (key.to_owned(), 0),
            KeyForm::Annotation => {
                let is_text = doc.is_some_and(KeyDoc::is_text);
                let value = if is_text { "(\"\")" } else { "()" };
                (format!("{key}{value}"), value.len() / 2)
            }
        }
    }
}

/// Returns the keys that fit a record and are missing in it.
fn key_items(
    record: &RecordContext<'_>,
    other_keys: &[&str],
    form: KeyForm,
) -> Vec<CompletionItem> {
    let kind = record.kind;
    // The key `remote` is not proposed, because only an import writes it.
    let is_imported = |key: &str| {
        key == "remote"
            && matches!(
                kind,
                RecordKind::Parameter | RecordKind::Field | RecordKind::Entry
            )
    };
    kind.keys()
        .filter(|key| !is_imported(key) && !is_present(key, other_keys) && fits(key, record))
        .map(|key| {
            let doc = KeyDoc::find(kind, key);
            let (insert_text, behind_cursor) = form.insert_text(key, doc.as_ref());
            CompletionItem {
                detail: doc.as_ref().map(|doc| doc.value.replace('`', "")),
                documentation: doc.as_ref().map(KeyDoc::markdown),
                insert_text,
                behind_cursor,
                ..CompletionItem::new(key, CompletionItemKind::Key)
            }
        })
        .collect()
}

/// Returns whether a key, or a key that excludes it, is present.
fn is_present(key: &str, other_keys: &[&str]) -> bool {
    let excluding: &[&str] = match key {
        "items" => &["elementType", "minItems", "maxItems"],
        "elementType" | "minItems" | "maxItems" => &["items"],
        "enum" => &[CONST, "schema"],
        CONST | "anyOf" => &["schema"],
        "schema" => &["enum", CONST, "anyOf"],
        _ => &[],
    };
    other_keys.contains(&key) || other_keys.iter().any(|other| excluding.contains(other))
}

fn fits(key: &str, record: &RecordContext<'_>) -> bool {
    let repeats_name = record.is_named && key == "paramName";
    let fits_type = record.ty.as_ref().is_none_or(|ty| applies_to(key, ty));
    fits_type && !repeats_name
}

/// Returns the labels that an owner can have.
fn label_items(owner: LabelOwner) -> Vec<CompletionItem> {
    let declaration = |label: &str, detail: &str| CompletionItem {
        detail: Some(detail.to_owned()),
        ..CompletionItem::new(label, CompletionItemKind::Label)
    };
    let agent = declaration("Agent", "an agent");
    let tool = declaration("Tool", "a tool");
    let catalog = declaration("Catalog", "a provider with its models");
    let same = declaration("ToolSpecification", "a tool; the same as Tool");
    match owner {
        LabelOwner::Declaration => vec![agent, tool, same],
        LabelOwner::OnlyPattern => vec![agent, tool, same, catalog],
        LabelOwner::Catalog => vec![catalog],
        LabelOwner::Model => vec![declaration("Model", "a model")],
        LabelOwner::AgentElement => vec![tool, agent, same],
        LabelOwner::Parameter => type_label_items("Text", |label| !is_result_only(label)),
        LabelOwner::AgentParameter => type_label_items("Text", |label| label != "Null"),
        LabelOwner::Result => type_label_items("String", |_| true),
    }
}

/// Returns the type labels that are allowed, the canonical ones first. `text` is the canonical label of a text.
fn type_label_items(text: &str, is_allowed: impl Fn(&str) -> bool) -> Vec<CompletionItem> {
    let rank = |label: &str| match label {
        _ if label == text => 0,
        "Text" | "String" => 2,
        _ if is_canonical(label) => 1,
        _ => 2,
    };
    let labels = TYPE_LABELS.into_iter();
    let mut labels: Vec<_> = labels.filter(|label| is_allowed(label)).collect();
    labels.sort_by_key(|label| rank(label));
    labels.into_iter().map(type_item).collect()
}

fn type_item(name: &str) -> CompletionItem {
    CompletionItem {
        documentation: word_markdown(name),
        ..CompletionItem::new(name, CompletionItemKind::Type)
    }
}

/// Returns the words of type expressions, for a value that is a type.
fn type_items(cursor: Cursor<'_>, value: Value<'_>) -> Option<Items> {
    let text = text_span(cursor.text, value)?;
    let is_bare = matches!(value.kind(), ValueKind::Symbol(_));
    let span = word_at(cursor.text, text, cursor.offset)?;
    let labels = TYPE_LABELS.into_iter();
    let labels = labels.filter(|label| !is_result_only(label));
    let mut labels: Vec<_> = labels.collect();
    labels.sort_by_key(|label| !is_canonical(label));
    let constructors = CONSTRUCTORS.into_iter().filter(|_| !is_bare);
    let items = labels.into_iter().chain(constructors).map(|word| {
        let mut item = type_item(word);
        if is_bare {
            // A bare word gets quotes, so that further words can follow.
            item.insert_text = format!("\"{word}\"");
        }
        item
    });
    Some((span, items.collect()))
}

/// A text that is a possible value, and its documentation in Markdown, which may be empty.
type TextValue = (String, String);

/// Returns values without documentation.
fn plain_values<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<TextValue> {
    let values = values.into_iter();
    values
        .map(|value| (value.to_string(), String::new()))
        .collect()
}

/// Returns the possible values of a key, if there is a fixed set.
fn value_items(
    cursor: Cursor<'_>,
    (record, key): (&RecordContext<'_>, &str),
    value: Value<'_>,
    outline: &Outline,
) -> Option<Items> {
    let values: Vec<TextValue> = match (record.kind, key) {
        (
            RecordKind::Tool,
            "requiresApproval" | "untrusted" | "sends" | "writes" | "destructive" | "readOnly",
        )
        | (RecordKind::Agent, "toolSearch" | "thinking") => {
            return bare_items(cursor, value, &["true", "false"]);
        }
        (RecordKind::Tool, "reads") => plain_values([PRIVATE]),
        (RecordKind::Tool, _) => return None,
        (RecordKind::Agent, "model" | "fallback") => PROVIDERS
            .iter()
            .map(|provider| {
                let documentation = provider_markdown(provider).unwrap_or_default();
                (format!("{provider}/"), documentation)
            })
            .collect(),
        (RecordKind::Agent, "reasoningEffort") => plain_values(ReasoningEffort::ALL),
        (RecordKind::Agent, "cache") => plain_values(PromptCache::ALL),
        (RecordKind::Agent, "whenTainted") => {
            plain_values(WhenTainted::ALL.map(WhenTainted::as_str))
        }
        (RecordKind::Agent, "compactAbove") => plain_values(["auto"]),
        (RecordKind::Agent, "toolChoice") => tool_choices(cursor, outline),
        (RecordKind::Project, "style") => Style::ALL
            .iter()
            .map(|style| {
                (
                    style.to_string(),
                    style_markdown(*style).unwrap_or_default(),
                )
            })
            .collect(),
        (RecordKind::Agent | RecordKind::Grants | RecordKind::Project, _) => return None,
        (kind, key) if is_catalog_flag(kind, key) => {
            return bare_items(cursor, value, &["true", "false"]);
        }
        (
            kind @ (RecordKind::Catalog
            | RecordKind::Model
            | RecordKind::Price
            | RecordKind::LongContext),
            key,
        ) => catalog_words(kind, key)
            .into_iter()
            .map(|word| {
                let documentation = catalog_word_markdown(kind, key, word);
                (word.to_owned(), documentation.unwrap_or_default())
            })
            .collect(),
        (_, "optional") => return bare_items(cursor, value, &["true", "false"]),
        (_, "default") => match enum_texts(record) {
            texts if texts.is_empty() => return default_items(cursor, value, record),
            texts => texts,
        },
        (_, "format") => plain_values(ASSERTED_FORMATS),
        _ => return None,
    };
    let text = text_span(cursor.text, value).filter(|text| cursor.is_in(*text))?;
    let is_bare = matches!(value.kind(), ValueKind::Symbol(_));
    let span = match key {
        "model" | "fallback" => provider_span(cursor, text)?,
        _ if is_bare || is_closed(cursor.text, text) => text,
        // An unclosed text extends too far; only the word at the cursor is known to be part of it.
        _ => unclosed_word(cursor, text),
    };
    let items = values
        .into_iter()
        .map(|(value, documentation)| CompletionItem {
            insert_text: match is_bare {
                true => format!("\"{value}\""),
                false => value.clone(),
            },
            // The model follows the provider, before the closing quote.
            behind_cursor: usize::from(is_bare && value.ends_with('/')),
            documentation: (!documentation.is_empty()).then_some(documentation),
            ..CompletionItem::new(value, CompletionItemKind::Value)
        });
    Some((span, items.collect()))
}

/// Returns the provider of a model with its `/`, if the cursor is in it.
fn provider_span(cursor: Cursor<'_>, text: Span) -> Option<Span> {
    let before = cursor.text.get(text.start..cursor.offset)?;
    if before.contains('/') {
        return None;
    }
    let word = unclosed_word(cursor, text);
    let end = match word.text(cursor.text).find('/') {
        Some(at) => word.start + at + 1,
        None => word.end,
    };
    Some(Span::new(text.start, end))
}

/// Returns the values of `toolChoice`: the fixed words, and the tools of the agent.
fn tool_choices(cursor: Cursor<'_>, outline: &Outline) -> Vec<TextValue> {
    // Inner agents come after the agents that enclose them.
    let mut agents = outline.agents.iter();
    let agent = agents.rfind(|agent| touches(agent.whole, cursor.offset));
    let tools = agent
        .into_iter()
        .flat_map(|agent| tool_names(agent, outline, None));
    plain_values(TOOL_CHOICES.into_iter().chain(tools))
}

/// Returns the texts of `enum` that need no escapes in quotes.
fn enum_texts(record: &RecordContext<'_>) -> Vec<TextValue> {
    let is_plain =
        |text: &str| !text.contains(['"', '\'', '`', '\\']) && !text.contains(char::is_control);
    let values = record.enum_values.iter();
    plain_values(values.filter_map(|value| match value.kind() {
        ValueKind::String { text, .. } if is_plain(text) => Some(text),
        _ => None,
    }))
}

/// Returns the defaults that are not texts: the numbers of `enum`, or `true` and `false`.
fn default_items(
    cursor: Cursor<'_>,
    value: Value<'_>,
    record: &RecordContext<'_>,
) -> Option<Items> {
    let is_bool = record
        .ty
        .as_ref()
        .is_some_and(|ty| matches!(ty.kind(), Kind::Bool));
    let numbers = record
        .enum_values
        .iter()
        .filter(|value| matches!(value.kind(), ValueKind::Number(_)));
    let numbers: Vec<&str> = numbers
        .map(|value| value.span().text(cursor.text))
        .collect();
    match numbers.is_empty() {
        false => bare_items(cursor, value, &numbers),
        true if is_bool => bare_items(cursor, value, &["true", "false"]),
        true => None,
    }
}

/// Returns words without quotes.
fn bare_items(cursor: Cursor<'_>, value: Value<'_>, words: &[&str]) -> Option<Items> {
    let span = cursor.word(value.span())?;
    let is_word = matches!(value.kind(), ValueKind::Symbol(_) | ValueKind::Boolean(_));
    let items = words
        .iter()
        .map(|word| CompletionItem::new(*word, CompletionItemKind::Value));
    is_word.then(|| (span, items.collect()))
}

/// Returns whether the text between quotes has its closing quote.
fn is_closed(source: &str, text: Span) -> bool {
    let quote = |at: Option<usize>| at.and_then(|at| source.as_bytes().get(at));
    let open = quote(text.start.checked_sub(1));
    open.is_some() && open == quote(Some(text.end))
}

/// Returns the beginning of a text up to the end of the word at the cursor.
fn unclosed_word(cursor: Cursor<'_>, text: Span) -> Span {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.' | ':');
    let after = cursor.text.get(cursor.offset..text.end).unwrap_or_default();
    let length = after.find(is_end).unwrap_or(after.len());
    Span::new(text.start, cursor.offset + length)
}

/// Returns the tools and agents that the agent with this element can name and does not have: the tools of
/// the document, its other agents, then the known tools.
fn tool_items(outline: &Outline, element: Span, known: &[ToolSpec]) -> Vec<CompletionItem> {
    let mut present: HashSet<&str> = outline
        .agents
        .iter()
        .find(|agent| has_element(agent, element))
        .into_iter()
        .flat_map(|agent| tool_names(agent, outline, Some(element)))
        .collect();
    let mut items = Vec::new();
    let tools = outline.tools.iter();
    let tools = tools.map(|tool| (&tool.name, "tool of this document"));
    let agents = outline.agents.iter();
    let agents = agents.filter(|agent| !has_element(agent, element));
    let agents = agents.map(|agent| (&agent.name, "agent of this document"));
    for (name, detail) in tools.chain(agents) {
        if let Some(mention) = name
            && present.insert(&mention.name)
        {
            items.push(CompletionItem {
                detail: Some(detail.to_owned()),
                ..CompletionItem::new(&mention.name, CompletionItemKind::Tool)
            });
        }
    }
    for spec in known {
        if present.insert(spec.name()) {
            items.push(CompletionItem {
                detail: Some(spec.signature().to_string()),
                documentation: Some(escape(spec.description())),
                ..CompletionItem::new(spec.name(), CompletionItemKind::Tool)
            });
        }
    }
    items
}

fn has_element(agent: &AgentOutline, element: Span) -> bool {
    agent.elements.iter().any(|own| match own {
        ElementOutline::Reference(mention) => mention.span == element,
        _ => false,
    })
}

/// Returns the names of an agent's tools, without the element at the span `except`.
fn tool_names<'a>(
    agent: &'a AgentOutline,
    outline: &'a Outline,
    except: Option<Span>,
) -> impl Iterator<Item = &'a str> {
    agent.elements.iter().filter_map(move |element| {
        let mention = match element {
            ElementOutline::Tool(at) => outline.tools.get(*at)?.name.as_ref()?,
            ElementOutline::Agent(at) => outline.agents.get(*at)?.name.as_ref()?,
            ElementOutline::Reference(mention) => mention,
            _ => return None,
        };
        (Some(mention.span) != except).then_some(mention.name.as_str())
    })
}
