//! A history in gram.

use super::Problem;
use super::twice::key_given_twice;
use agent_gram::{LineIndex, Pattern, Span, lower, parse};
use agent_runtime::Conversation;

/// What a history is labelled.
const LABEL: &str = "Conversation";

/// How to come by one.
const WRITTEN: &str = "`agent conversations show NAME --format gram` and `/save talk.gram` in a chat write \
                       one, and what `agent run --format json` prints is a history, too";

/// Whether a text that is no JSON is meant to be gram, by how it begins.
pub(super) fn is_begun_by(text: &str) -> bool {
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
pub(super) fn read(text: &str) -> Result<Conversation, Problem> {
    let at = |span: Span| {
        let position = LineIndex::new(text).position(span.start);
        Some((position.line, position.column))
    };
    let parsed = parse(text);
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
