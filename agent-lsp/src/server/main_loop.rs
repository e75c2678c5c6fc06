//! The main loop: messages of the client, results of the checker, and the life cycle of the connection.

use super::capabilities::initialize_result;
use super::checker::{Checker, Job, JobResult};
use super::client::ClientCapabilities;
use super::documents::Documents;
use super::loaded_tools::{LoadedTools, OpenTexts, ToolFileChange, tool_file_at};
use super::notification::handle_notification;
use super::parent_process;
use super::request::handle_request;
use super::state::{Disconnected, State};
use super::workspace::workspace_roots;
use agent_spec::terminal;
use crossbeam_channel::{Receiver, never, select};
use gen_lsp_types::{MessageType, ShowMessageParams};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::json;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The maximum time for the last checks after the input ended.
const LAST_CHECKS_TIMEOUT: Duration = Duration::from_secs(5);

/// The reason why the main loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The client sent `exit`, or the input ended.
    EndOfMessages,
    /// The client closed the output of the server, or the client's process is gone.
    Disconnected,
    /// The thread that checks documents panicked.
    CheckerPanicked,
}

/// An event of the main loop.
enum Event {
    /// The client sent a message.
    Message(Message),
    /// A job of the checker is done.
    JobDone(JobResult),
    /// The input ended.
    EndOfInput,
    /// The loop must stop.
    Stop(StopReason),
}

/// The phase of the connection.
#[derive(Clone, Copy)]
enum Phase {
    /// Before `initialize`.
    Uninitialized,
    /// Between `initialize` and `shutdown`.
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// The state of the server, with the checker and the channels that drive it.
pub(super) struct MainLoop {
    state: State,
    phase: Phase,
    checker: Checker,
    /// A channel that is disconnected when the client's process is gone.
    parent: Receiver<Infallible>,
    /// A channel that is disconnected when the client has closed the output of the server.
    reading: Receiver<Infallible>,
}

impl MainLoop {
    /// Creates the loop before `initialize`.
    pub(super) fn new(state: State, checker: Checker, reading: Receiver<Infallible>) -> Self {
        Self {
            state,
            phase: Phase::Uninitialized,
            checker,
            parent: never(),
            reading,
        }
    }

    /// Runs until the connection ends. Returns the reason, and whether the client sent `shutdown`.
    pub(super) fn run(mut self, messages: &Receiver<Message>) -> (StopReason, bool) {
        let reason = loop {
            self.start_next_job();
            let handled = match self.next_event(messages) {
                Event::Message(message) => self.handle(message),
                Event::JobDone(result) => self.apply(result).map(ControlFlow::Continue),
                Event::EndOfInput => {
                    self.finish_jobs();
                    break StopReason::EndOfMessages;
                }
                Event::Stop(reason) => break reason,
            };
            match handled {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break StopReason::EndOfMessages,
                Err(Disconnected) => break StopReason::Disconnected,
            }
        };
        (reason, matches!(self.phase, Phase::ShutDown))
    }

    fn next_event(&self, messages: &Receiver<Message>) -> Event {
        select! {
            recv(messages) -> message => message.map_or(Event::EndOfInput, Event::Message),
            recv(self.checker.results()) -> result => {
                result.map_or(Event::Stop(StopReason::CheckerPanicked), Event::JobDone)
            }
            recv(self.parent) -> _ => Event::Stop(StopReason::Disconnected),
            recv(self.reading) -> _ => Event::Stop(StopReason::Disconnected),
        }
    }

    /// Starts the next job, if the checker is not busy: reading changed tool files, or else checking the
    /// document whose diagnostics are outdated for longest.
    ///
    /// Edits that arrive during a check are checked together afterwards.
    fn start_next_job(&mut self) {
        if self.checker.is_busy() {
            return;
        }
        if let Some(change) = self.state.tool_file_change.take() {
            self.checker.start_job(Job::ReloadTools {
                tools: self.state.tools.clone(),
                open: self.open_tool_files(),
                change,
            });
        } else if let Some(document) = self.state.documents.take_outdated() {
            self.checker.start_job(Job::Check {
                document,
                tools: self.state.tools.clone(),
                client: self.state.client,
            });
        }
    }

    /// Finishes all jobs after the input ended, because the client may still read diagnostics.
    fn finish_jobs(&mut self) {
        let deadline = Instant::now() + LAST_CHECKS_TIMEOUT;
        while self.checker.is_busy() {
            let Ok(result) = self.checker.results().recv_deadline(deadline) else {
                return;
            };
            if self.apply(result).is_err() {
                return;
            }
            self.start_next_job();
        }
    }

    fn apply(&mut self, result: JobResult) -> Result<(), Disconnected> {
        self.checker.finish_job();
        match result {
            JobResult::Diagnostics { document, params } => {
                if self.state.documents.is_open(&document) {
                    self.state.notify("textDocument/publishDiagnostics", params)
                } else {
                    Ok(())
                }
            }
            JobResult::Tools { tools, change } => self.replace_tools(tools, change),
        }
    }

    /// Replaces the tools, and checks all documents again if the tools are different.
    fn replace_tools(
        &mut self,
        tools: LoadedTools,
        change: ToolFileChange,
    ) -> Result<(), Disconnected> {
        if !tools.is_equivalent(&self.state.tools) {
            self.state.tools = tools;
            self.state.files.borrow_mut().clear();
            self.state.documents.mark_all_outdated();
        }
        match change {
            ToolFileChange::Saved => self.show_tool_error(),
            // The diagnostics of the edited file show its errors.
            ToolFileChange::Edited => Ok(()),
        }
    }

    /// Shows the error of the tool files to the user, if there is one.
    fn show_tool_error(&self) -> Result<(), Disconnected> {
        let Some(message) = self.state.tools.error_message() else {
            return Ok(());
        };
        let (kind, message) = (MessageType::Error, terminal::text(&message));
        self.state
            .notify("window/showMessage", ShowMessageParams { kind, message })
    }

    /// Returns the texts of the tool files that are open.
    fn open_tool_files(&self) -> OpenTexts {
        let open = self.state.documents.all().into_iter();
        open.filter_map(|document| {
            let file = tool_file_at(&self.state.config.tool_files, document.uri())?;
            Some((file.to_owned(), document.text().as_str().to_owned()))
        })
        .collect()
    }

    fn handle(&mut self, message: Message) -> Result<ControlFlow<()>, Disconnected> {
        match message {
            Message::Request(request) => self.request(request).map(ControlFlow::Continue),
            Message::Notification(notification) => self.notification(notification),
            // The server needs no result of its own requests.
            Message::Response(_) => Ok(ControlFlow::Continue(())),
        }
    }

    fn request(&mut self, request: Request) -> Result<(), Disconnected> {
        match (self.phase, request.method.as_str()) {
            (Phase::Uninitialized, "initialize") => {
                self.phase = Phase::Running;
                self.parent = parent_process::watch(&request.params);
                self.state.client = ClientCapabilities::from_params(&request.params);
                self.state.roots = workspace_roots(&request.params);
                let result = initialize_result(&self.state.client);
                self.state.send(Response::new_ok(request.id, result))
            }
            (Phase::Uninitialized, method) => {
                let message = format!("found `{method}` where `initialize` should come first");
                self.fail(request.id, ErrorCode::ServerNotInitialized, message)
            }
            (Phase::Running, "initialize") => {
                let message = "found `initialize` for the second time";
                self.fail(request.id, ErrorCode::InvalidRequest, message)
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                // No further diagnostics are sent.
                self.state.documents = Documents::default();
                self.state.tool_file_change = None;
                self.state.send(Response::new_ok(request.id, ()))
            }
            (Phase::Running, _) => self.state.send(handle_request(&self.state, request)),
            (Phase::ShutDown, method) => {
                let message = format!("found `{method}` after `shutdown`; only `exit` may come");
                self.fail(request.id, ErrorCode::InvalidRequest, message)
            }
        }
    }

    fn fail(
        &self,
        id: RequestId,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Result<(), Disconnected> {
        self.state.send(Response::new_err(
            id,
            code as i32,
            terminal::text(&message.into()),
        ))
    }

    fn notification(
        &mut self,
        notification: Notification,
    ) -> Result<ControlFlow<()>, Disconnected> {
        match (self.phase, notification.method.as_str()) {
            (_, "exit") => return Ok(ControlFlow::Break(())),
            (Phase::Running, "initialized") => {
                self.show_tool_error()?;
                self.watch_tool_files()?;
            }
            (Phase::Running, _) => handle_notification(&mut self.state, notification)?,
            (Phase::Uninitialized | Phase::ShutDown, _) => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Asks the client to report changes of the tool files, and of gram files, which may belong to a
    /// project. The response is ignored.
    fn watch_tool_files(&self) -> Result<(), Disconnected> {
        let files = self.state.config.tool_files.iter();
        if !self.state.client.watches_files {
            return Ok(());
        }
        let mut watchers: Vec<_> = files
            .filter_map(|path| path.file_name()?.to_str())
            .map(|name| json!({"globPattern": format!("**/{}", glob_of(name))}))
            .collect();
        watchers.push(json!({"globPattern": "**/*.gram"}));
        let registration = json!({"registrations": [{
            "id": "tools",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": watchers},
        }]});
        let id = RequestId::from("watch-tools".to_owned());
        let method = "client/registerCapability".to_owned();
        self.state.send(Request::new(id, method, registration))
    }
}

/// Returns a glob that matches a name. Globs have no escapes, so special characters become `?`.
fn glob_of(name: &str) -> String {
    name.replace(['[', ']', '{', '}', '*', '?', '\\'], "?")
}

#[cfg(test)]
mod tests {
    use super::glob_of;

    #[test]
    fn glob_of_a_name_has_no_other_special_characters_than_question_marks() {
        assert_eq!(glob_of("tools-1.gram"), "tools-1.gram");
        assert_eq!(glob_of("a[b]{c,d}*?\\.gram"), "a?b??c,d????.gram");
    }
}
