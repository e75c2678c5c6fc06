//! Types as values: a label in quotes or bare, a type expression in quotes, or a map `{type, …}`.

use crate::check::places::ParamPlaces;
use crate::check::reader::{Quoted, Reader};
use crate::check::written_types::{is_word, right_node};
use crate::diagnostic::{Code, Diagnostic};
use crate::vocabulary::{CONST, Keyword, KeywordValue, RecordKind, TypeFamily};
use agent_gram::syntax::{Name, NumberKind, Property, Record, Value, ValueKind};
use agent_gram::value::{Decimal, Nest, Text};
use agent_gram::{Span, lower};
use agent_types::__private::{
    FIELD, Foreign, Patterns, empty_range, fits_value_of, json_depth, label_help, parse_type,
    property_help,
};
use agent_types::names::nearest;
use agent_types::schema::canonical_schema;
use agent_types::types::{Bound, Constraint, MOST_ALTERNATIVES, TYPE_LABELS, fields_of, types_of};
use agent_types::{Constraints, Field, Kind, Shape, Type};
use std::borrow::Cow;
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

/// Returns the label of the only type that a keyword among these goes with.
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

/// Reports `Null` and media in a place other than a whole result.
pub(super) fn refuse_result_only(reader: &mut Reader<'_>, ty: &Type, span: Span) {
    let (message, help) = match ty.kind() {
        Kind::Null => (
            "`Null` can only be returned".to_owned(),
            "write `optional: true` for a value that may be missing".to_owned(),
        ),
        Kind::Media(media) if reader.takes_media => (
            format!("`{}` stands only as a whole parameter", media.label()),
            "write `(name::Parts)` for several media, or for media and texts".to_owned(),
        ),
        Kind::Media(media) => (media.misplaced(), media.misplaced_help()),
        _ => return,
    };
    reader.report(Diagnostic::new(Code::MisplacedType, span, message).with_help(help));
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

/// The properties of a record, before they are checked against the type.
#[derive(Default)]
pub(super) struct Properties<'t> {
    /// The kind of the type, as far as it is known before the properties are read.
    base: Option<Kind>,
    pub(super) name: Option<(String, Span)>,
    pub(super) ty: Option<(Type, Span)>,
    pub(super) description: Option<Text>,
    pub(super) optional: bool,
    pub(super) default: Option<Value<'t>>,
    pub(super) element: Option<(Type, Span)>,
    pub(super) value: Option<(Type, Span)>,
    pub(super) fields: Option<(Vec<Field>, Span)>,
    pub(super) items: Option<(Vec<Type>, Span)>,
    pub(super) any_of: Option<(Vec<Type>, Span)>,
    pub(super) enumeration: Option<Value<'t>>,
    /// The value of `const`, which means an `enum` of this value.
    pub(super) constant: Option<Value<'t>>,
    pub(super) constraints: Constraints,
    pub(super) keywords: Vec<(Keyword, Span)>,
    /// Known keys that were probably misspelt. The misspellings were reported.
    pub(super) misspelt: Vec<&'static str>,
    /// Whether `name` is there, and has a value other than text. The value was reported.
    is_name_reported: bool,
    pub(super) places: ParamPlaces,
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
            // A name that could not be read is not a missing one.
            read.is_name_reported |= read.name.is_none();
        }
        (Keyword::Type, _) => {
            read.ty = read_type_reference(reader, value).map(|ty| (ty, value.span()));
            // A type that could not be read is not a missing one.
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
                    // It allows every value, as no `schema` does.
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

impl Properties<'_> {
    fn detail(&mut self, keyword: Keyword, span: Span) {
        if self.places.details == Span::default() {
            self.places.details = span;
        }
        self.keywords.push((keyword, span));
    }
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
            let is_said = matches!(ty.kind(), Kind::Union(_) | Kind::Tuple(_));
            reader.report(match is_said {
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
    let description = read.description.take();
    let finished = read.finish(reader, ty, ty_span, RecordKind::Field);
    Some(build_field(name, finished, description))
}

/// Reports duplicate names among parameters or fields.
pub(super) fn refuse_duplicate_names(
    reader: &mut Reader<'_>,
    fields: &[(Field, Span)],
    what: &str,
) {
    let mut seen = HashMap::new();
    for (at, (field, span)) in fields.iter().enumerate() {
        let first = *seen.entry(field.name()).or_insert(at);
        if first != at {
            let found = Diagnostic::new(
                Code::DuplicateParameter,
                *span,
                format!("the {what} `{}` is there twice", field.name()),
            );
            reader.report(
                found
                    .with_label(fields[first].1, "first here")
                    .with_help("rename one of them"),
            );
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

/// A type put together, with the default.
pub(super) struct Finished {
    pub(super) ty: Type,
    pub(super) default: Option<agent_gram::Value>,
    /// The reason why the default does not fit, when that is not an error yet.
    pub(super) bad_default: Option<Diagnostic>,
}

impl Properties<'_> {
    /// Builds the type from its label's kind and the properties, and reports keywords that do not apply
    /// to it.
    pub(super) fn finish(
        mut self,
        reader: &mut Reader<'_>,
        base: Type,
        base_span: Span,
        record: RecordKind,
    ) -> Finished {
        let is_media = matches!(base.kind(), Kind::Media(_));
        for (keyword, span) in &self.keywords {
            if is_media && *keyword == Keyword::Enum || !base.kind().is_in(keyword.family()) {
                let message = format!(
                    "`{}` goes with {}, and this is `{}`",
                    keyword.name(),
                    keyword.family().words(),
                    base.label()
                );
                let found = Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(base_span, "the type");
                reader.report(match (keyword, record) {
                    (Keyword::AnyOf, RecordKind::Parameter | RecordKind::Result) => {
                        found.with_help("write the label `Any`: `Any {anyOf: […]}`")
                    }
                    (Keyword::Schema, RecordKind::Parameter | RecordKind::Result) => {
                        found.with_help("write the label `Any`: `Any {schema: …}`")
                    }
                    (Keyword::AnyOf | Keyword::Schema, _) => {
                        found.with_help("write `type: \"Any\"`")
                    }
                    _ => found,
                });
            }
        }
        self.refuse_tuple_keywords(reader);
        self.refuse_parts_said_twice(reader, &base, base_span);
        self.refuse_beside_schema(reader, base.constraints(), base_span);
        let base = self.joined(reader, base);
        // Media in a map are reported where the map stands.
        let is_reported_later = is_media && record == RecordKind::Type;
        let is_taken = is_media && record == RecordKind::Parameter && reader.takes_media;
        if !is_taken && record != RecordKind::Result && !is_reported_later {
            refuse_result_only(reader, &base, base_span);
        }
        let optional = self.optional || base.is_optional();
        // Values that a type cannot list were reported.
        let listed = if is_media { None } else { self.listed(reader) };
        let kind = match base.kind().clone() {
            Kind::Array(element) => match (self.items, self.element) {
                (Some((items, _)), _) => Kind::Tuple(Cow::Owned(items)),
                (None, Some((element, _))) => Kind::Array(Nest::new(element)),
                (None, None) => Kind::Array(element),
            },
            Kind::Object(shape) => Kind::Object(match (self.fields, self.value) {
                (Some((fields, _)), Some((value, _))) if !fields.is_empty() => {
                    Shape::Extended(Cow::Owned(fields), Nest::new(value))
                }
                (_, Some((value, _))) => Shape::Map(Nest::new(value)),
                (Some((fields, _)), None) => Shape::Fields(Cow::Owned(fields)),
                (None, None) => shape,
            }),
            kind => kind,
        };
        let inner = base.constraints();
        refuse_narrowing_twice(reader, inner, base_span, &self.keywords);
        let mut constraints = merge(self.constraints, inner);
        refuse_empty_ranges(reader, base.kind(), &constraints, &self.keywords);
        let required = match listed {
            None if inner.enumeration().is_empty() => Type::new(kind).with_constraints(constraints),
            None => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                let allowed = inner.enumeration();
                refuse_narrowed_enumeration(reader, &plain, allowed, &self.keywords);
                constraints.enumeration = inner.enumeration.clone();
                plain.with_constraints(constraints)
            }
            Some(values) => {
                let plain = Type::new(kind).with_constraints(constraints.clone());
                constraints.enumeration = Cow::Owned(values.read(reader, &plain));
                plain.with_constraints(constraints)
            }
        };
        let mut bad_default = None;
        let default = self.default.and_then(|value| {
            let found = match fitting(value, &required, "the default", &mut reader.patterns) {
                Ok(value) => return value,
                Err(found) => found,
            };
            if record == RecordKind::Parameter && reader.options.defer_bad_defaults {
                bad_default = Some(found);
                return Some(lower::lower_value(value));
            }
            reader.report(found);
            None
        });
        // A default already makes the parameter optional.
        let optional = optional && default.is_none();
        let ty = required.with_optional(optional);
        if matches!(record, RecordKind::Parameter | RecordKind::Result) {
            refuse_too_deep(reader, &ty, base_span, &self.keywords);
        }
        Finished {
            ty,
            default,
            bad_default,
        }
    }
}

impl Properties<'_> {
    /// Returns the type that `anyOf` makes of `Any`, or the base itself.
    fn joined(&mut self, reader: &mut Reader<'_>, base: Type) -> Type {
        let Some((types, span)) = self.any_of.take() else {
            return base;
        };
        if !matches!(base.kind(), Kind::Any) {
            // Reported as a keyword that does not apply to the type, or as a repeated part.
            return base;
        }
        let optional = base.is_optional();
        match Type::any_of(types) {
            Some(joined) => {
                let optional = optional || joined.is_optional();
                joined.with_optional(optional)
            }
            // A list of more types was refused, so the types inside unions of the list are too many.
            None => {
                let message = format!("`anyOf` has more than {MOST_ALTERNATIVES} types in all");
                reader.error(Code::BadValue, span, message);
                base
            }
        }
    }

    /// Reports keywords beside `items`, which has the number and the types of the elements.
    fn refuse_tuple_keywords(&self, reader: &mut Reader<'_>) {
        let Some((_, items)) = &self.items else {
            return;
        };
        for (keyword, span) in &self.keywords {
            if matches!(
                keyword,
                Keyword::ElementType | Keyword::MinItems | Keyword::MaxItems
            ) {
                let message = format!("`items` and `{}` exclude each other", keyword.name());
                reader.report(
                    Diagnostic::new(Code::MisplacedKeyword, *span, message)
                        .with_label(*items, "the types of the elements")
                        .with_help(
                            "`items` has one type for each element, so it fixes their number",
                        ),
                );
            }
        }
    }

    /// Reports `anyOf` and `enum` beside `schema`, whose text says all of a value. `inner` is what narrows the type
    /// already.
    fn refuse_beside_schema(&self, reader: &mut Reader<'_>, inner: &Constraints, inner_span: Span) {
        let of = |wanted: Keyword| self.keywords.iter().find(|(keyword, _)| *keyword == wanted);
        let schema = of(Keyword::Schema);
        let schema_span = match (schema, &inner.schema) {
            (Some((_, span)), _) => *span,
            (None, Some(_)) => inner_span,
            (None, None) => return,
        };
        let beside = of(Keyword::AnyOf).or(of(Keyword::Enum)).copied();
        let in_type = schema.filter(|_| !inner.enumeration().is_empty());
        let (name, span, label) = match (beside, in_type) {
            (Some((keyword, span)), _) => (keyword.name(), span, schema_span),
            (None, Some((_, span))) => (Keyword::Enum.name(), *span, inner_span),
            (None, None) => return,
        };
        let message = format!("`{name}` and `schema` exclude each other");
        reader.report(
            Diagnostic::new(Code::MisplacedKeyword, span, message)
                .with_label(label, "the other one")
                .with_help("write it into the JSON Schema"),
        );
    }

    /// Reports elements, fields or values that the type already has, such as
    /// `{type: "[Text]", elementType: "Int"}`, because one of the two would be ignored.
    fn refuse_parts_said_twice(&self, reader: &mut Reader<'_>, base: &Type, base_span: Span) {
        let mut keywords = self.keywords.iter();
        let again = keywords.find(|(keyword, _)| repeats(*keyword, base));
        if let Some((keyword, span)) = again {
            let message = format!("`{}` repeats a part of the type", keyword.name());
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(base_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

/// The allowed values, before the type is known.
enum Listed<'t> {
    /// The value of `enum`.
    Enum(Value<'t>),
    /// The value of `const`.
    Const(Value<'t>),
}

impl<'t> Properties<'t> {
    /// Returns the allowed values, and reports `const` beside `enum`.
    fn listed(&self, reader: &mut Reader<'_>) -> Option<Listed<'t>> {
        if let (Some(list), Some(value)) = (self.enumeration, self.constant) {
            let (first, second) = (list.span(), value.span());
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    first.max(second),
                    "`enum` and `const` exclude each other",
                )
                .with_label(first.min(second), "the other one")
                .with_help("`const` is an `enum` of one value"),
            );
        }
        let list = self.enumeration.map(Listed::Enum);
        list.or(self.constant.map(Listed::Const))
    }
}

impl Listed<'_> {
    fn read(self, reader: &mut Reader<'_>, ty: &Type) -> Vec<agent_gram::Value> {
        let items: Vec<Value<'_>> = match self {
            Listed::Const(value) => vec![value],
            Listed::Enum(value) => {
                let ValueKind::Array(items) = value.kind() else {
                    reader.wrong::<()>(value, "`enum`", "a list of the values allowed");
                    return Vec::new();
                };
                if items.items().next().is_none() {
                    reader.error(
                        Code::BadValue,
                        value.span(),
                        "`enum` must allow at least one value",
                    );
                }
                items.items().collect()
            }
        };
        let mut allowed = Vec::new();
        for item in items {
            match fitting(item, ty, "an allowed value", &mut reader.patterns) {
                Ok(value) => allowed.extend(value),
                Err(found) => reader.report(found),
            }
        }
        allowed
    }
}

/// Returns the value, if it fits the type; `None` for a value that the parser could not read.
fn fitting(
    value: Value<'_>,
    ty: &Type,
    what: &str,
    patterns: &mut Patterns,
) -> Result<Option<agent_gram::Value>, Diagnostic> {
    if matches!(value.kind(), ValueKind::Invalid) {
        return Ok(None);
    }
    if let ValueKind::Symbol(symbol) = value.kind() {
        let message = format!("{what} is the bare symbol `{symbol}`, which is no value of a call");
        let help = if symbol == "null" {
            "gram has no null; write `optional: true` instead".to_owned()
        } else {
            format!("quote it: \"{symbol}\"")
        };
        return Err(Diagnostic::new(Code::BadDefault, value.span(), message).with_help(help));
    }
    let lowered = lower::lower_value(value);
    fits_value_of(ty, &lowered, patterns).map_err(|reason| {
        let message = format!("{what} does not fit the type: {reason}");
        Diagnostic::new(Code::BadDefault, value.span(), message)
    })?;
    Ok(Some(lowered))
}

/// Reports a least that is above the greatest: no value could satisfy both.
fn refuse_empty_ranges(
    reader: &mut Reader<'_>,
    kind: &Kind,
    constraints: &Constraints,
    keywords: &[(Keyword, Span)],
) {
    let Some((least, greatest)) = constraints.opt_empty_range() else {
        if matches!(kind, Kind::Int) {
            refuse_no_integer(reader, constraints, keywords);
        }
        return;
    };
    // One of the two keywords may be inside the type that is narrowed.
    let at = |wanted: Keyword| keywords.iter().find(|(keyword, _)| *keyword == wanted);
    if let Some((_, span)) = at(least).or_else(|| at(greatest)) {
        reader.report(
            Diagnostic::new(Code::BadValue, *span, empty_range(least, greatest))
                .with_help("lower the one, or raise the other"),
        );
    }
}

/// Reports bounds of an `Int` that leave numbers between them, but none that is whole.
fn refuse_no_integer(
    reader: &mut Reader<'_>,
    constraints: &Constraints,
    keywords: &[(Keyword, Span)],
) {
    let bound = |keyword: Keyword| match constraints.get(keyword) {
        Some(Constraint::Number(bound)) => Some(bound),
        _ => None,
    };
    // The conversions stop at the ends of the range, so that an odd bound never gives a finding.
    let low = |keyword| match bound(keyword)? {
        Bound::Int(value) if keyword.is_exclusive() => value.checked_add(1),
        Bound::Int(value) => Some(*value),
        other if keyword.is_exclusive() => Some((other.as_f64().floor() as i128).saturating_add(1)),
        other => Some(other.as_f64().ceil() as i128),
    };
    let high = |keyword: Keyword| match bound(keyword)? {
        Bound::Int(value) if keyword.is_exclusive() => value.checked_sub(1),
        Bound::Int(value) => Some(*value),
        other if keyword.is_exclusive() => Some((other.as_f64().ceil() as i128).saturating_sub(1)),
        other => Some(other.as_f64().floor() as i128),
    };
    let lows = [Keyword::Minimum, Keyword::ExclusiveMinimum];
    let highs = [Keyword::Maximum, Keyword::ExclusiveMaximum];
    let least = lows.into_iter().filter_map(low).max();
    let greatest = highs.into_iter().filter_map(high).min();
    let (Some(least), Some(greatest)) = (least, greatest) else {
        return;
    };
    let ends = |keyword: &Keyword| lows.contains(keyword) || highs.contains(keyword);
    if least > greatest
        && let Some((_, span)) = keywords.iter().find(|(keyword, _)| ends(keyword))
    {
        reader.report(
            Diagnostic::new(
                Code::BadValue,
                *span,
                "no whole number lies between the bounds of this `Int`",
            )
            .with_help("lower the one, or raise the other"),
        );
    }
}

/// Whether a keyword repeats a part of the type, such as the elements of `[Text]`.
fn repeats(keyword: Keyword, ty: &Type) -> bool {
    match ty.kind() {
        // `Array` and `[Any]` leave the elements open.
        Kind::Array(element) => {
            matches!(keyword, Keyword::ElementType | Keyword::Items)
                && !element.get().is_plain_any()
        }
        Kind::Tuple(_) => matches!(
            keyword,
            Keyword::ElementType | Keyword::Items | Keyword::MinItems | Keyword::MaxItems
        ),
        Kind::Object(shape) => {
            matches!(keyword, Keyword::Fields | Keyword::ValueType) && !matches!(shape, Shape::Open)
        }
        Kind::Union(_) => matches!(keyword, Keyword::AnyOf | Keyword::Schema),
        _ => false,
    }
}

/// Whether a key applies to a type, for editors. A key that is not a keyword of types applies to all
/// types.
///
/// ```
/// use agent_spec::{Kind, Type, check::goes_with};
///
/// let count = Type::new(Kind::Int);
/// assert!(goes_with("minimum", &count));
/// assert!(!goes_with("pattern", &count));
/// ```
#[must_use]
pub fn goes_with(key: &str, ty: &Type) -> bool {
    let Some(keyword) = Keyword::from_name(key) else {
        return true;
    };
    // Gram has no `null` and no media, so `enum` cannot list a value.
    let has_values = !ty.kind().is_result_only();
    ty.kind().is_in(keyword.family())
        && !repeats(keyword, ty)
        && (has_values || keyword != Keyword::Enum)
}

/// Returns the constraints around a type; for other keywords, those of the type itself. Enumerations are
/// left out.
fn merge(mut outer: Constraints, inner: &Constraints) -> Constraints {
    for (keyword, constraint) in inner.iter() {
        if keyword != Keyword::Enum && outer.get(keyword).is_none() {
            outer.set(keyword, constraint);
        }
    }
    outer
}

/// Reports keywords that are both around a type and in it, because only one of them would count.
pub(super) fn refuse_narrowing_twice(
    reader: &mut Reader<'_>,
    inner: &Constraints,
    inner_span: Span,
    keywords: &[(Keyword, Span)],
) {
    if inner.is_none() {
        return;
    }
    for (keyword, span) in keywords {
        if inner.get(*keyword).is_some() {
            let message = format!("the type has its own `{}`", keyword.name());
            reader.report(
                Diagnostic::new(Code::MisplacedKeyword, *span, message)
                    .with_label(inner_span, "the type")
                    .with_help("keep one of them"),
            );
        }
    }
}

/// Reports the first allowed value of the inner type that the constraints around it forbid.
pub(super) fn refuse_narrowed_enumeration(
    reader: &mut Reader<'_>,
    narrowed: &Type,
    allowed: &[agent_gram::Value],
    keywords: &[(Keyword, Span)],
) {
    let Some((_, place)) = keywords.first() else {
        return;
    };
    let refused = allowed
        .iter()
        .find_map(|value| fits_value_of(narrowed, value, &mut reader.patterns).err());
    if let Some(reason) = refused {
        let message = format!("a value that the type allows does not fit: {reason}");
        reader.report(
            Diagnostic::new(Code::BadDefault, *place, message)
                .with_help("narrow the type, or list fewer values in its `enum`"),
        );
    }
}

/// The maximum nesting of a type in gram. It leaves room for the record, the node, the signature, the
/// tool and the agent around the type.
const MOST: usize = agent_gram::MAX_DEPTH - 6;

/// Reports a type that no pattern could hold.
pub(super) fn refuse_too_deep(
    reader: &mut Reader<'_>,
    ty: &Type,
    ty_span: Span,
    keywords: &[(Keyword, Span)],
) {
    if of_type(ty) > MOST {
        let deep = keywords.iter().find(|(keyword, _)| {
            let value = keyword.value();
            matches!(value, KeywordValue::Part | KeywordValue::Values)
        });
        let span = deep.map_or(ty_span, |(_, span)| *span);
        let message = format!("the type nests more than {MOST} deep");
        reader.error(Code::GramTooDeep, span, message);
    }
}

/// Returns the maximum number of brackets and braces inside each other when the type is written as gram.
fn of_type(ty: &Type) -> usize {
    let parts = match ty.kind() {
        Kind::Array(inner) | Kind::Object(Shape::Map(inner)) => of_part(inner.get()),
        Kind::Object(Shape::Fields(fields)) => of_fields(fields_of(fields)),
        Kind::Object(Shape::Extended(fields, values)) => {
            of_fields(fields_of(fields)).max(of_part(values.get()))
        }
        Kind::Tuple(types) | Kind::Union(types) => {
            1 + types_of(types).iter().map(of_part).max().unwrap_or(0)
        }
        _ => 0,
    };
    let values = ty.constraints().enumeration().iter().map(of_value).max();
    // In a schema, a level of gram is about two of JSON: `properties`, and the schema of one.
    let schema = ty.constraints().schema.as_ref();
    let schema = schema.map_or(0, |text| json_depth(text) / 2);
    parts
        .max(values.map_or(0, |deepest| 1 + deepest))
        .max(schema)
}

/// Returns the nesting of an element or a value: 0 when its label is enough, else that of a map.
fn of_part(ty: &Type) -> usize {
    if ty.is_label_only() {
        0
    } else {
        1 + of_type(ty)
    }
}

/// Returns the nesting of a list of maps, one for each field.
fn of_fields(fields: &[Field]) -> usize {
    2 + fields.iter().map(of_field).max().unwrap_or(0)
}

fn of_field(field: &Field) -> usize {
    of_type(field.ty()).max(field.default().map_or(0, of_value))
}

fn of_value(value: &agent_gram::Value) -> usize {
    match value {
        agent_gram::Value::Array(items) => {
            1 + items.as_slice().iter().map(of_value).max().unwrap_or(0)
        }
        agent_gram::Value::Map(record) => {
            let entries = record.entries().iter();
            1 + entries.map(|(_, value)| of_value(value)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::of_type;

    #[test]
    fn counts_the_brackets_that_nest_in_a_type() {
        for (ty, expected) in [
            ("Int", 0),
            ("Int {minimum: 1}", 0),
            ("Array {elementType: \"Int\"}", 0),
            ("Array {elementType: {type: \"Int\", minimum: 1}}", 1),
            (
                "Array {elementType: {type: \"Array\", elementType: {type: \"Int\", minimum: 1}}}",
                2,
            ),
            ("Object {valueType: {type: \"Int\", minimum: 1}}", 1),
            ("Object {fields: [{name: \"a\", type: \"Int\"}]}", 2),
            (
                "Object {fields: [{name: \"a\", type: \"Array\", default: [[1]]}]}",
                4,
            ),
            ("Any {anyOf: [\"Int\", \"Text\"]}", 1),
            ("Any {anyOf: [\"Int\", {type: \"Text\", maxLength: 1}]}", 2),
            ("Array {items: [\"Int\", \"[Text]\"]}", 2),
            (
                "Object {fields: [{name: \"a\", type: \"Int\"}], valueType: \"Int\"}",
                2,
            ),
            ("Any {enum: [1, 2]}", 1),
            ("Any {enum: [[1], [[2]]]}", 3),
            ("Any {enum: [{a: 1}]}", 2),
            ("Any {enum: [{a: {b: {}}}]}", 4),
            ("Any {enum: [{a: [{b: 1}]}, 1]}", 4),
        ] {
            let signature = crate::parse_signature(&format!("(p::{ty})==>(::Any)"));
            let signature = signature.expect("a signature");
            assert_eq!(of_type(signature.params()[0].ty()), expected, "{ty}");
        }
    }
}
