//! Comparing schemas that were not written by us.

use crate::validate::same_json;
use serde_json::{Map, Value};

/// Whether two JSON Schemas say the same, apart from how they are written: an absent `required` is
/// empty, and neither the order of keys nor that of `required` or of several `type`s matters. This
/// holds wherever a schema stands inside another, not inside a `default`, `const` or `enum`.
#[must_use]
pub fn same_schema(left: &Value, right: &Value) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else {
        return same_json(left, right);
    };
    let keys = left.keys().chain(right.keys());
    keys.into_iter().all(|key| same_member(key, left, right))
}

fn same_member(key: &str, left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    if key == "required" {
        return same_required(left.get(key), right.get(key));
    }
    let (Some(left), Some(right)) = (left.get(key), right.get(key)) else {
        return false;
    };
    match key {
        "type" => same_types(left, right),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            same_schemas_by_name(left, right)
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => same_schemas_in_order(left, right),
        // Before draft 2020-12, a list of schemas could stand here.
        "items" if left.is_array() => same_schemas_in_order(left, right),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => same_schema(left, right),
        _ => same_json(left, right),
    }
}

fn same_required(left: Option<&Value>, right: Option<&Value>) -> bool {
    const NONE: &Value = &Value::Array(Vec::new());
    same_set(left.unwrap_or(NONE), right.unwrap_or(NONE))
}

fn same_types(left: &Value, right: &Value) -> bool {
    left == right || same_set(left, right)
}

/// Whether two lists hold the same, in any order.
fn same_set(left: &Value, right: &Value) -> bool {
    let (Value::Array(left), Value::Array(right)) = (left, right) else {
        return left == right;
    };
    left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item))
}

fn same_schemas_by_name(left: &Value, right: &Value) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else {
        return left == right;
    };
    left.len() == right.len()
        && left.iter().all(|(name, schema)| {
            let other = right.get(name);
            other.is_some_and(|other| same_schema(schema, other))
        })
}

fn same_schemas_in_order(left: &Value, right: &Value) -> bool {
    let (Value::Array(left), Value::Array(right)) = (left, right) else {
        return left == right;
    };
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same_schema(a, b))
}
