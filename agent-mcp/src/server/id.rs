//! The id of a request whose line cannot be parsed as a whole.

use rmcp::model::RequestId;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The members of a message that were read before its text ended or became wrong.
#[derive(Default)]
struct Members {
    id: Option<RequestId>,
    is_request: bool,
    is_answer: bool,
}

/// The kind of a line that cannot be parsed, as far as it shows.
#[derive(Debug, PartialEq)]
pub(super) enum Broken {
    /// A request with this id.
    Request(RequestId),
    /// An answer to a request of the server. Its id is not that of a request of the client.
    Answer,
    /// A line without the members of a request or of an answer in its beginning and its end.
    Unknown,
}

/// Finds the id of a request in the beginning of a line that cannot be parsed, or in its end.
pub(super) fn find(beginning: &[u8], end: &[u8]) -> Broken {
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_slice(beginning);
    // The error is known: the line cannot be parsed.
    let _ = (&mut members).deserialize(&mut reader);
    if members.is_answer {
        return Broken::Answer;
    }
    let id = members.id.or_else(|| last_id(end));
    match id.filter(|_| members.is_request) {
        Some(id) => Broken::Request(id),
        None => Broken::Unknown,
    }
}

impl<'de> DeserializeSeed<'de> for &mut Members {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Members {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                "id" => {
                    self.id = map.next_value()?;
                    continue;
                }
                "method" | "params" => self.is_request = true,
                "result" | "error" => self.is_answer = true,
                _ => {}
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// Returns the member `id` among the last members of a message, if their values are numbers and texts. Many clients write
/// it after `params`.
fn last_id(end: &[u8]) -> Option<RequestId> {
    // The last brace is that of the message, so that the members before it are those of the message, too.
    let mut rest = end.trim_ascii_end().strip_suffix(b"}")?;
    loop {
        let (before, value) = split_last_value(rest.trim_ascii_end())?;
        let before = before.trim_ascii_end().strip_suffix(b":")?;
        let (before, name) = split_last_value(before.trim_ascii_end())?;
        if name == b"\"id\"" {
            return serde_json::from_slice(value).ok();
        }
        rest = before.trim_ascii_end().strip_suffix(b",")?;
    }
}

/// Splits off the number or the text at the end. A text with a backslash is not read, because the quote before it may be
/// escaped.
fn split_last_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = match text.strip_suffix(b"\"") {
        Some(inner) => {
            let start = inner.iter().rposition(|byte| *byte == b'"')?;
            let is_plain = !inner[start..].contains(&b'\\') && !inner[..start].ends_with(b"\\");
            is_plain.then_some(start)?
        }
        None => {
            let is_of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
            1 + text.iter().rposition(|byte| !is_of_number(byte))?
        }
    };
    (start < text.len()).then(|| text.split_at(start))
}

#[cfg(test)]
mod tests {
    use super::{Broken, find};
    use rmcp::model::RequestId;

    fn request(id: i64) -> Broken {
        Broken::Request(RequestId::Number(id))
    }

    #[test]
    fn finds_the_id_before_params() {
        let cut =
            br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"id": 8, "a": "xx"#;
        assert_eq!(find(cut, b""), request(7));
        let cut = br#"{"id": "seven", "params": {"id": 8, "a": "xx"#;
        let seven = RequestId::String("seven".into());
        assert_eq!(find(cut, b""), Broken::Request(seven));
    }

    #[test]
    fn finds_the_id_after_params() {
        let cut = br#"{"method": "tools/call", "params": {"id": 8, "a": "xx"#;
        for end in [
            &br#"xx"}, "id": 7}"#[..],
            br#"xx"},"jsonrpc":"2.0","id":7} "#,
            br#"xx"},"id" : 7 ,"jsonrpc": "2.0" }"#,
        ] {
            assert_eq!(find(cut, end), request(7));
        }
        for end in [
            // The id is within the parameters, or within a text.
            &br#""id": 7}}"#[..],
            br#"xx\"id\": 7"}}"#,
            br#"xx"}, "a\"id": 7}"#,
            br#"xx"}, "id": 7, "a": "\"", "id": "}"#,
            br#"xx"}, "id": 7, "a": {}}"#,
            b"7}",
            b"\"}",
            b"}",
            b"",
        ] {
            assert_eq!(find(cut, end), Broken::Unknown, "{}", end.escape_ascii());
        }
    }

    #[test]
    fn the_id_of_an_answer_is_not_of_a_request() {
        let cut = br#"{"jsonrpc": "2.0", "id": 7, "result": {"method": "xx"#;
        assert_eq!(find(cut, br#""}, "id": 7}"#), Broken::Answer);
        for text in [&b"["[..], b"\"id\": 7", b"\xff\xfe", b"", br#"{"id": 7}"#] {
            assert_eq!(find(text, text), Broken::Unknown);
        }
    }
}
