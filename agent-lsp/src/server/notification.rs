//! The notifications that are heeded.

use super::checker::ToolChange;
use super::documents::Change;
use super::main_loop::{Disconnected, Server};
use super::uri::file_of;
use gen_lsp_types::{
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, LspNotificationMethod, MessageType, Uri,
    VersionedTextDocumentIdentifier, WorkspaceFolder,
};
use lsp_server::Notification;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;

/// Heeds a notification. One that we do not know says nothing to us.
pub(super) fn heed(server: &mut Server, notification: Notification) -> Result<(), Disconnected> {
    let Notification { method, params } = notification;
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let uri = uri.map(Uri::from);
    let heeded = match LspNotificationMethod::from(method.as_str()) {
        LspNotificationMethod::TextDocumentDidOpen => call(server, params, did_open),
        LspNotificationMethod::TextDocumentDidChange => call(server, params, did_change),
        LspNotificationMethod::TextDocumentDidClose => call(server, params, did_close),
        LspNotificationMethod::TextDocumentDidSave => call(server, params, did_save),
        LspNotificationMethod::WorkspaceDidChangeWatchedFiles => {
            call(server, params, did_change_watched_files)
        }
        LspNotificationMethod::WorkspaceDidChangeWorkspaceFolders => {
            call(server, params, did_change_workspace_folders)
        }
        _ => return Ok(()),
    };
    match heeded {
        Ok(sent) => sent,
        Err(error) => {
            let message = format!(
                "found other parameters than those of `{method}`: {error}; nothing is done"
            );
            server.log(MessageType::Error, message)?;
            // What the text is now only the client knows.
            match uri {
                Some(uri) if method == "textDocument/didChange" => server.set_aside(uri),
                _ => Ok(()),
            }
        }
    }
}

/// Heeds a notification of one kind.
fn call<P: DeserializeOwned>(
    server: &mut Server,
    params: Value,
    handler: fn(&mut Server, P) -> Result<(), Disconnected>,
) -> serde_json::Result<Result<(), Disconnected>> {
    Ok(handler(server, serde_json::from_value(params)?))
}

fn did_open(server: &mut Server, params: DidOpenTextDocumentParams) -> Result<(), Disconnected> {
    let document = params.text_document;
    let encoding = server.client().encoding;
    server.text_changed(&document.uri, ToolChange::Typed);
    server
        .documents
        .open(document.uri, document.version, document.text, encoding);
    Ok(())
}

/// The parameters of `textDocument/didChange`, with changes that are read strictly.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: VersionedTextDocumentIdentifier,
    content_changes: Vec<Change>,
}

fn did_change(server: &mut Server, params: DidChange) -> Result<(), Disconnected> {
    let document = params.text_document;
    let uri = document.text_document_identifier.uri;
    if server
        .documents
        .change(&uri, document.version, params.content_changes)
    {
        server.text_changed(&uri, ToolChange::Typed);
        return Ok(());
    }
    let message = format!("the document `{uri}` changed, but it is not open; nothing is done");
    server.log(MessageType::Warning, message)
}

fn did_close(server: &mut Server, params: DidCloseTextDocumentParams) -> Result<(), Disconnected> {
    let uri = params.text_document.uri;
    // The file counts again, whatever was typed.
    server.text_changed(&uri, ToolChange::Written);
    server.close(uri)
}

fn did_save(server: &mut Server, params: DidSaveTextDocumentParams) -> Result<(), Disconnected> {
    server.text_changed(&params.text_document.uri, ToolChange::Written);
    Ok(())
}

fn did_change_watched_files(
    server: &mut Server,
    params: DidChangeWatchedFilesParams,
) -> Result<(), Disconnected> {
    for change in params.changes {
        server.text_changed(&change.uri, ToolChange::Written);
    }
    Ok(())
}

fn did_change_workspace_folders(
    server: &mut Server,
    params: DidChangeWorkspaceFoldersParams,
) -> Result<(), Disconnected> {
    let folders = |folders: Vec<WorkspaceFolder>| -> Vec<PathBuf> {
        let files = folders.iter().map(|folder| file_of(&folder.uri));
        files.flatten().collect()
    };
    let removed = folders(params.event.removed);
    server.roots.retain(|root| !removed.contains(root));
    for added in folders(params.event.added) {
        if !server.roots.contains(&added) {
            server.roots.push(added);
        }
    }
    Ok(())
}
