//! JSON as servers send it.

use crate::error::Error;
use crate::model::http::Failure;
use serde_json::Value;

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

#[cfg(test)]
mod tests {
    use super::without_halves;

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
}
