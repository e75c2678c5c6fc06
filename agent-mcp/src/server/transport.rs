//! The transport of one client: a message a line.

use super::id::{self, Broken};
use super::requests::{Held, UnderWay};
use super::{MESSAGE_VALUES, memory_of};
use crate::lines::{Lines, Output, without_lone_surrogates, write_line};
use agent_spec::json::{too_many_values, value_count};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The streams of a client. rmcp's own transport reads requests without bound, so that a client that sends
/// many takes all memory. This transport lets a number of requests through at a time and holds further ones
/// as text. It continues to read notifications and answers, because a request may wait for them.
pub(super) struct ClientTransport<R, W> {
    lines: Lines<R>,
    /// The maximum number of bytes of a line.
    most: usize,
    output: Output<W>,
    under_way: Arc<UnderWay>,
    held: Held,
    /// An answer of the transport itself, which is written before the next line is read.
    answering: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    /// The time at which the server stops to wait for requests, if all lines were read.
    ends_at: Option<Instant>,
    /// Whether the request was received with which rmcp begins to serve. Before it, rmcp ends at a message
    /// that is no request.
    has_begun: bool,
    /// The number of lines before that request which were answered with an error.
    early: usize,
}

/// The maximum number of lines before the first request that are answered with an error. A peer that answers each error
/// with another line would be answered without end.
const MOST_EARLY: usize = 16;

/// The time in which a request must end after the last line was read and another request ended.
const ENDING: Duration = Duration::from_secs(5);

/// A line, as far as it is understood before it is parsed.
enum Read {
    /// A request with its id, and the memory that it takes.
    Request(RequestId, usize),
    /// A notification or an answer, and whether it has a method.
    Other(bool),
    /// A blank line.
    Blank,
    /// A line that is not JSON.
    NotJson(serde_json::Error),
    /// A message that is refused, with its id, if it is a request.
    Wrong(Option<RequestId>, String),
    /// A line that is refused because its text cannot be parsed.
    Broken(Broken, String),
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> ClientTransport<R, W> {
    /// Creates the transport. A line of more than `most` bytes is refused.
    pub(super) fn new(input: R, output: W, most: usize) -> Self {
        Self {
            lines: Lines::new(input, most).with_ends(),
            most,
            output: Arc::new(Mutex::new(Some(output))),
            under_way: Arc::default(),
            held: Held::new(most),
            answering: None,
            ends_at: None,
            has_begun: false,
            early: 0,
        }
    }

    /// Begins to answer a message that is not served.
    fn refuse(&mut self, id: Option<RequestId>, code: ErrorCode, problem: String) {
        let error = ErrorData::new(code, problem, None);
        let message = ServerJsonRpcMessage::error(error, id);
        self.answering = Some(Box::pin(write_line(Arc::clone(&self.output), &message)));
    }

    /// Begins to answer a line that cannot be parsed, unless it is an answer.
    fn refuse_broken(&mut self, found: Broken, code: ErrorCode, problem: String) {
        match found {
            Broken::Request(id) => self.refuse(Some(id), code, problem),
            Broken::Unknown => self.refuse(None, code, problem),
            Broken::Answer => tracing::debug!(problem, "an answer of a client cannot be read"),
        }
    }

    /// Begins to answer a line before the first request. The peer may be a person at a terminal, or a client of another
    /// protocol.
    fn refuse_early(&mut self, code: ErrorCode, problem: &str) {
        if self.early == MOST_EARLY {
            tracing::debug!(problem, "a line before the first request is passed over");
            return;
        }
        self.early += 1;
        let problem = format!(
            "{problem}; this is an MCP server, whose first message must be a request: `initialize`, or a request of the \
             revision 2026-07-28"
        );
        self.refuse(None, code, problem);
    }

    /// Parses a line that is a message.
    fn parse(&mut self, id: Option<RequestId>, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let parsed = serde_json::from_slice(line).or_else(|error| {
            let repaired = without_lone_surrogates(line);
            let repaired = repaired.and_then(|line| serde_json::from_slice(&line).ok());
            repaired.ok_or(error)
        });
        match parsed {
            Ok(message) => {
                if let JsonRpcMessage::Request(request) = &message {
                    self.has_begun |= begins_to_serve(&request.request);
                }
                Some(message)
            }
            Err(error) => {
                if let Some(id) = id {
                    self.under_way.end(&id);
                    let problem = format!("the request cannot be read: {error}");
                    self.refuse(Some(id), ErrorCode::INVALID_REQUEST, problem);
                } else {
                    tracing::debug!(%error, "a notification or an answer of a client cannot be read");
                }
                None
            }
        }
    }

    /// Lets a request through, or holds it until others have ended.
    fn take(
        &mut self,
        id: RequestId,
        memory: usize,
        line: Vec<u8>,
    ) -> Option<ClientJsonRpcMessage> {
        if self.under_way.has(&id) || self.held.has(&id) {
            let problem = "a request with this id has no answer yet".to_owned();
            self.refuse(Some(id), ErrorCode::INVALID_REQUEST, problem);
            return None;
        }
        if self.held.is_empty() && self.under_way.begin(&id, memory) {
            return self.parse(Some(id), &line);
        }
        if let Err(id) = self.held.push(id, memory, line) {
            let problem = "too many requests wait for others; send fewer at a time".to_owned();
            self.refuse(Some(id), ErrorCode(-32000), problem);
        }
        None
    }

    /// Returns the next request that was held, if it can be let through.
    fn next_held(&mut self) -> Option<ClientJsonRpcMessage> {
        let (id, memory) = self.held.first()?;
        if !self.under_way.begin(id, memory) {
            return None;
        }
        let (id, line) = self.held.pop()?;
        self.parse(Some(id), &line)
    }
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
            if written.is_err() {
                under_way.client_is_gone();
            }
            // A request ends only when its answer was written. Otherwise a client that does not read its
            // answers would be sent more and more of them.
            if let Some(id) = id {
                under_way.end(&id);
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
            if self.under_way.is_client_gone() {
                return None;
            }
            if let Some(message) = self.next_held() {
                return Some(message);
            }
            if self.answering.is_some() {
                continue;
            }
            if let Some(ends_at) = self.ends_at {
                // Requests from before the end are still answered.
                if self.held.is_empty() && self.under_way.is_empty() {
                    return None;
                }
                let ended = tokio::time::timeout_at(ends_at, self.under_way.ended());
                ended.await.ok()?;
                self.ends_at = Some(Instant::now() + ENDING);
                continue;
            }
            let line = tokio::select! {
                biased;
                () = self.under_way.ended() => continue,
                line = self.lines.next() => line,
            };
            let line = match line {
                Ok(Some(line)) => {
                    let bytes = line.bytes;
                    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
                    if line.is_cut {
                        let found = id::find(bytes, line.end);
                        let problem = format!("a message has at most {} bytes", self.most);
                        self.refuse_broken(found, ErrorCode::INVALID_REQUEST, problem);
                        continue;
                    }
                    bytes.to_vec()
                }
                Ok(None) => {
                    self.ends_at = Some(Instant::now() + ENDING);
                    continue;
                }
                Err(error) => {
                    tracing::debug!(%error, "the pipe of a client cannot be read");
                    return None;
                }
            };
            match read(&line) {
                Read::Request(id, memory) => {
                    if let Some(message) = self.take(id, memory, line) {
                        return Some(message);
                    }
                }
                Read::Other(has_method) if !self.has_begun => {
                    let problem = match has_method {
                        true => "the message has no `id` that is a number or a string",
                        false => "the message has no `method`",
                    };
                    self.refuse_early(ErrorCode::INVALID_REQUEST, problem);
                }
                Read::NotJson(error) if !self.has_begun => {
                    let problem = format!("the line is not JSON: {error}");
                    self.refuse_early(ErrorCode::PARSE_ERROR, &problem);
                }
                Read::Other(_) => {
                    let Some(message) = self.parse(None, &line) else {
                        continue;
                    };
                    if let JsonRpcMessage::Notification(sent) = &message
                        && let ClientNotification::CancelledNotification(cancelled) =
                            &sent.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.held.remove(id);
                        // A request that was cancelled gets no answer.
                        self.under_way.end(id);
                    }
                    return Some(message);
                }
                Read::Blank => {}
                // Other servers ignore such a line as well, because answering it could begin an endless
                // exchange.
                Read::NotJson(error) => {
                    tracing::debug!(%error, "a line of a client is not JSON");
                }
                Read::Broken(found, problem) => {
                    self.refuse_broken(found, ErrorCode::PARSE_ERROR, problem);
                }
                Read::Wrong(id, problem) => self.refuse(id, ErrorCode::INVALID_REQUEST, problem),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Whether rmcp begins to serve with a request. A ping and a question for revisions do not decide which revision the client
/// speaks.
fn begins_to_serve(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            let version = meta.protocol_version();
            missing.is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// Reads as much of a line as is needed to know its kind, without the memory that its values take.
fn read(line: &[u8]) -> Read {
    #[derive(Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    if line.trim_ascii().is_empty() {
        return Read::Blank;
    }
    if let Err(error) = std::str::from_utf8(line) {
        let problem = format!("the line is not UTF-8 after {} bytes", error.valid_up_to());
        return Read::Broken(id::find(line, line), problem);
    }
    let head: Head = match serde_json::from_slice(line) {
        Ok(head) => head,
        Err(error) if error.is_data() => {
            tracing::debug!(%error, "a line of a client is no message");
            let problem =
                "the line is no message, which is an object whose `id` is a number or a string";
            return Read::Wrong(None, problem.to_owned());
        }
        Err(error) => {
            return match id::find(line, &[]) {
                found @ Broken::Request(_) => {
                    Read::Broken(found, format!("the line is not JSON: {error}"))
                }
                _ => Read::NotJson(error),
            };
        }
    };
    let has_method = head.method.is_some();
    let id = head.id.filter(|_| has_method);
    let values = value_count(line);
    if values > MESSAGE_VALUES {
        let values = too_many_values(MESSAGE_VALUES);
        return Read::Wrong(id, format!("the message has {values}"));
    }
    match id {
        Some(id) => Read::Request(id, memory_of(line, values)),
        None => Read::Other(has_method),
    }
}
