//! JSON as servers send it.

use crate::error::Error;
use crate::model::http::Failure;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Reads a JSON text, whose strings may hold halves of characters: servers that count in UTF-16 cut
/// `👋` between two pieces of an answer. Each half becomes U+FFFD, since losing a character is better
/// than losing the answer. Gives the value, and the text itself.
///
/// # Errors
/// When it is no JSON, and what it is instead.
pub(in crate::model) fn parse<'t>(
    text: &'t [u8],
    failure: &Failure<'_>,
) -> Result<(Value, &'t str), Error> {
    let text = std::str::from_utf8(text).map_err(|_| failure.not_text())?;
    // A mark that means nothing, with which some servers begin.
    let text = text.trim_start_matches('\u{feff}');
    let json = serde_json::from_str(text).or_else(|error| match without_halves(text.as_bytes()) {
        Some(text) => serde_json::from_slice(&text),
        None => Err(error),
    });
    match json {
        Ok(json) => Ok((json, text)),
        Err(_) if text.trim().is_empty() => Err(failure.empty()),
        Err(_) => Err(failure.unreadable("is not JSON", text.as_bytes())),
    }
}

/// The text with `\ufffd` in place of each escaped half, if there is any.
pub(super) fn without_halves(text: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(text.len());
    let (mut at, mut found) = (0, false);
    while let Some(byte) = text.get(at) {
        if *byte != b'\\' {
            whole.push(*byte);
            at += 1;
            continue;
        }
        let length = match (unit(text, at), unit(text, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found = true;
                whole.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            // An escaped backslash, so that what follows it is no escape.
            _ => 2,
        };
        let end = text.len().min(at + length);
        whole.extend_from_slice(&text[at..end]);
        at = end;
    }
    found.then_some(whole)
}

/// The UTF-16 unit that is escaped at a place.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

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
    use super::{without_halves, *};

    #[test]
    fn halves_of_characters_are_replaced() {
        for (text, whole) in [
            (r#""a \ud83d""#, Some(r#""a \ufffd""#)),
            (r#""\udc4b b""#, Some(r#""\ufffd b""#)),
            (r#""\ud83d\ud83d\udc4b""#, Some(r#""\ufffd\ud83d\udc4b""#)),
            (r#""\ud83d\udc4b""#, None),
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d\n""#, Some(r#""\\\ufffd\n""#)),
            (r#""\u00e4 \ud8"#, None),
            ("\"\\", None),
        ] {
            let found = without_halves(text.as_bytes());
            assert_eq!(found.as_deref(), whole.map(str::as_bytes), "{text}");
        }
    }

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
