//! The media types of files: by their beginning, and by their names.

/// Returns a media type without its parameters, in lowercase letters; `None` for one that is empty.
pub(crate) fn plain_media_type(media_type: &str) -> Option<String> {
    let plain = media_type.split(';').next().unwrap_or_default().trim();
    Some(plain.to_ascii_lowercase()).filter(|plain| !plain.is_empty())
}

/// Returns the media type that the beginning of a file shows. Text without control characters is `text/plain`.
pub(crate) fn sniff(bytes: &[u8]) -> Option<&'static str> {
    const PREFIXES: [(&[u8], &str); 12] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"BM", "image/bmp"),
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"%PDF-", "application/pdf"),
        (b"fLaC", "audio/flac"),
        (b"OggS", "audio/ogg"),
        (b"ID3", "audio/mpeg"),
        (b"PK\x03\x04", "application/zip"),
    ];
    let word = |at: usize| bytes.get(at..at + 4).unwrap_or_default();
    match (word(0), word(8)) {
        (b"RIFF", b"WEBP") => return Some("image/webp"),
        (b"RIFF", b"WAVE") => return Some("audio/wav"),
        (b"FORM", b"AIFF" | b"AIFC") => return Some("audio/aiff"),
        _ => {}
    }
    if word(4) == b"ftyp" {
        return match word(8) {
            b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" => Some("image/heic"),
            b"mif1" | b"msf1" => Some("image/heif"),
            b"avif" => Some("image/avif"),
            b"M4A " => Some("audio/mp4"),
            _ => Some("video/mp4"),
        };
    }
    // `BM` begins many texts, too.
    if let Ok(text) = std::str::from_utf8(bytes)
        && !bytes.is_empty()
        && !bytes.starts_with(b"%PDF-")
        && has_no_controls(text)
    {
        return Some("text/plain");
    }
    if let Some((_, media_type)) = PREFIXES
        .iter()
        .find(|(prefix, _)| bytes.starts_with(prefix))
    {
        return Some(media_type);
    }
    match bytes {
        // The byte order mark of UTF-16. As a frame it would be of MPEG layer I.
        [0xff, 0xfe, ..] => None,
        // A frame of AAC has the layer 0, and a frame of MP3 has another layer.
        [0xff, second, ..] if second & 0xf6 == 0xf0 => Some("audio/aac"),
        [0xff, second, ..] if second & 0xe0 == 0xe0 => Some("audio/mpeg"),
        _ => None,
    }
}

/// Decodes a text in UTF-16 that begins with a byte order mark. `None` for other bytes.
pub(super) fn text_of_utf16(bytes: &[u8]) -> Option<String> {
    let (mark, units) = bytes.split_at_checked(2)?;
    let unit: fn([u8; 2]) -> u16 = match mark {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let (units, rest) = units.as_chunks();
    let text = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    let text: String = text.collect::<Result<_, _>>().ok()?;
    (rest.is_empty() && has_no_controls(&text)).then_some(text)
}

fn has_no_controls(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && !c.is_whitespace())
}

/// Whether the beginning of each file of a media type shows the type.
pub(super) fn is_shown(media_type: &str) -> bool {
    const SHOWN: [&str; 17] = [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/bmp",
        "image/tiff",
        "image/heic",
        "image/heif",
        "image/avif",
        "application/pdf",
        "audio/wav",
        "audio/mpeg",
        "audio/flac",
        "audio/ogg",
        "audio/aac",
        "audio/aiff",
        "audio/mp4",
    ];
    SHOWN.contains(&media_type)
}

/// Returns a word for the media types that one kind of file has: images, audio, texts, PDF files. `None` for files
/// that no message can hold.
pub(super) fn family(media_type: &str) -> Option<&'static str> {
    match media_type.split_once('/')? {
        ("image", _) => Some("image"),
        ("audio", _) => Some("audio"),
        ("text", _) | ("application", "json") => Some("text"),
        ("application", "pdf") => Some("pdf"),
        _ => None,
    }
}

/// Returns the media type of a file name or a URL by its extension.
pub(crate) fn by_extension(name: &str) -> Option<&'static str> {
    let path = name.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit('/').next()?.rsplit_once('.')?.1;
    Some(match extension.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "heic" => "image/heic",
        "heif" => "image/heif",
        "avif" => "image/avif",
        "pdf" => "application/pdf",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "flac" => "audio/flac",
        "ogg" | "oga" | "opus" => "audio/ogg",
        "m4a" => "audio/mp4",
        "aac" => "audio/aac",
        "aif" | "aiff" => "audio/aiff",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_file_shows_its_media_type() {
        for (bytes, expected) in [
            (b"\x89PNG\r\n\x1a\n....".as_slice(), Some("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Some("image/jpeg")),
            (b"GIF89a\x01\0", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVEfmt ", Some("audio/wav")),
            (b"%PDF-1.7\n", Some("application/pdf")),
            (b"\0\0\0\x18ftypheic", Some("image/heic")),
            (b"\0\0\0\x18ftypM4A ", Some("audio/mp4")),
            (b"FORM\0\0\0\0AIFFCOMM", Some("audio/aiff")),
            (b"ID3\x04\0\0\0", Some("audio/mpeg")),
            (b"\xff\xfb\x90\0", Some("audio/mpeg")),
            (b"\xff\xf1\x50\x80", Some("audio/aac")),
            (b"\xff\xfea\0", None),
            (b"OggS\0\x02", Some("audio/ogg")),
            (b"BMW is a company.", Some("text/plain")),
            (b"BM\x36\0\0\0", Some("image/bmp")),
            (b"Hello,\n\tthere", Some("text/plain")),
            (b"", None),
            (b"\0\x01\x02", None),
        ] {
            assert_eq!(sniff(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_url_shows_its_media_type_by_its_extension() {
        for (url, expected) in [
            ("https://example.com/a.PNG?size=1.5#x", Some("image/png")),
            ("https://example.com/report.pdf", Some("application/pdf")),
            ("https://example.com/a.b/report", None),
            ("https://example.com/a.unheard-of", None),
        ] {
            assert_eq!(by_extension(url), expected, "{url}");
        }
    }
}
