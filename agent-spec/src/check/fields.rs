//! `fields`: the parts of a record.

use super::finish::Finished;
use super::place::Place;
use super::properties::{Properties, read_properties};
use super::reader::Reader;
use super::type_reference::read_inner_type;
use crate::diagnostic::{Code, Diagnostic};
use crate::types::Field;
use agent_gram::Span;
use agent_gram::syntax::{Value, ValueKind};
use agent_gram::value::Text;

/// Reads `fields`: a list of `{name, type, …}`, or a map from name to type.
pub(super) fn read_fields(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Vec<Field>> {
    let mut fields: Vec<(Field, Span)> = Vec::new();
    match value.kind() {
        ValueKind::Array(items) => {
            for item in items.items() {
                let ValueKind::Map(record) = item.kind() else {
                    reader.wrong::<()>(
                        item,
                        "a field",
                        "a map such as `{name: \"age\", type: \"Int\"}`",
                    );
                    continue;
                };
                let read = read_properties(reader, record, Place::Field);
                fields.extend(finish_field(reader, read, item.span()));
            }
        }
        ValueKind::Map(record) => {
            reader.refuse_duplicate_keys(record.properties());
            for property in record.properties() {
                let field = read_entry(reader, property.key().text(), property.value());
                fields.extend(field.map(|field| (field, property.key().span())));
            }
        }
        _ => {
            let expected = "a list of `{name, type, …}`, or a map from name to type";
            return reader.wrong(value, "`fields`", expected);
        }
    }
    refuse_duplicate_names(reader, &fields, "field");
    Some(fields.into_iter().map(|(field, _)| field).collect())
}

/// Reads an entry of `fields` as a map: the name, then the type or a map of what a field says.
fn read_entry(reader: &mut Reader<'_>, name: &str, value: Value<'_>) -> Option<Field> {
    let ValueKind::Map(record) = value.kind() else {
        return read_inner_type(reader, value).map(|ty| Field::new(name.to_owned(), ty));
    };
    let read = read_properties(reader, record, Place::Entry);
    finish_named(reader, read, name.to_owned(), value.span())
}

fn finish_field(
    reader: &mut Reader<'_>,
    mut read: Properties<'_>,
    whole: Span,
) -> Option<(Field, Span)> {
    let Some((name, span)) = read.name.take() else {
        // A misspelt key was reported as such.
        if !read.misspelt.contains(&"name") {
            reader.error(Code::MissingName, whole, "a field needs a `name`");
        }
        return None;
    };
    finish_named(reader, read, name, whole).map(|field| (field, span))
}

fn finish_named(
    reader: &mut Reader<'_>,
    mut read: Properties<'_>,
    name: String,
    whole: Span,
) -> Option<Field> {
    let Some((ty, ty_span)) = read.ty.take() else {
        if read.places.label == Span::default() && !read.misspelt.contains(&"type") {
            reader.error(
                Code::MissingType,
                whole,
                format!("the field `{name}` needs a `type`"),
            );
        }
        return None;
    };
    let description = read.description.take();
    let finished = read.finish(reader, ty, ty_span, Place::Field);
    Some(build_field(name, finished, description))
}

/// Reports names given twice among parameters or fields.
pub(super) fn refuse_duplicate_names(
    reader: &mut Reader<'_>,
    fields: &[(Field, Span)],
    what: &str,
) {
    let mut seen: std::collections::HashMap<&str, Span> = std::collections::HashMap::new();
    for (field, span) in fields {
        if let Some(first) = seen.get(field.name()) {
            let found = Diagnostic::new(
                Code::DuplicateParameter,
                *span,
                format!("the {what} `{}` is there twice", field.name()),
            );
            reader.report(
                found
                    .with_label(*first, "first here")
                    .with_help("rename one of them"),
            );
        } else {
            seen.insert(field.name(), *span);
        }
    }
}

pub(super) fn build_field(name: String, finished: Finished, description: Option<Text>) -> Field {
    let mut field = Field::new(name, finished.ty);
    if let Some(default) = finished.default {
        field = field.with_default(default);
    }
    if let Some(description) = description {
        field = field.with_description(description);
    }
    field
}
