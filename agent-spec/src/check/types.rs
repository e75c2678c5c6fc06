//! Types as values: a label in quotes or bare, a type expression in quotes, or a map `{type, …}`.

use crate::check::reader::{Quoted, Reader};
use crate::check::type_rules::{Properties, build_field, refuse_result_only};
use crate::check::written_types::{is_word, right_node};
use crate::diagnostic::{Code, Diagnostic};
use crate::vocabulary::{CONST, Keyword, KeywordValue, RecordKind, TypeFamily};
use agent_gram::Span;
use agent_gram::syntax::{Name, NumberKind, Property, Record, Value, ValueKind};
use agent_gram::value::Decimal;
use agent_types::__private::{FIELD, Foreign, label_help, parse_type, property_help};
use agent_types::names::nearest;
use agent_types::schema::canonical_schema;
use agent_types::types::{Bound, Constraint, MOST_ALTERNATIVES, TYPE_LABELS};
use agent_types::{Field, Kind, Type};
use std::collections::HashMap;
use std::fmt;

/// Reads a value as a type.
pub(super) fn read_type_reference(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Type> {
    match value.kind() {
        ValueKind::String { text, .. } if is_word(text) => read_label(reader, text, value.span()),
        ValueKind::String { text, .. } => read_expression(reader, text, value.span()),
        ValueKind::Symbol(symbol) => read_label(reader, symbol, value.span()),
        ValueKind::Map(record) => {
            if let Some(found) = fields_as_type(reader, record) {
                reader.report(found);
                return None;
            }
            let mut read = read_properties(reader, record, RecordKind::Type, None);
            match read.ty.take() {
                Some((ty, span)) => Some(read.finish(reader, ty, span, RecordKind::Type).ty),
                None => {
                    if read.places.label == Span::default() {
                        let found = Diagnostic::new(
                            Code::MissingType,
                            value.span(),
                            "a type in a map needs `type`",
                        );
                        reader.report(match type_of_keywords(&read.keywords) {
                            Some(label) => found.with_help(format!("add `type: \"{label}\"`")),
                            None => found.with_help("add it: `{type: \"Text\", …}`"),
                        });
                    }
                    None
                }
            }
        }
        _ => reader.wrong(
            value,
            "a type",
            "a type label such as \"Text\", or a map `{type: …}`",
        ),
    }
}

/// Returns the error about the fields of a record in place of a type, `{name: "Text"}`, if a map has no
/// keyword of types.
fn fields_as_type(reader: &Reader<'_>, record: Record<'_>) -> Option<Diagnostic> {
    let is_field = |property: Property<'_>| {
        let of_type = match property.value().kind() {
            ValueKind::String { text, .. } => parse_type(text).is_ok(),
            ValueKind::Symbol(symbol) => Kind::from_label(symbol).is_some(),
            _ => false,
        };
        let keyword = Keyword::from_name(property.key().text());
        let is_keyword = keyword.is_some_and(|keyword| RecordKind::Type.has(keyword));
        of_type && !is_keyword
    };
    record.properties().next()?;
    if !record.properties().all(is_field) {
        return None;
    }
    let fields = reader.source.get(record.span().start..record.span().end);
    let found = Diagnostic::new(
        Code::MissingType,
        record.span(),
        "a type in a map needs `type`; these are fields",
    );
    Some(found.with_help(format!(
        "write `{{type: \"Object\", fields: {}}}`",
        fields.unwrap_or("{…}")
    )))
}

/// Returns the label of the only type to which one of these keywords applies.
fn type_of_keywords(keywords: &[(Keyword, Span)]) -> Option<&'static str> {
    keywords
        .iter()
        .find_map(|(keyword, _)| family_label(keyword.family()))
}

const fn family_label(family: TypeFamily) -> Option<&'static str> {
    match family {
        TypeFamily::Any => None,
        TypeFamily::Text => Some("Text"),
        TypeFamily::Number => Some("Int"),
        TypeFamily::Array => Some("Array"),
        TypeFamily::Object => Some("Object"),
        TypeFamily::Union => Some("Any"),
    }
}

/// Reads the type of an element, of a value or of a field.
pub(super) fn read_inner_type(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Type> {
    let ty = read_type_reference(reader, value)?;
    refuse_result_only(reader, &ty, value.span());
    Some(ty)
}

/// Reads a type expression. The text may hold escapes, so findings are about the whole of it.
fn read_expression(reader: &mut Reader<'_>, text: &str, span: Span) -> Option<Type> {
    match parse_type(text) {
        Ok(ty) => Some(ty),
        Err(error) => {
            let found = Diagnostic::new(Code::UnknownType, span, error.message);
            reader.report(match error.help {
                Some(help) => found.with_help(help),
                None => found.with_help(
                    "a type is a label, `[T]`, `Maybe T`, `Map T`, `{name: T, …}`, `(T, U)` or `T | U`",
                ),
            });
            None
        }
    }
}

/// Reads a type label.
pub(super) fn read_label(reader: &mut Reader<'_>, label: &str, span: Span) -> Option<Type> {
    if let Some(kind) = Kind::from_label(label) {
        return Some(Type::new(kind));
    }
    let found = Diagnostic::new(Code::UnknownType, span, format!("`{label}` is not a type"));
    let help = match Foreign::of_type(label) {
        Some(foreign) => Some(foreign.label_help()),
        None => nearest(label, TYPE_LABELS).map(label_help),
    };
    reader.report(match help {
        Some(help) => found.with_help(help),
        None => found.with_help(
            "the types are `Text`, `Int`, `Double`, `Bool`, `Object`, `Array` and `Any`, \
             and `String`, `Null`, `Image`, `Audio`, `Document` or `Parts` for a result",
        ),
    });
    None
}

/// Reads the properties of a parameter, result, field or nested type. The label is that of the node.
pub(super) fn read_properties<'t>(
    reader: &mut Reader<'_>,
    record: Record<'t>,
    kind: RecordKind,
    label: Option<&str>,
) -> Properties<'t> {
    reader.refuse_duplicate_keys(record.properties());
    let mut read = Properties {
        base: label.map_or_else(|| type_in(record), Kind::from_label),
        ..Properties::default()
    };
    for property in record.properties() {
        let keyword = match property.key().text() {
            CONST => Some(Keyword::Enum),
            name => Keyword::from_name(name),
        };
        let Some(keyword) = keyword.filter(|keyword| is_part(*keyword, kind)) else {
            read_property(reader, property.key(), property.value(), kind, &mut read);
            continue;
        };
        let value = property.value().span();
        let span = if keyword.starts_after_key() {
            value
        } else {
            property.key().span().to(value)
        };
        let outside = reader.enter(keyword.step(), span);
        let parts = reader.parts.len();
        read_property(reader, property.key(), property.value(), kind, &mut read);
        if keyword == Keyword::Type {
            // A type in a map is one part, because a message compares what the map means.
            reader.parts.truncate(parts);
        }
        reader.leave(outside);
    }
    read
}

/// Returns the kind of the `type` in a record, for messages.
fn type_in(record: Record<'_>) -> Option<Kind> {
    let mut properties = record.properties();
    let given = properties.find(|property| property.key().text() == Keyword::Type.name())?;
    match given.value().kind() {
        ValueKind::String { text, .. } => Some(parse_type(text).ok()?.kind().clone()),
        ValueKind::Symbol(symbol) => Kind::from_label(symbol),
        _ => None,
    }
}

/// Whether the value of a keyword is a part of the type. The name, default and description of a
/// parameter belong to the parameter itself.
fn is_part(keyword: Keyword, kind: RecordKind) -> bool {
    !matches!(kind, RecordKind::Parameter | RecordKind::Result)
        || !matches!(
            keyword,
            Keyword::Name | Keyword::Default | Keyword::Optional | Keyword::Description
        )
}

fn read_property<'t>(
    reader: &mut Reader<'_>,
    key: Name<'_>,
    value: Value<'t>,
    kind: RecordKind,
    read: &mut Properties<'t>,
) {
    let what = Quoted(key.text());
    if key.text() == "paramName" && kind == RecordKind::Parameter {
        read.name = named(reader.text(value, what), value);
        return;
    }
    if key.text() == CONST && kind.has(Keyword::Enum) {
        read.constant = Some(value);
        read.detail(Keyword::Enum, value.span());
        return;
    }
    let Some(keyword) = Keyword::from_name(key.text()) else {
        return unknown_key(reader, key, kind, read);
    };
    match (keyword, kind) {
        (Keyword::Default, RecordKind::Result) => {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    key.span(),
                    "a result takes no `default`",
                )
                .with_help("write `optional: true` when the result may be missing"),
            );
        }
        (Keyword::Description, RecordKind::Type) => {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    key.span(),
                    "a type takes no `description`",
                )
                .with_help(
                    "describe what has the type: a parameter, a result, or a field, \
                     `{name: \"age\", type: \"Int\", description: \"…\"}`",
                ),
            );
        }
        _ if !kind.has(keyword) => unknown_key(reader, key, kind, read),
        (Keyword::Name, _) => {
            read.name = named(reader.text(value, what), value);
            // A name that could not be read does not count as missing.
            read.is_name_reported |= read.name.is_none();
        }
        (Keyword::Type, _) => {
            read.ty = read_type_reference(reader, value).map(|ty| (ty, value.span()));
            // A type that could not be read does not count as missing.
            read.places.label = value.span();
        }
        (Keyword::Default, _) => {
            read.default = Some(value);
            read.places.default = value.span();
            read.places.optional = value.span();
        }
        (Keyword::Optional, _) => {
            read.optional = reader.boolean(value, what).unwrap_or(false);
            if read.default.is_none() {
                read.places.optional = value.span();
            }
        }
        (Keyword::Description, _) => {
            read.description = reader.owned_text(value, what);
            read.places.description = value.span();
        }
        (Keyword::Remote, _) => {
            read.remote = reader.owned_text(value, what);
            read.detail(keyword, value.span());
        }
        (Keyword::ElementType, _) => {
            read.element = read_inner_type(reader, value).map(|ty| (ty, value.span()));
            read.detail(keyword, value.span());
        }
        (Keyword::ValueType, _) => {
            read.value = read_inner_type(reader, value).map(|ty| (ty, value.span()));
            read.detail(keyword, value.span());
        }
        (Keyword::Fields, _) => {
            read.fields = read_fields(reader, value).map(|fields| (fields, value.span()));
            read.detail(keyword, value.span());
        }
        (Keyword::Items, _) => {
            read.items = read_types(reader, keyword, value).map(|types| (types, value.span()));
            read.detail(keyword, value.span());
        }
        (Keyword::AnyOf, _) => {
            read.any_of = read_types(reader, keyword, value).map(|types| (types, value.span()));
            read.detail(keyword, value.span());
        }
        _ => {
            read_constraint(reader, keyword, value, read);
            read.detail(keyword, value.span());
        }
    }
}

fn named(name: Option<&str>, value: Value<'_>) -> Option<(String, Span)> {
    name.map(|name| (name.to_owned(), value.span()))
}

fn unknown_key(
    reader: &mut Reader<'_>,
    key: Name<'_>,
    kind: RecordKind,
    read: &mut Properties<'_>,
) {
    let is_node = matches!(kind, RecordKind::Parameter | RecordKind::Result);
    if is_node && key.text() == Keyword::Type.name() {
        // A label that is no type was reported, with the right form.
        if read.base.is_some() {
            let message = format!("`type` is not a property of {}", kind.owner());
            let found = Diagnostic::new(Code::UnknownProperty, key.span(), message);
            reader.report(found.with_help("the label is the type: `(name::Text)`"));
        }
        return;
    }
    let label = read.base.as_ref().map(|base| Type::new(base.clone()));
    let label = label.as_ref().map(Type::label);
    if let Some(help) = property_help(key.text(), label) {
        let message = format!("`{}` is not a property of {}", key.text(), kind.owner());
        let found = Diagnostic::new(Code::UnknownProperty, key.span(), message);
        reader.report(found.with_help(help));
        return;
    }
    let is_fitting = |name: &&'static str| match (Keyword::from_name(name), &read.base) {
        (Some(keyword), Some(base)) => base.is_in(keyword.family()),
        _ => true,
    };
    let mut known: Vec<_> = kind.keys().collect();
    let misspells = nearest(key.text(), known.iter().copied()).is_some();
    if !misspells {
        known.retain(is_fitting);
    }
    if kind.has(Keyword::Enum) {
        known.push(CONST);
    }
    read.misspelt
        .extend(reader.unknown_key(key, kind.owner(), &known));
}

/// Reads the value of a keyword that narrows the type.
fn read_constraint<'t>(
    reader: &mut Reader<'_>,
    keyword: Keyword,
    value: Value<'t>,
    read: &mut Properties<'t>,
) {
    let what = Quoted(keyword.name());
    let constraints = &mut read.constraints;
    match keyword.value() {
        // Read when the type is known, which the values must fit.
        KeywordValue::Values | KeywordValue::Part => read.enumeration = Some(value),
        KeywordValue::Text => {
            if let Some(text) = reader.text(value, what) {
                constraints.set(keyword, Constraint::Text(text));
            }
        }
        KeywordValue::Pattern => {
            if let Some(pattern) = reader.text(value, what) {
                match reader.patterns.check(pattern) {
                    Ok(()) => constraints.set(keyword, Constraint::Text(pattern)),
                    Err(reason) => {
                        let message = format!("{what} is not a regular expression: {reason}");
                        reader.error(Code::BadValue, value.span(), message);
                    }
                }
            }
        }
        KeywordValue::Schema => {
            if let Some(text) = reader.text(value, what) {
                match canonical_schema(text) {
                    // The schema `{}` allows every value, like a type without `schema`.
                    Ok(schema) if schema == "{}" => {}
                    Ok(schema) => constraints.set(keyword, Constraint::Text(&schema)),
                    Err(reason) => {
                        let message =
                            format!("{what} is not a JSON Schema that can be used: {reason}");
                        reader.error(Code::BadValue, value.span(), message);
                    }
                }
            }
        }
        KeywordValue::Number => {
            if let Some(bound) = read_bound(reader, value, what) {
                if keyword == Keyword::MultipleOf && !bound.is_positive() {
                    let message = format!("{what} must be a number above 0");
                    reader.error(Code::BadValue, value.span(), message);
                    return;
                }
                constraints.set(keyword, Constraint::Number(&bound));
            }
        }
        KeywordValue::Count => {
            if let Some(count) = reader.integer(value, what, "a whole number, 0 or more") {
                constraints.set(keyword, Constraint::Count(count));
            }
        }
    }
}

fn read_bound(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
) -> Option<Bound> {
    if let ValueKind::Number(number) = value.kind() {
        match number.kind() {
            NumberKind::Integer(value) => return Some(Bound::Int(value)),
            NumberKind::Decimal(value) => return Decimal::new(value).ok().map(Bound::Double),
            NumberKind::Measurement { .. } => {}
        }
    }
    reader.wrong(value, what, "a number")
}

/// Reads `fields`: a list of `{name, type, …}`, or a map from name to type.
pub(super) fn read_fields(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Vec<Field>> {
    let mut fields: Vec<(Field, Span)> = Vec::new();
    match value.kind() {
        ValueKind::Array(items) => {
            for (at, item) in items.items().enumerate() {
                let ValueKind::Map(record) = item.kind() else {
                    reader.wrong::<()>(
                        item,
                        "a field",
                        "a map such as `{name: \"age\", type: \"Int\"}`",
                    );
                    continue;
                };
                let outside = reader.enter(field_step(at), item.span());
                let read = read_properties(reader, record, RecordKind::Field, None);
                reader.leave(outside);
                fields.extend(finish_field(reader, read, item.span()));
            }
        }
        ValueKind::Map(record) => {
            reader.refuse_duplicate_keys(record.properties());
            for (at, property) in record.properties().enumerate() {
                let (key, value) = (property.key(), property.value());
                let outside = reader.enter(field_step(at), key.span().to(value.span()));
                let field = read_entry(reader, key.text(), value);
                reader.leave(outside);
                fields.extend(field.map(|field| (field, key.span())));
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

/// Reads the list of types of `items` or `anyOf`.
pub(super) fn read_types(
    reader: &mut Reader<'_>,
    keyword: Keyword,
    value: Value<'_>,
) -> Option<Vec<Type>> {
    let is_union = keyword == Keyword::AnyOf;
    let what = Quoted(keyword.name());
    let ValueKind::Array(items) = value.kind() else {
        let expected = if is_union {
            "a list of types, such as `[\"Text\", \"Int\"]`"
        } else {
            "a list of the types of the elements, such as `[\"Text\", \"Int\"]`"
        };
        if let ValueKind::String { text, .. } = value.kind()
            && let Ok(ty) = parse_type(text)
        {
            let written = right_node("", &ty, "");
            let found = Diagnostic::new(
                Code::BadValue,
                value.span(),
                format!("{what} must be {expected}; found one type expression"),
            );
            let is_explicit = matches!(ty.kind(), Kind::Union(_) | Kind::Tuple(_));
            reader.report(match is_explicit {
                true => found.with_help(format!("as a node, the type is `{written}`")),
                false => found,
            });
            return None;
        }
        return reader.wrong(value, what, expected);
    };
    let mut types = Vec::new();
    let mut count = 0;
    let parts = reader.parts.len();
    for (at, item) in items.items().enumerate() {
        let outside = reader.enter(field_step(at), item.span());
        // `Null` as one of several types makes the whole type optional.
        let ty = if is_union {
            let ty = read_type_reference(reader, item);
            let other = ty.as_ref().filter(|ty| !matches!(ty.kind(), Kind::Null));
            if let Some(ty) = other {
                refuse_result_only(reader, ty, item.span());
            }
            ty
        } else {
            read_inner_type(reader, item)
        };
        reader.leave(outside);
        types.extend(ty);
        count += 1;
    }
    if is_union && number_of_types(&types) != Some(count) {
        // Types were joined, so that the places in the list are not those in the union.
        reader.parts.truncate(parts);
    }
    let problem = match (is_union, count) {
        (true, 0 | 1) => Some((
            format!("{what} needs at least two types"),
            "a type that is always the same needs no list: write it as the `type`",
        )),
        (false, 0) => Some((
            format!("{what} needs at least one type"),
            "`items` has a type for each element; `maxItems: 0` allows only the empty list",
        )),
        (true, MANY..) => Some((
            format!("{what} has {count} types, and {MOST_ALTERNATIVES} are allowed"),
            "join types that differ little, or use `Any`",
        )),
        _ => None,
    };
    if let Some((message, help)) = problem {
        reader.report(Diagnostic::new(Code::BadValue, value.span(), message).with_help(help));
        return None;
    }
    (types.len() == count).then_some(types)
}

/// Returns the number of types in the union of these types.
fn number_of_types(types: &[Type]) -> Option<usize> {
    match Type::any_of(types.iter().cloned())?.kind() {
        Kind::Union(joined) => Some(joined.len()),
        _ => None,
    }
}

/// One more than the maximum number of types in a union.
const MANY: usize = MOST_ALTERNATIVES + 1;

/// The step of a trail to a field of `fields`, or to a type of `items` or `anyOf`.
fn field_step(at: usize) -> u16 {
    u16::try_from(at).map_or(u16::MAX, |at| FIELD.saturating_add(at))
}

/// Reads an entry of `fields` as a map: the name, then the type or a record with the properties of the
/// field.
fn read_entry(reader: &mut Reader<'_>, name: &str, value: Value<'_>) -> Option<Field> {
    let ValueKind::Map(record) = value.kind() else {
        return read_inner_type(reader, value).map(|ty| Field::new(name.to_owned(), ty));
    };
    let read = read_properties(reader, record, RecordKind::Entry, None);
    finish_named(reader, read, name.to_owned(), value.span())
}

fn finish_field(
    reader: &mut Reader<'_>,
    mut read: Properties<'_>,
    whole: Span,
) -> Option<(Field, Span)> {
    let Some((name, span)) = read.name.take() else {
        // A misspelt key was reported as such.
        if !read.is_name_reported && !read.misspelt.contains(&"name") {
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
    let texts = (read.description.take(), read.remote.take());
    let finished = read.finish(reader, ty, ty_span, RecordKind::Field);
    Some(build_field(name, finished, texts))
}

/// Reports duplicate names among parameters or fields. A name at an MCP server counts, because models write it, too.
pub(super) fn refuse_duplicate_names(
    reader: &mut Reader<'_>,
    fields: &[(Field, Span)],
    what: &str,
) {
    let mut seen = HashMap::new();
    for (at, (field, span)) in fields.iter().enumerate() {
        for name in std::iter::once(field.name()).chain(field.remote()) {
            let first = *seen.entry(name).or_insert(at);
            if first == at {
                continue;
            }
            let other = fields[first].0.name();
            let message = match other == field.name() {
                true => format!("the {what} `{other}` is there twice"),
                false => format!(
                    "`{name}` is a name of the {what} `{other}` and of the {what} `{}`",
                    field.name()
                ),
            };
            let found = Diagnostic::new(Code::DuplicateParameter, *span, message);
            reader.report(
                found
                    .with_label(fields[first].1, "first here")
                    .with_help("rename one of them"),
            );
            break;
        }
    }
}
