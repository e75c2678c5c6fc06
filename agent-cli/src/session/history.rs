//! The conversation before the first message, read from a file.

use crate::outcome::Trouble;
use crate::output::error_to_stderr;
use agent_gram::syntax::{
    Document, Element, Name, Property, Subject, Value as SyntaxValue, ValueKind,
};
use agent_gram::{LineIndex, Pattern, Span, lower, parse as parse_gram};
use agent_lsp::source;
use agent_runtime::conversation::Role;
use agent_runtime::{Conversation, Message};
use agent_spec::json::Ordered;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// The member of what `agent run --format json` prints that holds the messages.
const MEMBER: &str = "conversation";

/// Reads a conversation: a JSON array of messages, what `agent run --format json` printed, or a gram
/// document with a pattern labelled `Conversation`. Gives nothing, having said so, when the file holds something else or what no model could be sent.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<Conversation>, Trouble> {
    if path.is_dir() {
        return Err(Trouble::new(format!(
            "cannot read `{}`: it is a directory; --history takes one file, of JSON or gram",
            path.display()
        )));
    }
    let source = source::read(path).map_err(|error| Trouble::new(error.to_string()))?;
    let name = source.display_name();
    match parse(&source.text) {
        Ok(conversation) => Ok(Some(conversation)),
        Err(Problem { place, text }) => {
            let place = place.map(|(line, column)| format!(":{line}:{column}"));
            error_to_stderr(&format!("{name}{}: {text}", place.unwrap_or_default()));
            Ok(None)
        }
    }
}

struct Problem {
    /// Line and column, where it is known.
    place: Option<(usize, usize)>,
    text: String,
}

impl Problem {
    fn without_place(text: String) -> Self {
        Self { place: None, text }
    }
}

fn parse(text: &str) -> Result<Conversation, Problem> {
    if text.trim().is_empty() {
        let text = "the file is empty; a history in which nothing was said is `[]`";
        return Err(Problem::without_place(text.to_owned()));
    }
    let conversation = match parse_json(text) {
        // What has a place is no JSON; what has none is, and says the wrong thing.
        Err(problem) if problem.place.is_some() && is_gram(text) => read_gram(text),
        read => read,
    }?;
    conversation.check().map_err(|invalid| {
        Problem::without_place(format!("no model could be sent this: {invalid}"))
    })?;
    refuse_silence(&conversation)?;
    Ok(conversation)
}

/// Refuses a message that says nothing: no provider takes such, so it would be left out in silence.
fn refuse_silence(conversation: &Conversation) -> Result<(), Problem> {
    let messages = conversation.messages();
    let is_silent = |message: &Message| {
        message.role() != Role::Function
            && message.content().trim().is_empty()
            && message.tool_calls().is_empty()
            && message.provider_data().is_none()
    };
    let Some(at) = messages.iter().position(is_silent) else {
        return Ok(());
    };
    Err(Problem::without_place(format!(
        "message {} of {} says nothing: its `content` is empty; write what was said, or leave the \
         message out",
        at + 1,
        messages.len()
    )))
}

fn parse_json(text: &str) -> Result<Conversation, Problem> {
    let without_place = Problem::without_place;
    // Read in order first: of a key given twice, what people see is not what a tree of values keeps.
    let json: Ordered = serde_json::from_str(text).map_err(|error| Problem {
        place: Some((error.line(), error.column())),
        text: if error.is_data() {
            format!("this is no history: {error}")
        } else {
            format!("this is not JSON: {error}")
        },
    })?;
    let json = json.to_value();
    let messages = match &json {
        Value::Object(members) => members.get(MEMBER).ok_or_else(|| {
            without_place(format!(
                "a history is an array of messages, or an object with the member `{MEMBER}`, as \
                 `agent run --format json` prints it"
            ))
        })?,
        other => other,
    };
    Conversation::from_json(messages).map_err(|error| without_place(error.to_string()))
}

/// What a history is labelled.
const LABEL: &str = "Conversation";

/// How to come by one.
const WRITTEN: &str = "`agent conversations show NAME --format gram` and `/save talk.gram` in a chat write \
                       one, and what `agent run --format json` prints is a history, too";

/// Whether a text that is no JSON is meant to be gram, by how it begins.
fn is_gram(text: &str) -> bool {
    let text = text.trim_start();
    match text.strip_prefix('[') {
        Some(rest) => {
            let next = rest.trim_start().chars().next();
            next.is_some_and(|next| !next.is_ascii_digit() && !"{}[]\"-,".contains(next))
        }
        None => text.starts_with(['(', '@', '/']),
    }
}

/// Reads the one pattern that a history is.
fn read_gram(text: &str) -> Result<Conversation, Problem> {
    let at = |span: Span| {
        let position = LineIndex::new(text).position(span.start);
        Some((position.line, position.column))
    };
    let parsed = parse_gram(text);
    if let Some(error) = parsed.errors.first() {
        return Err(Problem {
            place: at(error.span()),
            text: format!("this is not gram: {error}"),
        });
    }
    let document = &parsed.document;
    if let Some(key) = key_given_twice(document) {
        return Err(Problem {
            place: at(key.span()),
            text: format!(
                "the key `{}` is there twice in one record; leave one of them out",
                key.text()
            ),
        });
    }
    let patterns = lower(document);
    match patterns.as_slice() {
        [pattern] if is_conversation(pattern) => Conversation::from_pattern(pattern)
            .map_err(|error| Problem::without_place(error.to_string())),
        others => Err(Problem::without_place(other_than_one(others))),
    }
}

fn is_conversation(pattern: &Pattern) -> bool {
    pattern.subject().has_label(LABEL)
}

/// What to say of gram that is no history.
fn other_than_one(patterns: &[Pattern]) -> String {
    let found = match patterns {
        [] => "this is gram without a pattern".to_owned(),
        [one] => format!("this is gram, but its pattern {}", labelled(one)),
        several if several.iter().all(is_conversation) => {
            let count = several.len();
            return format!(
                "a history in gram is one pattern labelled `{LABEL}`; here are {count}"
            );
        }
        [first, ..] => {
            let (count, labelled) = (patterns.len(), labelled(first));
            format!("this is gram, but with {count} patterns, the first of which {labelled}")
        }
    };
    format!("{found}; a history is one pattern labelled `{LABEL}`: {WRITTEN}")
}

fn labelled(pattern: &Pattern) -> String {
    let labels: Vec<String> = pattern
        .subject()
        .labels
        .iter()
        .map(|label| format!("`{label}`"))
        .collect();
    match labels.as_slice() {
        [] => "has no label".to_owned(),
        labels => format!("is labelled {}", labels.join(" and ")),
    }
}

/// The first key of a document that its record has had before. Patterns keep the last value alone, and
/// people see both.
fn key_given_twice<'t>(document: &'t Document<'_>) -> Option<Name<'t>> {
    document.items().find_map(|item| {
        let annotations = item.annotations();
        annotations
            .and_then(|annotations| in_properties(annotations.properties()))
            .or_else(|| in_element(item.body()))
    })
}

fn in_element(element: Element<'_>) -> Option<Name<'_>> {
    match element {
        Element::Bracket(bracket) => {
            in_subject(bracket.subject()).or_else(|| bracket.elements().find_map(in_element))
        }
        Element::Path(path) => {
            let nodes = path.nodes().find_map(|node| in_subject(node.subject()));
            nodes.or_else(|| path.arrows().find_map(|arrow| in_subject(arrow.subject())))
        }
        Element::Reference(_) => None,
    }
}

fn in_subject(subject: Option<Subject<'_>>) -> Option<Name<'_>> {
    in_properties(subject?.record()?.properties())
}

fn in_properties<'t>(mut properties: impl Iterator<Item = Property<'t>>) -> Option<Name<'t>> {
    let mut seen = HashSet::new();
    properties.find_map(|property| {
        let key = property.key();
        if seen.insert(key.text()) {
            in_value(property.value())
        } else {
            Some(key)
        }
    })
}

fn in_value(value: SyntaxValue<'_>) -> Option<Name<'_>> {
    match value.kind() {
        ValueKind::Map(record) => in_properties(record.properties()),
        ValueKind::Array(items) => items.items().find_map(in_value),
        _ => None,
    }
}
