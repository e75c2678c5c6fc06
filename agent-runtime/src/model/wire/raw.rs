//! Parts of a JSON text as they stand: with their members in order, and every digit of their numbers.

use super::parse::without_halves;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The text of what stands under these keys, one in the other. Of a key that is there twice the last
/// one counts, as in [`Value`].
pub(in crate::model) fn raw_at<'a>(text: &'a str, keys: &[&str]) -> Option<&'a str> {
    keys.iter().try_fold(text, |text, key| {
        let members: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        members.get(*key).map(|value| value.get())
    })
}

/// The texts of the items of a list; none when it is no list.
pub(in crate::model) fn raw_items(text: &str) -> Vec<&str> {
    let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    items.into_iter().map(RawValue::get).collect()
}

/// The arguments of a call, for formats in which they are an object: as the model sent them, but
/// without the blanks in between, which are the server's. `raw` is the text of the value.
pub(in crate::model) fn arguments_text(value: Option<&Value>, raw: Option<&str>) -> Option<String> {
    match value? {
        Value::Null => None,
        // Not the form, but what it means is plain.
        Value::String(text) => Some(text.clone()),
        value => Some(raw.map_or_else(|| value.to_string(), compact)),
    }
}

/// A JSON text without blanks between its parts, and without halves of characters.
fn compact(text: &str) -> String {
    let whole = without_halves(text.as_bytes()).and_then(|text| String::from_utf8(text).ok());
    let text = whole.as_deref().unwrap_or(text);
    let (mut in_string, mut is_escaped) = (false, false);
    text.chars()
        .filter(|c| {
            let stays = in_string || !c.is_ascii_whitespace();
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if in_string => is_escaped = true,
                '"' => in_string = !in_string,
                _ => {}
            }
            stays
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_as_they_stand() {
        let text = "{\"a\": {\"b\": 1, \"b\": [ {\"z\": 1.0, \"y\": 2}, 3 ]}}";
        let list = raw_at(text, &["a", "b"]).expect("a list");
        assert_eq!(raw_items(list), ["{\"z\": 1.0, \"y\": 2}", "3"]);
        assert_eq!(raw_at(text, &["a", "c"]), None);
        assert_eq!(raw_at(text, &["a", "b", "c"]), None);
        assert_eq!(raw_items("7"), Vec::<&str>::new());
    }

    #[test]
    fn blanks_go_and_everything_else_stays() {
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
