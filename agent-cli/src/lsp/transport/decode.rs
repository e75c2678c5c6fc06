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
        Self { id, error }
    }

    /// The answer to a message that was not even kept.
    pub(super) fn too_long(length: u64) -> Self {
        Self::new(
            None,
            ErrorCode::InvalidRequest,
            format!(
                "found a message of {length} bytes; at most {} MiB are taken, and it was left out",
                super::frame::MAX_BODY >> 20
            ),
        )
    }
}

/// Reads a message.
///
/// # Errors
/// What to answer when it is none.
pub(super) fn decode(body: &[u8]) -> Result<Message, Refusal> {
    if has_more_values_than(body, MAX_VALUES) {
        return Err(Refusal::new(
            None,
            ErrorCode::InvalidRequest,
            format!("found a message of more than {MAX_VALUES} values; it was left out"),
        ));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let message = format!("found a message that is no JSON: {error}");
        Refusal::new(None, ErrorCode::ParseError, message)
    })?;
    let id = value.get("id").cloned();
    let has_method = value.get("method").is_some();
    let invalid = |id| {
        let expected = "a message is an object with `method`, and `params` that are an object or a list; \
                        a request has an `id`, too, that is a text or a whole number of 32 bits";
        Refusal::new(id, ErrorCode::InvalidRequest, expected)
    };
    match serde_json::from_value(value) {
        // With an id that is none of these a request would pass for a notification, and get no answer.
        Ok(Message::Notification(_)) if id.is_some() => Err(invalid(None)),
        Ok(message) => Ok(message),
        // Without a method it may be an answer, to which there is none.
        Err(_) => Err(invalid(
            id.filter(|_| has_method)
                .and_then(|id| serde_json::from_value(id).ok()),
        )),
    }
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
            assert!(decode(body.as_bytes()).is_ok(), "{body}");
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
