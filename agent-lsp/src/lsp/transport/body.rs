//! What is written to the client, message by message.

use super::decode::Refusal;
use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde::Serialize;

/// A message as it is written, without its header.
///
/// It is written as soon as there is something to say: the crate's own messages hold a tree of values,
/// which costs several times as much for the outline of a long document.
#[derive(Debug)]
pub(in crate::lsp) struct Body(pub(super) Vec<u8>);

impl Body {
    /// The result of a request.
    pub(in crate::lsp) fn result(id: RequestId, result: &impl Serialize) -> Self {
        #[derive(Serialize)]
        struct Message<'a, R> {
            jsonrpc: Version,
            id: &'a RequestId,
            result: &'a R,
        }
        let message = Message {
            jsonrpc: Version,
            id: &id,
            result,
        };
        match serde_json::to_vec(&message) {
            Ok(body) => Self(body),
            Err(error) => Self::error(Refusal::new(
                Some(id.clone()),
                ErrorCode::InternalError,
                format!("the result cannot be written: {error}"),
            )),
        }
    }

    /// Why a request has no result.
    pub(in crate::lsp) fn error(refusal: Refusal) -> Self {
        #[derive(Serialize)]
        struct Message {
            jsonrpc: Version,
            /// Null when nobody knows whose answer it is.
            id: Option<RequestId>,
            error: ResponseError,
        }
        Self::written(&Message {
            jsonrpc: Version,
            id: refusal.id,
            error: refusal.error,
        })
    }

    /// Something that the client is told.
    pub(in crate::lsp) fn notification(method: &str, params: &impl Serialize) -> Self {
        #[derive(Serialize)]
        struct Message<'a, P> {
            jsonrpc: Version,
            method: &'a str,
            params: &'a P,
        }
        Self::written(&Message {
            jsonrpc: Version,
            method,
            params,
        })
    }

    /// Something that the client is asked.
    pub(in crate::lsp) fn request(id: &str, method: &str, params: &impl Serialize) -> Self {
        #[derive(Serialize)]
        struct Message<'a, P> {
            jsonrpc: Version,
            id: &'a str,
            method: &'a str,
            params: &'a P,
        }
        Self::written(&Message {
            jsonrpc: Version,
            id,
            method,
            params,
        })
    }

    /// What we say of ourselves is made of texts, numbers, and maps with texts for keys, which can
    /// always be written.
    fn written(message: &impl Serialize) -> Self {
        Self(serde_json::to_vec(message).unwrap_or_default())
    }
}

/// The version of JSON-RPC.
struct Version;

impl Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("2.0")
    }
}
