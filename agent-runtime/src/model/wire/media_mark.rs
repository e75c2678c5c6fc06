//! Marks in the place of media while a body is built, so that bytes are written once, into the body itself.
//!
//! The tree of a body would hold the base64 of an image, and writing the tree would copy it into a text that grows
//! by doubling: six times the image in all. A mark is a short text with a random part, like the boundary of a
//! multipart message, so that no other text of the body can contain it.

use agent_core::conversation::Message;
use agent_tool::__private::BASE64;
use agent_tool::media::Media;
use base64::Engine;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// The number of hexadecimal digits behind the random part and the letter: the address of the bytes.
const DIGITS: usize = 16;

// The letters of the forms in which bytes are written.
const AS_BASE64: char = 'b';
const AS_TEXT: char = 't';

/// Returns the mark in the place of the base64 of media, if their bytes are here.
/// [`finish_body`](super::finish_body) replaces it.
pub(in crate::model) fn base64_mark(media: &Media) -> Option<String> {
    Some(mark(AS_BASE64, media.bytes()?))
}

/// Returns the mark in the place of a text.
pub(super) fn text_mark(text: &str) -> String {
    mark(AS_TEXT, text.as_bytes())
}

fn mark(letter: char, bytes: &[u8]) -> String {
    format!("{}{letter}{:0DIGITS$x}", random_part(), address(bytes))
}

/// Replaces the marks of the messages' media in the text of a body. The result has no room to spare.
pub(super) fn replace_marks(text: String, messages: &[Message]) -> String {
    let media = messages.iter().flat_map(Message::media);
    let held: HashMap<usize, &[u8]> = media
        .filter_map(Media::bytes)
        .map(|bytes| (address(bytes), bytes))
        .collect();
    if held.is_empty() {
        return text;
    }
    let start = random_part();
    let marks = text.match_indices(start).filter_map(|(at, _)| {
        let digits = at + start.len() + 1;
        let end = digits + DIGITS;
        let letter = text.get(at + start.len()..digits)?;
        let address = usize::from_str_radix(text.get(digits..end)?, 16).ok()?;
        let written = Written::new(letter, held.get(&address)?)?;
        Some((at, end, written))
    });
    let marks: Vec<(usize, usize, Written<'_>)> = marks.collect();
    let written: usize = marks.iter().map(|(.., written)| written.len()).sum();
    let replaced = marks.len() * (start.len() + 1 + DIGITS);
    let mut body = String::with_capacity(text.len() - replaced + written);
    let mut copied = 0;
    for (at, end, written) in marks {
        body.push_str(&text[copied..at]);
        written.push_to(&mut body);
        copied = end;
    }
    body.push_str(&text[copied..]);
    body
}

/// Bytes in the form in which a body has them.
enum Written<'b> {
    Base64(&'b [u8]),
    Text(&'b str),
}

impl<'b> Written<'b> {
    fn new(letter: &str, bytes: &'b [u8]) -> Option<Self> {
        match letter.chars().next()? {
            AS_BASE64 => Some(Self::Base64(bytes)),
            AS_TEXT => std::str::from_utf8(bytes).ok().map(Self::Text),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Base64(bytes) => bytes.len().div_ceil(3) * 4,
            Self::Text(text) => text.bytes().map(escaped_len).sum(),
        }
    }

    fn push_to(&self, body: &mut String) {
        match self {
            Self::Base64(bytes) => BASE64.encode_string(bytes, body),
            Self::Text(text) => push_escaped(text, body),
        }
    }
}

/// Adds a text as the inside of a JSON string.
fn push_escaped(text: &str, body: &mut String) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if escaped_len(byte) == 1 {
            continue;
        }
        body.push_str(&text[copied..at]);
        match byte {
            b'\n' => body.push_str("\\n"),
            b'\r' => body.push_str("\\r"),
            b'\t' => body.push_str("\\t"),
            b'"' => body.push_str("\\\""),
            b'\\' => body.push_str("\\\\"),
            // A write to a `String` does not fail.
            _ => _ = write!(body, "\\u{byte:04x}"),
        }
        copied = at + 1;
    }
    body.push_str(&text[copied..]);
}

/// Returns the number of bytes that a byte of a text has in a JSON string.
fn escaped_len(byte: u8) -> usize {
    match byte {
        b'\n' | b'\r' | b'\t' | b'"' | b'\\' => 2,
        ..0x20 => 6,
        _ => 1,
    }
}

fn address(bytes: &[u8]) -> usize {
    bytes.as_ptr().addr()
}

/// Returns the beginning of all marks of this process: 128 random bits, which leave the process in no request.
fn random_part() -> &'static str {
    static RANDOM: OnceLock<String> = OnceLock::new();
    RANDOM.get_or_init(|| {
        let random = || RandomState::new().hash_one("media");
        format!("{:016x}{:016x}-", random(), random())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::{Document, Image, Part};

    #[test]
    fn bytes_are_encoded_in_the_place_of_their_marks() {
        let images = [b"\x89PNG\r\n\x1a\n1".as_slice(), b"\x89PNG\r\n\x1a\n22"].map(Image::new);
        let parts = images.iter().cloned().map(Part::from);
        let message = Message::user_parts(parts);
        let [first, second] = images.map(|image| base64_mark(&image).expect("its bytes are here"));
        let text = format!("[\"{second}\", \"data:image/png;base64,{first}\", \"{first}\"]");
        let body = replace_marks(text, &[message]);
        let (first, second) = ("iVBORw0KGgox", "iVBORw0KGgoyMg==");
        let expected = format!("[\"{second}\", \"data:image/png;base64,{first}\", \"{first}\"]");
        assert_eq!(body, expected);
        assert_eq!(body.capacity(), body.len());
    }

    #[test]
    fn a_text_is_written_as_the_inside_of_a_json_string() {
        let text = "a \"b\" \\ \n\r\t\u{8}\u{1f}\u{7f} é \u{2028}";
        let document = Document::new(text);
        let held = std::str::from_utf8(document.bytes().expect("its bytes")).expect("a text");
        let body = format!("\"a.txt: {}\"", text_mark(held));
        let message = Message::user_parts([Part::from(document.clone())]);
        let body = replace_marks(body, &[message]);
        let read: String = serde_json::from_str(&body).expect("JSON");
        assert_eq!(read, format!("a.txt: {text}"));
        assert_eq!(body.capacity(), body.len());
    }

    #[test]
    fn text_like_a_mark_stays() {
        let message = Message::user_parts([Part::from(Image::new(b"\x89PNG\r\n\x1a\n"))]);
        let random = random_part();
        for text in [
            random.to_owned(),
            format!("{random}b{:016x}", 7),
            format!("{random}é{:016x}", 7),
            format!("{random}bé{:015x}", 7),
        ] {
            assert_eq!(
                replace_marks(text.clone(), std::slice::from_ref(&message)),
                text
            );
        }
    }
}
