//! Who owns the documents and answers, one message after another.

use super::Settings;
use super::capabilities::initialize_result;
use super::checker::{Checker, Findings, Job};
use super::client::Client;
use super::diagnostics::retraction;
use super::documents::{Document, Documents};
use super::known::Known;
use super::notification::heed;
use super::request::{Failure, answer};
use super::transport::{Body, Closed, End, Inbox, Incoming, Outbox, Received, Refusal};
use super::workspace::roots_of;
use gen_lsp_types::{LogMessageParams, MessageType, ShowMessageParams, Uri};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the end waits for findings.
const PATIENCE: Duration = Duration::from_secs(5);

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
    pub(super) settings: Arc<Settings>,
    pub(super) documents: Documents,
    pub(super) known: Known,
    /// The folders that the client works in.
    pub(super) roots: Vec<PathBuf>,
    phase: Phase,
    checker: Checker,
    outbox: Outbox,
}

impl Server {
    /// A server that nobody has spoken to.
    pub(super) fn new(
        settings: Arc<Settings>,
        known: Known,
        checker: Checker,
        outbox: Outbox,
    ) -> Self {
        Self {
            settings,
            documents: Documents::default(),
            known,
            roots: Vec::new(),
            phase: Phase::Unknown,
            checker,
            outbox,
        }
    }

    /// Serves the client until it goes.
    ///
    /// Texts are checked when no message waits, so that of a burst of edits only the last one is, and
    /// all the same when messages never stop.
    pub(super) fn run(mut self, inbox: &Inbox) -> Ended {
        let end = loop {
            let until = self.documents.wait_until();
            let next = match inbox.receive(until.filter(|_| !self.checker.is_busy())) {
                Received::Incoming(incoming) => self.handle(incoming),
                Received::Idle => {
                    self.check_next();
                    Ok(Next::Message)
                }
                Received::End(end) => {
                    self.send_what_is_due(inbox);
                    break end;
                }
            };
            match next {
                Ok(Next::Message) if self.documents.has_overdue() => self.check_next(),
                Ok(Next::Message) => {}
                Ok(Next::Exit) | Err(Closed) => break End::Closed,
            }
        };
        self.outbox.finish();
        match (end, self.phase) {
            (End::Lost(reason), _) => Ended::Lost(reason),
            (End::Closed, Phase::Over) => Ended::AfterShutdown,
            (End::Closed, _) => Ended::WithoutShutdown,
        }
    }

    /// Sends the findings of the last texts, to a client that closed only the pipe to us.
    fn send_what_is_due(&mut self, inbox: &Inbox) {
        let until = Instant::now() + PATIENCE;
        loop {
            if self.checker.is_busy() {
                let Some(findings) = inbox.receive_findings(until) else {
                    return;
                };
                if self.publish(findings).is_err() {
                    return;
                }
            }
            self.check_next();
            if !self.checker.is_busy() {
                return;
            }
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
            Incoming::Findings(findings) => self.publish(*findings)?,
            Incoming::Malformed(refusal) => self.outbox.send(Body::error(refusal))?,
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
                self.outbox.send(Body::result(request.id, &result))
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
                self.outbox.send(Body::result(request.id, &()))
            }
            (Phase::Served(_), _) => {
                // Whoever asks has stopped editing, if only for a moment.
                self.check_next();
                self.outbox.send(answer(self, request))
            }
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
        let method = "client/registerCapability";
        let request = Body::request("watch-tools", method, &registration);
        self.outbox.send(request)
    }

    /// Says when no document is checked.
    fn tell_of_tools(&self) -> Result<(), Closed> {
        let Some(message) = self.known.trouble.clone() else {
            return Ok(());
        };
        let kind = MessageType::Error;
        self.notify("window/showMessage", ShowMessageParams { kind, message })
    }

    /// Has the document checked whose findings are outdated for longest, if there is one, and nothing
    /// is being checked.
    fn check_next(&mut self) {
        if self.checker.is_busy() {
            return;
        }
        if let Some(document) = self.documents.take_outdated() {
            self.checker.begin(Job {
                document,
                known: self.known.clone(),
                client: self.client(),
            });
        }
    }

    /// Sends what was found in a document, if it is still open.
    fn publish(&mut self, findings: Findings) -> Result<(), Closed> {
        self.checker.done();
        if self.documents.has(&findings.document) {
            self.notify("textDocument/publishDiagnostics", findings.publication)
        } else {
            Ok(())
        }
    }

    fn notify(&self, method: &str, params: impl Serialize) -> Result<(), Closed> {
        self.outbox.send(Body::notification(method, &params))
    }

    fn fail(
        &self,
        id: RequestId,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Result<(), Closed> {
        let refusal = Refusal::new(Some(id), code, message);
        self.outbox.send(Body::error(refusal))
    }
}
