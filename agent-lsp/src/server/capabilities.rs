//! The capabilities of the server.

use super::client::ClientCapabilities;
use gen_lsp_types::{
    ChangeNotifications, CompletionOptions, DocumentFormattingProvider, InitializeResult,
    RenameOptions, RenameProvider, SaveOptions, ServerCapabilities, ServerInfo,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceOptions,
};

/// The characters after which clients request completion: before labels, keys, elements of agents,
/// annotations and texts.
const TRIGGERS: [&str; 6] = [":", "{", ",", "|", "@", "\""];

/// Returns the result of `initialize`.
///
/// Diagnostics are sent and cannot be requested, because clients that support both ways show the results of
/// both.
pub(super) fn initialize_result(client: &ClientCapabilities) -> InitializeResult {
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
            hover_provider: Some(true.into()),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            definition_provider: Some(true.into()),
            references_provider: Some(true.into()),
            document_highlight_provider: Some(true.into()),
            document_symbol_provider: Some(true.into()),
            workspace_symbol_provider: Some(true.into()),
            rename_provider: Some(match client.prepares_rename {
                true => RenameProvider::RenameOptions(RenameOptions {
                    prepare_provider: Some(true),
                    ..RenameOptions::default()
                }),
                false => RenameProvider::Bool(true),
            }),
            workspace: Some(WorkspaceOptions {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(ChangeNotifications::Bool(true)),
                }),
                ..WorkspaceOptions::default()
            }),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "agent".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}
