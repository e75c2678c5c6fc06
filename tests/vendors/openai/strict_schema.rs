//! The rules of strict schemas.

use crate::vendors::refused::{Refused, items, refuse_if, text};
use serde_json::Value;

const MAX_LEVELS: usize = 10;
const MAX_PROPERTIES: usize = 5_000;

/// Checks the format of an answer.
pub(super) fn check(format: &Value) -> Result<(), Refused> {
    if format.get("strict") != Some(&Value::Bool(true)) {
        return Ok(());
    }
    let name = text(format, "name").unwrap_or_default();
    let mut properties = 0;
    let problem = match format.get("schema") {
        Some(schema) => problem(schema, 0, &mut properties),
        None => Some("a schema is required".to_owned()),
    };
    match problem {
        Some(problem) => {
            let text = format!("Invalid schema for response_format '{name}': {problem}.");
            Err(Refused::bad(text))
        }
        None => refuse_if(properties > MAX_PROPERTIES, || {
            format!("Invalid schema for response_format '{name}': it has {properties} properties.")
        }),
    }
}

/// Returns the first breach of the rules.
fn problem(schema: &Value, level: usize, properties: &mut usize) -> Option<String> {
    if level > MAX_LEVELS {
        return Some(format!("it has more than {MAX_LEVELS} levels of nesting"));
    }
    if let Some(members) = schema.get("properties").and_then(Value::as_object) {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let text = "'additionalProperties' is required to be supplied and to be false";
            return Some(text.to_owned());
        }
        let required = items(schema, "required");
        for (key, member) in members {
            *properties += 1;
            if !required.iter().any(|name| name == key) {
                return Some(format!(
                    "'required' is required to be supplied and to be an array including every key in properties. \
                     Missing '{key}'"
                ));
            }
            if let Some(problem) = problem(member, level + 1, properties) {
                return Some(problem);
            }
        }
    }
    let parts = schema.get("items").into_iter();
    let mut parts = parts.chain(items(schema, "anyOf"));
    parts.find_map(|part| problem(part, level + 1, properties))
}
