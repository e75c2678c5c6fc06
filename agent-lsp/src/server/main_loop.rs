//! Who owns the documents and answers, one message after another.

use super::ServerConfig;
use super::capabilities::initialize_result;
use super::checker::{Checker, Findings, Job, Made, ToolChange};
use super::client::Client;
use super::diagnostics::retraction;
use super::documents::{Document, Documents};
use super::file_cache::Files;
use super::loaded_tools::{Known, OpenTexts, given_as, is_file_of};
use super::notification::heed;
use super::parent_process;
use super::request::{Failure, answer};
use super::workspace::roots_of;
use crossbeam_channel::{Receiver, Sender, never, select};
use gen_lsp_types::{LogMessageParams, MessageType, ShowMessageParams, Uri};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the end waits for findings.
const PATIENCE: Duration = Duration::from_secs(5);

/// The client does not read any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disconnected;

/// Why [`Server::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The client sent `exit`, or its input ended.
    ByClient,
    /// The client does not read any more, or its process is gone.
    Disconnected,
    /// The thread that checks documents panicked.
    CheckerPanicked,
}

/// What the server waits for.
enum Event {
    /// The client sent a message.
    Message(Message),
    /// A job is done.
    Made(Made),
    /// The input of the server ended.
    InputEnded,
    /// Nothing more will come.
    Ended(Ended),
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
    pub(super) config: Arc<ServerConfig>,
    pub(super) documents: Documents,
    pub(super) known: Known,
    /// The folders that the client works in.
    pub(super) roots: Vec<PathBuf>,
    /// What was read of the files there.
    pub(super) files: RefCell<Files>,
    /// Why the files of `--tools` are to be read again, if they are.
    changed_tools: Option<ToolChange>,
    phase: Phase,
    checker: Checker,
    /// It is disconnected when the client's process is gone.
    parent: Receiver<Infallible>,
    sender: Sender<Message>,
}

impl Server {
    /// A server that nobody has spoken to.
    pub(super) fn new(
        config: Arc<ServerConfig>,
        known: Known,
        checker: Checker,
        sender: Sender<Message>,
    ) -> Self {
        Self {
            config,
            documents: Documents::default(),
            known,
            roots: Vec::new(),
            files: RefCell::default(),
            changed_tools: None,
            phase: Phase::Unknown,
            checker,
            parent: never(),
            sender,
        }
    }

    /// Serves the client until the connection ends. Returns why it ended, and whether the client had
    /// sent `shutdown`.
    ///
    /// Documents are checked on another thread, one at a time, so that of a burst of edits most are not
    /// checked.
    pub(super) fn run(mut self, messages: &Receiver<Message>) -> (Ended, bool) {
        let ended = loop {
            self.check_next();
            let next = match self.next_event(messages) {
                Event::Message(message) => self.handle(message),
                Event::Made(made) => self.take(made).map(|()| Next::Message),
                Event::InputEnded => {
                    self.send_what_is_due();
                    break Ended::ByClient;
                }
                Event::Ended(ended) => break ended,
            };
            match next {
                Ok(Next::Message) => {}
                Ok(Next::Exit) => break Ended::ByClient,
                Err(Disconnected) => break Ended::Disconnected,
            }
        };
        (ended, matches!(self.phase, Phase::Over))
    }

    fn next_event(&self, messages: &Receiver<Message>) -> Event {
        select! {
            recv(messages) -> message => message.map_or(Event::InputEnded, Event::Message),
            recv(self.checker.results) -> made => {
                made.map_or(Event::Ended(Ended::CheckerPanicked), Event::Made)
            }
            recv(self.parent) -> _ => Event::Ended(Ended::Disconnected),
        }
    }

    /// Sends the findings of the last texts, because a client may close its output and read on.
    fn send_what_is_due(&mut self) {
        let until = Instant::now() + PATIENCE;
        while self.checker.is_busy() {
            let Ok(made) = self.checker.results.recv_deadline(until) else {
                return;
            };
            if self.take(made).is_err() {
                return;
            }
            self.check_next();
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
    /// When the client has not opened it, or it was set aside.
    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        self.documents.get(uri).ok_or_else(|| {
            if self.documents.aside().any(|aside| aside == uri) {
                return unknown_text(uri);
            }
            Failure::invalid_params(format!("the document `{uri}` is not open"))
        })
    }

    /// Makes sure that the texts of all open documents are known.
    ///
    /// # Errors
    /// When one was set aside.
    pub(super) fn check_texts(&self) -> Result<(), Failure> {
        let aside = self.documents.aside().min_by_key(|uri| &uri.0);
        aside.map_or(Ok(()), |uri| Err(unknown_text(uri)))
    }

    /// Forgets a document, and takes back what was found in it.
    pub(super) fn close(&mut self, uri: Uri) -> Result<(), Disconnected> {
        if self.documents.close(&uri) {
            self.notify("textDocument/publishDiagnostics", retraction(uri))
        } else {
            Ok(())
        }
    }

    /// Sets a document aside until its whole text comes, and takes back what was found in it: what its
    /// text is now only the client knows.
    pub(super) fn set_aside(&mut self, uri: Uri) -> Result<(), Disconnected> {
        if self.documents.set_aside(&uri) {
            self.notify("textDocument/publishDiagnostics", retraction(uri))
        } else {
            Ok(())
        }
    }

    /// Takes note that the text of an address changed, which may be that of a file of `--tools`.
    pub(super) fn text_changed(&mut self, uri: &Uri, change: ToolChange) {
        if is_file_of(&self.config.tool_files, uri) {
            self.changed_tools = self.changed_tools.max(Some(change));
        }
    }

    /// Puts a line into the client's log.
    pub(super) fn log(&self, kind: MessageType, message: String) -> Result<(), Disconnected> {
        self.notify("window/logMessage", LogMessageParams { kind, message })
    }

    fn handle(&mut self, message: Message) -> Result<Next, Disconnected> {
        match message {
            Message::Request(request) => self.request(request).map(|()| Next::Message),
            Message::Notification(notification) => self.notification(notification),
            // We ask for nothing whose answer we need.
            Message::Response(_) => Ok(Next::Message),
        }
    }

    fn request(&mut self, request: Request) -> Result<(), Disconnected> {
        match (self.phase, request.method.as_str()) {
            (Phase::Unknown, "initialize") => {
                let client = Client::of(&request.params);
                self.roots = roots_of(&request.params);
                self.phase = Phase::Served(client);
                self.parent = parent_process::watch(&request.params);
                self.send(Response::new_ok(request.id, initialize_result(&client)))
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
                self.changed_tools = None;
                self.send(Response::new_ok(request.id, ()))
            }
            (Phase::Served(_), _) => self.send(answer(self, request)),
            (Phase::Over, method) => {
                let message = format!("found `{method}` after `shutdown`; only `exit` may come");
                self.fail(request.id, ErrorCode::InvalidRequest, message)
            }
        }
    }

    fn notification(&mut self, notification: Notification) -> Result<Next, Disconnected> {
        match (self.phase, notification.method.as_str()) {
            (_, "exit") => return Ok(Next::Exit),
            (Phase::Served(client), "initialized") => self.watch_tools(&client)?,
            (Phase::Served(_), _) => heed(self, notification)?,
            (Phase::Unknown | Phase::Over, _) => {}
        }
        Ok(Next::Message)
    }

    /// Asks the client to tell of changes of the files of `--tools`. Whether it will does not matter.
    fn watch_tools(&self, client: &Client) -> Result<(), Disconnected> {
        self.tell_of_tools()?;
        let files = self.config.tool_files.iter();
        let watchers: Vec<_> = files
            .filter_map(|path| path.file_name()?.to_str())
            .map(|name| json!({"globPattern": format!("**/{}", glob_of(name))}))
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
        let id = RequestId::from("watch-tools".to_owned());
        self.send(Request::new(id, method.to_owned(), registration))
    }

    /// Says when documents are not checked as they should be.
    fn tell_of_tools(&self) -> Result<(), Disconnected> {
        let Some(message) = self.known.restriction() else {
            return Ok(());
        };
        let kind = MessageType::Error;
        self.notify("window/showMessage", ShowMessageParams { kind, message })
    }

    /// Has the files of `--tools` read when they have changed, else the document checked whose findings
    /// are outdated for longest, if there is one, and nothing is being done.
    fn check_next(&mut self) {
        if self.checker.is_busy() {
            return;
        }
        if let Some(change) = self.changed_tools.take() {
            self.checker.begin(Job::Tools {
                known: self.known.clone(),
                open: self.open_tools(),
                change,
            });
        } else if let Some(document) = self.documents.take_outdated() {
            self.checker.begin(Job::Check {
                document,
                known: self.known.clone(),
                client: self.client(),
            });
        }
    }

    /// The texts of the files of `--tools` that are open.
    fn open_tools(&self) -> OpenTexts {
        let open = self.documents.all().into_iter();
        open.filter_map(|document| {
            let given = given_as(&self.config.tool_files, document.uri())?;
            Some((given.to_owned(), document.text().as_str().to_owned()))
        })
        .collect()
    }

    /// Takes what came of a job.
    fn take(&mut self, made: Made) -> Result<(), Disconnected> {
        self.checker.done();
        match made {
            Made::Findings(findings) => self.publish(findings),
            Made::Tools { known, change } => self.learn(known, change),
        }
    }

    /// Has all documents checked with what the files of `--tools` say now, if that is something else.
    fn learn(&mut self, known: Known, change: ToolChange) -> Result<(), Disconnected> {
        if !known.is_as(&self.known) {
            self.known = known;
            self.files.borrow_mut().forget();
            self.documents.check_all_again();
        }
        match change {
            ToolChange::Written => self.tell_of_tools(),
            // Whoever types sees what is wrong where it is.
            ToolChange::Typed => Ok(()),
        }
    }

    /// Sends what was found in a document, if it is still open.
    fn publish(&self, findings: Findings) -> Result<(), Disconnected> {
        if self.documents.has(&findings.document) {
            self.notify("textDocument/publishDiagnostics", findings.publication)
        } else {
            Ok(())
        }
    }

    fn notify(&self, method: &str, params: impl Serialize) -> Result<(), Disconnected> {
        self.send(Notification::new(method.to_owned(), params))
    }

    fn fail(
        &self,
        id: RequestId,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Result<(), Disconnected> {
        self.send(Response::new_err(id, code as i32, message.into()))
    }

    fn send(&self, message: impl Into<Message>) -> Result<(), Disconnected> {
        self.sender.send(message.into()).map_err(|_| Disconnected)
    }
}

/// Why a document that was set aside answers nothing.
fn unknown_text(uri: &Uri) -> Failure {
    Failure::refused(format!(
        "the text of `{uri}` is not known, because a change of it may have been lost; open it again"
    ))
}

/// A pattern for a name. Patterns have no escapes, so that any character may stand for one that means
/// something in them.
fn glob_of(name: &str) -> String {
    name.replace(['[', ']', '{', '}', '*', '?', '\\'], "?")
}

#[cfg(test)]
mod tests {
    use super::glob_of;

    #[test]
    fn no_character_of_a_name_means_more_than_itself_in_a_pattern() {
        assert_eq!(glob_of("tools-1.gram"), "tools-1.gram");
        assert_eq!(glob_of("a[b]{c,d}*?\\.gram"), "a?b??c,d????.gram");
    }
}
