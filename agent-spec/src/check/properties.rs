//! The properties that say more about a type: of parameters, results, fields and nested types.

use super::places::ParamPlaces;
use super::reader::Reader;
use super::type_reference::read_type_reference;
use crate::diagnostic::{Code, Diagnostic};
use crate::nest::Nest;
use crate::types::{Bound, Constraints, Field, Kind, Shape, Type};
use crate::validate;
use agent_gram::syntax::{Name, NumberKind, Property, Value, ValueKind};
use agent_gram::value::{Decimal, Text};
use agent_gram::{Span, lower};
use std::borrow::Cow;

/// Where the properties stand, which decides what is allowed there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Parameter,
    Result,
    Field,
    /// A map in the place of a type: `elementType: {type: "Object", …}`.
    Type,
}

/// What was read, before it is known whether it goes with the type.
#[derive(Default)]
pub(super) struct Properties<'t, 's> {
    pub(super) name: Option<(String, Span)>,
    pub(super) ty: Option<(Type, Span)>,
    pub(super) description: Option<Text>,
    optional: bool,
    default: Option<&'t Value<'s>>,
    element: Option<(Type, Span)>,
    value: Option<(Type, Span)>,
    fields: Option<(Vec<Field>, Span)>,
    enumeration: Option<&'t Value<'s>>,
    constraints: Constraints,
    keywords: Vec<(&'static str, Span)>,
    pub(super) places: ParamPlaces,
}

/// A type put together, with the default.
pub(super) struct Finished {
    pub(super) ty: Type,
    pub(super) default: Option<agent_gram::Value>,
    /// Why the default does not fit, when that is not an error yet.
    pub(super) bad_default: Option<Diagnostic>,
}

const COMMON: [&str; 14] = [
    "optional",
    "description",
    "fields",
    "elementType",
    "valueType",
    "enum",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
];

impl Place {
    fn known(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Place::Parameter => &["default", "paramName"],
            Place::Result => &[],
            Place::Field => &["name", "type", "default"],
            Place::Type => &["type"],
        };
        own.iter().chain(&COMMON).copied().collect()
    }

    fn name(self) -> &'static str {
        match self {
            Place::Parameter => "a parameter",
            Place::Result => "a result",
            Place::Field => "a field",
            Place::Type => "a type",
        }
    }
}

/// Reads the properties of a parameter, result, field or nested type.
pub(super) fn read_properties<'t, 's>(
    reader: &mut Reader<'_>,
    properties: &'t [Property<'s>],
    place: Place,
) -> Properties<'t, 's> {
    reader.refuse_duplicate_keys(properties);
    let mut read = Properties::default();
    for property in properties {
        read_property(reader, &property.key, &property.value, place, &mut read);
    }
    read
}

fn read_property<'t, 's>(
    reader: &mut Reader<'_>,
    key: &Name<'s>,
    value: &'t Value<'s>,
    place: Place,
    read: &mut Properties<'t, 's>,
) {
    let what = format!("`{}`", key.text);
    match (key.text.as_ref(), place) {
        ("paramName", Place::Parameter) | ("name", Place::Field) => {
            read.name = reader
                .text(value, &what)
                .map(|name| (name.to_owned(), value.span));
        }
        ("type", Place::Field | Place::Type) => {
            read.ty = read_type_reference(reader, value).map(|ty| (ty, value.span));
            // A type that could not be read is not a missing one.
            read.places.label = value.span;
        }
        ("default", Place::Parameter | Place::Field) => {
            read.default = Some(value);
            read.places.default = value.span;
            read.places.optional = value.span;
        }
        ("default", Place::Result) => {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    key.span,
                    "a result takes no `default`",
                )
                .with_help("write `optional: true` when the result may be missing"),
            );
        }
        ("optional", _) => {
            read.optional = reader.boolean(value, &what).unwrap_or(false);
            if read.default.is_none() {
                read.places.optional = value.span;
            }
        }
        ("description", _) => {
            read.description = reader.owned_text(value, &what);
            read.places.description = value.span;
        }
        ("elementType", _) => {
            read.element = read_type_reference(reader, value).map(|ty| (ty, value.span));
            read.detail("elementType", value.span);
        }
        ("valueType", _) => {
            read.value = read_type_reference(reader, value).map(|ty| (ty, value.span));
            read.detail("valueType", value.span);
        }
        ("fields", _) => {
            read.fields = read_fields(reader, value).map(|fields| (fields, value.span));
            read.detail("fields", value.span);
        }
        ("enum", _) => {
            read.enumeration = Some(value);
            read.detail("enum", value.span);
        }
        (keyword, _) => match COMMON.iter().find(|known| **known == keyword) {
            Some(known) => {
                read_keyword(reader, known, value, &mut read.constraints);
                read.detail(known, value.span);
            }
            None => reader.unknown_key(key, place.name(), &place.known()),
        },
    }
}

fn read_keyword(
    reader: &mut Reader<'_>,
    keyword: &'static str,
    value: &Value<'_>,
    constraints: &mut Constraints,
) {
    let what = format!("`{keyword}`");
    let count = |reader: &mut Reader<'_>| reader.integer(value, &what, "a whole number, 0 or more");
    match keyword {
        "format" => constraints.format = reader.owned_text(value, &what),
        "minimum" => constraints.minimum = read_bound(reader, value, &what),
        "maximum" => constraints.maximum = read_bound(reader, value, &what),
        "minLength" => constraints.min_length = count(reader),
        "maxLength" => constraints.max_length = count(reader),
        "minItems" => constraints.min_items = count(reader),
        "maxItems" => constraints.max_items = count(reader),
        "pattern" => {
            constraints.pattern = reader.owned_text(value, &what);
            if let Some(pattern) = &constraints.pattern
                && let Err(reason) = validate::is_valid_pattern(pattern)
            {
                let message = format!("`pattern` is not a regular expression: {reason}");
                reader.error(Code::BadValue, value.span, message);
            }
        }
        // `optional`, `description` and the nested types were read before.
        _ => {}
    }
}

fn read_bound(reader: &mut Reader<'_>, value: &Value<'_>, what: &str) -> Option<Bound> {
    if let ValueKind::Number(number) = &value.kind {
        match number.kind {
            NumberKind::Integer(value) => return Some(Bound::Int(value)),
            NumberKind::Decimal(value) => return Decimal::new(value).ok().map(Bound::Double),
            NumberKind::Measurement { .. } => {}
        }
    }
    reader.wrong(value, what, "a number")
}

/// Reads `fields`: a list of `{name, type, …}`, or a map from name to type.
fn read_fields(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<Field>> {
    let mut fields: Vec<(Field, Span)> = Vec::new();
    match &value.kind {
        ValueKind::Array(items) => {
            for item in items {
                let ValueKind::Map(record) = &item.kind else {
                    reader.wrong::<()>(
                        item,
                        "a field",
                        "a map such as `{name: \"age\", type: \"Int\"}`",
                    );
                    continue;
                };
                let read = read_properties(reader, &record.properties, Place::Field);
                fields.extend(finish_field(reader, read, item.span));
            }
        }
        ValueKind::Map(record) => {
            reader.refuse_duplicate_keys(&record.properties);
            for property in &record.properties {
                if let Some(ty) = read_type_reference(reader, &property.value) {
                    let field = Field::new(property.key.text.as_ref().to_owned(), ty);
                    fields.push((field, property.key.span));
                }
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

fn finish_field(
    reader: &mut Reader<'_>,
    mut read: Properties<'_, '_>,
    whole: Span,
) -> Option<(Field, Span)> {
    let Some((name, span)) = read.name.take() else {
        reader.error(Code::MissingName, whole, "a field needs a `name`");
        return None;
    };
    let Some((ty, ty_span)) = read.ty.take() else {
        if read.places.label == Span::default() {
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
    Some((build_field(name, finished, description), span))
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

impl Properties<'_, '_> {
    fn detail(&mut self, keyword: &'static str, span: Span) {
        if self.places.details == Span::default() {
            self.places.details = span;
        }
        self.keywords.push((keyword, span));
    }

    /// Puts the type together from its label's kind and the properties, and reports what does not
    /// go with it.
    pub(super) fn finish(
        self,
        reader: &mut Reader<'_>,
        base: Type,
        base_span: Span,
        place: Place,
    ) -> Finished {
        for (keyword, span) in &self.keywords {
            if let Some(wanted) = misplaced(keyword, base.kind()) {
                let message = format!(
                    "`{keyword}` goes with {wanted}, and this is `{}`",
                    base.label()
                );
                let found = Diagnostic::new(Code::MisplacedKeyword, *span, message);
                reader.report(found.with_label(base_span, "the type"));
            }
        }
        if let (Some((_, fields)), Some((_, value))) = (&self.fields, &self.value) {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedKeyword,
                    *fields.max(value),
                    "`fields` and `valueType` exclude each other",
                )
                .with_label(*fields.min(value), "the other one")
                .with_help("`fields` names each key; `valueType` allows any key"),
            );
        }
        if matches!(base.kind(), Kind::Null) && place != Place::Result {
            reader.report(
                Diagnostic::new(
                    Code::MisplacedType,
                    base_span,
                    "`Null` can only be returned",
                )
                .with_help("write `optional: true` for a value that may be missing"),
            );
        }
        let optional = self.optional || base.is_optional();
        let kind = match (base.kind().clone(), self.element, self.fields, self.value) {
            (Kind::Array(_), Some((element, _)), _, _) => Kind::Array(Nest::new(element)),
            (Kind::Object(_), _, Some((fields, _)), _) => {
                Kind::Object(Shape::Fields(Cow::Owned(fields)))
            }
            (Kind::Object(_), _, _, Some((value, _))) => Kind::Object(Shape::Map(Nest::new(value))),
            (kind, ..) => kind,
        };
        let mut constraints = self.constraints;
        if constraints.is_none() {
            constraints = base.constraints().clone();
        }
        let plain = Type::new(kind).with_constraints(constraints.clone());
        if let Some(values) = self.enumeration {
            constraints.enumeration = Cow::Owned(read_enumeration(reader, values, &plain));
        }
        let required = plain.with_constraints(constraints);
        let mut bad_default = None;
        let default = self.default.and_then(|value| {
            let found = match fitting(value, &required, "the default") {
                Ok(value) => return value,
                Err(found) => found,
            };
            if place == Place::Parameter && reader.options.defer_bad_defaults {
                bad_default = Some(found);
                return Some(lower::lower_value(value));
            }
            reader.report(found);
            None
        });
        // A default makes the parameter optional already.
        let optional = optional && default.is_none();
        Finished {
            ty: required.with_optional(optional),
            default,
            bad_default,
        }
    }
}

fn read_enumeration(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    ty: &Type,
) -> Vec<agent_gram::Value> {
    let ValueKind::Array(items) = &value.kind else {
        reader.wrong::<()>(value, "`enum`", "a list of the values allowed");
        return Vec::new();
    };
    if items.is_empty() {
        reader.error(
            Code::BadValue,
            value.span,
            "`enum` must allow at least one value",
        );
    }
    let mut allowed = Vec::new();
    for item in items {
        match fitting(item, ty, "an allowed value") {
            Ok(value) => allowed.extend(value),
            Err(found) => reader.report(found),
        }
    }
    allowed
}

/// The value, if it fits the type; nothing for what the parser could not read.
fn fitting(
    value: &Value<'_>,
    ty: &Type,
    what: &str,
) -> Result<Option<agent_gram::Value>, Diagnostic> {
    if matches!(value.kind, ValueKind::Invalid) {
        return Ok(None);
    }
    if let ValueKind::Symbol(symbol) = value.kind {
        let message = format!("{what} is the bare symbol `{symbol}`, which is no value of a call");
        let help = if symbol == "null" {
            "gram has no null; write `optional: true` instead".to_owned()
        } else {
            format!("quote it: \"{symbol}\"")
        };
        return Err(Diagnostic::new(Code::BadDefault, value.span, message).with_help(help));
    }
    let lowered = lower::lower_value(value);
    validate::fits_value(ty, &lowered).map_err(|reason| {
        let message = format!("{what} does not fit the type: {reason}");
        Diagnostic::new(Code::BadDefault, value.span, message)
    })?;
    Ok(Some(lowered))
}

/// What a keyword goes with, when that is not this kind.
fn misplaced(keyword: &str, kind: &Kind) -> Option<&'static str> {
    let (fits, wanted) = match keyword {
        "elementType" | "minItems" | "maxItems" => (matches!(kind, Kind::Array(_)), "`Array`"),
        "fields" | "valueType" => (matches!(kind, Kind::Object(_)), "`Object`"),
        "format" | "minLength" | "maxLength" | "pattern" => (matches!(kind, Kind::Text), "`Text`"),
        "minimum" | "maximum" => (
            matches!(kind, Kind::Int | Kind::Double),
            "`Int` and `Double`",
        ),
        _ => (true, ""),
    };
    if fits { None } else { Some(wanted) }
}
