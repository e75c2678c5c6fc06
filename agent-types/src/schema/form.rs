//! The forms of the values of JSON Schema's keywords. Validators and vendors refuse a schema with a value of
//! another form.

use crate::json_value::Ordered;
use std::collections::HashSet;

/// The words for types.
pub(super) const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// Returns the form that the value of a keyword must have, if the value has another form.
pub(super) fn missing_form(key: &str, value: &Ordered) -> Option<&'static str> {
    let (is_right, form) = match key {
        "type" => (is_type(value), "one of the seven types, or a list of them"),
        "title" | "description" | "$comment" | "format" | "pattern" | "contentEncoding"
        | "contentMediaType" => (matches!(value, Ordered::Text(_)), "a text"),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => {
            (matches!(value, Ordered::Bool(_)), "`true` or `false`")
        }
        "enum" | "examples" => (matches!(value, Ordered::Array(_)), "a list"),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => {
            let is_count =
                number(value).is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
            (is_count, "a whole number, 0 or more")
        }
        "minimum" | "maximum" => (number(value).is_some(), "a number"),
        // In draft 4, the keyword is a flag.
        "exclusiveMinimum" | "exclusiveMaximum" => (
            number(value).is_some() || matches!(value, Ordered::Bool(_)),
            "a number",
        ),
        "multipleOf" => (
            number(value).is_some_and(|number| number > 0.0),
            "a number above 0",
        ),
        "required" => (is_names(value), "a list of different names"),
        "dependentRequired" => (each_member(value, is_names), "an object of lists of names"),
        "dependencies" => {
            let is_right = each_member(value, |value| is_names(value) || is_schema(value));
            (is_right, "an object of schemas or lists of names")
        }
        "properties" | "patternProperties" | "dependentSchemas" => {
            (each_member(value, is_schema), "an object of schemas")
        }
        "$defs" | "definitions" => (matches!(value, Ordered::Object(_)), "an object of schemas"),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => (is_schemas(value), "a list of schemas"),
        // Before draft 2020-12, `items` could be a list.
        "items" => (is_schema(value) || is_schemas(value), "a schema"),
        "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => (is_schema(value), "a schema"),
        _ => return None,
    };
    (!is_right).then_some(form)
}

/// Whether a keyword refuses no value, so that a schema means the same without it.
pub(super) fn is_annotation(key: &str) -> bool {
    matches!(
        key,
        "title"
            | "description"
            | "$comment"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
    )
}

fn is_type(value: &Ordered) -> bool {
    let is_word =
        |value: &Ordered| matches!(value, Ordered::Text(word) if TYPES.contains(&word.as_str()));
    match value {
        Ordered::Array(words) => {
            !words.is_empty() && words.iter().all(is_word) && are_different(words)
        }
        word => is_word(word),
    }
}

const fn is_schema(value: &Ordered) -> bool {
    matches!(value, Ordered::Object(_) | Ordered::Bool(_))
}

fn is_schemas(value: &Ordered) -> bool {
    matches!(value, Ordered::Array(schemas) if !schemas.is_empty() && schemas.iter().all(is_schema))
}

fn is_names(value: &Ordered) -> bool {
    let is_text = |value: &Ordered| matches!(value, Ordered::Text(_));
    matches!(value, Ordered::Array(names) if names.iter().all(is_text) && are_different(names))
}

/// Whether no text is in a list twice.
fn are_different(texts: &[Ordered]) -> bool {
    let mut known = HashSet::new();
    texts
        .iter()
        .all(|text| !matches!(text, Ordered::Text(text) if !known.insert(text.as_str())))
}

fn each_member(value: &Ordered, is_right: impl Fn(&Ordered) -> bool) -> bool {
    matches!(value, Ordered::Object(members) if members.iter().all(|(_, value)| is_right(value)))
}

fn number(value: &Ordered) -> Option<f64> {
    match value {
        Ordered::Integer(value) => Some(*value as f64),
        Ordered::Number(value) => Some(*value),
        _ => None,
    }
}
