//! Types said in a style: the texts of values, and whether a value has a style already.

use super::official::{self, Refusal};
use super::search::refused_parts;
use crate::type_expression::{Unsayable, field_expression, type_expression};
use crate::types::{Field, Type};
use crate::write::{fields_text, narrowed_text, portable_fields_text, type_text};
use agent_gram::syntax::{Value, ValueKind};

/// A type in the style `list`; nothing when it is so already.
pub(super) fn list_type(value: Value<'_>, ty: &Type) -> Option<String> {
    (!is_list_type(value)).then(|| type_text(ty))
}

/// Fields in the style `list`; nothing when they are so already.
pub(super) fn list_fields(value: Value<'_>, fields: &[Field]) -> Option<String> {
    (!is_list_fields(value)).then(|| fields_text(fields))
}

/// A type in the style `portable`; nothing when it is so already.
///
/// # Errors
/// What the style has no words for.
pub(super) fn portable_type(
    source: &str,
    value: Value<'_>,
    ty: &Type,
) -> Result<Option<String>, Unsayable> {
    if !matches!(value.kind(), ValueKind::Map(_)) {
        return Ok(None);
    }
    if let Ok(expression) = type_expression(ty) {
        return Ok(Some(quoted(&expression)));
    }
    match official::refusal(source, value) {
        // A map of plain values is official: what narrows the type itself can be said.
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

/// Fields in the style `portable`; nothing when they are so already.
///
/// # Errors
/// For each field that the style has no words for its place and the reason.
pub(super) fn portable_fields(
    value: Value<'_>,
    fields: &[Field],
) -> Result<Option<String>, Vec<(usize, Unsayable)>> {
    if let ValueKind::Map(record) = value.kind()
        && !record
            .properties()
            .any(|entry| matches!(entry.value().kind(), ValueKind::Map(_)))
    {
        return Ok(None);
    }
    let mut entries = Vec::new();
    let mut unsayable = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        // The name stands in quotes of its own here.
        let said = match official::opt_comment_mark(field.name()) {
            None => field_expression(field),
            Some(_) => Err(Unsayable::name_of(field)),
        };
        match said {
            Ok(expression) => entries.push((field.name(), expression)),
            Err(reason) => unsayable.push((at, reason)),
        }
    }
    if unsayable.is_empty() {
        Ok(Some(portable_fields_text(&entries)))
    } else {
        Err(unsayable)
    }
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

fn is_list_fields(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::Array(items) => items.items().all(is_list_type),
        _ => false,
    }
}

fn is_list_part(key: &str, value: Value<'_>) -> bool {
    match key {
        "fields" => is_list_fields(value),
        "elementType" | "valueType" => is_list_type(value),
        _ => true,
    }
}

/// A label, bare or quoted, and no expression.
fn is_label(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::Symbol(_) => true,
        ValueKind::String { text, .. } => text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        _ => false,
    }
}
