//! Lists and objects that a model gives as their JSON text: `"[1, 2]"` in the place of `[1, 2]`.

use crate::json_value::{MAX_ARGUMENT_VALUES, parse_json, read_json, value_count};
use crate::types::{Kind, Type, types_of};
use crate::validate::allowed_types::AllowedTypes;
use serde_json::Value;

/// Whether a value of a type may be given as its JSON text: that of a list or an object, in a place where no text is
/// allowed.
pub(super) fn reads_json_text(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Array(_) | Kind::Tuple(_) | Kind::Object(_) => true,
        Kind::Union(types) => {
            let types = types_of(types);
            !types.iter().any(may_be_text) && types.iter().any(reads_json_text)
        }
        _ => false,
    }
}

fn may_be_text(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Text | Kind::Any | Kind::Media(_) => true,
        Kind::Union(types) => types_of(types).iter().any(may_be_text),
        _ => false,
    }
}

/// The types of values that a `schema` allows in the place of their JSON text.
#[derive(Default)]
pub(super) struct SchemaTypes {
    lists: bool,
    objects: bool,
}

impl SchemaTypes {
    pub(super) fn of(schema: &str) -> Self {
        let schema = parse_json(schema).unwrap_or_default();
        let types = AllowedTypes::new(&schema);
        if !types.reads_json_text(&schema) {
            return Self::default();
        }
        Self {
            lists: types.allows(&schema, "array"),
            objects: types.allows(&schema, "object"),
        }
    }

    /// Whether a value may be given as its JSON text.
    pub(super) const fn reads(&self, value: &Value) -> bool {
        match value {
            Value::Array(_) => self.lists,
            Value::Object(_) => self.objects,
            _ => false,
        }
    }
}

/// Whether a text looks like the JSON text of a list or an object.
pub fn is_json_like(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{'])
}

/// Returns the value of a JSON text inside of arguments; `None` also for keys that parsers read differently.
/// `values` counts the values in such texts, because they take memory as the values of the arguments do.
pub fn inner_value(text: &str, values: &mut usize) -> Option<Value> {
    *values = values.saturating_add(value_count(text.as_bytes()));
    if *values > MAX_ARGUMENT_VALUES {
        return None;
    }
    let mut is_clear = true;
    let value = read_json(text, |_, _| is_clear = false).ok()?;
    is_clear.then_some(value)
}

/// Returns the advice to write a value in the place of its JSON text.
pub(super) fn write_itself(ty: &Type) -> &'static str {
    match ty.kind() {
        Kind::Array(_) | Kind::Tuple(_) => "write the list itself, not its JSON text",
        Kind::Object(_) => "write the object itself, not its JSON text",
        _ => "write the value itself, not its JSON text",
    }
}
