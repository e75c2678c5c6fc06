//! The messages of servers, which nobody has checked.

use agent_spec::json::{MAX_VALUES, has_more_values_than, too_many_values};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The maximum number of bytes of a message of a server.
pub(crate) const MAX_MESSAGE: usize = 16 << 20;

/// Reads a message.
///
/// # Errors
/// The problem. A message with too many values is not parsed, because they take many times the memory of their
/// text.
pub(crate) fn read_message(bytes: &[u8]) -> Result<ServerJsonRpcMessage, String> {
    check_values(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
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
