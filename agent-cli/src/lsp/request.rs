//! The requests that are answered, a file each.
//!
//! To answer a further one:
//! - add a file named for it, with `pub(super) fn name(server: &Server, params) -> Result<…, Failure>`
//!   of the types that the protocol's description gives, as in [`formatting`];
//! - add a line to [`answer`];
//! - say in [`capabilities`](super::capabilities) that we can do it.
//!
//! A handler finds the document with [`Server::document`], and turns places into offsets and back with
//! its [`Text`](super::text::Text). What it then asks about the text knows nothing of the protocol.

mod completion;
mod definition;
mod formatting;
mod hover;
mod references;
mod rename;
mod symbols;

use super::documents::Document;
use super::server::Server;
use gen_lsp_types::{
    CompletionRequest, DefinitionRequest, DocumentFormattingRequest, DocumentHighlightRequest,
    DocumentSymbolRequest, HoverRequest, LspRequestMethod, PrepareRenameRequest, ReferencesRequest,
    RenameRequest, TextDocumentPositionParams, WorkspaceSymbolRequest,
};
use lsp_server::{ErrorCode, Request, Response, ResponseError};
use serde_json::Value;

/// Answers a request.
pub(super) fn answer(server: &Server, request: Request) -> Response {
    let Request { id, method, params } = request;
    let answer = match LspRequestMethod::from(method.as_str()) {
        LspRequestMethod::TextDocumentCompletion => {
            call::<CompletionRequest>(server, params, completion::completion)
        }
        LspRequestMethod::TextDocumentDefinition => {
            call::<DefinitionRequest>(server, params, definition::definition)
        }
        LspRequestMethod::TextDocumentDocumentHighlight => {
            call::<DocumentHighlightRequest>(server, params, references::highlights)
        }
        LspRequestMethod::TextDocumentDocumentSymbol => {
            call::<DocumentSymbolRequest>(server, params, symbols::of_document)
        }
        LspRequestMethod::TextDocumentFormatting => {
            call::<DocumentFormattingRequest>(server, params, formatting::formatting)
        }
        LspRequestMethod::TextDocumentHover => call::<HoverRequest>(server, params, hover::hover),
        LspRequestMethod::TextDocumentPrepareRename => {
            call::<PrepareRenameRequest>(server, params, rename::prepare_rename)
        }
        LspRequestMethod::TextDocumentReferences => {
            call::<ReferencesRequest>(server, params, references::references)
        }
        LspRequestMethod::TextDocumentRename => {
            call::<RenameRequest>(server, params, rename::rename)
        }
        LspRequestMethod::WorkspaceSymbol => {
            call::<WorkspaceSymbolRequest>(server, params, symbols::of_workspace)
        }
        _ => Err(Failure::new(
            ErrorCode::MethodNotFound,
            format!("there is no method `{method}` here"),
        )),
    };
    Response {
        id,
        response_result: answer.map_err(|Failure(error)| error),
    }
}

/// Answers a request of one kind.
fn call<R: gen_lsp_types::Request>(
    server: &Server,
    params: Value,
    handler: fn(&Server, R::Params) -> Result<R::Result, Failure>,
) -> Result<Value, Failure> {
    let params = serde_json::from_value(params).map_err(|error| {
        let method = R::METHOD.as_str();
        Failure::invalid_params(format!(
            "found other parameters than those of `{method}`: {error}"
        ))
    })?;
    let result = handler(server, params)?;
    serde_json::to_value(result)
        .map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// The document that a request is about, and the offset of its place there.
fn place<'s>(
    server: &'s Server,
    params: &TextDocumentPositionParams,
) -> Result<(&'s Document, usize), Failure> {
    let document = server.document(&params.text_document.uri)?;
    Ok((document, document.text().offset(params.position)))
}

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct Failure(ResponseError);

impl Failure {
    /// A failure of some kind.
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ResponseError {
            code: code as i32,
            message: message.into(),
            data: None,
        })
    }

    /// Why what was asked for cannot be done, for people.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, message)
    }

    /// Parameters that cannot be meant.
    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }
}
