//! Bringing a value that satisfies its type into the form the tool takes it.

use super::fields::{ByName, is_missing};
use super::number::without_fraction;
use super::path::Path;
use crate::json::value_to_json;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use serde_json::{Map, Value};

/// What was done to a value.
#[derive(Default)]
pub(super) struct Completion {
    pub(super) changed: bool,
    pub(super) dropped: Vec<String>,
}

impl Completion {
    /// Fills in what is missing, drops what is not declared, and goes on with the rest.
    pub(super) fn fields(
        &mut self,
        fields: &[Field],
        members: &mut Map<String, Value>,
        path: Path<'_>,
    ) {
        let by_name = ByName::new(fields);
        members.retain(|key, _| {
            let declared = by_name.get(key).is_some();
            if !declared {
                self.changed = true;
                self.dropped.push(dropped_name(path, key));
            }
            declared
        });
        for field in fields {
            let name = field.name();
            if is_missing(field, members) {
                self.changed |= members.remove(name).is_some();
                if let Some(default) = field.default().and_then(value_to_json) {
                    self.changed = true;
                    members.insert(name.to_owned(), default);
                }
            }
            if let Some(value) = members.get_mut(name) {
                self.value(field.ty(), value, path.key(name));
            }
        }
    }

    fn value(&mut self, ty: &Type, value: &mut Value, path: Path<'_>) {
        match (ty.kind(), value) {
            (Kind::Int, Value::Number(number)) => {
                if let Some(whole) = without_fraction(number) {
                    self.changed = true;
                    *number = whole;
                }
            }
            (Kind::Array(element), Value::Array(items)) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.value(element, item, path.index(at));
                }
            }
            (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
                self.fields(fields_of(fields), members, path);
            }
            (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
                for (key, member) in members {
                    self.value(of, member, path.key(key));
                }
            }
            _ => {}
        }
    }
}

/// An argument is listed by its name, what stands deeper by its path from the argument on.
fn dropped_name(path: Path<'_>, key: &str) -> String {
    if matches!(path, Path::Root) {
        return key.to_owned();
    }
    let path = path.key(key).to_string();
    path.trim_start_matches('$')
        .trim_start_matches('.')
        .to_owned()
}
