//! The JSON Schemas that a gram type says as well.

use super::SchemaError;
use agent_spec::Type;
use agent_spec::schema::SchemaReader;
use serde_json::Value;

pub(super) struct Compiled(Type);

impl Compiled {
    /// A type takes the place of the schema, so it must refuse all that the schema refuses.
    pub(super) fn new(schema: &Value) -> Result<Self, SchemaError> {
        if !schema.is_object() {
            return Err(SchemaError::new("a JSON Schema is an object"));
        }
        match SchemaReader::exact().read_type(schema) {
            Ok(ty) => Ok(Self(ty)),
            Err(error) => Err(SchemaError::new(format!(
                "{error}\nThe feature `json-schema` of agent-runtime takes any schema."
            ))),
        }
    }

    pub(super) fn problems(&self, value: &Value) -> Vec<String> {
        match self.0.validate(value) {
            Ok(()) => Vec::new(),
            Err(violations) => violations.iter().map(ToString::to_string).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_held_against_the_type() {
        let schema = json!({
            "type": "object",
            "properties": {"age": {"type": "integer", "minimum": 0}},
            "required": ["age", "id"],
        });
        let compiled = Compiled::new(&schema).expect("a schema that a type says");
        for (value, problems) in [
            (json!({"age": 3, "id": 1}), 0),
            (json!({"age": 3, "id": {}, "more": 1}), 0),
            (json!({"age": -3, "id": []}), 1),
            (json!({}), 2),
            (json!([]), 1),
        ] {
            assert_eq!(compiled.problems(&value).len(), problems, "{value}");
        }
    }

    #[test]
    fn what_a_type_cannot_say_is_refused() {
        for (schema, path) in [
            (json!({"oneOf": []}), "$.oneOf"),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": false}),
                "$.additionalProperties",
            ),
            (
                json!({"type": "array", "uniqueItems": true}),
                "$.uniqueItems",
            ),
            (json!({"type": "string", "pattern": "("}), "$.pattern"),
            (json!({"type": ["string", "integer"]}), "$.type"),
            (json!({"type": "object", "required": [1]}), "$.required"),
            (
                json!({
                    "type": "object",
                    "properties": {"a": {"type": ["string", "null"]}},
                    "required": ["a"],
                }),
                "$.properties.a",
            ),
            (json!(true), "an object"),
        ] {
            let error = Compiled::new(&schema).err().expect("refused").to_string();
            assert!(error.contains(path), "{schema}: {error}");
        }
    }
}
