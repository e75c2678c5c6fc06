//! Checking that bytes are of the kind of their part.

use super::media_type::{family, is_shown, sniff};
use super::{Media, dimensions};

const PDF: &str = "application/pdf";

/// The number of bytes in which readers of PDF files look for the header.
const PDF_HEADER_WITHIN: usize = 1024;

/// Returns the media type of the media in a part of the kind `kind`. It is detected from the bytes. The
/// declared type is used if the bytes are a text or if their type cannot be detected.
///
/// # Errors
/// The problem, when there are bytes, and they are empty, cut off within their header, or not of the part's kind.
pub fn true_media_type<'m>(kind: &str, media: &'m Media) -> Result<Option<&'m str>, String> {
    let Some(bytes) = media.bytes() else {
        return Ok(media.media_type());
    };
    if bytes.is_empty() {
        return Err(format!("the {kind} has no bytes"));
    }
    let found = shown_or_declared(kind, bytes, media.media_type())?;
    match found {
        Some(image) if HAS_SIZE.contains(&image) && !has_size(bytes) => Err(format!(
            "the file of the {kind} is cut off or damaged: its header has no width and height"
        )),
        Some(_) if kind == "document" && is_blank(bytes) => {
            Err(format!("the {kind} has only blanks"))
        }
        found => Ok(found),
    }
}

/// The types of images whose width and height can be read.
const HAS_SIZE: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Whether the header of an image has its width and height. The width and height of a GIF may be 0.
fn has_size(bytes: &[u8]) -> bool {
    dimensions(bytes)
        .is_some_and(|(width, height)| width > 0 && height > 0 || bytes.starts_with(b"GIF"))
}

/// Whether bytes are a text without any visible character, which providers reject.
fn is_blank(bytes: &[u8]) -> bool {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    !bytes.iter().any(u8::is_ascii_graphic)
        && std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_blank))
}

fn shown_or_declared<'m>(
    kind: &str,
    bytes: &[u8],
    declared: Option<&'m str>,
) -> Result<Option<&'m str>, String> {
    let wanted = match kind {
        "document" => "a PDF or a text",
        "image" => "an image",
        _ => "audio",
    };
    match (sniff(bytes), declared) {
        (Some("text/plain"), Some(declared)) if fits(kind, declared) && !is_shown(declared) => {
            Ok(Some(declared))
        }
        (shown, Some(PDF)) if shown != Some(PDF) && fits(kind, PDF) && has_pdf_header(bytes) => {
            Ok(declared)
        }
        (Some(shown), _) if !fits(kind, shown) => Err(format!(
            "the bytes of the {kind} are `{shown}`, not {wanted}"
        )),
        (_, Some(declared)) if !fits(kind, declared) => Err(format!(
            "the media type of the {kind} is `{declared}`, not {wanted}"
        )),
        (None, None) => Err(format!(
            "the bytes of the {kind} show no media type; set it if they are {wanted}"
        )),
        (Some("text/plain"), Some(declared)) => Err(format!(
            "the media type of the {kind} is `{declared}`, and its bytes are `text/plain`"
        )),
        (None, Some(declared)) if is_shown(declared) => Err(format!(
            "the media type of the {kind} is `{declared}`, and its bytes are not"
        )),
        (None, declared) => Ok(declared),
        (shown, _) => Ok(shown),
    }
}

/// Whether files of a media type are of a part's kind.
fn fits(kind: &str, media_type: &str) -> bool {
    matches!(
        (kind, family(media_type)),
        ("image", Some("image")) | ("audio", Some("audio")) | ("document", Some("pdf" | "text"))
    )
}

/// Whether bytes are a PDF file behind a few other bytes.
fn has_pdf_header(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(PDF_HEADER_WITHIN)];
    beginning.windows(5).any(|found| found == b"%PDF-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::{Audio, Document, Image, Part};

    #[test]
    fn the_bytes_decide_the_media_type_unless_they_are_a_text() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
        let image =
            |bytes: &[u8], declared| Part::from(Image::new(bytes).with_media_type(declared));
        let document =
            |bytes: &[u8], declared| Part::from(Document::new(bytes).with_media_type(declared));
        let audio =
            |bytes: &[u8], declared| Part::from(Audio::new(bytes).with_media_type(declared));
        for (part, expected) in [
            (image(PNG, "image/jpeg"), Ok("image/png")),
            (image(PNG, "image/png"), Ok("image/png")),
            (image(b"<svg/>", "image/svg+xml"), Ok("image/svg+xml")),
            (
                image(b"hello", "image/png"),
                Err("are `text/plain`, not an image"),
            ),
            (
                image(b"\0\x01", "image/png"),
                Err("is `image/png`, and its bytes are not"),
            ),
            (image(b"", "image/png"), Err("the image has no bytes")),
            (image(&PNG[..20], "image/png"), Err("is cut off or damaged")),
            (
                image(b"\x89PNG\r\n\x1a\n", "image/png"),
                Err("is cut off or damaged"),
            ),
            (
                image(b"\xff\xd8\xff\xe0\0\x04ab", "image/jpeg"),
                Err("is cut off or damaged"),
            ),
            (image(b"GIF89a\0\0\0\0", "image/gif"), Ok("image/gif")),
            (document(b" \n", "text/plain"), Err("has only blanks")),
            (
                document(b"\xef\xbb\xbf\n", "text/csv"),
                Err("has only blanks"),
            ),
            (document(b"a,b", "text/csv"), Ok("text/csv")),
            (document(b"%PDF-1.7", "text/plain"), Ok("application/pdf")),
            (
                document(b"\n%PDF-1.7", "application/pdf"),
                Ok("application/pdf"),
            ),
            (
                document(b"hello", "application/pdf"),
                Err("is `application/pdf`, and its bytes are `text/plain`"),
            ),
            (audio(b"ID3\x04\0", "audio/mp3"), Ok("audio/mpeg")),
            (audio(b"\0\x01", "audio/l16"), Ok("audio/l16")),
            (
                audio(b"\0\x01", "audio/wav"),
                Err("is `audio/wav`, and its bytes are not"),
            ),
        ] {
            let media = part.media().expect("media");
            match (true_media_type(part.kind(), media), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, Some(expected), "{part:?}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, _) => panic!("{part:?}: {found:?}"),
            }
        }
    }
}
