//! The state of the server, which the handlers of requests and notifications use.

use super::client::ClientCapabilities;
use super::config::ServerConfig;
use super::diagnostics::no_diagnostics;
use super::documents::{Document, Documents};
use super::file_cache::FileCache;
use super::loaded_tools::{LoadedTools, ToolFileChange, is_tool_file};
use agent_spec::terminal;
use crossbeam_channel::Sender;
use gen_lsp_types::{LogMessageParams, MessageType, Uri};
use lsp_server::{ErrorCode, Message, Notification};
use serde::Serialize;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

/// The state of the server.
pub(super) struct State {
    pub(super) config: Arc<ServerConfig>,
    /// The capabilities of the client; the default before `initialize`.
    pub(super) client: ClientCapabilities,
    /// The open documents.
    pub(super) documents: Documents,
    /// The tools and providers that documents may name.
    pub(super) tools: LoadedTools,
    /// The change because of which the tool files must be read again.
    pub(super) tool_file_change: Option<ToolFileChange>,
    /// The workspace folders.
    pub(super) roots: Vec<PathBuf>,
    /// The files in the workspace folders that are not open.
    pub(super) files: RefCell<FileCache>,
    sender: Sender<Message>,
}

/// The error of sending a message to a client that closed its end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disconnected;

impl State {
    /// Creates the state before `initialize`.
    pub(super) fn new(
        config: Arc<ServerConfig>,
        tools: LoadedTools,
        sender: Sender<Message>,
    ) -> Self {
        Self {
            config,
            client: ClientCapabilities::default(),
            documents: Documents::default(),
            tools,
            tool_file_change: None,
            roots: Vec::new(),
            files: RefCell::default(),
            sender,
        }
    }

    /// Returns an open document.
    ///
    /// # Errors
    /// Returns an error if the document is not open.
    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, RequestError> {
        self.documents.get(uri).ok_or_else(|| {
            RequestError::invalid_params(format!("the document `{uri}` is not open"))
        })
    }

    /// Closes a document and clears its diagnostics.
    pub(super) fn close(&mut self, uri: Uri) -> Result<(), Disconnected> {
        if self.documents.close(&uri) {
            self.notify("textDocument/publishDiagnostics", no_diagnostics(uri))
        } else {
            Ok(())
        }
    }

    /// Records that a text changed, which may be the text of a tool file.
    pub(super) fn text_changed(&mut self, uri: &Uri, change: ToolFileChange) {
        if is_tool_file(&self.config.tool_files, uri) {
            self.tool_file_change = self.tool_file_change.max(Some(change));
        }
        // Projects are read from the saved files.
        if change == ToolFileChange::Saved && self.tools.forget_projects(uri) {
            self.files.borrow_mut().clear();
            self.documents.mark_all_outdated();
        }
    }

    /// Writes a line to the client's log.
    pub(super) fn log(&self, kind: MessageType, message: String) -> Result<(), Disconnected> {
        let message = terminal::text(&message);
        self.notify("window/logMessage", LogMessageParams { kind, message })
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &str, params: impl Serialize) -> Result<(), Disconnected> {
        self.send(Notification::new(method.to_owned(), params))
    }

    /// Sends a message.
    pub(super) fn send(&self, message: impl Into<Message>) -> Result<(), Disconnected> {
        self.sender.send(message.into()).map_err(|_| Disconnected)
    }
}

/// The error of a request.
#[derive(Debug)]
pub(super) struct RequestError {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl RequestError {
    /// Creates the error for valid parameters whose request cannot be done. The message is for the user.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::RequestFailed,
            message: message.into(),
        }
    }

    /// Creates the error for invalid parameters.
    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidParams,
            message: message.into(),
        }
    }
}
