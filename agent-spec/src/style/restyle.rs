//! Converts documents from one style to the other: only the values that describe types are replaced.

use super::expression::{Inexpressible, field_expression, type_expression};
use crate::check::{Meaning, TypeValue, is_word, type_values, type_values_of_signature};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, sort_by_place};
use crate::style::official::{Refusal, Refused, refused_parts};
use crate::style::{Style, official};
use agent_gram::Span;
use agent_gram::syntax::{Comment, Document, Value, ValueKind};
use agent_types::__private::{
    fields_text, narrowed_text, portable_fields_text, portable_types_text, type_text, types_text,
};
use agent_types::{Field, Type};

/// A document in a style.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restyled {
    /// The text, which has the same agents and tools. Its layout is that of the source. A replaced value
    /// is on one line, which a formatter may break.
    pub text: String,
    /// Warnings about values that the style cannot express, in source order. The positions are in the
    /// source.
    ///
    /// Without warnings in the style [`Style::Portable`], the official grammar accepts the text.
    pub warnings: Vec<Diagnostic>,
}

/// Writes the types in the signatures of all tools of a document in a style.
///
/// Only values of `fields`, `elementType`, `valueType`, `items` and `anyOf` are replaced, and only those that are not in
/// the style. Comments, layout, other patterns and other properties do not change. A value that the
/// style cannot express, or that has a comment inside, is kept with a warning. For [`Style::Portable`]
/// there is a warning for everything in the document, also outside of signatures, that the official
/// grammar rejects.
///
/// # Errors
/// Returns the mistakes of the notation or of a signature. Other mistakes do not matter here.
pub fn restyle(source: &str, style: Style) -> Result<Restyled, Diagnostics> {
    restyle_values(source, style, type_values)
}

/// Converts the text of a bare signature; `None` when it cannot be parsed.
pub(super) fn restyle_signature(source: &str, style: Style) -> Option<String> {
    let restyled = restyle_values(source, style, type_values_of_signature);
    restyled.ok().map(|restyled| restyled.text)
}

type ValuesOf = for<'t> fn(&'t Document<'_>) -> Result<Vec<TypeValue<'t>>, Vec<Diagnostic>>;

fn restyle_values(
    source: &str,
    style: Style,
    values_of: ValuesOf,
) -> Result<Restyled, Diagnostics> {
    let failed = |found| Diagnostics::new(source, found);
    let parsed = agent_gram::parse(source);
    if !parsed.errors.is_empty() {
        return Err(failed(parsed.errors.iter().map(Diagnostic::from).collect()));
    }
    let document = &parsed.document;
    let mut plan = Plan::default();
    let mut values = values_of(document).map_err(failed)?;
    values.sort_by_key(|value| value.value.span().start);
    for value in &values {
        plan.restyle(value, style, document);
    }
    let text = plan.text_within_bounds(source);
    if style == Style::Portable {
        plan.warn_of_refused(document);
    }
    sort_by_place(&mut plan.warnings);
    Ok(Restyled {
        text,
        warnings: plan.warnings,
    })
}

/// The changes of a document, in source order.
#[derive(Default)]
struct Plan {
    edits: Vec<Edit>,
    warnings: Vec<Diagnostic>,
    /// The values that are finished: replaced, or reported.
    settled: Vec<Span>,
}

/// A value to be replaced.
struct Edit {
    span: Span,
    text: String,
    /// Whether the new value nests deeper than the old value.
    is_deeper: bool,
}

impl Plan {
    fn restyle(&mut self, value: &TypeValue<'_>, style: Style, document: &Document<'_>) {
        let (source, comments) = (document.source(), document.comments());
        let span = value.value.span();
        let said = match (style, &value.meaning) {
            (Style::List, Meaning::Fields(fields)) => {
                Ok((!are_list_types(value.value)).then(|| fields_text(fields)))
            }
            (Style::List, Meaning::Type(ty)) => {
                Ok((!is_list_type(value.value)).then(|| type_text(ty)))
            }
            (Style::List, Meaning::Types(types)) => {
                Ok((!are_list_types(value.value)).then(|| types_text(types)))
            }
            (Style::Portable, Meaning::Types(types)) => portable_types(value.value, types),
            (Style::Portable, Meaning::Fields(fields)) => portable_fields(value.value, fields),
            (Style::Portable, Meaning::Type(ty)) => {
                portable_type(source, value.value, ty).map_err(|reason| vec![(0, reason)])
            }
        };
        match said {
            // Its types are in the style already.
            Ok(None) => return,
            Ok(Some(_)) if has_comment(span, comments) => self.warnings.push(kept_comment(value)),
            Ok(Some(text)) => self.edits.push(Edit {
                span,
                // An expression is one text, however long.
                is_deeper: style == Style::List && nesting(&text) > depth(value.value),
                text,
            }),
            Err(reasons) => {
                self.warnings.extend(inexpressible(value, &reasons));
            }
        }
        self.settled.push(span);
    }

    /// The text with all edits within gram's nesting limit. In the style `list` types nest deeper, which
    /// can exceed the limit when the tool itself is nested deep.
    fn text_within_bounds(&mut self, source: &str) -> String {
        let text = edited(source, &self.edits);
        if agent_gram::parse(&text).errors.is_empty() {
            return text;
        }
        for edit in std::mem::take(&mut self.edits) {
            if !edit.is_deeper {
                self.edits.push(edit);
            } else {
                self.warnings.push(too_deep(edit.span));
            }
        }
        edited(source, &self.edits)
    }

    /// Warns of everything else that the official grammar has no place for.
    fn warn_of_refused(&mut self, document: &Document<'_>) {
        for refused in refused_parts(document) {
            if self.settled.binary_search(&refused.whole).is_err() {
                self.warnings.push(refused_part(&refused));
            }
        }
        if let Some(at) = document.source().find('\0') {
            let message = "the character U+0000 ends a document for official gram tools";
            self.warnings.push(
                Diagnostic::new(Code::NotPortable, Span::new(at, at + 1), message)
                    .with_help("remove it"),
            );
        }
    }
}

fn edited(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for edit in edits {
        text.push_str(source.get(done..edit.span.start).unwrap_or_default());
        text.push_str(&edit.text);
        done = edit.span.end;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    text
}

/// Returns the number of brackets and braces inside each other in a value.
fn depth(value: Value<'_>) -> usize {
    match value.kind() {
        ValueKind::Array(items) => 1 + items.items().map(depth).max().unwrap_or(0),
        ValueKind::Map(record) => {
            let values = record.properties().map(|entry| depth(entry.value()));
            1 + values.max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Returns the number of brackets and braces inside each other in the text of a value. Brackets inside quotes
/// count too, so that the number may be too high, never too low.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn has_comment(span: Span, comments: &[Comment]) -> bool {
    let next = comments.partition_point(|comment| comment.span.start < span.start);
    comments
        .get(next)
        .is_some_and(|comment| comment.span.start < span.end)
}

/// Returns a list of types in the style `portable`; `None` when they are in the style already.
///
/// # Errors
/// The place and the reason of each type that the style cannot express.
fn portable_types(
    value: Value<'_>,
    types: &[Type],
) -> Result<Option<String>, Vec<(usize, Inexpressible)>> {
    let is_map = |item: Value<'_>| matches!(item.kind(), ValueKind::Map(_));
    if !matches!(value.kind(), ValueKind::Array(items) if items.items().any(is_map)) {
        return Ok(None);
    }
    let expressions = all_said(types.iter().map(type_expression))?;
    Ok(Some(portable_types_text(&expressions)))
}

/// Returns the forms of all types or fields.
///
/// # Errors
/// The place and the reason of each one that the style cannot express.
fn all_said<T>(
    said: impl Iterator<Item = Result<T, Inexpressible>>,
) -> Result<Vec<T>, Vec<(usize, Inexpressible)>> {
    let (mut all, mut inexpressible) = (Vec::new(), Vec::new());
    for (at, said) in said.enumerate() {
        match said {
            Ok(said) => all.push(said),
            Err(reason) => inexpressible.push((at, reason)),
        }
    }
    match inexpressible.is_empty() {
        true => Ok(all),
        false => Err(inexpressible),
    }
}

/// Returns a type in the style `portable`; `None` when it is in the style already.
///
/// # Errors
/// Returns the part that the style cannot express.
pub(super) fn portable_type(
    source: &str,
    value: Value<'_>,
    ty: &Type,
) -> Result<Option<String>, Inexpressible> {
    if !matches!(value.kind(), ValueKind::Map(_)) {
        return Ok(None);
    }
    if let Ok(expression) = type_expression(ty) {
        return Ok(Some(quoted(&expression)));
    }
    match official::refusal(source, value) {
        // A map of plain values is valid in the official grammar, so it can contain the constraints of
        // the type itself.
        None => return Ok(None),
        // Only the innermost type of a value can have such a text, in `enum`, `pattern` or `format`,
        // so the type is in the style. A warning about the text itself follows, as for any property.
        Some((_, Refusal::CommentMark)) => return Ok(None),
        Some(_) => {}
    }
    let plain = ty.clone().with_constraints(Default::default());
    let base = type_expression(&plain.with_optional(false))?;
    let text = narrowed_text(&base, ty);
    if is_official(&text) {
        Ok(Some(text))
    } else {
        type_expression(ty).map(|expression| Some(quoted(&expression)))
    }
}

/// Returns fields in the style `portable`; `None` when they are in the style already.
///
/// # Errors
/// The place and the reason of each field that the style cannot express.
pub(super) fn portable_fields(
    value: Value<'_>,
    fields: &[Field],
) -> Result<Option<String>, Vec<(usize, Inexpressible)>> {
    if let ValueKind::Map(record) = value.kind()
        && !record
            .properties()
            .any(|entry| matches!(entry.value().kind(), ValueKind::Map(_)))
    {
        return Ok(None);
    }
    // In a map of fields, each name is a key with its own quotes.
    let entries = fields.iter().map(|field| {
        if official::opt_comment_mark(field.name()).is_some() {
            return Err(Inexpressible::name_of(field));
        }
        Ok((field.name(), field_expression(field)?))
    });
    Ok(Some(portable_fields_text(&all_said(entries)?)))
}

fn quoted(expression: &str) -> String {
    agent_gram::print::writer::to_string(|writer| writer.quoted(expression, b'"'))
}

/// Whether the official grammar has a place for a value that was written here.
fn is_official(text: &str) -> bool {
    let source = format!("({{value: {text}}})");
    let parsed = agent_gram::parse(&source);
    refused_parts(&parsed.document).is_empty()
}

fn is_list_type(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::Map(record) => record.properties().all(|entry| match entry.key().text() {
            "type" => is_label(entry.value()),
            key => is_list_part(key, entry.value()),
        }),
        _ => is_label(value),
    }
}

/// Whether a value is a list of types, or of fields, in the style `list`.
fn are_list_types(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::Array(items) => items.items().all(is_list_type),
        _ => false,
    }
}

fn is_list_part(key: &str, value: Value<'_>) -> bool {
    match key {
        "elementType" | "valueType" => is_list_type(value),
        "fields" | "items" | "anyOf" => are_list_types(value),
        _ => true,
    }
}

/// Whether a value is a label, bare or quoted, and no type expression.
fn is_label(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::Symbol(_) => true,
        ValueKind::String { text, .. } => is_word(text),
        _ => false,
    }
}

/// Returns the warning about a comment inside a type that is not in the style.
pub(super) fn kept_comment(value: &TypeValue<'_>) -> Diagnostic {
    let message = format!(
        "`{}` of {} is not changed, because a comment is inside it",
        value.key, value.owner
    );
    Diagnostic::new(Code::CommentInType, value.value.span(), message)
        .with_help("move the comment before the tool, and run it again")
}

/// Returns the warnings about fields with these numbers, or about the type, which the style cannot express.
pub(super) fn inexpressible(
    value: &TypeValue<'_>,
    reasons: &[(usize, Inexpressible)],
) -> Vec<Diagnostic> {
    let places = places_of_fields(value);
    let found = reasons.iter().map(|(at, reason)| {
        let place = places.get(*at).copied();
        unsayable_part(value, place.unwrap_or(value.value.span()), reason)
    });
    found.collect()
}

fn unsayable_part(value: &TypeValue<'_>, place: Span, reason: &Inexpressible) -> Diagnostic {
    let part = match (&value.meaning, reason.path()) {
        (Meaning::Fields(_), Some(path)) => format!("the field `{path}`"),
        (Meaning::Type(_) | Meaning::Types(_), Some(path)) => format!("`{path}` of the type"),
        (_, None) => "the type".to_owned(),
    };
    let message = format!(
        "`{}` of {} stays as it is: {part} {reason}, which the style `portable` cannot express",
        value.key, value.owner
    );
    Diagnostic::new(Code::NotPortable, place, message)
        .with_help("official gram tools cannot read it so; the style `list` can express everything")
}

/// Returns the positions of the fields in `fields`, or of the types in a list; none for other values.
fn places_of_fields(value: &TypeValue<'_>) -> Vec<Span> {
    match (&value.meaning, value.value.kind()) {
        (Meaning::Fields(_) | Meaning::Types(_), ValueKind::Array(items)) => {
            items.items().map(|item| item.span()).collect()
        }
        (Meaning::Fields(_), ValueKind::Map(record)) => {
            let entries = record.properties();
            entries.map(|entry| entry.value().span()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the warning about a value that is not a type, or a name, which the official grammar rejects.
pub(super) fn refused_part(refused: &Refused<'_>) -> Diagnostic {
    let part = match (refused.key, refused.owner) {
        (Some(key), Some(owner)) => format!("`{key}` of `{owner}`"),
        (Some(key), None) => format!("`{key}`"),
        (None, _) => "a name".to_owned(),
    };
    let message = format!(
        "{part} {}, which official gram tools cannot read",
        refused.refusal
    );
    Diagnostic::new(Code::NotPortable, refused.span, message).with_help(refused.refusal.help())
}

/// Returns the warning about a type that nests too deep in the style `list`.
pub(super) fn too_deep(place: Span) -> Diagnostic {
    let message = "the type nests too deep to be written in this style here";
    Diagnostic::new(Code::NotPortable, place, message)
        .with_help("define the tool less deep in the document, and refer to it by name")
}
