//! Converts between the texts that models write and the values that the implementation reads and
//! writes, where these differ; see [`Host::Text`].

use crate::host::{Host, TextForm};
use crate::signature::Signature;
use crate::types::{Field, Kind, Shape, Type, fields_of, types_of};
use crate::validate::{Arguments, check_value};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Converts a value of a type to the form that the implementation reads; returns whether it changed.
pub(crate) fn to_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, TO_HOST)
}

/// Converts a value that the implementation wrote to the form of the type; returns whether it changed.
pub(crate) fn from_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, FROM_HOST)
}

/// Converts checked arguments to the text that the implementation reads. A value is built only for a
/// signature in which the two forms can differ.
pub(crate) fn host_text<'t>(signature: &Signature, mut arguments: Arguments<'t>) -> Cow<'t, str> {
    if !has_text_forms(signature) {
        return arguments.into_cow();
    }
    let whole = arguments.take_whole();
    let (text, value) = arguments.into_parts();
    let Value::Object(mut members) = value else {
        return text;
    };
    if convert_fields(signature.params(), &mut members, TO_HOST) {
        Cow::Owned(whole.write(&Value::Object(members)))
    } else {
        text
    }
}

/// Whether the implementation reads another form of an argument, or of a part of it.
pub(crate) fn has_text_forms(signature: &Signature) -> bool {
    let mut params = signature.params().iter();
    params.any(|param| has_text_form(param.ty()))
}

/// Whether the implementation reads another form of a value of this type, or of a part of it.
fn has_text_form(ty: &Type) -> bool {
    // A type that is of a text form, or contains such a type, is checked.
    ty.is_checked()
        && match (ty.kind(), ty.host()) {
            (Kind::Text, host) => matches!(host, Some(Host::Text(_))),
            (Kind::Array(of) | Kind::Object(Shape::Map(of)), _) => has_text_form(of),
            (Kind::Object(shape @ (Shape::Fields(_) | Shape::Extended(..))), _) => {
                let mut fields = shape.fields().iter();
                fields.any(|field| has_text_form(field.ty()))
                    || shape.values().is_some_and(has_text_form)
            }
            (Kind::Tuple(types) | Kind::Union(types), _) => {
                types_of(types).iter().any(has_text_form)
            }
            _ => false,
        }
}

/// A direction of the conversion.
#[derive(Clone, Copy)]
struct Change {
    /// Converts a value of a type of a text form.
    of_text: fn(&TextForm, &Value) -> Option<Value>,
    /// Whether the value has the form of the type before the conversion. Otherwise, the value has this
    /// form afterwards.
    is_from_type: bool,
}

const TO_HOST: Change = Change {
    of_text: read_form,
    is_from_type: true,
};

const FROM_HOST: Change = Change {
    of_text: write_form,
    is_from_type: false,
};

fn read_form(form: &TextForm, value: &Value) -> Option<Value> {
    (form.read)(value.as_str()?)
}

fn write_form(form: &TextForm, value: &Value) -> Option<Value> {
    (form.write)(value).map(Value::String)
}

fn convert(ty: &Type, value: &mut Value, change: Change) -> bool {
    // A type that is of a text form, or contains such a type, is checked.
    if !ty.is_checked() {
        return false;
    }
    match (ty.kind(), ty.host(), value) {
        (Kind::Text, Some(Host::Text(form)), value) => match (change.of_text)(form, value) {
            Some(changed) => {
                *value = changed;
                true
            }
            None => false,
        },
        (Kind::Array(element), _, Value::Array(items)) => {
            let mut changed = false;
            for item in items {
                changed |= convert(element, item, change);
            }
            changed
        }
        (Kind::Object(Shape::Fields(fields)), _, Value::Object(members)) => {
            convert_fields(fields_of(fields), members, change)
        }
        (Kind::Union(types), _, value) => convert_alternative(types_of(types), value, change),
        (Kind::Tuple(types), _, Value::Array(items)) => {
            let mut changed = false;
            for (ty, item) in types_of(types).iter().zip(items) {
                changed |= convert(ty, item, change);
            }
            changed
        }
        (Kind::Object(Shape::Extended(fields, values)), _, Value::Object(members)) => {
            let fields = fields_of(fields);
            let mut changed = convert_fields(fields, members, change);
            for (key, member) in members.iter_mut() {
                if fields.iter().all(|field| field.name() != key) {
                    changed |= convert(values, member, change);
                }
            }
            changed
        }
        (Kind::Object(Shape::Map(of)), _, Value::Object(members)) => {
            let mut changed = false;
            for member in members.values_mut() {
                changed |= convert(of, member, change);
            }
            changed
        }
        _ => false,
    }
}

/// Converts a value along the first type of a union that it fits.
fn convert_alternative(types: &[Type], value: &mut Value, change: Change) -> bool {
    for ty in types {
        let mut changed = value.clone();
        let is_changed = convert(ty, &mut changed, change);
        let of_type = if change.is_from_type {
            &*value
        } else {
            &changed
        };
        if check_value(ty, of_type).is_ok() {
            *value = changed;
            return is_changed;
        }
    }
    false
}

fn convert_fields(fields: &[Field], members: &mut Map<String, Value>, change: Change) -> bool {
    let mut changed = false;
    for field in fields {
        if let Some(member) = members.get_mut(field.name()) {
            changed |= convert(field.ty(), member, change);
        }
    }
    changed
}
