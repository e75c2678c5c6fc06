//! A message from its bytes, or the answer to what is none.

use lsp_server::{ErrorCode, Message, RequestId, ResponseError};
use serde_json::Value;

/// How many values a message may hold. Each takes many times the bytes it is written with, and no
/// client has so much to say: a document is one value.
const MAX_VALUES: usize = 1_000_000;

/// The answer to something that is no request we could answer.
#[derive(Debug)]
pub(in crate::lsp) struct Refusal {
    /// Whose answer it is, if that can be told.
    pub(super) id: Option<RequestId>,
    pub(super) error: ResponseError,
    /// Whether nobody knows what was said: it may have been a change of a text.
    pub(in crate::lsp) is_loss: bool,
}

impl Refusal {
    /// An answer to this request, or to nobody knows which.
    pub(in crate::lsp) fn new(
        id: Option<RequestId>,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Self {
        let error = ResponseError {
            code: code as i32,
            message: message.into(),
            data: None,
        };
        Self {
            id,
            error,
            is_loss: false,
        }
    }

    /// An answer to a message that cannot be read at all.
    fn loss(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            is_loss: true,
            ..Self::new(None, code, message)
        }
    }

    /// The answer to a message that was not even kept.
    pub(super) fn too_long(length: u64) -> Self {
        Self::loss(
            ErrorCode::InvalidRequest,
            format!(
                "found a message of {length} bytes; at most {} MiB are taken, and it was left out",
                super::frame::MAX_BODY >> 20
            ),
        )
    }
}

/// Reads a message. Nothing when it is an answer that cannot be read: to an answer there is none.
///
/// # Errors
/// What to answer when it is no message.
pub(super) fn decode(body: &[u8]) -> Result<Option<Message>, Refusal> {
    if has_more_values_than(body, MAX_VALUES) {
        return Err(Refusal::loss(
            ErrorCode::InvalidRequest,
            format!("found a message of more than {MAX_VALUES} values; it was left out"),
        ));
    }
    let value = parse(body).map_err(|error| {
        let message = format!("found a message that is no JSON: {error}");
        Refusal::loss(ErrorCode::ParseError, message)
    })?;
    let id = value.get("id").cloned();
    let has = |member| value.get(member).is_some();
    let has_method = has("method");
    let is_answer = !has_method && (has("result") || has("error"));
    let invalid = |id| {
        let expected = "a message is an object with `method`, and `params` that are an object or a list; \
                        a request has an `id`, too, that is a text or a whole number of 32 bits";
        Refusal::new(id, ErrorCode::InvalidRequest, expected)
    };
    match serde_json::from_value(value) {
        // With an id that is none of these a request would pass for a notification, and get no answer.
        Ok(Message::Notification(_)) if id.is_some() => Err(invalid(None)),
        Ok(message) => Ok(Some(message)),
        Err(_) if is_answer => Ok(None),
        Err(_) => Err(invalid(
            id.filter(|_| has_method)
                .and_then(|id| serde_json::from_value(id).ok()),
        )),
    }
}

/// Parses a message, with U+FFFD in the place of each half of a surrogate pair that stands alone. A client
/// whose texts are of UTF-16 sends such halves, and each has the same length there as what is put in its
/// place.
fn parse(body: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(body).or_else(|error| match without_halves(body) {
        Some(whole) => serde_json::from_slice(&whole),
        None => Err(error),
    })
}

/// The same with `\ufffd` for each escape of a lone half; nothing when there is none.
fn without_halves(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = None;
    let mut at = 0;
    while at < body.len() {
        at += match (escaped_unit(&body[at..]), body[at]) {
            (Some(0xd800..=0xdbff), _)
                if matches!(escaped_unit(&body[at + 6..]), Some(0xdc00..=0xdfff)) =>
            {
                12
            }
            (Some(0xd800..=0xdfff), _) => {
                let whole = whole.get_or_insert_with(|| body.to_vec());
                whole[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (Some(_), _) => 6,
            // Whatever is escaped, it begins no escape itself.
            (None, b'\\') => 2,
            (None, _) => 1,
        };
    }
    whole
}

/// The code unit of an escape such as `\ud83d`, if a text begins with one.
fn escaped_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Whether more than so many values begin outside of texts, or at least would, were this JSON.
fn has_more_values_than(body: &[u8], limit: usize) -> bool {
    if body.len() <= limit {
        return false;
    }
    let (mut count, mut in_text, mut escaped) = (0, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count > limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
            r#"{"jsonrpc":"2.0","id":"x","method":"a","params":{"b":[1,2]}}"#,
            r#"{"jsonrpc":"2.0","method":"exit","params":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}"#,
        ] {
            assert!(matches!(decode(body.as_bytes()), Ok(Some(_))), "{body}");
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_has_none() {
        for body in [
            r#"{"id":null,"error":{"code":1,"message":"no"}}"#,
            r#"{"id":1.5,"result":null}"#,
            r#"{"error":1}"#,
            r#"{"id":7,"result":1,"error":{}}"#,
        ] {
            assert!(decode(body.as_bytes()).is_ok(), "{body}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_read_as_one_unknown_character() {
        for (written, read) in [
            (r"\ud83d\ude01", "😁"),
            (r"\ude01", "\u{fffd}"),
            (r"\uD83D", "\u{fffd}"),
            (r"a\ud83db", "a\u{fffd}b"),
            (r"\ud83d\ud83d\ude01", "\u{fffd}😁"),
            (r"\ude01\ud83d", "\u{fffd}\u{fffd}"),
            (r"\\ude01\ude01", "\\ude01\u{fffd}"),
            (r"\u00e9\ud83d\n", "é\u{fffd}\n"),
        ] {
            let body = format!(r#"{{"method":"{written}"}}"#);
            let Ok(Some(Message::Notification(message))) = decode(body.as_bytes()) else {
                panic!("{body} is a notification");
            };
            assert_eq!(message.method, read, "{body}");
        }
        for body in [
            r#"{"method":"\ud83d"#,
            r#"{"method":"\ud83"}"#,
            r#"{"a":"\ud83d\"#,
        ] {
            assert!(decode(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn what_is_no_message_is_answered() {
        let deep = "[".repeat(100_000);
        for (body, id, code) in [
            ("", None, ErrorCode::ParseError),
            ("{", None, ErrorCode::ParseError),
            ("{} {}", None, ErrorCode::ParseError),
            (deep.as_str(), None, ErrorCode::ParseError),
            ("[]", None, ErrorCode::InvalidRequest),
            ("1", None, ErrorCode::InvalidRequest),
            ("{}", None, ErrorCode::InvalidRequest),
            (r#"{"id":1}"#, None, ErrorCode::InvalidRequest),
            (r#"{"id":1,"method":2}"#, Some(1), ErrorCode::InvalidRequest),
            (
                r#"{"id":1.5,"method":"shutdown"}"#,
                None,
                ErrorCode::InvalidRequest,
            ),
            (
                r#"{"id":null,"method":"shutdown"}"#,
                None,
                ErrorCode::InvalidRequest,
            ),
        ] {
            let refusal = decode(body.as_bytes()).expect_err(body);
            assert_eq!(refusal.error.code, code as i32, "{body:.40}");
            assert_eq!(refusal.id, id.map(RequestId::from), "{body:.40}");
        }
        let refusal = decode(b"{\"method\":\"\xff\"}").unwrap_err();
        assert_eq!(refusal.error.code, ErrorCode::ParseError as i32);
    }

    #[test]
    fn values_are_counted_and_texts_are_one() {
        let text = format!(
            r#"{{"method":"a","params":["{}\"["]}}"#,
            ",".repeat(MAX_VALUES + 1)
        );
        assert!(decode(text.as_bytes()).is_ok());
        let many = format!(
            r#"{{"method":"a","params":[0{}]}}"#,
            ",0".repeat(MAX_VALUES)
        );
        let refusal = decode(many.as_bytes()).unwrap_err();
        assert_eq!(refusal.error.code, ErrorCode::InvalidRequest as i32);
    }
}
