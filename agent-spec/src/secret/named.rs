//! Secrets that are told by the name they stand under.

use crate::types::TYPE_LABELS;
use std::ops::Range;

/// What people call a key, without `_` and `-`. Longer names may end so, such as `openai_api_key`.
const KEYS: [&str; 14] = [
    "apikey",
    "apitoken",
    "apisecret",
    "accesskey",
    "accesstoken",
    "authtoken",
    "authkey",
    "bearertoken",
    "authorization",
    "clientsecret",
    "secretkey",
    "privatekey",
    "password",
    "passwd",
];

/// What people call a key, and other things as well.
const WORDS: [&str; 3] = ["key", "token", "secret"];

/// A shorter text is no secret, whatever its name.
const SHORTEST: usize = 4;

/// A shorter text under one of [`WORDS`] may be anything, such as a part of an answer, unless it has
/// letters and digits.
const SHORTEST_OF_WORDS: usize = 8;

/// No name of a key is longer.
const LONGEST_NAME: usize = 64;

/// Whether people call a key so: `apiKey`, `api_key`, `Authorization`, `token`, ….
#[must_use]
pub fn is_key_name(name: &str) -> bool {
    kind(name).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Word,
}

fn kind(name: &str) -> Option<Kind> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let mut word = name.to_ascii_lowercase();
    word.retain(|c| !matches!(c, '_' | '-'));
    if KEYS.iter().any(|key| word.ends_with(key)) {
        Some(Kind::Key)
    } else if WORDS.contains(&word.as_str()) {
        Some(Kind::Word)
    } else {
        None
    }
}

/// Where texts stand that a name makes secrets: `apiKey: "…"` in gram, `"apiKey": "…"` in JSON, and
/// that in a text of JSON.
pub(super) fn named_values(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(colon) = bytes[at..].iter().position(|byte| *byte == b':') {
        let colon = at + colon;
        at = colon + 1;
        let Some(kind) = kind(name_before(&text[..colon])) else {
            continue;
        };
        let Some(place) = text_after(text, at) else {
            continue;
        };
        at = place.end;
        if is_secret(&text[place.clone()], kind) {
            found.push(place);
        }
    }
    found
}

/// The name that a text ends with, without quotes.
fn name_before(text: &str) -> &str {
    let text = text.trim_ascii_end();
    let text = text.trim_end_matches(['"', '\'', '`']);
    let text = text.trim_end_matches('\\');
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // A longer one is no key's, and is not to be read again at the next colon.
    let bytes = text.as_bytes().iter().rev().take(LONGEST_NAME + 1);
    let length = bytes.take_while(|byte| is_of_name(byte)).count();
    &text[text.len() - length..]
}

/// Where what is said between the quotes stands that follow, if any do.
fn text_after(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let begun = rest.trim_ascii_start();
    let quoted = begun.trim_start_matches('\\');
    let escapes = begun.len() - quoted.len();
    let quote = quoted
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let fence: String = std::iter::repeat_n(quote, 3).collect();
    let is_fence = quoted.starts_with(&fence);
    let opening = if is_fence { 3 } else { 1 };
    let start = text.len() - quoted.len() + opening;
    let inside = &text[start..];
    if is_fence {
        let length = inside.find(&fence).unwrap_or(inside.len());
        return Some(start..start + length);
    }
    let mut slashes = 0;
    for (index, c) in inside.char_indices() {
        if c == '\\' {
            slashes += 1;
            continue;
        }
        // In a text inside of a text, the quote that ends it is escaped as often as the first.
        let ends = if escapes == 0 {
            slashes % 2 == 0
        } else {
            slashes <= escapes
        };
        if c == quote && ends {
            let closing = slashes.min(escapes);
            return Some(start..start + index - closing);
        }
        slashes = 0;
    }
    // A text that does not end, such as a piece of a streamed one.
    Some(start..text.len())
}

fn is_secret(value: &str, kind: Kind) -> bool {
    // In a signature, what stands under the name of a field is its type.
    let is_type = TYPE_LABELS.contains(&value)
        || value.starts_with(['[', '{'])
        || ["Maybe ", "Map "]
            .iter()
            .any(|word| value.starts_with(word));
    let is_long = match kind {
        Kind::Key => value.len() >= SHORTEST,
        Kind::Word if value.contains(char::is_whitespace) => false,
        Kind::Word => {
            let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
            let is_made = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            value.len() >= SHORTEST_OF_WORDS || (is_made && value.len() >= SHORTEST)
        }
    };
    is_long && !is_type
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let places = named_values(text).into_iter();
        places.map(|place| &text[place]).collect()
    }

    #[test]
    fn a_text_under_the_name_of_a_key_is_one() {
        for (text, expected) in [
            ("{apiKey: \"hunter2\"}", "hunter2"),
            ("{`x-api-key`:'hunter2'}", "hunter2"),
            ("{\"OPENAI_API_KEY\" : \"hunter2\"}", "hunter2"),
            ("{Authorization: \"Basic dTpw\"}", "Basic dTpw"),
            ("{password: \"a\\\"b\\\\\"}", "a\\\"b\\\\"),
            ("{password: ```hunter2```}", "hunter2"),
            ("{\"args\":\"{\\\"apiKey\\\":\\\"hunter2\\\"}\"}", "hunter2"),
            ("{\"token\":\"0123456789\"}", "0123456789"),
            ("{key: \"sk-1\"}", "sk-1"),
            ("{\"apiKey\":\"hunt", "hunt"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "{apiKey: 12345}",
            "{apiKey: \"abc\"}",
            "{\"logprobs\": [{\"token\": \" characters\"}, {\"token\": \"Hello\"}]}",
            "{prompt_cache_key: \"user-0123456789\", max_tokens: 5}",
            "(password::Text {description: \"The password\"})",
            "{fields: {password: \"Text\", apiKey: \"[Text]\", token: \"Maybe Text\"}}",
            "what is the password: I have forgotten it",
            ":::",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn names_are_told_however_they_are_spelled() {
        for name in [
            "apiKey",
            "API_KEY",
            "x-api-key",
            "Authorization",
            "token",
            "KEY",
        ] {
            assert!(is_key_name(name), "{name}");
        }
        for name in ["keyboard", "owner", "tokens", "prompt_cache_key", ""] {
            assert!(!is_key_name(name), "{name}");
        }
    }
}
