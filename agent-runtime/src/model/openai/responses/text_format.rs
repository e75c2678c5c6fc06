//! The schema of a typed answer, in the form that makes the model write JSON.

use crate::model::wire::Object;
use crate::model::wire::json_schema::{is_known_format, is_of_type, members_of};
use agent_gram::value::Text;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;

/// The levels of nesting that strict mode allows.
const MAX_LEVELS: usize = 10;

/// Returns the member `text` of a request. Strict mode, in which each answer matches the schema, is used if
/// it has a form for the schema.
pub(super) fn text_format(schema: &Schema) -> Ordered {
    let members = schema.members();
    let strict = strict(members, 0);
    let is_strict = strict.is_some();
    let format = Object::default()
        .with_text("type", "json_schema")
        .with_text("name", "answer")
        .with("schema", strict.unwrap_or_else(|| schema.to_ordered()))
        .with("strict", Ordered::Bool(is_strict));
    let text = Object::default().with("format", format.into_value());
    text.into_value()
}

/// Returns a schema in strict form; `None` for a schema that strict mode does not accept.
pub(super) fn strict_form(schema: &Schema) -> Option<Ordered> {
    strict(schema.members(), 0)
}

/// Returns a schema in strict form: objects have no other properties than those named, which are all required.
/// `None` for a schema that strict mode does not accept.
fn strict(members: &[(Text, Ordered)], level: usize) -> Option<Ordered> {
    if level > MAX_LEVELS {
        return None;
    }
    let find = |key: &str| {
        let mut members = members.iter();
        members.find_map(|(held, value)| (*held == *key).then_some(value))
    };
    let ty = find("type")?;
    let mut written = Vec::with_capacity(members.len() + 1);
    for (key, value) in members {
        let value = match key.as_str() {
            "properties" => strict_properties(value, find("required"), level)?,
            "items" => strict(members_of(value)?, level + 1)?,
            "format" if !is_known_format(value) => return None,
            "type" | "required" | "description" | "enum" | "format" | "pattern" | "minimum"
            | "maximum" | "minItems" | "maxItems" => value.clone(),
            _ => return None,
        };
        written.push((key.clone(), value));
    }
    if is_of_type(ty, "array") {
        find("items")?;
    }
    if is_of_type(ty, "object") {
        find("properties")?;
        let closed = ("additionalProperties".into(), Ordered::Bool(false));
        written.push(closed);
    }
    Some(Ordered::Object(written))
}

/// Returns the properties in strict form; `None` if one is not required.
fn strict_properties(
    properties: &Ordered,
    required: Option<&Ordered>,
    level: usize,
) -> Option<Ordered> {
    let (Ordered::Object(properties), Some(Ordered::Array(required))) = (properties, required)
    else {
        return None;
    };
    let strict = properties.iter().map(|(name, schema)| {
        let is_required = required.contains(&Ordered::Text(name.clone()));
        let schema = strict(members_of(schema)?, level + 1)?;
        is_required.then(|| (name.clone(), schema))
    });
    let strict: Option<Vec<(Text, Ordered)>> = strict.collect();
    strict.map(Ordered::Object)
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::{Value, json};

    fn format(signature: &str) -> Value {
        let signature = agent_spec::parse_signature(signature).expect("a signature");
        let text = text_format(&signature.schema()).to_value();
        assert_eq!(text["format"]["type"], "json_schema");
        text["format"].clone()
    }

    #[test]
    fn a_record_of_required_fields_is_strict_at_every_depth() {
        let format = format(
            "(name::Text {format: \"date\"})==>(homes::Array {elementType: {type: \"Object\", \
             fields: [{name: \"zip\", type: \"Int\", minimum: 1}]}})==>(::Null)",
        );
        let home = json!({"type": "object", "properties": {"zip": {"type": "integer", "minimum": 1}},
                          "required": ["zip"], "additionalProperties": false});
        let expected = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "format": "date"},
                "homes": {"type": "array", "items": home},
            },
            "required": ["name", "homes"],
            "additionalProperties": false,
        });
        assert_eq!(format["schema"], expected);
        assert_eq!(format["strict"], true);
    }

    #[test]
    fn what_strict_mode_does_not_take_is_sent_as_it_is() {
        for parameter in [
            "(a::Text {optional: true})",
            "(a::Text {minLength: 1})",
            "(a::Text {format: \"uri\"})",
            "(a::Any)",
            "(a::Any {schema: '{\"type\":\"object\",\"minProperties\":1}'})",
            "(a::Any {schema: '{\"additionalProperties\":{\"$ref\":\"#\"},\"type\":\"object\"}'})",
            "(a::Object)",
            "(a::Object {valueType: \"Int\"})",
            "(a::Array {elementType: \"Any\"})",
        ] {
            let signature = format!("{parameter}==>(::Null)");
            let format = format(&signature);
            assert_eq!(format["strict"], false, "{parameter}");
            let plain = agent_spec::parse_signature(&signature)
                .expect("a signature")
                .schema();
            assert_eq!(format["schema"], plain.to_value(), "{parameter}");
        }
    }
}
