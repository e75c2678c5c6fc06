//! Keywords of OpenAPI 3.0 and of draft 4 in the form of current JSON Schema, as the type reader of agent-spec
//! reads them.

use serde_json::{Map, Value};

/// Keywords with a schema, or a list of schemas.
const SCHEMAS: [&str; 15] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords with an object of schemas.
const MAPS: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The drafts in which `exclusiveMinimum` is a flag. A validator reads the keyword as a flag if `$schema`
/// names one of these drafts.
const WITH_FLAGS: [&str; 2] = ["draft-03", "draft-04"];

/// Returns a schema in which `nullable: true` beside `type` is the type `null`, and in which
/// `exclusiveMinimum: true` is the number of `minimum`. In a schema that does not name its draft, a list of `items`
/// is `prefixItems`, and `dependencies` are `dependentRequired` and `dependentSchemas`.
pub(super) fn current_form(schema: &Value) -> Value {
    let dialect = schema.get("$schema").and_then(Value::as_str);
    let has_flags = dialect.is_some_and(|name| WITH_FLAGS.iter().any(|draft| name.contains(draft)));
    let mut schema = schema.clone();
    let kept = Kept {
        flags: has_flags,
        names: dialect.is_some(),
    };
    update(&mut schema, kept);
    schema
}

/// The keywords of older drafts that the validator reads as they are.
#[derive(Clone, Copy)]
struct Kept {
    /// Whether `exclusiveMinimum` and `exclusiveMaximum` may stay flags.
    flags: bool,
    /// Whether keywords that have other names now keep their old names.
    names: bool,
}

fn update(schema: &mut Value, kept: Kept) {
    let Value::Object(members) = schema else {
        return;
    };
    if members.get("nullable") == Some(&Value::Bool(true)) {
        add_null(members);
    }
    if !kept.flags {
        replace_flag(members, "exclusiveMinimum", "minimum");
        replace_flag(members, "exclusiveMaximum", "maximum");
    }
    if !kept.names {
        rename(members);
    }
    for (key, member) in members {
        match member {
            Value::Object(schemas) if MAPS.contains(&key.as_str()) => {
                schemas.values_mut().for_each(|schema| update(schema, kept));
            }
            Value::Object(holder) if key == "components" => {
                if let Some(Value::Object(schemas)) = holder.get_mut("schemas") {
                    schemas.values_mut().for_each(|schema| update(schema, kept));
                }
            }
            Value::Array(list) if SCHEMAS.contains(&key.as_str()) => {
                list.iter_mut().for_each(|schema| update(schema, kept));
            }
            schema if SCHEMAS.contains(&key.as_str()) => update(schema, kept),
            _ => {}
        }
    }
}

fn add_null(members: &mut Map<String, Value>) {
    match members.get_mut("type") {
        Some(Value::Array(words)) if !words.iter().any(|word| word == "null") => {
            words.push("null".into());
        }
        Some(word @ Value::String(_)) if word != "null" => {
            *word = Value::Array(vec![word.take(), "null".into()]);
        }
        _ => {}
    }
}

/// Renames keywords of older drafts to their current names.
fn rename(members: &mut Map<String, Value>) {
    if members.get("items").is_some_and(Value::is_array)
        && !members.contains_key("prefixItems")
        && let Some(items) = members.remove("items")
    {
        members.insert("prefixItems".to_owned(), items);
        if let Some(further) = members.remove("additionalItems") {
            members.insert("items".to_owned(), further);
        }
    }
    if let Some(Value::Object(dependencies)) = members.remove("dependencies") {
        for (name, value) in dependencies {
            let key = match value {
                Value::Array(_) => "dependentRequired",
                _ => "dependentSchemas",
            };
            let all = members
                .entry(key)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(all) = all {
                all.insert(name, value);
            }
        }
    }
}

/// Replaces a flag by the number that it makes exclusive.
fn replace_flag(members: &mut Map<String, Value>, flag: &str, end: &str) {
    match members.get(flag) {
        Some(Value::Bool(false)) => {
            members.remove(flag);
        }
        Some(Value::Bool(true)) => {
            if let Some(number) = members.remove(end) {
                members.insert(flag.to_owned(), number);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::current_form;
    use serde_json::json;

    #[test]
    fn replaces_keywords_of_older_dialects_in_schemas_only() {
        let old = json!({
            "type": "object",
            "properties": {
                "nullable": {"type": "string", "nullable": true},
                "list": {"type": "array", "items": {"type": ["integer"], "nullable": true}},
                "least": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
                "most": {"type": "number", "maximum": 1, "exclusiveMaximum": false},
                "value": {"const": {"type": "a", "nullable": true}},
            },
            "components": {"schemas": {"A": {"type": "string", "nullable": true}}},
        });
        let current = json!({
            "type": "object",
            "properties": {
                "nullable": {"type": ["string", "null"], "nullable": true},
                "list": {"type": "array", "items": {"type": ["integer", "null"], "nullable": true}},
                "least": {"type": "number", "exclusiveMinimum": 0},
                "most": {"type": "number", "maximum": 1},
                "value": {"const": {"type": "a", "nullable": true}},
            },
            "components": {"schemas": {"A": {"type": ["string", "null"], "nullable": true}}},
        });
        assert_eq!(current_form(&old), current);
    }

    #[test]
    fn renames_keywords_of_older_drafts_where_no_draft_is_named() {
        let old = json!({"not": {
            "items": [{"type": "integer"}, {}],
            "additionalItems": false,
            "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
        }});
        let current = json!({"not": {
            "prefixItems": [{"type": "integer"}, {}],
            "items": false,
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"c": {"required": ["d"]}},
        }});
        assert_eq!(current_form(&old), current);
        let named = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]});
        assert_eq!(current_form(&named), named);
    }

    #[test]
    fn keeps_the_flags_of_a_schema_that_names_draft_4() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "minimum": 0,
            "exclusiveMinimum": true,
        });
        assert_eq!(current_form(&schema), schema);
    }
}
