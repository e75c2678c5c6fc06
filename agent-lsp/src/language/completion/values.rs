//! Values, where it is known which there are.

use super::labels::type_word;
use super::{Cursor, Proposal, ProposalKind, tools};
use crate::language::cursor_context::{Holder, touches};
use crate::language::providers::PROVIDERS;
use crate::language::type_words::{self as types, LABELS, MAKERS};
use agent_gram::Span;
use agent_gram::syntax::{Value, ValueKind};
use agent_spec::agent::TOOL_CHOICES;
use agent_spec::check::{Outline, Place};
use agent_spec::{Kind, ReasoningEffort};

/// The formats that are asserted.
pub(in crate::language) const FORMATS: [&str; 8] = [
    "date-time",
    "date",
    "time",
    "email",
    "uri",
    "uuid",
    "ipv4",
    "ipv6",
];

type Proposals = (Span, Vec<Proposal>);

/// Types where a value stands for one.
pub(super) fn types(cursor: Cursor<'_>, value: Value<'_>) -> Option<Proposals> {
    let text = types::text_span(cursor.text, value)?;
    let bare = matches!(value.kind(), ValueKind::Symbol(_));
    let span = types::word_at(cursor.text, text, cursor.offset)?;
    // Several words stand in quotes; a type that is bare is written so that they can follow.
    let written = |name: &str| match bare {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    };
    let labels = LABELS.iter().filter(|word| word.name != "Null");
    let mut words: Vec<_> = labels.collect();
    words.sort_by_key(|word| !word.written);
    let makers = MAKERS.iter().filter(|_| !bare);
    let words = words.into_iter().chain(makers);
    let proposals = words.map(|word| type_word(word.name, &written(word.name)));
    Some((span, proposals.collect()))
}

/// Values of a key.
pub(super) fn proposals(
    cursor: Cursor<'_>,
    (of, key): (&Holder<'_>, &str),
    value: Value<'_>,
    outline: &Outline,
) -> Option<Proposals> {
    let known: Vec<(String, String)> = match (of.place, key) {
        (Place::Tool, "requiresApproval") => return bare(cursor, value, &["true", "false"]),
        (Place::Tool, _) => return None,
        (Place::Agent, "model" | "fallback") => PROVIDERS
            .iter()
            .map(|provider| (format!("{}/", provider.name), provider.meaning.to_owned()))
            .collect(),
        (Place::Agent, "reasoningEffort") => ReasoningEffort::ALL
            .map(|effort| (effort.to_string(), String::new()))
            .to_vec(),
        (Place::Agent, "toolChoice") => choices(cursor, outline),
        (Place::Agent | Place::Grants, _) => return None,
        (_, "optional") => return bare(cursor, value, &["true", "false"]),
        (_, "default") => match allowed_texts(of) {
            texts if texts.is_empty() => return other_default(cursor, value, of),
            texts => texts,
        },
        (_, "format") => FORMATS
            .map(|format| (format.to_owned(), String::new()))
            .to_vec(),
        _ => return None,
    };
    let text = types::text_span(cursor.text, value).filter(|text| cursor.has_letter(*text))?;
    let is_bare = matches!(value.kind(), ValueKind::Symbol(_));
    let span = match key {
        "model" | "fallback" => provider_span(cursor, text)?,
        // Of an unfinished text only the word at the cursor is known to belong to it.
        _ if is_bare || is_closed(cursor.text, text) => text,
        _ => word_of_unfinished(cursor, text),
    };
    let proposals = known.into_iter().map(|(name, meaning)| Proposal {
        insert: match is_bare {
            true => format!("\"{name}\""),
            false => name.clone(),
        },
        // After the provider the model follows, before the quote.
        behind: usize::from(is_bare && name.ends_with('/')),
        label: name,
        kind: ProposalKind::Value,
        detail: None,
        meaning: (!meaning.is_empty()).then_some(meaning),
    });
    Some((span, proposals.collect()))
}

/// The part of a model that says the provider, with the `/`, when the cursor is in it.
fn provider_span(cursor: Cursor<'_>, text: Span) -> Option<Span> {
    let before = cursor.text.get(text.start..cursor.offset)?;
    if before.contains('/') {
        return None;
    }
    let word = word_of_unfinished(cursor, text);
    let end = match word.text(cursor.text).find('/') {
        Some(at) => word.start + at + 1,
        None => word.end,
    };
    Some(Span::new(text.start, end))
}

/// `toolChoice`: the words, and the tools of the agent.
fn choices(cursor: Cursor<'_>, outline: &Outline) -> Vec<(String, String)> {
    // Inner agents come after outer ones.
    let mut agents = outline.agents.iter();
    let agent = agents.rfind(|agent| touches(agent.whole, cursor.offset));
    let tools = agent
        .into_iter()
        .flat_map(|agent| tools::names(agent, outline, None));
    let words = TOOL_CHOICES.into_iter().chain(tools);
    words.map(|word| (word.to_owned(), String::new())).collect()
}

/// The texts that are allowed, but for those that quotes would have to be escaped in.
fn allowed_texts(of: &Holder<'_>) -> Vec<(String, String)> {
    let is_plain =
        |text: &str| !text.contains(['"', '\'', '`', '\\']) && !text.contains(char::is_control);
    let texts = of.allowed.iter().filter_map(|value| match value.kind() {
        ValueKind::String { text, .. } if is_plain(text) => Some((text.to_owned(), String::new())),
        _ => None,
    });
    texts.collect()
}

/// A default that is no text: one of the numbers that are allowed, `true` or `false`.
fn other_default(cursor: Cursor<'_>, value: Value<'_>, of: &Holder<'_>) -> Option<Proposals> {
    let is_bool = of
        .ty
        .as_ref()
        .is_some_and(|ty| matches!(ty.kind(), Kind::Bool));
    let numbers = of
        .allowed
        .iter()
        .filter(|value| matches!(value.kind(), ValueKind::Number(_)));
    let numbers: Vec<&str> = numbers
        .map(|value| value.span().text(cursor.text))
        .collect();
    match numbers.is_empty() {
        false => bare(cursor, value, &numbers),
        true if is_bool => bare(cursor, value, &["true", "false"]),
        true => None,
    }
}

/// Words without quotes.
fn bare(cursor: Cursor<'_>, value: Value<'_>, words: &[&str]) -> Option<Proposals> {
    let span = cursor.word(value.span())?;
    let is_word = matches!(value.kind(), ValueKind::Symbol(_) | ValueKind::Boolean(_));
    let proposals = words.iter().map(|word| Proposal {
        label: (*word).to_owned(),
        kind: ProposalKind::Value,
        detail: None,
        meaning: None,
        insert: (*word).to_owned(),
        behind: 0,
    });
    is_word.then(|| (span, proposals.collect()))
}

/// Whether the text between quotes has its closing quote.
fn is_closed(source: &str, text: Span) -> bool {
    let quote = |at: Option<usize>| at.and_then(|at| source.as_bytes().get(at));
    let open = quote(text.start.checked_sub(1));
    open.is_some() && open == quote(Some(text.end))
}

fn word_of_unfinished(cursor: Cursor<'_>, text: Span) -> Span {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.' | ':');
    let after = cursor.text.get(cursor.offset..text.end).unwrap_or_default();
    let length = after.find(is_end).unwrap_or(after.len());
    Span::new(text.start, cursor.offset + length)
}
