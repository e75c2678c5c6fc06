//! Parsing JSON as servers send it, and its parts in their original text.

use crate::model::http::Failure;
use agent_spec::json::{
    MAX_VALUES, has_more_values_than, parse_json, too_many_values, without_lone_surrogates,
};
use agent_tool::Error;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// Parses a JSON text, and returns the value and the text itself. A lone surrogate becomes U+FFFD, because
/// `serde_json` would reject the whole text.
///
/// # Errors
/// When it is not JSON, or has too many values.
pub(in crate::model) fn parse<'t>(
    text: &'t [u8],
    failure: &Failure<'_>,
) -> Result<(Value, &'t str), Error> {
    let text = std::str::from_utf8(text).map_err(|_| failure.not_text())?;
    // Some servers begin with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    if has_more_values_than(text.as_bytes(), MAX_VALUES) {
        let problem = too_many_values(MAX_VALUES);
        return Err(failure.unreadable(&format!("has {problem}"), b""));
    }
    let json = parse_json(text).or_else(|error| match without_lone_surrogates(text) {
        Cow::Owned(repaired) => parse_json(&repaired),
        Cow::Borrowed(_) => Err(error),
    });
    match json {
        Ok(json) => Ok((json, text)),
        Err(_) if text.trim().is_empty() => Err(failure.empty()),
        Err(_) => Err(failure.unreadable("is not JSON", text.as_bytes())),
    }
}

/// Returns the text of the value at a path of keys. The last one of equal keys counts, as in [`Value`].
pub(in crate::model) fn raw_at<'a>(text: &'a str, keys: &[&str]) -> Option<&'a str> {
    keys.iter().try_fold(text, |text, key| {
        let members: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        members.get(*key).map(|value| value.get())
    })
}

/// Returns the texts of the items of an array; none for any other value.
pub(in crate::model) fn raw_items(text: &str) -> Vec<&str> {
    let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    items.into_iter().map(RawValue::get).collect()
}

/// Returns the arguments of a call, for formats in which they are an object: the model's own text, which is
/// `raw`, without the blanks that the server added.
pub(in crate::model) fn arguments_text(value: &Value, raw: Option<&str>) -> Option<String> {
    match (value, raw) {
        (Value::Null, _) => None,
        // Some servers send a text in place of the object.
        (Value::String(text), _) => Some(text.clone()),
        (_, Some(raw)) => Some(compact(raw)),
        (value, None) => Some(value.to_string()),
    }
}

/// Removes the blanks between the parts of a JSON text, and lone surrogates.
fn compact(text: &str) -> String {
    let text = without_lone_surrogates(text);
    let (mut in_string, mut is_escaped) = (false, false);
    text.chars()
        .filter(|c| {
            let is_kept = in_string || !c.is_ascii_whitespace();
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if in_string => is_escaped = true,
                '"' => in_string = !in_string,
                _ => {}
            }
            is_kept
        })
        .collect()
}

/// Whether an answer or an event reports an error, which some servers do with a success status.
pub(in crate::model) fn has_error(json: &Value) -> bool {
    !json["error"].is_null()
}

/// Takes the value at a key; `null` if there is none.
pub(in crate::model) fn take(json: &mut Value, key: &str) -> Value {
    json.get_mut(key).map(Value::take).unwrap_or_default()
}

/// Takes the items of the array at a key; none if there is no array.
pub(in crate::model) fn take_items(json: &mut Value, key: &str) -> Vec<Value> {
    match take(json, key) {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Returns the text at a key.
pub(in crate::model) fn text(json: &Value, key: &str) -> Option<String> {
    json[key].as_str().map(str::to_owned)
}

/// Returns the text at a key; an empty one if there is none.
pub(in crate::model) fn member<'a>(json: &'a Value, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

/// Returns the type of an event, or of a part of an answer.
pub(in crate::model) fn kind(json: &Value) -> &str {
    member(json, "type")
}

/// Returns the word at a key, such as a reason. A blank word counts as missing, because some servers send an
/// empty one until they have another.
pub(in crate::model) fn word<'a>(json: &'a Value, key: &str) -> Option<&'a str> {
    json[key].as_str().filter(|word| !word.trim().is_empty())
}

/// Returns the array at a key; an empty one if there is none.
pub(in crate::model) fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the whole number at a path of keys; zero if there is none.
pub(in crate::model) fn count(json: &Value, path: &[&str]) -> u64 {
    let number = path.iter().fold(json, |json, key| &json[*key]);
    number.as_u64().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_text_of_parts() {
        let text = "{\"a\": {\"b\": 1, \"b\": [ {\"z\": 1.0, \"y\": 2}, 3 ]}}";
        let list = raw_at(text, &["a", "b"]).expect("a list");
        assert_eq!(raw_items(list), ["{\"z\": 1.0, \"y\": 2}", "3"]);
        assert_eq!(raw_at(text, &["a", "c"]), None);
        assert_eq!(raw_at(text, &["a", "b", "c"]), None);
        assert_eq!(raw_items("7"), Vec::<&str>::new());
    }

    #[test]
    fn removes_blanks_between_parts_only() {
        for (text, expected) in [
            (
                "{ \"b\" : 12345678901234567890123,\n\"a\": 1.50 }",
                "{\"b\":12345678901234567890123,\"a\":1.50}",
            ),
            ("{\"a\": \"x \\\" : y\"}", "{\"a\":\"x \\\" : y\"}"),
            ("{\"a\": \"\\ud83d\"}", "{\"a\":\"\\ufffd\"}"),
        ] {
            assert_eq!(compact(text), expected);
        }
    }
}
