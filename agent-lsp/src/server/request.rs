//! The handlers of requests, a file each.
//!
//! To add a request:
//! - add a file named after the request with a function `pub(super) fn name(state: &State, params) ->
//!   Result<…, RequestError>`, whose types are those of the protocol's description, as in [`formatting`];
//! - add a line to [`handle_request`];
//! - add the capability to [`capabilities`](super::capabilities).
//!
//! A handler gets the document from [`State::document`] and converts positions to offsets with the
//! document's [`Text`](super::text::Text). The rest belongs to [`crate::language`], which does not depend on
//! the protocol.

mod completion;
mod definition;
mod formatting;
mod hover;
mod references;
mod rename;
mod symbols;

use super::documents::Document;
use super::state::{RequestError, State};
use agent_spec::terminal;
use gen_lsp_types::{
    CompletionRequest, DefinitionRequest, DocumentFormattingRequest, DocumentHighlightRequest,
    DocumentSymbolRequest, HoverRequest, LspRequestMethod, PrepareRenameRequest, ReferencesRequest,
    RenameRequest, TextDocumentPositionParams, WorkspaceSymbolRequest,
};
use lsp_server::{ErrorCode, Request, RequestId, Response};
use serde_json::Value;

/// Handles a request.
pub(super) fn handle_request(state: &State, request: Request) -> Response {
    let Request { id, method, params } = request;
    let call = RequestCall { state, id, params };
    match LspRequestMethod::from(method.as_str()) {
        LspRequestMethod::TextDocumentCompletion => {
            call.handle::<CompletionRequest>(completion::completion)
        }
        LspRequestMethod::TextDocumentDefinition => {
            call.handle::<DefinitionRequest>(definition::definition)
        }
        LspRequestMethod::TextDocumentDocumentHighlight => {
            call.handle::<DocumentHighlightRequest>(references::document_highlight)
        }
        LspRequestMethod::TextDocumentDocumentSymbol => {
            call.handle::<DocumentSymbolRequest>(symbols::document_symbol)
        }
        LspRequestMethod::TextDocumentFormatting => {
            call.handle::<DocumentFormattingRequest>(formatting::formatting)
        }
        LspRequestMethod::TextDocumentHover => call.handle::<HoverRequest>(hover::hover),
        LspRequestMethod::TextDocumentPrepareRename => {
            call.handle::<PrepareRenameRequest>(rename::prepare_rename)
        }
        LspRequestMethod::TextDocumentReferences => {
            call.handle::<ReferencesRequest>(references::references)
        }
        LspRequestMethod::TextDocumentRename => call.handle::<RenameRequest>(rename::rename),
        LspRequestMethod::WorkspaceSymbol => {
            call.handle::<WorkspaceSymbolRequest>(symbols::workspace_symbol)
        }
        _ => Response::new_err(
            call.id,
            ErrorCode::MethodNotFound as i32,
            format!("there is no method `{}` here", terminal::line(&method, 100)),
        ),
    }
}

/// A request whose parameters are not deserialized yet.
struct RequestCall<'s> {
    state: &'s State,
    id: RequestId,
    params: Value,
}

impl RequestCall<'_> {
    /// Deserializes the parameters and calls the handler.
    fn handle<R: gen_lsp_types::Request>(
        self,
        handler: fn(&State, R::Params) -> Result<R::Result, RequestError>,
    ) -> Response {
        let params = serde_json::from_value(self.params).map_err(|error| {
            let method = R::METHOD.as_str();
            RequestError::invalid_params(format!(
                "found other parameters than those of `{method}`: {error}"
            ))
        });
        match params.and_then(|params| handler(self.state, params)) {
            Ok(result) => Response::new_ok(self.id, result),
            Err(RequestError { code, message }) => {
                Response::new_err(self.id, code as i32, terminal::text(&message))
            }
        }
    }
}

/// Returns the document and the offset of a position.
fn document_at<'s>(
    state: &'s State,
    params: &TextDocumentPositionParams,
) -> Result<(&'s Document, usize), RequestError> {
    let document = state.document(&params.text_document.uri)?;
    Ok((document, document.text().offset(params.position)))
}
