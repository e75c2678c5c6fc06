//! Between the texts that models write and the values that the implementation reads and writes, where
//! these differ; see [`Host::Text`].

use crate::host::{Host, TextForm};
use crate::signature::Signature;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::validate::Arguments;
use serde_json::{Map, Value};

/// Converts a value of a type to the form that the implementation reads; returns whether it changed.
pub(crate) fn to_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, read_form)
}

/// Converts a value that the implementation wrote to the form of the type; returns whether it changed.
pub(crate) fn from_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, write_form)
}

/// Converts checked arguments to the text that the implementation reads. A value is built only for a
/// signature in which the two forms can differ.
pub(crate) fn host_text(signature: &Signature, arguments: Arguments<'_>) -> String {
    let params = signature.params();
    if !params.iter().any(|param| has_text_form(param.ty())) {
        return arguments.into_text();
    }
    let text = arguments.text().to_owned();
    let Value::Object(mut members) = arguments.into_value() else {
        return text;
    };
    if convert_fields(params, &mut members, read_form) {
        Value::Object(members).to_string()
    } else {
        text
    }
}

/// Whether the implementation reads another form of a value of this type, or of a part of it.
fn has_text_form(ty: &Type) -> bool {
    // A type with such a form, or with one in it, is checked.
    ty.is_checked()
        && match (ty.kind(), ty.host()) {
            (Kind::Text, host) => matches!(host, Some(Host::Text(_))),
            (Kind::Array(of) | Kind::Object(Shape::Map(of)), _) => has_text_form(of),
            (Kind::Object(Shape::Fields(fields)), _) => fields_of(fields)
                .iter()
                .any(|field| has_text_form(field.ty())),
            _ => false,
        }
}

type Change = fn(&TextForm, &Value) -> Option<Value>;

fn read_form(form: &TextForm, value: &Value) -> Option<Value> {
    (form.read)(value.as_str()?)
}

fn write_form(form: &TextForm, value: &Value) -> Option<Value> {
    (form.write)(value).map(Value::String)
}

fn convert(ty: &Type, value: &mut Value, change: Change) -> bool {
    // A type with such a form, or with one in it, is checked.
    if !ty.is_checked() {
        return false;
    }
    match (ty.kind(), ty.host(), value) {
        (Kind::Text, Some(Host::Text(form)), value) => match change(form, value) {
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

fn convert_fields(fields: &[Field], members: &mut Map<String, Value>, change: Change) -> bool {
    let mut changed = false;
    for field in fields {
        if let Some(member) = members.get_mut(field.name()) {
            changed |= convert(field.ty(), member, change);
        }
    }
    changed
}
