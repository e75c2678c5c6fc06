//! `null` for members that a JSON Schema requires and allows to be `null`.
//!
//! In gram such a member is optional, and `null` counts as missing. So an agent's call may leave the member out,
//! which the tool's own schema refuses.

use serde_json::{Map, Value};

/// The maximum number of schemas that one schema refers to, because references may form a circle.
const MOST_PARTS: usize = 32;

/// Adds `null` for each missing member that the schema of the arguments requires and allows to be `null`. Returns
/// whether there was one.
pub(super) fn fill_nulls(schema: &Value, arguments: &mut Value) -> bool {
    fill(schema, schema, arguments)
}

fn fill(root: &Value, schema: &Value, value: &mut Value) -> bool {
    let mut changed = false;
    for part in parts(root, schema) {
        match value {
            Value::Object(members) => changed |= fill_members(root, part, members),
            Value::Array(items) => {
                if let Some(schema) = part.get("items") {
                    for item in items {
                        changed |= fill(root, schema, item);
                    }
                }
            }
            _ => return false,
        }
    }
    changed
}

fn fill_members(root: &Value, part: &Map<String, Value>, members: &mut Map<String, Value>) -> bool {
    let mut changed = false;
    let properties = part.get("properties").and_then(Value::as_object);
    let required = part.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let schema = properties.and_then(|properties| properties.get(name));
        if !members.contains_key(name) && schema.is_some_and(|schema| allows_null(root, schema)) {
            members.insert(name.to_owned(), Value::Null);
            changed = true;
        }
    }
    for (name, member) in members {
        let own = properties.and_then(|properties| properties.get(name));
        if let Some(schema) = own.or_else(|| part.get("additionalProperties")) {
            changed |= fill(root, schema, member);
        }
    }
    changed
}

fn allows_null(root: &Value, schema: &Value) -> bool {
    let is_null_word = |word: &Value| word.as_str() == Some("null");
    parts(root, schema)
        .iter()
        .any(|part| match part.get("type") {
            Some(Value::Array(words)) => words.iter().any(is_null_word),
            // As in OpenAPI 3.0, and as the validator reads it.
            Some(word) => is_null_word(word) || part.get("nullable") == Some(&Value::Bool(true)),
            None => false,
        })
}

/// Returns the objects of which a schema consists: itself, the targets of its references, and the schemas in
/// `allOf`, `anyOf` and `oneOf`.
fn parts<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
    let mut parts: Vec<&Map<String, Value>> = schema.as_object().into_iter().collect();
    let mut next = 0;
    while let Some(part) = parts.get(next).copied()
        && parts.len() < MOST_PARTS
    {
        next += 1;
        let reference = part.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        let lists = ["allOf", "anyOf", "oneOf"].map(|key| part.get(key).and_then(Value::as_array));
        let inner = lists.into_iter().flatten().flatten();
        parts.extend(target.into_iter().chain(inner).filter_map(Value::as_object));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::fill_nulls;
    use serde_json::json;

    #[test]
    fn adds_null_only_where_the_schema_requires_and_allows_it() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
                "b": {"type": ["string", "null"]},
                "c": {"type": ["string", "null"]},
                "d": {"type": "string"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Unit"}},
            },
            "required": ["a", "b", "d", "e"],
            "additionalProperties": {"$ref": "#/$defs/Unit"},
            "$defs": {"Unit": {
                "type": "object",
                "properties": {"of": {"$ref": "#/$defs/Maybe"}},
                "required": ["of"],
            }, "Maybe": {"allOf": [{"$ref": "#/$defs/Maybe"}, {"type": ["null", "integer"]}]}},
        });
        let mut arguments = json!({"b": "x", "list": [{}, {"of": 1}, 3], "more": {}});
        assert!(fill_nulls(&schema, &mut arguments));
        let expected = json!({
            "a": null, "b": "x", "list": [{"of": null}, {"of": 1}, 3], "more": {"of": null},
        });
        assert_eq!(arguments, expected);
        assert!(!fill_nulls(&schema, &mut arguments));
        assert!(!fill_nulls(&json!(true), &mut json!({})));
    }
}
