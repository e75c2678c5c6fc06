//! Halves of characters: a character beyond U+FFFF is two escapes in JSON, and some programs write only one of them.

use std::borrow::Cow;

/// Replaces each escaped half of a character that stands alone by `\ufffd`, in a JSON text that somebody else wrote.
/// `serde_json` rejects a text with such a half.
///
/// ```
/// use agent_types::json::without_lone_surrogates;
///
/// assert_eq!(without_lone_surrogates(r#"{"a": "\ud83d"}"#), r#"{"a": "\ufffd"}"#);
/// assert_eq!(without_lone_surrogates(r#"{"a": "\ud83d\udc4b"}"#), r#"{"a": "\ud83d\udc4b"}"#);
/// ```
#[must_use]
pub fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let halves = lone_halves(text);
    if halves.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    let mut rest = 0;
    for half in halves {
        repaired.push_str(&text[rest..half.at]);
        repaired.push_str("\\ufffd");
        rest = half.at + ESCAPE;
    }
    repaired.push_str(&text[rest..]);
    Cow::Owned(repaired)
}

/// Joins the halves of a character that two JSON texts divide: one at the end of a string in the first text, the other at
/// the beginning of a string in the second. The whole character is in the first text then. Servers that divide a text by
/// UTF-16 units send such texts one after the other. Returns whether there was such a character.
pub fn join_halves(first: &mut String, second: &mut String) -> bool {
    let ends = lone_halves(first).into_iter().rev();
    let end = ends
        .filter(|half| half.is_first)
        .find(|half| half.is_at_end);
    let mut beginnings = lone_halves(second).into_iter();
    let beginning = beginnings.find(|half| !half.is_first && half.is_at_beginning);
    let (Some(end), Some(beginning)) = (end, beginning) else {
        return false;
    };
    let moved = beginning.at..beginning.at + ESCAPE;
    first.insert_str(end.at + ESCAPE, &second[moved.clone()]);
    second.replace_range(moved, "");
    true
}

/// Whether a string of a JSON text ends with the first half of a character.
#[must_use]
pub fn ends_with_half(text: &str) -> bool {
    let mut halves = lone_halves(text).into_iter();
    halves.any(|half| half.is_first && half.is_at_end)
}

/// The number of bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// An escaped half of a character that stands alone.
struct Half {
    at: usize,
    /// Whether it is the first half of a character.
    is_first: bool,
    /// Whether it is at the beginning of its string.
    is_at_beginning: bool,
    /// Whether it is at the end of its string.
    is_at_end: bool,
}

fn lone_halves(text: &str) -> Vec<Half> {
    let mut halves = Vec::new();
    // Nearly no text has a lone half, so most texts are not scanned.
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return halves;
    }
    let text = text.as_bytes();
    let (mut at, mut after_quote) = (0, false);
    while let Some(byte) = text.get(at) {
        if *byte != b'\\' {
            after_quote = *byte == b'"';
            at += 1;
            continue;
        }
        let first = unit(text, at);
        at += match (first, unit(text, at + ESCAPE)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPE,
            (Some(unit @ 0xd800..=0xdfff), _) => {
                halves.push(Half {
                    at,
                    is_first: unit < 0xdc00,
                    is_at_beginning: after_quote,
                    is_at_end: text.get(at + ESCAPE) == Some(&b'"'),
                });
                ESCAPE
            }
            // Two bytes, so that the second backslash of `\\` does not begin an escape.
            _ => 2,
        };
        after_quote = false;
    }
    halves
}

/// Parses the escaped UTF-16 unit at an index.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at + ESCAPE)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_lone_surrogates() {
        for (text, repaired) in [
            (r#""a \ud83d""#, r#""a \ufffd""#),
            (r#""\udc4b b""#, r#""\ufffd b""#),
            (r#""\uD83D\ud83d\udc4b""#, r#""\ufffd\ud83d\udc4b""#),
            (r#""\ud83d\n\uDC4B""#, r#""\ufffd\n\ufffd""#),
            (r#""\ud83dä""#, r#""\ufffdä""#),
            (r#""\ud83d\udc4b""#, r#""\ud83d\udc4b""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d\n""#, r#""\\\ufffd\n""#),
            (r#""\u00e4 \ud8"#, r#""\u00e4 \ud8"#),
            (r#""\u+d83""#, r#""\u+d83""#),
            ("\"\\", "\"\\"),
            (r#""\ud83ä""#, r#""\ud83ä""#),
        ] {
            assert_eq!(without_lone_surrogates(text), repaired);
        }
    }

    #[test]
    fn joins_the_halves_at_the_end_and_at_the_beginning_of_strings() {
        for (first, second, joined) in [
            (
                r#"{"a": "x\ud83d"}"#,
                r#"{"a": "\udc4by"}"#,
                Some((r#"{"a": "x\ud83d\udc4b"}"#, r#"{"a": "y"}"#)),
            ),
            (
                r#"{"a": "{\"b\": \"\ud83d", "c": 1}"#,
                r#"{"a": "\uDC4B\"}", "c": 2}"#,
                Some((
                    r#"{"a": "{\"b\": \"\ud83d\uDC4B", "c": 1}"#,
                    r#"{"a": "\"}", "c": 2}"#,
                )),
            ),
            // Not at the end, not at the beginning, and halves that do not fit.
            (r#"{"a": "\ud83d "}"#, r#"{"a": "\udc4b"}"#, None),
            (r#"{"a": "\ud83d"}"#, r#"{"a": " \udc4b"}"#, None),
            (r#"{"a": "\ud83d"}"#, r#"{"a": "\"\udc4b"}"#, None),
            (r#"{"a": "\ud83d\""}"#, r#"{"a": "\udc4b"}"#, None),
            (r#"{"a": "\ud83d"}"#, r#"{"a": "\ud83d"}"#, None),
            (r#"{"a": "\udc4b"}"#, r#"{"a": "\udc4b"}"#, None),
            (r#"{"a": "\ud83d"}"#, r#"{"a": "\ud83d\udc4b"}"#, None),
            (r#"{"a": "\\ud83d"}"#, r#"{"a": "\udc4b"}"#, None),
        ] {
            let (mut one, mut other) = (first.to_owned(), second.to_owned());
            assert_eq!(join_halves(&mut one, &mut other), joined.is_some());
            let expected = joined.unwrap_or((first, second));
            assert_eq!((one.as_str(), other.as_str()), expected);
            if joined.is_some() {
                assert!(ends_with_half(first) && !ends_with_half(&one));
            }
        }
        assert!(!ends_with_half(r#""\ud83d\udc4b""#) && !ends_with_half(r#""\udc4b""#));
    }
}
