//! Between the texts that models write and the values that the implementation reads and writes, where
//! these differ; see [`Host::Text`].

use crate::signature::Signature;
use crate::types::{Field, Host, Kind, Shape, TextForm, Type, fields_of};
use serde_json::{Map, Value};

impl Type {
    /// Brings a value of this type into the form that the implementation reads, and says whether
    /// that is another one. What is not of the type stays as it is.
    pub fn give_to_host(&self, value: &mut Value) -> bool {
        walk(self, value, to_host)
    }

    /// Brings a value as the implementation wrote it into the form of this type, and says whether
    /// that is another one.
    pub fn take_from_host(&self, value: &mut Value) -> bool {
        walk(self, value, from_host)
    }
}

impl Signature {
    /// Brings arguments that satisfy the signature into the form that the implementation reads, and
    /// says whether that is another one.
    pub fn give_to_host(&self, arguments: &mut Value) -> bool {
        match arguments {
            Value::Object(members) => walk_fields(self.params(), members, to_host),
            _ => false,
        }
    }
}

type Change = fn(&TextForm, &Value) -> Option<Value>;

fn to_host(form: &TextForm, value: &Value) -> Option<Value> {
    (form.read)(value.as_str()?)
}

fn from_host(form: &TextForm, value: &Value) -> Option<Value> {
    (form.write)(value).map(Value::String)
}

fn walk(ty: &Type, value: &mut Value, change: Change) -> bool {
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
                changed |= walk(element, item, change);
            }
            changed
        }
        (Kind::Object(Shape::Fields(fields)), _, Value::Object(members)) => {
            walk_fields(fields_of(fields), members, change)
        }
        (Kind::Object(Shape::Map(of)), _, Value::Object(members)) => {
            let mut changed = false;
            for member in members.values_mut() {
                changed |= walk(of, member, change);
            }
            changed
        }
        _ => false,
    }
}

fn walk_fields(fields: &[Field], members: &mut Map<String, Value>, change: Change) -> bool {
    let mut changed = false;
    for field in fields {
        if let Some(member) = members.get_mut(field.name()) {
            changed |= walk(field.ty(), member, change);
        }
    }
    changed
}
