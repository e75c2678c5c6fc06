//! The messages of servers, which nobody has checked.

use crate::lines::without_lone_surrogates;
use crate::rmcp_workarounds::content::with_known_content;
use crate::rmcp_workarounds::tool_page::{
    PageSlot, UnreadableTool, is_page, is_understood, without_unreadable_tools,
};
use agent_spec::json::{MAX_VALUES, has_more_values_than, too_many_values};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// The maximum number of bytes of a message of a server. A hostile server can send without end, which would fill the
/// memory.
pub(crate) const MAX_MESSAGE: usize = 16 << 20;

/// A message that was read.
pub(crate) struct Received<'m> {
    pub(crate) message: ServerJsonRpcMessage,
    /// The text of the message, without the tools and the content that cannot be read.
    pub(crate) text: Cow<'m, [u8]>,
    /// The tools that were left out of the message, if it is a page of a list.
    pub(crate) unreadable: Vec<UnreadableTool>,
}

impl Received<'_> {
    /// Keeps the parts of a list page that rmcp's types do not have, and returns the message.
    pub(crate) fn kept_in(self, page: &PageSlot) -> ServerJsonRpcMessage {
        page.keep(&self.message, &self.text, self.unreadable);
        self.message
    }
}

/// Reads a message. A page of a list of tools is read without the tools that cannot be read, and a result has a text in
/// the place of content that cannot be read. A lone surrogate (`\ud83d`)
/// becomes U+FFFD: servers that cut texts by UTF-16 units write half of a `👋`, and the rest of the result is whole.
///
/// # Errors
/// The problem. A message with too many values is not parsed, because they take many times the memory of their
/// text.
pub(crate) fn read_message(bytes: &[u8]) -> Result<Received<'_>, String> {
    check_values(bytes)?;
    match read(bytes.into()) {
        Ok(received)
            if is_understood(&received.message) && matches!(received.text, Cow::Borrowed(_)) =>
        {
            Ok(received)
        }
        // A message, a tool of a page, or a part of a result is repaired before it is given up.
        read_as_is => match without_lone_surrogates(bytes) {
            Some(repaired) => read(repaired.into()),
            None => read_as_is,
        },
    }
}

fn read(text: Cow<'_, [u8]>) -> Result<Received<'_>, String> {
    let message = serde_json::from_slice(&text);
    if !message.as_ref().is_ok_and(is_understood)
        && let Some((text, unreadable)) = without_unreadable_tools(&text)
        && let Ok(message) = serde_json::from_slice(&text)
        && is_page(&message)
    {
        return Ok(Received {
            message,
            text: text.into(),
            unreadable,
        });
    }
    if !message.as_ref().is_ok_and(is_understood)
        && let Some(text) = with_known_content(&text)
        && let Ok(message) = serde_json::from_slice(&text)
        && is_understood(&message)
    {
        return Ok(Received {
            message,
            text: text.into(),
            unreadable: Vec::new(),
        });
    }
    Ok(Received {
        message: message.map_err(|error| error.to_string())?,
        text,
        unreadable: Vec::new(),
    })
}

/// Checks that a message can be parsed in bounded memory.
pub(crate) fn check_values(bytes: &[u8]) -> Result<(), String> {
    match has_more_values_than(bytes, MAX_VALUES) {
        true => Err(format!("it has {}", too_many_values(MAX_VALUES))),
        false => Ok(()),
    }
}

/// Returns the request that a message answers, if the message is an answer. The rest of the message need not be readable.
pub(crate) fn answered_request(bytes: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(bytes).ok()?;
    head.id.filter(|_| head.method.is_none())
}

/// Returns an error in place of an answer that cannot be read.
pub(crate) fn unreadable(problem: &str, id: RequestId) -> ServerJsonRpcMessage {
    failure(format!("the server's answer cannot be read: {problem}"), id)
}

/// The problem of a message that is not read to its end.
pub(crate) fn too_long() -> String {
    let most = MAX_MESSAGE >> 20;
    format!("the server sent a message of more than {most} MiB, which is the most")
}

/// Returns an error in place of an answer.
pub(crate) fn failure(problem: String, id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, problem, Some(UNREAD.into()));
    ServerJsonRpcMessage::error(error, Some(id))
}

/// The data of an error in place of an answer, by which it differs from an error of the server.
const UNREAD: &str = "agent-mcp: the answer was not read";

/// Whether an error is in place of an answer.
pub(crate) fn is_unread(error: &ErrorData) -> bool {
    error.data.as_ref().is_some_and(|data| data == UNREAD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ContentBlock, ServerResult};
    use serde_json::{Value, json};

    /// Returns the texts of a result, and the kinds of its other parts.
    fn parts(content: &Value, more: &Value) -> Vec<String> {
        let mut result = json!({"content": content});
        for (key, value) in more.as_object().expect("an object") {
            result[key] = value.clone();
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        let received = read_message(message.as_bytes()).expect("a message");
        let ServerJsonRpcMessage::Response(response) = received.message else {
            panic!("no response: {message}");
        };
        let ServerResult::CallToolResult(result) = response.result else {
            panic!("no result of a call: {message}");
        };
        let parts = result.content.into_iter().map(|part| match part {
            ContentBlock::Text(text) => text.text,
            part => serde_json::to_value(part).expect("JSON")["type"].to_string(),
        });
        parts.collect()
    }

    #[test]
    fn content_that_cannot_be_read_is_a_text_beside_the_rest() {
        let text = json!({"type": "text", "text": "hi"});
        let image = json!({"type": "image", "data": "AAEC", "mimeType": "image/png"});
        let table = json!({"type": "table", "rows": [[1, 2]]});
        let unknown = "[content of the unknown type \"table\"]";
        for (content, expected) in [
            (
                json!([text, table, image]),
                vec!["hi", unknown, "\"image\""],
            ),
            (json!([table]), vec![unknown]),
            (json!([table, table]), vec![unknown, unknown]),
            (
                json!([{"type": "image"}, {"type": "a\"]\u{1b}"}, {"type": 1}, {}, 5, "text", null, text]),
                vec![
                    "[content of the type \"image\" that cannot be read]",
                    "[content of the unknown type \"a\\\"]\\u{1b}\"]",
                    "[content without a type]",
                    "[content without a type]",
                    "[content without a type]",
                    "[content without a type]",
                    "[content without a type]",
                    "hi",
                ],
            ),
            (json!([text, image]), vec!["hi", "\"image\""]),
        ] {
            for more in [
                json!({}),
                json!({"isError": true}),
                json!({"structuredContent": {"a": 1}}),
            ] {
                assert_eq!(parts(&content, &more), expected, "{content} {more}");
            }
        }
        let long = json!([{"type": "x".repeat(100_000)}]);
        assert!(parts(&long, &json!({}))[0].len() < 200);
    }

    #[test]
    fn lone_surrogates_and_unknown_content_are_repaired_together() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"x","a":"\ud83d"},{"type":"text","text":"b\ud83d"}]}}"#;
        let received = read_message(message.as_bytes()).expect("a message");
        assert!(is_understood(&received.message), "{:?}", received.message);
        let text = String::from_utf8_lossy(&received.text);
        assert!(
            text.contains("unknown type") && text.contains(r"b\ufffd"),
            "{text}"
        );
    }
}
