//! Between the texts that models write and the values that the implementation reads and writes, where
//! these differ; see [`Host::Text`].

use crate::host::{Host, TextForm};
use crate::signature::Signature;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use serde_json::{Map, Value};

/// Converts a value of a type to the form that the implementation reads; returns whether it changed.
pub(crate) fn to_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, read_form)
}

/// Converts a value that the implementation wrote to the form of the type; returns whether it changed.
pub(crate) fn from_host(ty: &Type, value: &mut Value) -> bool {
    convert(ty, value, write_form)
}

/// Converts checked arguments to the form that the implementation reads; returns whether they changed.
pub(crate) fn give_arguments(signature: &Signature, arguments: &mut Value) -> bool {
    match arguments {
        Value::Object(members) => convert_fields(signature.params(), members, read_form),
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
