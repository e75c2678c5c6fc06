//! JSON as gram values.

use agent_gram::value::Tagged;
use agent_gram::{Value, ValueError};
use agent_spec::json::json_to_value;

/// Converts JSON to a gram value. JSON that gram cannot express is JSON text with the tag `json`, as in the patterns of
/// responses.
///
/// # Errors
/// Returns an error if the text cannot be a value.
pub(crate) fn gram_value(json: &serde_json::Value) -> Result<Value, ValueError> {
    match json_to_value(json) {
        Some(value) => Ok(value),
        None => Tagged::new("json", json.to_string()).map(Value::from),
    }
}
