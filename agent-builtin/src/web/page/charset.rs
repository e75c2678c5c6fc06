//! Character encodings of pages.

use super::media_type::MediaType;
use agent_tool::ToolError;
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// The length in bytes of the start of a page that may declare its encoding, as in browsers.
const START: usize = 1024;

/// Decodes a page by its byte order mark, else by the content type, else by its own declaration, else as
/// UTF-8, else as Windows-1252 like browsers. Invalid bytes become the replacement character.
///
/// # Errors
/// Execution for encodings that browsers refuse, because ASCII text in them can mean something else.
pub(super) fn decode<'a>(
    body: &'a [u8],
    media_type: &MediaType,
) -> Result<Cow<'a, str>, ToolError> {
    let (encoding, mark) = match Encoding::for_bom(body) {
        Some(found) => found,
        None => (declared(body, media_type).unwrap_or_else(|| guess(body)), 0),
    };
    if encoding == REPLACEMENT {
        return Err(ToolError::Execution(
            "the page is in an encoding that is not safe to read, such as ISO-2022-KR or HZ".into(),
        ));
    }
    Ok(encoding.decode_without_bom_handling(&body[mark..]).0)
}

fn declared(body: &[u8], media_type: &MediaType) -> Option<&'static Encoding> {
    let label = media_type.charset().map(str::as_bytes);
    if let Some(encoding) = label.and_then(Encoding::for_label) {
        return Some(encoding);
    }
    let start = &body[..body.len().min(START)];
    let label = if media_type.is_html() {
        label_in_meta(start)
    } else if media_type.is_xml() {
        label_in_declaration(start)
    } else {
        None
    };
    match label.and_then(Encoding::for_label) {
        // A declaration that is readable as ASCII cannot be in UTF-16.
        Some(encoding) if encoding == UTF_16BE || encoding == UTF_16LE => Some(UTF_8),
        encoding => encoding,
    }
}

fn guess(body: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Ok(_) => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

/// Finds the label in `<meta charset="…">` or `<meta content="text/html; charset=…">`.
fn label_in_meta(start: &[u8]) -> Option<&[u8]> {
    let mut rest = start;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = &comment[find(comment, b"-->")?..];
        } else if rest.len() > 4 && rest[..4].eq_ignore_ascii_case(b"meta") {
            let end = rest.iter().position(|byte| *byte == b'>')?;
            if let Some(label) = label_after(&rest[..end], b"charset") {
                return Some(label);
            }
        }
    }
    None
}

/// Finds the label in `<?xml version="1.0" encoding="…"?>`.
fn label_in_declaration(start: &[u8]) -> Option<&[u8]> {
    let declaration = start.strip_prefix(b"<?xml")?;
    label_after(&declaration[..find(declaration, b"?>")?], b"encoding")
}

/// Finds the value after a word and `=`.
fn label_after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = text
        .windows(word.len())
        .position(|window| window.eq_ignore_ascii_case(word))?;
    let value = text[at + word.len()..].trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let is_end =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b';' | b'/') || byte.is_ascii_whitespace();
    let value = match value {
        [b'"' | b'\'', value @ ..] => value,
        value => value,
    };
    let end = value.iter().position(is_end).unwrap_or(value.len());
    Some(&value[..end])
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(body: &[u8], content_type: &str) -> Result<String, ToolError> {
        decode(body, &MediaType::parse(content_type)).map(Cow::into_owned)
    }

    #[test]
    fn prefers_mark_then_server_then_page_then_guess() {
        let utf_16 = b"\xfe\xff\0h\0\xe9";
        for (body, content_type, text) in [
            (
                &b"\xef\xbb\xbfh\xc3\xa9"[..],
                "text/html; charset=latin1",
                "hé",
            ),
            (utf_16, "text/html; charset=utf-8", "hé"),
            (b"\xff\xfeh\0", "text/plain", "h"),
            (b"h\xe9", "text/html; charset=iso-8859-1", "hé"),
            (b"\x83\x41", "text/plain; charset=Shift_JIS", "ア"),
            (
                b"<meta charset=koi8-r>\xc1",
                "text/html",
                "<meta charset=koi8-r>а",
            ),
            (
                b"<!-- <meta charset=utf-8> --><META content='text/html; charset=koi8-r'>\xc1",
                "text/html; charset=nonsense",
                "<!-- <meta charset=utf-8> --><META content='text/html; charset=koi8-r'>а",
            ),
            (
                b"<meta charset=utf-16>\xc3\xa9",
                "text/html",
                "<meta charset=utf-16>é",
            ),
            (
                b"<meta name=a><meta charset>\xc3\xa9",
                "text/html",
                "<meta name=a><meta charset>é",
            ),
            (
                b"<?xml version='1.0' encoding='windows-1251'?>\xe0",
                "application/xml",
                "<?xml version='1.0' encoding='windows-1251'?>а",
            ),
            (b"h\xc3\xa9", "text/html", "hé"),
            (b"h\xe9\x80", "text/html", "hé€"),
            (b"h\xe9", "text/html; charset=utf-8", "h\u{fffd}"),
            (b"\xfe\xff\xd8", "text/plain", "\u{fffd}"),
            (b"", "text/html", ""),
        ] {
            let read = decoded(body, content_type).expect(content_type);
            assert_eq!(read, text, "{content_type} {body:?}");
        }
    }

    #[test]
    fn refuses_unsafe_encodings() {
        assert!(decoded(b"a", "text/html; charset=iso-2022-kr").is_err());
        assert!(decoded(b"a", "text/html; charset=hz-gb-2312").is_err());
    }
}
