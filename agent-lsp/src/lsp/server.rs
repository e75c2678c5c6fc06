//! Who owns the documents and answers, one message after another.

use super::capabilities::initialize_result;
use super::checker::{Checker, Findings, Job, Made, ToolChange};
use super::client::Client;
use super::diagnostics::retraction;
use super::documents::{Document, Documents};
use super::files::Files;
use super::known::{Known, OpenTexts, given_as, is_file_of};
use super::notification::heed;
use super::parent;
use super::request::{Failure, answer};
use super::transport::{Body, Closed, End, Inbox, Incoming, Outbox, Received, Refusal};
use super::workspace::roots_of;
use super::{Exit, ServerConfig};
use gen_lsp_types::{LogMessageParams, MessageType, ShowMessageParams, Uri};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the end waits for findings.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long findings wait for further edits that are there already.
const OVERDUE: Duration = Duration::from_millis(100);

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
    /// Since when the files of `--tools` are to be read again, and why.
    changed_tools: Option<(Instant, ToolChange)>,
    phase: Phase,
    checker: Checker,
    outbox: Outbox,
}

impl Server {
    /// A server that nobody has spoken to.
    pub(super) fn new(
        config: Arc<ServerConfig>,
        known: Known,
        checker: Checker,
        outbox: Outbox,
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
            outbox,
        }
    }

    /// Serves the client until it goes.
    ///
    /// Texts are checked when no message waits, so that of a burst of edits only the last one is, and
    /// all the same when messages never stop.
    pub(super) fn run(mut self, inbox: &Arc<Inbox>) -> Exit {
        let end = loop {
            let until = self.wait_until();
            let next = match inbox.receive(until.filter(|_| !self.checker.is_busy())) {
                Received::Incoming(incoming) => self.handle(incoming, inbox),
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
                Ok(Next::Message) if self.has_overdue() => self.check_next(),
                Ok(Next::Message) => {}
                Ok(Next::Exit) | Err(Closed) => break End::Closed,
            }
        };
        self.outbox.finish();
        match (end, self.phase) {
            (End::Lost(reason), _) => Exit::Lost(reason),
            (End::Closed, Phase::Over) => Exit::AfterShutdown,
            (End::Closed, _) => Exit::WithoutShutdown,
        }
    }

    /// Sends the findings of the last texts, to a client that closed only the pipe to us.
    fn send_what_is_due(&mut self, inbox: &Inbox) {
        let until = Instant::now() + PATIENCE;
        loop {
            if self.checker.is_busy() {
                let Some(made) = inbox.receive_made(until) else {
                    return;
                };
                if self.take(made).is_err() {
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
    pub(super) fn close(&mut self, uri: Uri) -> Result<(), Closed> {
        if self.documents.close(&uri) {
            self.notify("textDocument/publishDiagnostics", retraction(uri))
        } else {
            Ok(())
        }
    }

    /// Sets a document aside until its whole text comes, and takes back what was found in it: what its
    /// text is now only the client knows.
    pub(super) fn set_aside(&mut self, uri: Uri) -> Result<(), Closed> {
        if self.documents.set_aside(&uri) {
            self.notify("textDocument/publishDiagnostics", retraction(uri))
        } else {
            Ok(())
        }
    }

    /// Sets all open documents aside: a message was lost, and may have changed any.
    fn set_all_aside(&mut self) -> Result<(), Closed> {
        let open: Vec<Uri> = self
            .documents
            .all()
            .iter()
            .map(|it| it.uri().clone())
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let message = "a message was lost that may have changed a document; no open document is checked \
                       until its whole text comes, such as when it is opened again";
        self.log(MessageType::Error, message.to_owned())?;
        open.into_iter().try_for_each(|uri| self.set_aside(uri))
    }

    /// Takes note that the text of an address changed, which may be that of a file of `--tools`.
    pub(super) fn text_changed(&mut self, uri: &Uri, change: ToolChange) {
        if is_file_of(&self.config.tool_files, uri) {
            let (since, before) = self.changed_tools.unwrap_or((Instant::now(), change));
            self.changed_tools = Some((since, before.max(change)));
        }
    }

    /// Puts a line into the client's log.
    pub(super) fn log(&self, kind: MessageType, message: String) -> Result<(), Closed> {
        self.notify("window/logMessage", LogMessageParams { kind, message })
    }

    fn handle(&mut self, incoming: Incoming, inbox: &Arc<Inbox>) -> Result<Next, Closed> {
        match incoming {
            Incoming::Message(Message::Request(request)) => self.request(request, inbox)?,
            Incoming::Message(Message::Notification(notification)) => {
                return self.notification(notification);
            }
            // We ask for nothing whose answer we need.
            Incoming::Message(Message::Response(_)) => {}
            Incoming::Made(made) => self.take(*made)?,
            Incoming::Malformed(refusal) => {
                let is_loss = refusal.is_loss;
                self.outbox.send(Body::error(refusal))?;
                if is_loss {
                    self.set_all_aside()?;
                }
            }
            Incoming::Cancelled(id) => {
                self.fail(id, ErrorCode::RequestCanceled, "the request was cancelled")?;
            }
        }
        Ok(Next::Message)
    }

    fn request(&mut self, request: Request, inbox: &Arc<Inbox>) -> Result<(), Closed> {
        match (self.phase, request.method.as_str()) {
            (Phase::Unknown, "initialize") => {
                let client = Client::of(&request.params);
                self.roots = roots_of(&request.params);
                self.phase = Phase::Served(client);
                let (inbox, outbox) = (Arc::clone(inbox), self.outbox.clone());
                parent::watch(&request.params, move || {
                    inbox.end(End::Closed);
                    outbox.hurry();
                });
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
                self.changed_tools = None;
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
        let request = Body::request("watch-tools", method, &registration);
        self.outbox.send(request)
    }

    /// Says when documents are not checked as they should be.
    fn tell_of_tools(&self) -> Result<(), Closed> {
        let Some(message) = self.known.restriction() else {
            return Ok(());
        };
        let kind = MessageType::Error;
        self.notify("window/showMessage", ShowMessageParams { kind, message })
    }

    /// Until when to wait for messages before something is checked: not at all when something is to be.
    fn wait_until(&self) -> Option<Instant> {
        let tools = self.changed_tools.map(|(since, _)| since);
        let documents = self.documents.outdated_since();
        tools.into_iter().chain(documents).min()
    }

    /// Whether something has waited too long to let any more edits go first.
    fn has_overdue(&self) -> bool {
        self.wait_until()
            .is_some_and(|since| since.elapsed() > OVERDUE)
    }

    /// Has the files of `--tools` read when they have changed, else the document checked whose findings
    /// are outdated for longest, if there is one, and nothing is being done.
    fn check_next(&mut self) {
        if self.checker.is_busy() {
            return;
        }
        if let Some((_, change)) = self.changed_tools.take() {
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
    fn take(&mut self, made: Made) -> Result<(), Closed> {
        self.checker.done();
        match made {
            Made::Findings(findings) => self.publish(findings),
            Made::Tools { known, change } => self.learn(known, change),
        }
    }

    /// Has all documents checked with what the files of `--tools` say now, if that is something else.
    fn learn(&mut self, known: Known, change: ToolChange) -> Result<(), Closed> {
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
    fn publish(&self, findings: Findings) -> Result<(), Closed> {
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
