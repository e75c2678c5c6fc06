//! The restrictions of the official grammar, `tree-sitter-gram` 0.6, that this implementation does not
//! have.
//!
//! The list is that of the crate docs of `agent-gram`, section "What is wider than the official
//! grammar", with what the official lexer misreads. A test compares the list with the grammar itself.

use crate::check::{VisitParts, walk_parts};
use agent_gram::Span;
use agent_gram::syntax::{
    Array, Document, Name, NameForm, Number, NumberKind, Property, StringForm, Value, ValueKind,
};
use std::fmt;

/// A construct that the official grammar rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Nested,
    EmptyList,
    Fraction,
    CommentMark,
    BooleanTag,
}

/// Writes the construct in words that follow the name of the part.
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
    /// Returns advice.
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

/// Returns the first construct in the value of a property that the official grammar rejects, and its
/// position.
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

/// Returns the source text between the quotes. The source is searched, because `\/` is not a comment
/// mark.
fn content(written: &str, form: StringForm) -> &str {
    let start = match form {
        StringForm::Double => written.find('"'),
        StringForm::Single => written.find('\''),
        // A tag may come before the quotes.
        StringForm::Backtick => written.find('`'),
        StringForm::Fence => written.find('\n'),
    };
    let content = start.and_then(|start| written.get(start + 1..));
    content.unwrap_or_default()
}

/// Returns a comment mark at the beginning of a text. Blanks before the mark do not count, because the
/// official lexer skips them.
pub(super) fn opt_comment_mark(text: &str) -> Option<Refusal> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    (text.starts_with("//") || text.starts_with("/**")).then_some(Refusal::CommentMark)
}

/// A part of a document that the official grammar refuses.
pub(super) struct Refused<'t> {
    pub(super) span: Span,
    pub(super) refusal: Refusal,
    /// The key of the property; `None` for a name.
    pub(super) key: Option<&'t str>,
    /// The name of the pattern that has it, if it has one.
    pub(super) owner: Option<&'t str>,
    /// The whole value, or the name.
    pub(super) whole: Span,
}

/// Returns all parts of a document that the official grammar refuses.
pub(super) fn refused_parts<'t>(document: &'t Document<'_>) -> Vec<Refused<'t>> {
    let mut search = Search {
        source: document.source(),
        found: Vec::new(),
    };
    walk_parts(document, &mut search);
    search.found
}

struct Search<'t> {
    source: &'t str,
    found: Vec<Refused<'t>>,
}

impl<'t> VisitParts<'t> for Search<'t> {
    fn properties(
        &mut self,
        owner: Option<&'t str>,
        properties: &mut dyn Iterator<Item = Property<'t>>,
    ) {
        for property in properties {
            self.name(property.key());
            let refused = refusal(self.source, property.value());
            self.found.extend(refused.map(|(span, refusal)| Refused {
                span,
                refusal,
                key: Some(property.key().text()),
                owner,
                whole: property.value().span(),
            }));
        }
    }

    fn name(&mut self, name: Name<'t>) {
        let refused = refusal_of_name(self.source, name);
        self.found.extend(refused.map(|(span, refusal)| Refused {
            span,
            refusal,
            key: None,
            owner: None,
            whole: span,
        }));
    }
}
