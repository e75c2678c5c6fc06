//! The transport to a server that was started as a command: a message a line.

use super::message::{MAX_MESSAGE, answered_request, failure, read_message, too_long, unreadable};
use super::process::{Pipes, Process};
use crate::lines::{Lines, Output, write_line};
use crate::rmcp_workarounds::tool_page::PageSlot;
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, watch};

/// The pipes to a server's process. rmcp's own transport drops a message that is too long or cannot be read, so that
/// its call would hang; this one ends the call with an error.
pub(crate) struct StdioTransport {
    lines: Lines<ChildStdout>,
    input: Output<ChildStdin>,
    process: Process,
    page: PageSlot,
    /// The requests that were sent and have no answer yet.
    waiting: HashSet<RequestId>,
    /// The requests whose answers arrive too late. A server that needs more than ten seconds to start gets
    /// `initialize` before it has answered the first request, and answers both.
    late: HashSet<RequestId>,
    /// Errors in place of answers.
    answers: VecDeque<ServerJsonRpcMessage>,
    /// Closed when the transport is dropped.
    _closed: watch::Sender<()>,
}

impl StdioTransport {
    /// Creates the transport. The channel of the receiver closes when the transport has been closed.
    pub(crate) fn new(
        process: Process,
        pipes: Pipes,
        page: PageSlot,
    ) -> (Self, watch::Receiver<()>) {
        let (closed, when_closed) = watch::channel(());
        let transport = Self {
            lines: Lines::new(pipes.output, MAX_MESSAGE),
            input: Arc::new(Mutex::new(Some(pipes.input))),
            process,
            page,
            waiting: HashSet::new(),
            late: HashSet::new(),
            answers: VecDeque::new(),
            _closed: closed,
        };
        (transport, when_closed)
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Request(request) => {
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    self.late.extend(self.waiting.drain());
                }
                self.waiting.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
            }
            _ => {}
        }
        write_line(Arc::clone(&self.input), &message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(answer) = self.answers.pop_front() {
                return Some(answer);
            }
            let line = match self.lines.next().await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    // An ending process closes its output first. Errors then have its exit status.
                    self.process.wait().await;
                    return None;
                }
                Err(error) => {
                    tracing::debug!(target: "agent_mcp", %error, "a pipe to a server cannot be read");
                    return None;
                }
            };
            if line.is_cut {
                // It is unknown which request the line answers, because some servers write the id last.
                let waiting = self.waiting.drain();
                self.answers
                    .extend(waiting.map(|id| failure(too_long(), id)));
                continue;
            }
            match read_message(line.bytes) {
                Ok(received) => {
                    let id = match &received.message {
                        JsonRpcMessage::Response(response) => Some(&response.id),
                        JsonRpcMessage::Error(error) => error.id.as_ref(),
                        _ => None,
                    };
                    if let Some(id) = id {
                        self.waiting.remove(id);
                        if self.late.remove(id) {
                            continue;
                        }
                    }
                    return Some(received.kept_in(&self.page));
                }
                Err(problem) => {
                    // Programs also write other lines to their standard output, such as a greeting.
                    tracing::debug!(target: "agent_mcp", problem, "a line of a server is no message");
                    let id = answered_request(line.bytes);
                    if let Some(id) = id.filter(|id| self.waiting.remove(id)) {
                        return Some(unreadable(&problem, id));
                    }
                    self.process.record_other_line(line.bytes);
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // The lock is held while a message is written that the server does not read. The end of the process
        // ends the write.
        if let Ok(mut input) = self.input.try_lock() {
            input.take();
        }
        self.process.stop().await;
        Ok(())
    }
}
