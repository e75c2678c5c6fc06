//! The schema of a typed answer, in the form that makes Anthropic's models write JSON.
//!
//! Anthropic compiles the schema. It accepts types, objects without further properties, and few of the other
//! keywords. It limits the number of properties that may be missing or have several types. The runtime checks
//! the answer against the whole schema.

use crate::model::wire::Object;
use crate::model::wire::json_schema::{is_known_format, is_of_type, members_of};
use agent_gram::value::Text;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;

/// The maximum number of properties of a request that may be missing.
const MAX_OPTIONAL: usize = 24;

/// The maximum number of schemas in a request that allow several types.
const MAX_UNIONS: usize = 16;

/// Returns the member `format` of `output_config`, which asks for an answer of a schema. `None` for a schema that Anthropic
/// does not accept.
pub(super) fn format(schema: &Schema) -> Option<Ordered> {
    let format = Object::default().with_text("type", "json_schema");
    Some(format.with("schema", convert(schema)?).into_value())
}

/// Returns a schema in Anthropic's form; `None` for a schema that Anthropic does not accept.
pub(super) fn convert(schema: &Schema) -> Option<Ordered> {
    let mut counts = Counts::default();
    let converted = counts.convert(schema.members())?;
    (counts.optional <= MAX_OPTIONAL && counts.unions <= MAX_UNIONS).then_some(converted)
}

#[derive(Default)]
struct Counts {
    optional: usize,
    unions: usize,
}

impl Counts {
    fn convert(&mut self, members: &[(Text, Ordered)]) -> Option<Ordered> {
        let find = |key: &str| {
            let mut members = members.iter();
            members.find_map(|(held, value)| (held.as_str() == key).then_some(value))
        };
        let ty = find("type")?;
        if matches!(ty, Ordered::Array(_)) {
            self.unions += 1;
        }
        let mut written = Vec::with_capacity(members.len() + 1);
        for (key, value) in members {
            let value = match key.as_str() {
                "properties" => self.properties(value, find("required"))?,
                "items" => self.convert(members_of(value)?)?,
                "type" | "required" | "description" | "enum" => value.clone(),
                "format" if is_known_format(value) => value.clone(),
                // These keywords limit values. The runtime checks the values of the answer.
                "format" | "pattern" | "minimum" | "maximum" | "exclusiveMinimum"
                | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "minItems"
                | "maxItems" => continue,
                _ => return None,
            };
            written.push((key.clone(), value));
        }
        if is_of_type(ty, "array") {
            find("items")?;
        }
        if is_of_type(ty, "object") {
            find("properties")?;
            written.push(("additionalProperties".into(), Ordered::Bool(false)));
        }
        Some(Ordered::Object(written))
    }

    fn properties(&mut self, properties: &Ordered, required: Option<&Ordered>) -> Option<Ordered> {
        let Ordered::Object(properties) = properties else {
            return None;
        };
        let required = match required {
            Some(Ordered::Array(names)) => names.as_slice(),
            _ => &[],
        };
        let mut written = Vec::with_capacity(properties.len());
        for (name, schema) in properties {
            if !required.contains(&Ordered::Text(name.clone())) {
                self.optional += 1;
            }
            written.push((name.clone(), self.convert(members_of(schema)?)?));
        }
        Some(Ordered::Object(written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    fn converted(parameters: &str) -> Option<serde_json::Value> {
        let signature = format!("{parameters}==>(::Null)");
        let signature = agent_spec::parse_signature(&signature).expect("a signature");
        Some(convert(&signature.schema())?.to_value())
    }

    #[test]
    fn objects_are_closed_and_limits_of_values_are_left_out() {
        let found = converted(
            "(name::Text {minLength: 1, optional: true})==>(homes::Array {elementType: {type: \"Object\", \
             fields: [{name: \"zip\", type: \"Int\", minimum: 1}]}})",
        );
        let home = json!({"type": "object", "properties": {"zip": {"type": "integer"}},
                          "required": ["zip"], "additionalProperties": false});
        let properties =
            json!({"name": {"type": "string"}, "homes": {"type": "array", "items": home}});
        let expected = json!({"type": "object", "properties": properties, "required": ["homes"],
                              "additionalProperties": false});
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn what_anthropic_does_not_take_has_no_form() {
        for parameters in [
            "(a::Any)",
            "(a::Object)",
            "(a::Object {valueType: \"Int\"})",
            "(a::Array {elementType: \"Any\"})",
        ] {
            assert_eq!(converted(parameters), None, "{parameters}");
        }
        let parameters = |count: usize| {
            let parameters =
                (0..count).map(|number| format!("(a{number}::Text {{optional: true}})"));
            parameters.collect::<Vec<_>>().join("==>")
        };
        assert!(converted(&parameters(24)).is_some());
        assert_eq!(converted(&parameters(25)), None);
    }
}
