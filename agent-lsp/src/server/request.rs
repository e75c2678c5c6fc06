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
use super::main_loop::Server;
use gen_lsp_types::{
    CompletionRequest, DefinitionRequest, DocumentFormattingRequest, DocumentHighlightRequest,
    DocumentSymbolRequest, HoverRequest, LspRequestMethod, PrepareRenameRequest, ReferencesRequest,
    RenameRequest, TextDocumentPositionParams, WorkspaceSymbolRequest,
};
use lsp_server::{ErrorCode, Request, RequestId, Response};
use serde_json::Value;

/// Answers a request.
pub(super) fn answer(server: &Server, request: Request) -> Response {
    let Request { id, method, params } = request;
    let asked = Asked { server, id, params };
    match LspRequestMethod::from(method.as_str()) {
        LspRequestMethod::TextDocumentCompletion => {
            asked.answer::<CompletionRequest>(completion::completion)
        }
        LspRequestMethod::TextDocumentDefinition => {
            asked.answer::<DefinitionRequest>(definition::definition)
        }
        LspRequestMethod::TextDocumentDocumentHighlight => {
            asked.answer::<DocumentHighlightRequest>(references::highlights)
        }
        LspRequestMethod::TextDocumentDocumentSymbol => {
            asked.answer::<DocumentSymbolRequest>(symbols::of_document)
        }
        LspRequestMethod::TextDocumentFormatting => {
            asked.answer::<DocumentFormattingRequest>(formatting::formatting)
        }
        LspRequestMethod::TextDocumentHover => asked.answer::<HoverRequest>(hover::hover),
        LspRequestMethod::TextDocumentPrepareRename => {
            asked.answer::<PrepareRenameRequest>(rename::prepare_rename)
        }
        LspRequestMethod::TextDocumentReferences => {
            asked.answer::<ReferencesRequest>(references::references)
        }
        LspRequestMethod::TextDocumentRename => asked.answer::<RenameRequest>(rename::rename),
        LspRequestMethod::WorkspaceSymbol => {
            asked.answer::<WorkspaceSymbolRequest>(symbols::of_workspace)
        }
        _ => Response::new_err(
            asked.id,
            ErrorCode::MethodNotFound as i32,
            format!("there is no method `{method}` here"),
        ),
    }
}

/// A request of a kind that is not known yet.
struct Asked<'s> {
    server: &'s Server,
    id: RequestId,
    params: Value,
}

impl Asked<'_> {
    /// Answers it as one of this kind.
    fn answer<R: gen_lsp_types::Request>(
        self,
        handler: fn(&Server, R::Params) -> Result<R::Result, Failure>,
    ) -> Response {
        let params = serde_json::from_value(self.params).map_err(|error| {
            let method = R::METHOD.as_str();
            Failure::invalid_params(format!(
                "found other parameters than those of `{method}`: {error}"
            ))
        });
        match params.and_then(|params| handler(self.server, params)) {
            Ok(result) => Response::new_ok(self.id, result),
            Err(Failure { code, message }) => Response::new_err(self.id, code as i32, message),
        }
    }
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
pub(super) struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    /// A failure of some kind.
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
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
