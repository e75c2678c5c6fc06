//! Marks in the place of base64 while a body is built, so that bytes are encoded once, into the body itself.
//!
//! The tree of a body would hold the base64 of an image, and writing the tree would copy it into a text that grows
//! by doubling: six times the image in all. A mark is a short text with a random part, like the boundary of a
//! multipart message, so that no other text of the body can contain it.

use crate::conversation::Message;
use crate::media::{BASE64, Media};
use base64::Engine;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// The number of hexadecimal digits behind the random part: the address of the bytes.
const DIGITS: usize = 16;

/// Returns the mark in the place of the bytes of media, if they are here.
/// [`finish_body`](super::finish_body) replaces it.
pub(in crate::model) fn base64_mark(media: &Media) -> Option<String> {
    let bytes = media.bytes()?;
    Some(format!("{}{:0DIGITS$x}", random_part(), address(bytes)))
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
        let digits = at + start.len();
        let end = digits + DIGITS;
        let address = usize::from_str_radix(text.get(digits..end)?, 16).ok()?;
        Some((at, end, *held.get(&address)?))
    });
    let marks: Vec<(usize, usize, &[u8])> = marks.collect();
    let encoded = marks.iter().map(|(.., bytes)| bytes.len().div_ceil(3) * 4);
    let encoded: usize = encoded.sum();
    let replaced = marks.len() * (start.len() + DIGITS);
    let mut body = String::with_capacity(text.len() - replaced + encoded);
    let mut copied = 0;
    for (at, end, bytes) in marks {
        body.push_str(&text[copied..at]);
        BASE64.encode_string(bytes, &mut body);
        copied = end;
    }
    body.push_str(&text[copied..]);
    body
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
    use crate::conversation::{Image, Part};

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
    fn text_like_a_mark_stays() {
        let message = Message::user_parts([Part::from(Image::new(b"\x89PNG\r\n\x1a\n"))]);
        let random = random_part();
        for text in [
            random.to_owned(),
            format!("{random}{:016x}", 7),
            format!("{random}é{:015x}", 7),
        ] {
            assert_eq!(
                replace_marks(text.clone(), std::slice::from_ref(&message)),
                text
            );
        }
    }
}
