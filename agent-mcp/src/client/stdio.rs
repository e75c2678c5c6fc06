//! The transport to a server that was started as a command: a message a line.

use super::lines::Lines;
use super::list::PageSlot;
use super::process::{Pipes, Process};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, watch};

/// The maximum number of bytes of a message of a server, as over HTTP.
pub(crate) const MAX_MESSAGE: usize = 16 << 20;

/// The pipes to a server's process. rmcp's own transport drops a message that is too long or cannot be read, so that
/// its call would hang; this one ends the call with an error.
pub(crate) struct StdioTransport {
    lines: Lines<ChildStdout>,
    input: Arc<Mutex<Option<ChildStdin>>>,
    process: Process,
    page: PageSlot,
    /// The requests that were sent and have no answer yet.
    waiting: HashSet<RequestId>,
    /// Errors in place of answers.
    answers: VecDeque<ServerJsonRpcMessage>,
    /// Closed when the transport is dropped.
    _closed: watch::Sender<()>,
}

impl StdioTransport {
    /// Creates the transport. The receiver ends when it has been closed.
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
        let text = serde_json::to_vec(&message);
        let input = Arc::clone(&self.input);
        async move {
            let mut text = text?;
            text.push(b'\n');
            match &mut *input.lock().await {
                Some(input) => {
                    input.write_all(&text).await?;
                    input.flush().await
                }
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(answer) = self.answers.pop_front() {
                return Some(answer);
            }
            let line = match self.lines.next().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::debug!(target: "agent_mcp", %error, "a pipe to a server cannot be read");
                    return None;
                }
            };
            if line.is_cut {
                // Nobody knows which request it answers, because some servers write the id last.
                let problem = format!(
                    "the server wrote a message of more than {} MiB, which is the most",
                    MAX_MESSAGE >> 20
                );
                let waiting = self.waiting.drain();
                self.answers.extend(waiting.map(|id| failure(&problem, id)));
                continue;
            }
            match serde_json::from_slice::<ServerJsonRpcMessage>(line.bytes) {
                Ok(message) => {
                    let id = match &message {
                        JsonRpcMessage::Response(response) => Some(&response.id),
                        JsonRpcMessage::Error(error) => error.id.as_ref(),
                        _ => None,
                    };
                    if let Some(id) = id {
                        self.waiting.remove(id);
                    }
                    self.page.keep(&message, line.bytes);
                    return Some(message);
                }
                Err(error) => {
                    // Programs also write other lines to their standard output, such as a greeting.
                    tracing::debug!(target: "agent_mcp", %error, "a line of a server is no message");
                    if let Ok(Head {
                        id: Some(id),
                        method: None,
                    }) = serde_json::from_slice(line.bytes)
                        && self.waiting.remove(&id)
                    {
                        return Some(failure(
                            &format!("the server's answer cannot be read: {error}"),
                            id,
                        ));
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // A message that the server does not read holds the lock. The end of the process ends it.
        if let Ok(mut input) = self.input.try_lock() {
            input.take();
        }
        self.process.stop().await;
        Ok(())
    }
}

/// The part of an answer that can be read if the whole cannot.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

fn failure(problem: &str, id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, problem.to_owned(), None);
    ServerJsonRpcMessage::error(error, Some(id))
}
