//! The JSON Schemas that a gram type says as well.

use super::SchemaError;
use agent_gram::value::{Decimal, Text};
use agent_spec::Nest;
use agent_spec::json::json_to_value;
use agent_spec::types::Bound;
use agent_spec::{Constraints, Field, Kind, Shape, Type};
use serde_json::{Map, Value};
use std::borrow::Cow;

pub(super) struct Compiled(Type);

impl Compiled {
    pub(super) fn new(schema: &Value) -> Result<Self, SchemaError> {
        match type_of(schema, 0) {
            Some(ty) => Ok(Self(ty)),
            None => Err(SchemaError::new(
                "the schema says more than a gram type can, or is not a schema; the feature \
                 `json-schema` of agent-runtime takes any schema",
            )),
        }
    }

    pub(super) fn problems(&self, value: &Value) -> Vec<String> {
        match self.0.validate(value) {
            Ok(()) => Vec::new(),
            Err(violations) => violations.iter().map(ToString::to_string).collect(),
        }
    }
}

/// How deep schemas may stand in each other, so that no schema exhausts the stack.
const MAX_DEPTH: usize = 64;

/// Keywords that only describe.
const ANNOTATIONS: [&str; 6] = [
    "$schema",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
];

/// The type that allows what the schema allows, or `None` when a type cannot say it.
fn type_of(schema: &Value, depth: usize) -> Option<Type> {
    let schema = schema.as_object()?;
    if depth > MAX_DEPTH {
        return None;
    }
    let (word, nullable) = type_word(schema.get("type"))?;
    let (kind, own): (_, &[&str]) = match word {
        None => (Kind::Any, &[]),
        Some("null") => (Kind::Null, &[]),
        Some("boolean") => (Kind::Bool, &[]),
        Some("string") => (Kind::Text, &["format", "minLength", "maxLength", "pattern"]),
        Some("integer") => (Kind::Int, &["minimum", "maximum"]),
        Some("number") => (Kind::Double, &["minimum", "maximum"]),
        Some("array") => {
            let element = match schema.get("items") {
                None => Nest::from_static(Type::ANY),
                Some(items) => Nest::new(type_of(items, depth + 1)?),
            };
            (Kind::Array(element), &["items", "minItems", "maxItems"])
        }
        Some("object") => (
            Kind::Object(shape(schema, depth)?),
            &["properties", "required", "additionalProperties"],
        ),
        Some(_) => return None,
    };
    let known = |key: &str| {
        key == "type" || key == "enum" || ANNOTATIONS.contains(&key) || own.contains(&key)
    };
    if !schema.keys().all(|key| known(key)) {
        return None;
    }
    Some(
        Type::new(kind)
            .with_constraints(constraints(schema)?)
            .with_optional(nullable),
    )
}

/// The word of a `type`, and whether `null` is allowed beside it.
fn type_word(word: Option<&Value>) -> Option<(Option<&str>, bool)> {
    match word {
        None => Some((None, false)),
        Some(Value::String(word)) => Some((Some(word), false)),
        Some(Value::Array(words)) => match words.as_slice() {
            [Value::String(word)] => Some((Some(word), false)),
            [Value::String(word), Value::String(null)] if null == "null" => {
                Some((Some(word), true))
            }
            [Value::String(null), Value::String(word)] if null == "null" => {
                Some((Some(word), true))
            }
            _ => None,
        },
        Some(_) => None,
    }
}

fn shape(schema: &Map<String, Value>, depth: usize) -> Option<Shape> {
    let required = match schema.get("required") {
        None => Vec::new(),
        Some(Value::Array(names)) => names.iter().map(Value::as_str).collect::<Option<_>>()?,
        Some(_) => return None,
    };
    let none = Map::new();
    let properties = match schema.get("properties") {
        None => &none,
        Some(Value::Object(properties)) => properties,
        Some(_) => return None,
    };
    let mut fields = properties
        .iter()
        .map(|(name, schema)| {
            let ty = type_of(schema, depth + 1)?;
            let optional = ty.is_optional() || !required.contains(&name.as_str());
            Some(Field::new(name.clone(), ty.with_optional(optional)))
        })
        .collect::<Option<Vec<_>>>()?;
    // What is required and not described may be anything.
    let undescribed = required
        .iter()
        .filter(|name| !properties.contains_key(**name));
    fields.extend(undescribed.map(|name| Field::new((*name).to_owned(), Type::new(Kind::Any))));
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(true)) if fields.is_empty() => Some(Shape::Open),
        None | Some(Value::Bool(true)) => Some(Shape::Fields(Cow::Owned(fields))),
        Some(values @ Value::Object(_)) if fields.is_empty() => {
            Some(Shape::Map(Nest::new(type_of(values, depth + 1)?)))
        }
        Some(_) => None,
    }
}

fn constraints(schema: &Map<String, Value>) -> Option<Constraints> {
    let mut constraints = Constraints::NONE;
    if let Some(values) = schema.get("enum") {
        let values = values.as_array()?.iter().map(json_to_value);
        constraints.enumeration = Cow::Owned(values.collect::<Option<_>>()?);
    }
    let text = |key: &str| match schema.get(key) {
        None => Some(None),
        Some(Value::String(text)) => Some(Some(Text::from(text.clone()))),
        Some(_) => None,
    };
    let count = |key: &str| match schema.get(key) {
        None => Some(None),
        Some(number) => number.as_u64().map(Some),
    };
    let bound = |key: &str| match schema.get(key) {
        None => Some(None),
        Some(number) => match number.as_i64() {
            Some(whole) => Some(Some(Bound::Int(whole.into()))),
            None => Some(Some(Bound::Double(Decimal::new(number.as_f64()?).ok()?))),
        },
    };
    constraints.format = text("format")?;
    constraints.pattern = text("pattern")?;
    if let Some(pattern) = &constraints.pattern {
        agent_spec::validate::is_valid_pattern(pattern).ok()?;
    }
    constraints.min_length = count("minLength")?;
    constraints.max_length = count("maxLength")?;
    constraints.min_items = count("minItems")?;
    constraints.max_items = count("maxItems")?;
    constraints.minimum = bound("minimum")?;
    constraints.maximum = bound("maximum")?;
    Some(constraints)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_of_signatures_lead_back_to_their_types() {
        for signature in [
            "(a::Text {format: \"email\", minLength: 1})==>(b::Int {minimum: 1})==>(::String)",
            "(a::Array {elementType: \"Int\", maxItems: 3})==>(::String)",
            "(a::Object {valueType: \"Double\"})==>(b::Any)==>(c::Object)==>(::String)",
            "(a::Text {enum: [\"x\", \"y\"]})==>(b::Bool)==>(::String)",
        ] {
            let signature = agent_spec::Signature::parse(signature).expect("a signature");
            let schema = signature.schema().to_value();
            let ty = type_of(&schema, 0).expect("a schema that a type says");
            let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
                panic!("{ty:?}");
            };
            assert_eq!(fields.as_ref(), signature.params());
        }
    }

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
        for schema in [
            json!({"oneOf": []}),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            json!({"type": "array", "uniqueItems": true}),
            json!({"type": "string", "pattern": "("}),
            json!({"type": ["string", "integer"]}),
            json!({"type": "object", "required": [1]}),
            json!(true),
        ] {
            assert!(Compiled::new(&schema).is_err(), "{schema}");
        }
    }
}
