//! The notifications that are heeded.

use super::documents::Change;
use super::known::is_file_of;
use super::server::Server;
use super::transport::Closed;
use gen_lsp_types::{
    DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, LspNotificationMethod, MessageType, Uri,
    VersionedTextDocumentIdentifier,
};
use lsp_server::Notification;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Heeds a notification. One that we do not know says nothing to us.
pub(super) fn heed(server: &mut Server, notification: Notification) -> Result<(), Closed> {
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
                Some(uri) if method == "textDocument/didChange" => server.close(uri),
                _ => Ok(()),
            }
        }
    }
}

/// Heeds a notification of one kind.
fn call<P: DeserializeOwned>(
    server: &mut Server,
    params: Value,
    handler: fn(&mut Server, P) -> Result<(), Closed>,
) -> serde_json::Result<Result<(), Closed>> {
    Ok(handler(server, serde_json::from_value(params)?))
}

fn did_open(server: &mut Server, params: DidOpenTextDocumentParams) -> Result<(), Closed> {
    let document = params.text_document;
    let encoding = server.client().encoding;
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

fn did_change(server: &mut Server, params: DidChange) -> Result<(), Closed> {
    let document = params.text_document;
    let uri = document.text_document_identifier.uri;
    if server
        .documents
        .change(&uri, document.version, params.content_changes)
    {
        return Ok(());
    }
    let message = format!("the document `{uri}` changed, but it is not open; nothing is done");
    server.log(MessageType::Warning, message)
}

fn did_close(server: &mut Server, params: DidCloseTextDocumentParams) -> Result<(), Closed> {
    server.close(params.text_document.uri)
}

fn did_save(server: &mut Server, params: DidSaveTextDocumentParams) -> Result<(), Closed> {
    files_changed(server, &[params.text_document.uri])
}

fn did_change_watched_files(
    server: &mut Server,
    params: DidChangeWatchedFilesParams,
) -> Result<(), Closed> {
    let uris: Vec<Uri> = params
        .changes
        .into_iter()
        .map(|change| change.uri)
        .collect();
    files_changed(server, &uris)
}

fn files_changed(server: &mut Server, uris: &[Uri]) -> Result<(), Closed> {
    if uris
        .iter()
        .any(|uri| is_file_of(&server.settings.tools, uri))
    {
        server.read_tools_again()
    } else {
        Ok(())
    }
}
