//! The conversation before the first message, read from a file.

use crate::outcome::CommandError;
use crate::output::error_to_stderr;
use agent_gram::{LineIndex, Pattern, Span, lower, parse as parse_gram};
use agent_project::source;
use agent_runtime::conversation::Role;
use agent_runtime::{Conversation, Message};
use agent_spec::Code;
use agent_spec::check::check_gram;
use agent_spec::json::{MAX_VALUES, Ordered, has_more_values_than, too_many_values};
use serde_json::Value;
use std::path::Path;

/// The member with the messages in the output of `agent run --format json`.
const MEMBER: &str = "conversation";

/// Reads a conversation: a JSON array of messages, the output of `agent run --format json`, or a gram
/// document with a pattern labelled `Conversation`. If the file has other contents, or messages that no
/// model would accept, prints an error and returns `None`.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<Conversation>, CommandError> {
    if path.is_dir() {
        return Err(CommandError::new(format!(
            "cannot read `{}`: it is a directory; --history needs one file, of JSON or gram",
            path.display()
        )));
    }
    let source = source::read(path)?;
    let name = source.display_name();
    match parse(&source.text) {
        Ok(conversation) => Ok(Some(conversation)),
        Err(HistoryError { position, text }) => {
            let position = position.map(|(line, column)| format!(":{line}:{column}"));
            error_to_stderr(&format!("{name}{}: {text}", position.unwrap_or_default()));
            Ok(None)
        }
    }
}

/// The error of a file that is not a history.
struct HistoryError {
    /// The line and column, if they are known.
    position: Option<(usize, usize)>,
    text: String,
}

impl HistoryError {
    fn without_position(text: String) -> Self {
        Self {
            position: None,
            text,
        }
    }
}

fn parse(text: &str) -> Result<Conversation, HistoryError> {
    if text.trim().is_empty() {
        let text = "the file is empty; write `[]` for a history without messages";
        return Err(HistoryError::without_position(text.to_owned()));
    }
    let conversation = match parse_json(text) {
        // Only errors of JSON syntax have a position, so the text may be gram.
        Err(problem) if problem.position.is_some() && is_gram(text) => parse_gram_history(text),
        parsed => parsed,
    }?;
    conversation.check().map_err(|invalid| {
        HistoryError::without_position(format!(
            "no model would accept this conversation: {invalid}"
        ))
    })?;
    refuse_empty_messages(&conversation)?;
    Ok(conversation)
}

/// Refuses a message without content, because no provider accepts one, so it would be left out silently.
fn refuse_empty_messages(conversation: &Conversation) -> Result<(), HistoryError> {
    let messages = conversation.messages();
    let is_empty = |message: &Message| {
        message.role() != Role::Function
            && message.content().trim().is_empty()
            && message.tool_calls().is_empty()
            && message.parts().iter().all(|part| part.as_text().is_some())
    };
    let Some(at) = messages.iter().position(is_empty) else {
        return Ok(());
    };
    Err(HistoryError::without_position(format!(
        "message {} of {} is empty; write its text as `content`, or leave the message out",
        at + 1,
        messages.len()
    )))
}

fn parse_json(text: &str) -> Result<Conversation, HistoryError> {
    let without_position = HistoryError::without_position;
    if has_more_values_than(text.as_bytes(), MAX_VALUES) {
        return Err(without_position(format!(
            "this is not a history: it has {}",
            too_many_values(MAX_VALUES)
        )));
    }
    // The text is parsed with all keys first, because a tree of values would keep only one of two equal keys.
    let json = serde_json::from_str(text).map(|json: Ordered| json.to_value());
    let json = json.map_err(|error| HistoryError {
        position: Some((error.line(), error.column())),
        text: if error.is_data() {
            format!("this is not a history: {error}")
        } else {
            format!("this is not JSON: {error}")
        },
    })?;
    let messages = match &json {
        Value::Object(members) => members.get(MEMBER).ok_or_else(|| {
            without_position(format!(
                "a history is an array of messages, or an object with the member `{MEMBER}`, such as \
                 the output of `agent run --format json`"
            ))
        })?,
        other => other,
    };
    Conversation::from_json(messages).map_err(|error| without_position(error.to_string()))
}

/// The label of a history in gram.
const LABEL: &str = "Conversation";

/// Advice on how to create a history in gram.
const ADVICE: &str = "`agent conversations show NAME --format gram` and `/save talk.gram` in a chat write \
                      one, and the output of `agent run --format json` is a history, too";

/// Whether a text that is not JSON is meant to be gram, judged by its first characters.
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

/// Parses a history in gram, which is one pattern.
fn parse_gram_history(text: &str) -> Result<Conversation, HistoryError> {
    let at = |span: Span| {
        let position = LineIndex::new(text).position(span.start);
        Some((position.line, position.column))
    };
    let parsed = parse_gram(text);
    if let Some(error) = parsed.errors.first() {
        return Err(HistoryError {
            position: at(error.span()),
            text: format!("this is not gram: {error}"),
        });
    }
    // A duplicate key is an error here, because patterns keep only the last value of a key.
    let found = check_gram(text).diagnostics.into_iter();
    let mut repeated = found.filter(|found| found.code() == Code::GramDuplicateKey);
    if let Some(key) = repeated.next().map(|found| found.span()) {
        return Err(HistoryError {
            position: at(key),
            text: format!(
                "the key `{}` occurs twice in one record; leave one of them out",
                key.text(text)
            ),
        });
    }
    let patterns = lower(&parsed.document);
    match patterns.as_slice() {
        [pattern] if is_conversation(pattern) => Conversation::from_pattern(pattern)
            .map_err(|error| HistoryError::without_position(error.to_string())),
        others => Err(HistoryError::without_position(not_one_history(others))),
    }
}

fn is_conversation(pattern: &Pattern) -> bool {
    pattern.subject().has_label(LABEL)
}

/// Describes gram that is not one history.
fn not_one_history(patterns: &[Pattern]) -> String {
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
    format!("{found}; a history is one pattern labelled `{LABEL}`: {ADVICE}")
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
