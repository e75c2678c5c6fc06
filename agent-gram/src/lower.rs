//! Lowers a syntax tree to patterns: the meaning of a text, without its spelling.
//!
//! Lowering cannot fail. In a tree with errors, [`Invalid`] becomes an empty text, so callers lower
//! documents without errors only.
//!
//! [`Invalid`]: crate::syntax::ValueKind::Invalid

use crate::error::{SyntaxError, ValueError};
use crate::parser::parse_piecewise;
use crate::pattern::{Pattern, Subject};
use crate::syntax::{
    self, Annotations, Direction, Document, Element, Item, Node, NumberKind, Path, Property,
    SubjectPart, ValueKind,
};
use crate::value::{
    Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Text, Value,
};

/// Parses a text to patterns.
///
/// # Errors
/// All mistakes in the text.
pub fn parse_patterns(source: &str) -> Result<Vec<Pattern>, Vec<SyntaxError>> {
    let mut patterns = Vec::new();
    // Each item of the tree is dropped once it is lowered, so that a large document does not take
    // memory for its tree and its patterns at once.
    let errors = parse_piecewise(source, |tape| {
        patterns.extend(syntax::header(tape).map(header_pattern));
        patterns.extend(syntax::items(tape).map(lower_item));
    });
    if errors.is_empty() {
        Ok(patterns)
    } else {
        Err(errors)
    }
}

/// Returns the patterns of a document. A record at its beginning is an additional first pattern,
/// anonymous and without elements.
#[must_use]
pub fn lower(document: &Document<'_>) -> Vec<Pattern> {
    let header = document.header().map(header_pattern);
    header.into_iter().chain(lower_items(document)).collect()
}

/// Returns the patterns of a document, without the record at its beginning.
#[must_use]
pub fn lower_items(document: &Document<'_>) -> Vec<Pattern> {
    document.items().map(lower_item).collect()
}

/// Returns the record at the beginning of a document, if there is one.
#[must_use]
pub fn lower_header(document: &Document<'_>) -> Option<Record> {
    document.header().map(lower_record)
}

fn header_pattern(header: syntax::Record<'_>) -> Pattern {
    let subject = Subject {
        properties: lower_record(header),
        ..Subject::default()
    };
    Pattern::from_parts(subject, Vec::new())
}

/// Returns the pattern of an item. Its annotations become a pattern around that of its body.
#[must_use]
pub fn lower_item(item: Item<'_>) -> Pattern {
    let body = lower_element(item.body());
    match item.annotations() {
        Some(annotations) => Pattern::from_parts(annotation_subject(annotations), vec![body]),
        None => body,
    }
}

/// Returns the pattern of an element. A reference becomes a pattern with an identity only, because
/// references are not resolved.
#[must_use]
pub fn lower_element(element: Element<'_>) -> Pattern {
    match element {
        Element::Bracket(bracket) => {
            let elements = bracket.elements();
            // A vector that grows has a capacity of four from the start, and most brackets have one
            // element.
            let mut lowered = Vec::with_capacity(elements.clone().count());
            lowered.extend(elements.map(lower_element));
            Pattern::from_parts(opt_subject(bracket.subject()), lowered)
        }
        Element::Path(path) => lower_path(path),
        Element::Reference(name) => {
            let subject = Subject {
                identity: text(name.text()),
                ..Subject::default()
            };
            Pattern::from_parts(subject, Vec::new())
        }
    }
}

/// Returns the pattern of a path: a node, a relationship of two nodes, or an anonymous pattern of
/// relationships, in which each node between two arrows is contained twice.
fn lower_path(path: Path<'_>) -> Pattern {
    let mut before = path.nodes().next().map(lower_node).unwrap_or_default();
    let steps = path.steps();
    let count = steps.clone().count();
    if count == 0 {
        return before;
    }
    let mut relationships = Vec::with_capacity(count);
    for (at, (arrow, node)) in steps.enumerate() {
        let after = lower_node(node);
        let next = if at + 1 < count {
            after.clone()
        } else {
            Pattern::default()
        };
        let elements = match arrow.direction() {
            Direction::Left => vec![after, before],
            _ => vec![before, after],
        };
        let relationship = Pattern::from_parts(opt_subject(arrow.subject()), elements);
        if count == 1 {
            return relationship;
        }
        relationships.push(relationship);
        before = next;
    }
    Pattern::from_parts(Subject::default(), relationships)
}

fn lower_node(node: Node<'_>) -> Pattern {
    Pattern::from_parts(opt_subject(node.subject()), Vec::new())
}

fn opt_subject(subject: Option<syntax::Subject<'_>>) -> Subject {
    let mut lowered = Subject::default();
    let Some(subject) = subject else {
        return lowered;
    };
    let mut has_label = false;
    for part in subject.clone().into_parts() {
        match part {
            SubjectPart::Identity(name) => lowered.identity = text(name.text()),
            SubjectPart::Label(label) if !has_label => {
                has_label = true;
                lowered.labels.insert(text(label.name().text()));
            }
            // Further labels may be doubles, and there may be many.
            SubjectPart::Label(_) => {
                let names = subject.labels().map(|label| text(label.name().text()));
                lowered.labels = names.collect();
                lowered.properties = subject.record().map(lower_record).unwrap_or_default();
                break;
            }
            SubjectPart::Record(record) => lowered.properties = lower_record(record),
        }
    }
    lowered
}

/// Returns the subject of annotations: `@@id:Label @key(value)` is `id:Label {key: value}`.
fn annotation_subject(annotations: Annotations<'_>) -> Subject {
    Subject {
        properties: lower_properties(annotations.properties()),
        ..opt_subject(annotations.subject())
    }
}

/// Copies a text, so that a pattern outlives its source.
fn text(text: &str) -> Text {
    Text::new(text)
}

/// Returns the value of a syntax part.
#[must_use]
pub fn lower_value(value: syntax::Value<'_>) -> Value {
    let lowered = match value.kind() {
        ValueKind::Number(number) => lower_number(number).map(Value::from),
        ValueKind::Boolean(value) => Ok(Value::Boolean(value)),
        ValueKind::Symbol(symbol) => Symbol::new(text(symbol)).map(Value::Symbol),
        ValueKind::String { text: string, .. } => Ok(Value::String(text(string))),
        ValueKind::Tagged {
            tag, text: string, ..
        } => Tagged::new(text(tag.text()), text(string)).map(Value::from),
        ValueKind::Range { lower, upper } => lower_range(lower, upper),
        ValueKind::Array(array) => Ok(Value::Array(Array::from_parsed(
            array.items().map(lower_value).collect(),
        ))),
        ValueKind::Map(record) => Ok(Value::Map(lower_record(record))),
        ValueKind::Invalid => Ok(Value::String(Text::default())),
    };
    // The parser does not accept a value that a constructor refuses.
    lowered.unwrap_or_else(|error| Value::String(error.to_string().into()))
}

/// Returns the record of a syntax part. A key given twice keeps its first place and its last value.
#[must_use]
pub fn lower_record(record: syntax::Record<'_>) -> Record {
    lower_properties(record.properties())
}

fn lower_properties<'t>(properties: impl Iterator<Item = Property<'t>> + Clone) -> Record {
    let count = properties.clone().count();
    let entries = properties.map(|property| {
        let (key, value) = property.key_and_value();
        (text(key.text()), lower_value(value))
    });
    Record::from_parsed(entries, count)
}

fn lower_number(number: syntax::Number<'_>) -> Result<Number, ValueError> {
    Ok(match number.kind() {
        NumberKind::Integer(value) => Number::Integer(value),
        NumberKind::Decimal(value) => Number::Decimal(Decimal::new(value)?),
        NumberKind::Measurement { value, unit } => {
            Number::Measurement(Measurement::new(value, text(unit))?)
        }
    })
}

fn lower_range(
    lower: Option<syntax::Number<'_>>,
    upper: Option<syntax::Number<'_>>,
) -> Result<Value, ValueError> {
    let lower = lower.map(lower_number).transpose()?;
    let upper = upper.map(lower_number).transpose()?;
    Range::new(lower, upper).map(Value::from)
}
