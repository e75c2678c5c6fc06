//! The handlers of notifications.

use super::documents::Change;
use super::loaded_tools::ToolFileChange;
use super::state::{Disconnected, State};
use super::uri::file_of;
use gen_lsp_types::{
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, LspNotificationMethod, MessageType,
    VersionedTextDocumentIdentifier, WorkspaceFolder,
};
use lsp_server::Notification;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;

/// Handles a notification. Unknown notifications are ignored.
pub(super) fn handle_notification(
    state: &mut State,
    notification: Notification,
) -> Result<(), Disconnected> {
    let Notification { method, params } = notification;
    let handled = match LspNotificationMethod::from(method.as_str()) {
        LspNotificationMethod::TextDocumentDidOpen => call(state, params, did_open),
        LspNotificationMethod::TextDocumentDidChange => call(state, params, did_change),
        LspNotificationMethod::TextDocumentDidClose => call(state, params, did_close),
        LspNotificationMethod::TextDocumentDidSave => call(state, params, did_save),
        LspNotificationMethod::WorkspaceDidChangeWatchedFiles => {
            call(state, params, did_change_watched_files)
        }
        LspNotificationMethod::WorkspaceDidChangeWorkspaceFolders => {
            call(state, params, did_change_workspace_folders)
        }
        _ => return Ok(()),
    };
    match handled {
        Ok(sent) => sent,
        Err(error) => {
            let message = format!(
                "found other parameters than those of `{method}`: {error}; nothing is done"
            );
            state.log(MessageType::Error, message)
        }
    }
}

/// Calls a handler, or returns the error of deserializing the parameters.
fn call<P: DeserializeOwned>(
    state: &mut State,
    params: Value,
    handler: fn(&mut State, P) -> Result<(), Disconnected>,
) -> serde_json::Result<Result<(), Disconnected>> {
    Ok(handler(state, serde_json::from_value(params)?))
}

fn did_open(state: &mut State, params: DidOpenTextDocumentParams) -> Result<(), Disconnected> {
    let document = params.text_document;
    let encoding = state.client.encoding;
    state.text_changed(&document.uri, ToolFileChange::Edited);
    state
        .documents
        .open(document.uri, document.version, document.text, encoding);
    Ok(())
}

/// The parameters of `textDocument/didChange`, with [`Change`] in place of the protocol's type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: VersionedTextDocumentIdentifier,
    content_changes: Vec<Change>,
}

fn did_change(state: &mut State, params: DidChange) -> Result<(), Disconnected> {
    let document = params.text_document;
    let uri = document.text_document_identifier.uri;
    if state
        .documents
        .change(&uri, document.version, params.content_changes)
    {
        state.text_changed(&uri, ToolFileChange::Edited);
        return Ok(());
    }
    let message = format!("the document `{uri}` changed, but it is not open; nothing is done");
    state.log(MessageType::Warning, message)
}

fn did_close(state: &mut State, params: DidCloseTextDocumentParams) -> Result<(), Disconnected> {
    let uri = params.text_document.uri;
    // The saved file replaces the text in the editor.
    state.text_changed(&uri, ToolFileChange::Saved);
    state.close(uri)
}

fn did_save(state: &mut State, params: DidSaveTextDocumentParams) -> Result<(), Disconnected> {
    state.text_changed(&params.text_document.uri, ToolFileChange::Saved);
    Ok(())
}

fn did_change_watched_files(
    state: &mut State,
    params: DidChangeWatchedFilesParams,
) -> Result<(), Disconnected> {
    for change in params.changes {
        state.text_changed(&change.uri, ToolFileChange::Saved);
    }
    Ok(())
}

fn did_change_workspace_folders(
    state: &mut State,
    params: DidChangeWorkspaceFoldersParams,
) -> Result<(), Disconnected> {
    let folders = |folders: Vec<WorkspaceFolder>| -> Vec<PathBuf> {
        let files = folders.iter().map(|folder| file_of(&folder.uri));
        files.flatten().collect()
    };
    let removed = folders(params.event.removed);
    state.roots.retain(|root| !removed.contains(root));
    for added in folders(params.event.added) {
        if !state.roots.contains(&added) {
            state.roots.push(added);
        }
    }
    Ok(())
}
