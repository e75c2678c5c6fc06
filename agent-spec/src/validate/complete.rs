//! Bringing a value that satisfies its type into the form the tool takes it.

use super::fields::{ByName, is_absent};
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
        let mut present = 0;
        members.retain(|key, value| {
            let Some(field) = by_name.get(key) else {
                self.changed = true;
                self.dropped.push(dropped_name(path, key));
                return false;
            };
            if is_absent(field, value) {
                self.changed = true;
                return false;
            }
            self.value(field.ty(), value, path.key(key));
            present += 1;
            true
        });
        if present == fields.len() {
            return;
        }
        for field in fields {
            if let Some(default) = field.default()
                && !members.contains_key(field.name())
                && let Some(mut value) = value_to_json(default)
            {
                self.changed = true;
                self.value(field.ty(), &mut value, path.key(field.name()));
                members.insert(field.name().to_owned(), value);
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
