//! Converting the schemas of arguments for Gemini.
//!
//! Gemini supports a part of JSON Schema: the keywords for structure, numbers and sizes of arrays. Other
//! keywords that help a model are described in the description. The runtime validates arguments against the
//! whole schema in any case.

use crate::model::wire::json_schema::is_of_type;
use agent_gram::value::Text;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;

type Members = Vec<(Text, Ordered)>;

/// Converts a schema.
pub(super) fn convert(schema: &Schema) -> Ordered {
    Ordered::Object(convert_members(schema.members()))
}

fn convert_value(schema: &Ordered) -> Ordered {
    match schema {
        Ordered::Object(members) => Ordered::Object(convert_members(members)),
        other => other.clone(),
    }
}

fn convert_each(value: &Ordered) -> Ordered {
    match value {
        Ordered::Object(members) => {
            let members = members
                .iter()
                .map(|(key, schema)| (key.clone(), convert_value(schema)));
            Ordered::Object(members.collect())
        }
        Ordered::Array(schemas) => Ordered::Array(schemas.iter().map(convert_value).collect()),
        other => other.clone(),
    }
}

fn convert_members(members: &[(Text, Ordered)]) -> Members {
    let mut builder = Builder::default();
    for (key, value) in members {
        builder.add(key, value);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    members: Members,
    /// The unsupported keywords, for the description.
    remarks: Vec<String>,
}

impl Builder {
    fn add(&mut self, key: &Text, value: &Ordered) {
        match key.as_str() {
            "$id" | "$ref" | "$anchor" | "type" | "format" | "title" | "description"
            | "minItems" | "maxItems" | "minimum" | "maximum" | "required" | "propertyOrdering" => {
                self.put(key.clone(), value.clone());
            }
            "properties" | "$defs" | "definitions" | "prefixItems" | "anyOf" | "oneOf" => {
                self.put(key.clone(), convert_each(value));
            }
            // `minItems` and `maxItems` say how many items a tuple has.
            "items" if matches!(value, Ordered::Bool(_)) => {}
            "items" | "additionalProperties" => self.put(key.clone(), convert_value(value)),
            "allOf" => self.merge(value),
            "enum" => self.add_enumeration(value),
            "const" => self.add_enumeration(&Ordered::Array(vec![value.clone()])),
            "exclusiveMinimum" => self.add_bound("minimum", key, value, 1),
            "exclusiveMaximum" => self.add_bound("maximum", key, value, -1),
            "default" | "pattern" | "minLength" | "maxLength" | "multipleOf" | "uniqueItems"
            | "contains" | "minProperties" | "maxProperties" | "propertyNames"
            | "patternProperties" | "not" | "if" | "then" | "else" | "dependentRequired"
            | "dependentSchemas" => self.remark(key, value),
            _ => {}
        }
    }

    /// Adds a member. The first of two equal keys counts.
    fn put(&mut self, key: Text, value: Ordered) {
        if self.members.iter().all(|(held, _)| *held != key) {
            self.members.push((key, value));
        }
    }

    fn remark(&mut self, key: &Text, value: &Ordered) {
        let value = match value {
            Ordered::Text(text) => text.to_string(),
            other => other.to_string(),
        };
        self.remarks.push(format!("{}: {value}", key.as_str()));
    }

    fn merge(&mut self, parts: &Ordered) {
        let Ordered::Array(parts) = parts else {
            return;
        };
        for part in parts {
            if let Ordered::Object(members) = part {
                for (key, value) in members {
                    self.add(key, value);
                }
            }
        }
    }

    /// Adds an enumeration. Gemini supports texts and numbers; `null` among them is dropped, so that the
    /// model does not choose it.
    fn add_enumeration(&mut self, values: &Ordered) {
        let Ordered::Array(values) = values else {
            return;
        };
        let values: Vec<Ordered> = values
            .iter()
            .filter(|value| **value != Ordered::Null)
            .cloned()
            .collect();
        let is_supported = |value: &Ordered| {
            matches!(
                value,
                Ordered::Text(_) | Ordered::Integer(_) | Ordered::Number(_)
            )
        };
        let all_supported = values.iter().all(is_supported);
        let values = Ordered::Array(values);
        if all_supported && values != Ordered::Array(Vec::new()) {
            self.put("enum".into(), values);
        } else if !all_supported {
            self.remark(&"one of".into(), &values);
        }
    }

    fn add_bound(&mut self, bound: &'static str, key: &Text, value: &Ordered, step: i128) {
        match value {
            Ordered::Integer(value) if self.is_of_integers() => {
                let value = value.saturating_add(step);
                self.put(bound.into(), Ordered::Integer(value));
            }
            other => self.remark(key, other),
        }
    }

    fn is_of_integers(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|(key, value)| *key == "type" && is_of_type(value, "integer"))
    }

    fn finish(mut self) -> Members {
        self.describe();
        // Gemini allows no other member beside a reference.
        let reference = self.members.iter().position(|(key, _)| *key == "$ref");
        if let Some(at) = reference.filter(|_| self.members.len() > 1) {
            let reference = Ordered::Object(vec![self.members.remove(at)]);
            self.put("anyOf".into(), Ordered::Array(vec![reference]));
        }
        self.members
    }

    fn describe(&mut self) {
        if self.remarks.is_empty() {
            return;
        }
        let remarks = self.remarks.join("; ");
        let described = self
            .members
            .iter_mut()
            .find(|(key, _)| *key == "description");
        match described {
            Some((_, Ordered::Text(text))) => *text = format!("{text} ({remarks})").into(),
            _ => self.put("description".into(), Ordered::text(remarks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::convert;
    use agent_spec::json::Ordered;
    use agent_spec::schema::Schema;

    fn check(schema: &str, expected: &str) {
        let Ok(Ordered::Object(members)) = serde_json::from_str(schema) else {
            panic!("no schema: {schema}");
        };
        let converted = convert(&Schema::from_members(members));
        assert_eq!(converted.to_string(), expected);
    }

    #[test]
    fn keeps_supported_keywords() {
        let schema = r##"{"type":"object","properties":{"default":{"type":["string","null"],"description":"D","format":"date"},"list":{"type":"array","items":{"$ref":"#/$defs/T"},"minItems":1}},"required":["default"],"$defs":{"T":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}}}"##;
        check(schema, schema);
    }

    #[test]
    fn describes_unsupported_keywords() {
        check(
            r#"{"type":"string","description":"A name","default":"x","minLength":2,"pattern":"^a","examples":["ab"]}"#,
            r#"{"type":"string","description":"A name (default: x; minLength: 2; pattern: ^a)"}"#,
        );
        check(
            r#"{"type":"array","items":{"type":"boolean","const":true},"uniqueItems":true}"#,
            r#"{"type":"array","items":{"type":"boolean","description":"one of: [true]"},"description":"uniqueItems: true"}"#,
        );
    }

    #[test]
    fn keeps_unions_and_tuples() {
        let union = r#"{"anyOf":[{"type":"string"},{"type":"object","properties":{},"required":[]},{"type":"null"}]}"#;
        check(union, union);
        check(
            r#"{"type":"array","prefixItems":[{"type":"number"}],"items":false,"minItems":1,"maxItems":1}"#,
            r#"{"type":"array","prefixItems":[{"type":"number"}],"minItems":1,"maxItems":1}"#,
        );
    }

    #[test]
    fn replaces_keywords_by_supported_ones() {
        check(r#"{"const":"a"}"#, r#"{"enum":["a"]}"#);
        check(
            r#"{"type":["string","null"],"enum":["a",null]}"#,
            r#"{"type":["string","null"],"enum":["a"]}"#,
        );
        check(
            r#"{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10}"#,
            r#"{"type":"integer","minimum":1,"maximum":9}"#,
        );
        check(
            r#"{"type":"number","exclusiveMinimum":0}"#,
            r#"{"type":"number","description":"exclusiveMinimum: 0"}"#,
        );
        check(
            r#"{"type":"object","dependentRequired":{"a":["b"]}}"#,
            r#"{"type":"object","description":"dependentRequired: {\"a\":[\"b\"]}"}"#,
        );
        check(
            r##"{"description":"A T","allOf":[{"$ref":"#/$defs/T"}]}"##,
            r##"{"description":"A T","anyOf":[{"$ref":"#/$defs/T"}]}"##,
        );
    }
}
