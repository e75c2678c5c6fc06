//! The properties that say more about a type: of parameters, results, fields and nested types.

use super::fields::read_fields;
use super::place::Place;
use super::places::ParamPlaces;
use super::reader::{Quoted, Reader};
use super::type_reference::{read_inner_type, read_type_reference};
use crate::diagnostic::{Code, Diagnostic};
use crate::types::{Bound, Constraints, Field, Type};
use crate::validate;
use agent_gram::Span;
use agent_gram::syntax::{Name, NumberKind, Record, Value, ValueKind};
use agent_gram::value::{Decimal, Text};
use std::fmt;

/// What was read, before it is known whether it goes with the type.
#[derive(Default)]
pub(super) struct Properties<'t> {
    pub(super) name: Option<(String, Span)>,
    pub(super) ty: Option<(Type, Span)>,
    pub(super) description: Option<Text>,
    pub(super) optional: bool,
    pub(super) default: Option<Value<'t>>,
    pub(super) element: Option<(Type, Span)>,
    pub(super) value: Option<(Type, Span)>,
    pub(super) fields: Option<(Vec<Field>, Span)>,
    pub(super) enumeration: Option<Value<'t>>,
    pub(super) constraints: Constraints,
    pub(super) keywords: Vec<(&'static str, Span)>,
    /// Keys that were probably meant by others, which were reported.
    pub(super) misspelt: Vec<&'static str>,
    pub(super) places: ParamPlaces,
}

/// Reads the properties of a parameter, result, field or nested type.
pub(super) fn read_properties<'t>(
    reader: &mut Reader<'_>,
    record: Record<'t>,
    place: Place,
) -> Properties<'t> {
    reader.refuse_duplicate_keys(record.properties());
    let mut read = Properties::default();
    for property in record.properties() {
        read_property(reader, property.key(), property.value(), place, &mut read);
    }
    read
}

fn read_property<'t>(
    reader: &mut Reader<'_>,
    key: Name<'_>,
    value: Value<'t>,
    place: Place,
    read: &mut Properties<'t>,
) {
    let what = Quoted(key.text());
    match (key.text(), place) {
        ("paramName", Place::Parameter) | ("name", Place::Field) => {
            read.name = reader
                .text(value, what)
                .map(|name| (name.to_owned(), value.span()));
        }
        ("type", Place::Field | Place::Entry | Place::Type) => {
            read.ty = read_type_reference(reader, value).map(|ty| (ty, value.span()));
            // A type that could not be read is not a missing one.
            read.places.label = value.span();
        }
        ("default", Place::Parameter | Place::Field | Place::Entry) => {
            read.default = Some(value);
            read.places.default = value.span();
            read.places.optional = value.span();
        }
        ("default", Place::Result) => {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    key.span(),
                    "a result takes no `default`",
                )
                .with_help("write `optional: true` when the result may be missing"),
            );
        }
        ("optional", _) => {
            read.optional = reader.boolean(value, what).unwrap_or(false);
            if read.default.is_none() {
                read.places.optional = value.span();
            }
        }
        ("description", Place::Type) => {
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
        ("description", _) => {
            read.description = reader.owned_text(value, what);
            read.places.description = value.span();
        }
        ("elementType", _) => {
            read.element = read_inner_type(reader, value).map(|ty| (ty, value.span()));
            read.detail("elementType", value.span());
        }
        ("valueType", _) => {
            read.value = read_inner_type(reader, value).map(|ty| (ty, value.span()));
            read.detail("valueType", value.span());
        }
        ("fields", _) => {
            read.fields = read_fields(reader, value).map(|fields| (fields, value.span()));
            read.detail("fields", value.span());
        }
        ("enum", _) => {
            read.enumeration = Some(value);
            read.detail("enum", value.span());
        }
        (keyword, _) => match place.keys().find(|known| *known == keyword) {
            Some(known) => {
                read_keyword(reader, known, value, &mut read.constraints);
                read.detail(known, value.span());
            }
            None => {
                let meant =
                    reader.unknown_key(key, place.name(), &place.keys().collect::<Vec<_>>());
                read.misspelt.extend(meant);
            }
        },
    }
}

fn read_keyword(
    reader: &mut Reader<'_>,
    keyword: &'static str,
    value: Value<'_>,
    constraints: &mut Constraints,
) {
    let what = Quoted(keyword);
    let count = |reader: &mut Reader<'_>| reader.integer(value, what, "a whole number, 0 or more");
    match keyword {
        "format" => constraints.format = reader.owned_text(value, what),
        "minimum" => constraints.minimum = read_bound(reader, value, what),
        "maximum" => constraints.maximum = read_bound(reader, value, what),
        "minLength" => constraints.min_length = count(reader),
        "maxLength" => constraints.max_length = count(reader),
        "minItems" => constraints.min_items = count(reader),
        "maxItems" => constraints.max_items = count(reader),
        "pattern" => {
            constraints.pattern = reader.owned_text(value, what);
            if let Some(pattern) = &constraints.pattern
                && let Err(reason) = validate::is_valid_pattern(pattern)
            {
                let message = format!("`pattern` is not a regular expression: {reason}");
                reader.error(Code::BadValue, value.span(), message);
            }
        }
        // `optional` and the nested types were read before.
        _ => {}
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
    fn detail(&mut self, keyword: &'static str, span: Span) {
        if self.places.details == Span::default() {
            self.places.details = span;
        }
        self.keywords.push((keyword, span));
    }
}
