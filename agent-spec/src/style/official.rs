//! What the official grammar has no place for, `tree-sitter-gram` 0.6, although we take it.
//!
//! The list is that of the crate docs of `agent-gram`, section "What is wider than the official
//! grammar", with what the official lexer misreads. A test holds it against the grammar itself.

use agent_gram::Span;
use agent_gram::syntax::{Array, Name, NameForm, Number, NumberKind, StringForm, Value, ValueKind};
use std::fmt;

/// What the official grammar refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Nested,
    EmptyList,
    Fraction,
    CommentMark,
    BooleanTag,
}

/// In words that go after what has it.
impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Refusal::Nested => "has lists or maps inside a list, or maps inside a map",
            Refusal::EmptyList => "has an empty list",
            Refusal::Fraction => "has a measurement with a fraction",
            Refusal::CommentMark => "has a text that begins with a comment mark",
            Refusal::BooleanTag => "has a text with the tag `true` or `false`",
        })
    }
}

impl Refusal {
    /// What could be done about it.
    pub(super) fn help(self) -> &'static str {
        match self {
            Refusal::Nested => "official gram has lists of plain values, and maps of these",
            Refusal::EmptyList => "leave it out, when that means the same",
            Refusal::Fraction => "write it in a smaller unit: `1500ms` is `1.5s`",
            Refusal::CommentMark => {
                "official tools take it for a comment; in quotes, write the first `/` as `\\/`"
            }
            Refusal::BooleanTag => "use another tag",
        }
    }
}

/// What the official grammar refuses first of the value of a property, and where.
pub(super) fn refusal(source: &str, value: Value<'_>) -> Option<(Span, Refusal)> {
    match value.kind() {
        ValueKind::Map(record) => record.properties().find_map(|entry| {
            let inside = match entry.value().kind() {
                ValueKind::Map(_) => Some((entry.value().span(), Refusal::Nested)),
                _ => refusal(source, entry.value()),
            };
            refusal_of_name(source, entry.key()).or(inside)
        }),
        ValueKind::Array(items) => refusal_of_list(source, items),
        _ => refusal_of_scalar(source, value),
    }
}

fn refusal_of_list(source: &str, items: Array<'_>) -> Option<(Span, Refusal)> {
    if items.items().next().is_none() {
        return Some((items.span(), Refusal::EmptyList));
    }
    items.items().find_map(|item| match item.kind() {
        ValueKind::Array(_) | ValueKind::Map(_) => Some((item.span(), Refusal::Nested)),
        _ => refusal_of_scalar(source, item),
    })
}

fn refusal_of_scalar(source: &str, value: Value<'_>) -> Option<(Span, Refusal)> {
    let refused = match value.kind() {
        ValueKind::Number(number) => opt_fraction(number),
        ValueKind::Range { lower, upper } => {
            [lower, upper].into_iter().flatten().find_map(opt_fraction)
        }
        ValueKind::Tagged { tag, .. } if matches!(tag.text(), "true" | "false") => {
            Some(Refusal::BooleanTag)
        }
        ValueKind::String { form, .. } | ValueKind::Tagged { form, .. } => {
            opt_comment_mark(content(value.span().text(source), form))
        }
        _ => None,
    };
    refused.map(|refusal| (value.span(), refusal))
}

fn opt_fraction(number: Number<'_>) -> Option<Refusal> {
    let is_measurement = matches!(number.kind(), NumberKind::Measurement { .. });
    (is_measurement && number.text().contains('.')).then_some(Refusal::Fraction)
}

pub(super) fn refusal_of_name(source: &str, name: Name<'_>) -> Option<(Span, Refusal)> {
    match name.form() {
        NameForm::Symbol | NameForm::Integer => None,
        _ => {
            let inside = name.span().text(source).get(1..).unwrap_or_default();
            opt_comment_mark(inside).map(|refusal| (name.span(), refusal))
        }
    }
}

/// What stands between the quotes, as it is written: `\/` is no comment mark.
fn content(written: &str, form: StringForm) -> &str {
    let start = match form {
        StringForm::Double => written.find('"'),
        StringForm::Single => written.find('\''),
        // A tag may stand before it.
        StringForm::Backtick => written.find('`'),
        StringForm::Fence => written.find('\n'),
    };
    let content = start.and_then(|start| written.get(start + 1..));
    content.unwrap_or_default()
}

/// Blanks before the marks do not help: the official lexer skips them.
pub(super) fn opt_comment_mark(text: &str) -> Option<Refusal> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    (text.starts_with("//") || text.starts_with("/**")).then_some(Refusal::CommentMark)
}
