//! Content types.

use agent_tool::__private::shortened;
use agent_tool::ToolError;

/// The maximum length of a type in messages, in bytes, because a server can send a header of any length and the model
/// reads the message.
const MAX_LENGTH: usize = 80;

/// A media type, such as `text/html; charset=utf-8`.
pub(super) struct MediaType {
    name: String,
    charset: Option<String>,
}

/// Checks that a content type is text.
///
/// # Errors
/// Execution, with the name of the type, when the type is not text.
pub(in super::super) fn check_content_type(content_type: Option<&str>) -> Result<(), ToolError> {
    match content_type.map(MediaType::parse) {
        Some(media_type) if !media_type.is_text() => Err(ToolError::Execution(format!(
            "the page is `{}`, which is not text; HTML, plain text, XML and JSON can be read",
            shortened(&media_type.name, MAX_LENGTH)
        ))),
        _ => Ok(()),
    }
}

impl MediaType {
    pub(super) fn parse(content_type: &str) -> Self {
        let mut parts = content_type.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (key.trim().eq_ignore_ascii_case("charset")).then(|| value.to_owned())
        });
        Self { name, charset }
    }

    /// Guesses the type of a body without a content type.
    pub(super) fn guess(body: &[u8]) -> Self {
        let start = body.trim_ascii_start();
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let name = match start.trim_ascii_start() {
            start if start.starts_with(b"<?xml") => "application/xml",
            [b'<', ..] => "text/html",
            _ => "text/plain",
        };
        Self {
            name: name.to_owned(),
            charset: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the label of the encoding.
    pub(super) fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    pub(super) fn is_html(&self) -> bool {
        matches!(&*self.name, "text/html" | "application/xhtml+xml")
    }

    pub(super) fn is_xml(&self) -> bool {
        matches!(&*self.name, "text/xml" | "application/xml") || self.name.ends_with("+xml")
    }

    fn is_text(&self) -> bool {
        let of_application = self.name.strip_prefix("application/");
        self.name.starts_with("text/")
            || of_application.is_some_and(|kind| {
                matches!(kind, "xml" | "json") || kind.ends_with("+xml") || kind.ends_with("+json")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_text_types_only() {
        for text in [
            "text/html",
            "Text/HTML; charset=utf-8",
            "text/csv",
            "application/xhtml+xml",
            "application/xml",
            "application/json",
            "application/ld+json",
            "application/rss+xml;charset=x",
        ] {
            assert_eq!(check_content_type(Some(text)), Ok(()), "{text}");
        }
        for other in [
            "image/png",
            "image/svg+xml",
            "application/pdf",
            "application/octet-stream",
            "application/javascript",
            "video/mp4",
            "",
            "html",
            "multipart/form-data; boundary=text/html",
        ] {
            assert!(check_content_type(Some(other)).is_err(), "{other}");
        }
        assert_eq!(check_content_type(None), Ok(()));
    }

    #[test]
    fn reads_the_charset() {
        for (text, charset) in [
            ("text/html", None),
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;a=b; Charset=\"ISO-8859-1\"", Some("ISO-8859-1")),
            ("text/html; charset", None),
        ] {
            assert_eq!(MediaType::parse(text).charset(), charset, "{text}");
        }
    }
}
