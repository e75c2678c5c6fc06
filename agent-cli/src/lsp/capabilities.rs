//! What the client is told we can do.

use super::client::Client;
use gen_lsp_types::{
    DocumentFormattingProvider, InitializeResult, SaveOptions, ServerCapabilities, ServerInfo,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

/// The answer to `initialize`.
///
/// Findings are only sent, never asked for: clients that know both ways show those of both.
pub(super) fn initialize_result(client: &Client) -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(client.encoding.kind()),
            text_document_sync: Some(
                TextDocumentSyncOptions {
                    open_close: Some(true),
                    change: Some(TextDocumentSyncKind::Incremental),
                    save: Some(SaveOptions::default().into()),
                    ..TextDocumentSyncOptions::default()
                }
                .into(),
            ),
            document_formatting_provider: Some(DocumentFormattingProvider::Bool(true)),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "agent".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}
