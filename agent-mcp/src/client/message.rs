//! The messages of servers, which nobody has checked.

use super::unreadable::{UnreadableTool, without_unreadable_tools};
use agent_spec::json::{MAX_VALUES, has_more_values_than, too_many_values};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// The maximum number of bytes of a message of a server.
pub(crate) const MAX_MESSAGE: usize = 16 << 20;

/// A message that was read.
pub(crate) struct Received<'m> {
    pub(crate) message: ServerJsonRpcMessage,
    /// The text of the message, without the tools that cannot be read.
    pub(crate) text: Cow<'m, [u8]>,
    /// The tools that were left out of the message, if it is a page of a list.
    pub(crate) unreadable: Vec<UnreadableTool>,
}

/// Reads a message. A page of a list of tools is read without the tools that cannot be read.
///
/// # Errors
/// The problem. A message with too many values is not parsed, because they take many times the memory of their
/// text.
pub(crate) fn read_message(bytes: &[u8]) -> Result<Received<'_>, String> {
    check_values(bytes)?;
    let message = serde_json::from_slice(bytes);
    if !message.as_ref().is_ok_and(is_understood)
        && let Some((text, unreadable)) = without_unreadable_tools(bytes)
        && let Ok(message) = serde_json::from_slice(&text)
        && is_page(&message)
    {
        return Ok(Received {
            message,
            text: text.into(),
            unreadable,
        });
    }
    Ok(Received {
        message: message.map_err(|error| error.to_string())?,
        text: bytes.into(),
        unreadable: Vec::new(),
    })
}

/// Whether a message is something else than a result of no known form, as which rmcp reads a page with a tool that cannot
/// be read.
fn is_understood(message: &ServerJsonRpcMessage) -> bool {
    let ServerJsonRpcMessage::Response(response) = message else {
        return true;
    };
    let result = &response.result;
    !matches!(
        result,
        ServerResult::TaskAckResult(_)
            | ServerResult::EmptyResult(_)
            | ServerResult::CustomResult(_)
    )
}

/// Whether a message is a page of a list of tools.
pub(crate) fn is_page(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Response(response)
        if matches!(response.result, ServerResult::ListToolsResult(_)))
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
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, problem, None);
    ServerJsonRpcMessage::error(error, Some(id))
}
