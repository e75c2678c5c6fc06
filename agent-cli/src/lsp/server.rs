//! Who owns the documents and answers, one message after another.

use super::Settings;
use super::capabilities::initialize_result;
use super::client::Client;
use super::diagnostics::{publication, retraction};
use super::documents::{Document, Documents};
use super::known::Known;
use super::notification::heed;
use super::request::{Failure, answer};
use super::transport::{Closed, End, Inbox, Incoming, Outbox, Received};
use super::workspace::roots_of;
use gen_lsp_types::{LogMessageParams, MessageType, ShowMessageParams, Uri};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// How serving a client ended.
pub(super) enum Ended {
    /// It had asked for that.
    AfterShutdown,
    /// It is gone.
    WithoutShutdown,
    /// What came cannot be understood any more, and why.
    Lost(String),
}

/// How far the client has come.
#[derive(Clone, Copy)]
enum Phase {
    /// It has not said `initialize`.
    Unknown,
    /// It is served.
    Served(Client),
    /// It has said `shutdown`.
    Over,
}

/// Whether another message is taken.
#[derive(PartialEq, Eq)]
enum Next {
    Message,
    Exit,
}

/// The server of one client.
pub(super) struct Server {
    pub(super) settings: Settings,
    pub(super) documents: Documents,
    pub(super) known: Known,
    /// The folders that the client works in.
    pub(super) roots: Vec<PathBuf>,
    phase: Phase,
    outbox: Outbox,
}

impl Server {
    /// A server that nobody has spoken to.
    pub(super) fn new(settings: Settings, known: Known, outbox: Outbox) -> Self {
        Self {
            settings,
            documents: Documents::default(),
            known,
            roots: Vec::new(),
            phase: Phase::Unknown,
            outbox,
        }
    }

    /// Serves the client until it goes.
    ///
    /// Findings are made when no message waits, so that of a burst of edits only the last text is
    /// checked, and all the same when messages never stop.
    pub(super) fn run(mut self, inbox: &Inbox) -> Ended {
        let end = loop {
            let next = match inbox.receive(self.documents.wait_until()) {
                Received::Incoming(incoming) => self.handle(incoming).and_then(|next| {
                    if self.documents.has_overdue() {
                        self.publish_next()?;
                    }
                    Ok(next)
                }),
                Received::Idle => self.publish_next().map(|_| Next::Message),
                Received::End(end) => break end,
            };
            match next {
                Ok(Next::Message) => {}
                Ok(Next::Exit) | Err(Closed) => break End::Closed,
            }
        };
        // Whoever closed only the one pipe still gets what is due.
        while let Ok(true) = self.publish_next() {}
        self.outbox.finish();
        match (end, self.phase) {
            (End::Lost(reason), _) => Ended::Lost(reason),
            (End::Closed, Phase::Over) => Ended::AfterShutdown,
            (End::Closed, _) => Ended::WithoutShutdown,
        }
    }

    /// The client, as it described itself.
    pub(super) fn client(&self) -> Client {
        match self.phase {
            Phase::Served(client) => client,
            Phase::Unknown | Phase::Over => Client::default(),
        }
    }

    /// An open document.
    ///
    /// # Errors
    /// When the client has not opened it.
    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        self.documents
            .get(uri)
            .ok_or_else(|| Failure::invalid_params(format!("the document `{uri}` is not open")))
    }

    /// Forgets a document, and takes back what was found in it.
    pub(super) fn close(&mut self, uri: Uri) -> Result<(), Closed> {
        if self.documents.close(&uri) {
            self.notify("textDocument/publishDiagnostics", retraction(uri))
        } else {
            Ok(())
        }
    }

    /// Reads the files of `--tools`, and has all documents checked with what they say now.
    pub(super) fn read_tools_again(&mut self) -> Result<(), Closed> {
        self.known.read_again(&self.settings.tools);
        self.documents.check_all_again();
        self.tell_of_tools()
    }

    /// Puts a line into the client's log.
    pub(super) fn log(&self, kind: MessageType, message: String) -> Result<(), Closed> {
        self.notify("window/logMessage", LogMessageParams { kind, message })
    }

    fn handle(&mut self, incoming: Incoming) -> Result<Next, Closed> {
        match incoming {
            Incoming::Message(Message::Request(request)) => self.request(request)?,
            Incoming::Message(Message::Notification(notification)) => {
                return self.notification(notification);
            }
            // We ask for nothing whose answer we need.
            Incoming::Message(Message::Response(_)) => {}
            Incoming::Malformed(refusal) => self.outbox.refuse(refusal)?,
            Incoming::Cancelled(id) => {
                self.fail(id, ErrorCode::RequestCanceled, "the request was cancelled")?;
            }
        }
        Ok(Next::Message)
    }

    fn request(&mut self, request: Request) -> Result<(), Closed> {
        match (self.phase, request.method.as_str()) {
            (Phase::Unknown, "initialize") => {
                let client = Client::of(&request.params);
                self.roots = roots_of(&request.params);
                self.phase = Phase::Served(client);
                let result = initialize_result(&client);
                self.outbox.send(Response::new_ok(request.id, result))
            }
            (Phase::Unknown, method) => {
                let message = format!("found `{method}` where `initialize` should come first");
                self.fail(request.id, ErrorCode::ServerNotInitialized, message)
            }
            (Phase::Served(_), "initialize") => {
                let message = "found `initialize` for the second time";
                self.fail(request.id, ErrorCode::InvalidRequest, message)
            }
            (Phase::Served(_), "shutdown") => {
                self.phase = Phase::Over;
                // Nothing is due any more.
                self.documents = Documents::default();
                self.outbox.send(Response::new_ok(request.id, ()))
            }
            (Phase::Served(_), _) => self.outbox.send(answer(self, request)),
            (Phase::Over, method) => {
                let message = format!("found `{method}` after `shutdown`; only `exit` may come");
                self.fail(request.id, ErrorCode::InvalidRequest, message)
            }
        }
    }

    fn notification(&mut self, notification: Notification) -> Result<Next, Closed> {
        match (self.phase, notification.method.as_str()) {
            (_, "exit") => return Ok(Next::Exit),
            (Phase::Served(client), "initialized") => self.watch_tools(&client)?,
            (Phase::Served(_), _) => heed(self, notification)?,
            (Phase::Unknown | Phase::Over, _) => {}
        }
        Ok(Next::Message)
    }

    /// Asks the client to tell of changes of the files of `--tools`. Whether it will does not matter.
    fn watch_tools(&self, client: &Client) -> Result<(), Closed> {
        self.tell_of_tools()?;
        let files = self.settings.tools.paths().iter();
        let watchers: Vec<_> = files
            .filter_map(|path| path.file_name()?.to_str())
            .map(|name| json!({"globPattern": format!("**/{name}")}))
            .collect();
        if watchers.is_empty() || !client.watches_files {
            return Ok(());
        }
        let registration = json!({"registrations": [{
            "id": "tools",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": watchers},
        }]});
        let id = RequestId::from("watch-tools".to_owned());
        let method = "client/registerCapability".to_owned();
        self.outbox.send(Request::new(id, method, registration))
    }

    /// Says when no document is checked.
    fn tell_of_tools(&self) -> Result<(), Closed> {
        let Some(message) = self.known.trouble.clone() else {
            return Ok(());
        };
        let kind = MessageType::Error;
        self.notify("window/showMessage", ShowMessageParams { kind, message })
    }

    /// Sends the findings of one document for which they are due. Says whether there was one.
    fn publish_next(&mut self) -> Result<bool, Closed> {
        let client = self.client();
        let Some(document) = self.documents.take_outdated() else {
            return Ok(false);
        };
        let publication = publication(document, &self.known, &self.settings, &client);
        self.notify("textDocument/publishDiagnostics", publication)?;
        Ok(true)
    }

    fn notify(&self, method: &str, params: impl Serialize) -> Result<(), Closed> {
        self.outbox
            .send(Notification::new(method.to_owned(), params))
    }

    fn fail(
        &self,
        id: RequestId,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Result<(), Closed> {
        let response = Response::new_err(id, code as i32, message.into());
        self.outbox.send(response)
    }
}
