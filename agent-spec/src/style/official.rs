//! What the official grammar has no place for, `tree-sitter-gram` 0.6, although we take it.
//!
//! The list is that of the crate docs of `agent-gram`, section "What is wider than the official
//! grammar", with what the official lexer misreads. A test holds it against the grammar itself.

use agent_gram::Span;
use agent_gram::syntax::{
    Array, Document, Element, Name, NameForm, Number, NumberKind, Property, Record, Subject, Value,
    ValueKind,
};
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
                "official tools take `//` and `/**` for a comment there; begin with another character"
            }
            Refusal::BooleanTag => "use another tag",
        }
    }
}

/// What the official grammar refuses of the value of a property, and where.
pub(super) fn refusal(value: Value<'_>) -> Option<(Span, Refusal)> {
    match value.kind() {
        ValueKind::Map(record) => record.properties().find_map(|entry| {
            let inside = match entry.value().kind() {
                ValueKind::Map(_) => Some((entry.value().span(), Refusal::Nested)),
                _ => refusal(entry.value()),
            };
            refusal_of_name(entry.key()).or(inside)
        }),
        ValueKind::Array(items) => refusal_of_list(items),
        _ => refusal_of_scalar(value),
    }
}

fn refusal_of_list(items: Array<'_>) -> Option<(Span, Refusal)> {
    if items.items().next().is_none() {
        return Some((items.span(), Refusal::EmptyList));
    }
    items.items().find_map(|item| match item.kind() {
        ValueKind::Array(_) | ValueKind::Map(_) => Some((item.span(), Refusal::Nested)),
        _ => refusal_of_scalar(item),
    })
}

fn refusal_of_scalar(value: Value<'_>) -> Option<(Span, Refusal)> {
    let refused = match value.kind() {
        ValueKind::Number(number) => opt_fraction(number),
        ValueKind::Range { lower, upper } => {
            [lower, upper].into_iter().flatten().find_map(opt_fraction)
        }
        ValueKind::Tagged { tag, .. } if matches!(tag.text(), "true" | "false") => {
            Some(Refusal::BooleanTag)
        }
        ValueKind::String { text, .. } | ValueKind::Tagged { text, .. } => opt_comment_mark(text),
        _ => None,
    };
    refused.map(|refusal| (value.span(), refusal))
}

fn opt_fraction(number: Number<'_>) -> Option<Refusal> {
    let is_measurement = matches!(number.kind(), NumberKind::Measurement { .. });
    (is_measurement && number.text().contains('.')).then_some(Refusal::Fraction)
}

fn refusal_of_name(name: Name<'_>) -> Option<(Span, Refusal)> {
    match name.form() {
        NameForm::Symbol | NameForm::Integer => None,
        _ => opt_comment_mark(name.text()).map(|refusal| (name.span(), refusal)),
    }
}

/// Blanks before the marks do not help: the official lexer skips them.
fn opt_comment_mark(text: &str) -> Option<Refusal> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    (text.starts_with("//") || text.starts_with("/**")).then_some(Refusal::CommentMark)
}

/// A part of a document that the official grammar refuses.
pub(super) struct Refused<'t> {
    pub(super) span: Span,
    pub(super) refusal: Refusal,
    /// The key of the property that it is about; nothing for a name.
    pub(super) key: Option<&'t str>,
    /// The name of the pattern that has it, if it has one.
    pub(super) owner: Option<&'t str>,
    /// The whole value, or the name.
    pub(super) whole: Span,
}

/// Visits whatever the official grammar refuses in a document. Depth is bounded by the parser.
pub(super) fn visit<'t>(document: &'t Document<'_>, found: &mut Vec<Refused<'t>>) {
    if let Some(header) = document.header() {
        visit_record(None, header, found);
    }
    for item in document.items() {
        if let Some(annotations) = item.annotations() {
            let subject = annotations.subject();
            let owner = subject.as_ref().and_then(owner_of);
            visit_subject(subject, found);
            visit_properties(owner, annotations.properties(), found);
        }
        visit_element(item.body(), found);
    }
}

fn visit_element<'t>(element: Element<'t>, found: &mut Vec<Refused<'t>>) {
    match element {
        Element::Bracket(bracket) => {
            visit_subject(bracket.subject(), found);
            for inner in bracket.elements() {
                visit_element(inner, found);
            }
        }
        Element::Path(path) => {
            for node in path.nodes() {
                visit_subject(node.subject(), found);
            }
            for arrow in path.arrows() {
                visit_subject(arrow.subject(), found);
            }
        }
        Element::Reference(name) => visit_name(name, found),
    }
}

fn owner_of<'t>(subject: &Subject<'t>) -> Option<&'t str> {
    subject.identity().map(|name| name.text())
}

fn visit_subject<'t>(subject: Option<Subject<'t>>, found: &mut Vec<Refused<'t>>) {
    let Some(subject) = subject else {
        return;
    };
    let labels = subject.labels().map(|label| label.name());
    for name in subject.identity().into_iter().chain(labels) {
        visit_name(name, found);
    }
    if let Some(record) = subject.record() {
        visit_record(owner_of(&subject), record, found);
    }
}

fn visit_record<'t>(owner: Option<&'t str>, record: Record<'t>, found: &mut Vec<Refused<'t>>) {
    visit_properties(owner, record.properties(), found);
}

fn visit_properties<'t>(
    owner: Option<&'t str>,
    properties: impl Iterator<Item = Property<'t>>,
    found: &mut Vec<Refused<'t>>,
) {
    for property in properties {
        visit_name(property.key(), found);
        let refused = refusal(property.value());
        found.extend(refused.map(|(span, refusal)| Refused {
            span,
            refusal,
            key: Some(property.key().text()),
            owner,
            whole: property.value().span(),
        }));
    }
}

fn visit_name<'t>(name: Name<'t>, found: &mut Vec<Refused<'t>>) {
    let refused = refusal_of_name(name);
    found.extend(refused.map(|(span, refusal)| Refused {
        span,
        refusal,
        key: None,
        owner: None,
        whole: span,
    }));
}
