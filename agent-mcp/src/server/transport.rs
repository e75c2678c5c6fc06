//! The transport of one client: a message a line.

use super::MESSAGE_VALUES;
use super::id::{self, Broken};
use crate::lines::{Line, Lines, Output, write_line};
use agent_spec::json::{has_more_values_than, too_many_values};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};

/// The streams of a client. rmcp's own transport ignores a line that is too long or cannot be read, so that the client would
/// wait for the answer; this one refuses the request.
pub(super) struct ClientTransport<R, W> {
    lines: Lines<R>,
    /// The maximum number of bytes of a line.
    most: usize,
    output: Output<W>,
    under_way: Arc<Mutex<UnderWay>>,
    /// An answer of the transport itself, before the next line is read.
    answering: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
}

/// The requests that have no answer yet.
#[derive(Default)]
struct UnderWay {
    ids: HashSet<RequestId>,
    /// Whether an answer could not be written.
    is_client_gone: bool,
}

/// A line that was read.
enum Read {
    Request(RequestId, ClientJsonRpcMessage),
    /// A notification or an answer.
    Other(ClientJsonRpcMessage),
    /// A line that is passed over.
    Nothing,
    /// A line that is refused, with its id, if it is a request.
    Wrong(Option<RequestId>, ErrorCode, String),
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> ClientTransport<R, W> {
    /// Creates the transport. A line of more bytes is refused.
    pub(super) fn new(input: R, output: W, most: usize) -> Self {
        Self {
            lines: Lines::new(input, most),
            most,
            output: Arc::new(tokio::sync::Mutex::new(Some(output))),
            under_way: Arc::default(),
            answering: None,
        }
    }

    /// Begins to answer a message that is not served.
    fn refuse(&mut self, id: Option<RequestId>, code: ErrorCode, problem: String) {
        let error = ErrorData::new(code, problem, None);
        let message = ServerJsonRpcMessage::error(error, id);
        self.answering = Some(Box::pin(write_line(Arc::clone(&self.output), &message)));
    }
}

fn lock(under_way: &Mutex<UnderWay>) -> MutexGuard<'_, UnderWay> {
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R, W> Transport<RoleServer> for ClientTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let under_way = Arc::clone(&self.under_way);
        let writing = write_line(Arc::clone(&self.output), &message);
        async move {
            let written = writing.await;
            let mut under_way = lock(&under_way);
            under_way.is_client_gone |= written.is_err();
            if let Some(id) = id {
                under_way.ids.remove(&id);
            }
            written
        }
    }

    /// Returns the next message. Dropping the future loses nothing.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                answered.ok()?;
            }
            // Nobody reads the answers to further requests.
            if lock(&self.under_way).is_client_gone {
                return None;
            }
            let read = match self.lines.next().await {
                Ok(line) => read(&line?, self.most),
                Err(error) => {
                    tracing::debug!(%error, "the pipe of a client cannot be read");
                    return None;
                }
            };
            match read {
                Read::Request(id, message) => {
                    if lock(&self.under_way).ids.insert(id.clone()) {
                        return Some(message);
                    }
                    let problem = "a request with this id has no answer yet".to_owned();
                    self.refuse(Some(id), ErrorCode::INVALID_REQUEST, problem);
                }
                Read::Other(message) => {
                    if let JsonRpcMessage::Notification(sent) = &message
                        && let ClientNotification::CancelledNotification(cancelled) =
                            &sent.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        // A request that was cancelled gets no answer.
                        lock(&self.under_way).ids.remove(id);
                    }
                    return Some(message);
                }
                Read::Nothing => {}
                Read::Wrong(id, code, problem) => self.refuse(id, code, problem),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Reads a line. `most` is the maximum number of its bytes.
fn read(line: &Line<'_>, most: usize) -> Read {
    #[derive(Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    let text = line.bytes;
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    if let Some(end) = line.end {
        let problem = format!("a message has at most {most} bytes");
        return broken(id::find(text, end), ErrorCode::INVALID_REQUEST, problem);
    }
    if text.trim_ascii().is_empty() {
        return Read::Nothing;
    }
    if let Err(error) = std::str::from_utf8(text) {
        let problem = format!("the line is not UTF-8 after {} bytes", error.valid_up_to());
        return broken(id::find(text, text), ErrorCode::PARSE_ERROR, problem);
    }
    let head: Head = match serde_json::from_slice(text) {
        Ok(head) => head,
        Err(error) if error.is_data() => {
            let problem = format!("the line is no message: {error}");
            return Read::Wrong(None, ErrorCode::INVALID_REQUEST, problem);
        }
        Err(error) => {
            return match id::find(text, &[]) {
                found @ Broken::Request(_) => {
                    let problem = format!("the line is not JSON: {error}");
                    broken(found, ErrorCode::PARSE_ERROR, problem)
                }
                // Other servers pass over it as well: answering could begin an endless exchange.
                _ => {
                    tracing::debug!(%error, "a line of a client is not JSON");
                    Read::Nothing
                }
            };
        }
    };
    let id = head.id.filter(|_| head.method.is_some());
    if has_more_values_than(text, MESSAGE_VALUES) {
        let problem = format!("the message has {}", too_many_values(MESSAGE_VALUES));
        return Read::Wrong(id, ErrorCode::INVALID_REQUEST, problem);
    }
    match (serde_json::from_slice(text), id) {
        (Ok(message), Some(id)) => Read::Request(id, message),
        (Ok(message), None) => Read::Other(message),
        (Err(error), Some(id)) => {
            let problem = format!("the request cannot be read: {error}");
            Read::Wrong(Some(id), ErrorCode::INVALID_REQUEST, problem)
        }
        (Err(error), None) => {
            tracing::debug!(%error, "a notification or an answer of a client cannot be read");
            Read::Nothing
        }
    }
}

/// Refuses a line that cannot be parsed, unless it is an answer.
fn broken(found: Broken, code: ErrorCode, problem: String) -> Read {
    match found {
        Broken::Request(id) => Read::Wrong(Some(id), code, problem),
        Broken::Unknown => Read::Wrong(None, code, problem),
        Broken::Answer => {
            tracing::debug!(problem, "an answer of a client cannot be read");
            Read::Nothing
        }
    }
}
