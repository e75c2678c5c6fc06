//! A running server: its start, its requests and its end.

use super::error::{Challenge, ERROR_TEXT, Kind, McpError};
use super::handler::{Handler, Progress, Reported, refused};
use super::message::is_unread;
use super::process::{End, Process};
use super::server::{McpServer, Reach};
use super::stdio::StdioTransport;
use super::tool_list::ToolList;
use crate::rmcp_workarounds::tool_page::PageSlot;
use agent_runtime::__private::{shortened, with_causes};
use agent_runtime::redact::Redactor;
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::{ToolContext, ToolError};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ErrorData, InputRequest,
    ProtocolVersion, ServerPeerInfo, ServerResult, SubscriptionFilter,
};
use rmcp::service::{ClientInitializeError, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::transport::DynamicTransportError;
use rmcp::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient, ServiceError};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// The maximum number of times that a server may ask for input in one call, because a broken server would ask forever.
const MAX_ROUNDS: usize = 10;

/// The maximum number of questions at once. A hostile server can ask without end, which would fill the memory and the
/// screen.
const MAX_QUESTIONS: usize = 16;

/// A running server. Dropping the session ends it.
pub(crate) struct Session {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    pub(super) page: PageSlot,
    /// The redactor for the list of tools, into which a server may write a key that it was given.
    pub(super) redactor: Redactor,
    end: End,
    /// Closed together with the transport; `None` if its end cannot be awaited.
    closed: Option<watch::Receiver<()>>,
    listener: Option<AbortHandle>,
    /// The number of changes of the list of tools that were read.
    changes_read: AtomicU64,
    /// Whether a request failed because the server has ended.
    has_ended: AtomicBool,
}

/// The reason why a request has no result.
pub(crate) enum RequestError {
    /// The server ended, or could not be reached any more.
    Ended,
    /// The server asks for a sign-in, and did not do what was requested.
    Unauthorized(Challenge),
    Failed(String),
    /// The server answered, and the answer cannot be used: it has done what was requested, or has failed.
    Unread(String),
    Tool(ToolError),
}

impl Session {
    /// Starts a server and reads its tools, within the connect timeout.
    pub(crate) async fn start(
        server: &McpServer,
        name: &Arc<str>,
        initializes: bool,
    ) -> Result<(Session, ToolList), McpError> {
        let end = End::default();
        let started = async {
            let mut session = match begin(server, name, initializes, &end).await {
                // Some servers of older revisions end at the first request with an unknown method, or answer it
                // with an empty result.
                Err((newer, true)) if !initializes => {
                    let begun = begin(server, name, true, &end).await;
                    begun.map_err(|(older, _)| older.after(&newer))
                }
                begun => begun.map_err(|(error, _)| error),
            }?;
            match session.list().await {
                Ok(list) => {
                    session.listen();
                    Ok((session, list))
                }
                Err(RequestError::Unauthorized(challenge)) => {
                    Err(unauthorized(server, challenge).await)
                }
                Err(error) => {
                    if matches!(error, RequestError::Ended) {
                        session.end.settle().await;
                    }
                    let error = server.redactor.log_text(&error.words());
                    let ended = session.end.words();
                    let text =
                        format!("the tools of the server `{name}` cannot be read: {error}{ended}");
                    Err(McpError::new(Kind::Server, text))
                }
            }
        };
        match timeout(server.connect_timeout, started).await {
            Ok(started) => started,
            Err(_) => {
                let time = server.connect_timeout;
                let ended = end.words();
                let text = format!("the server `{name}` did not answer within {time:?}{ended}");
                Err(McpError::new(Kind::Timeout, text))
            }
        }
    }

    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer().peer_info()
    }

    /// Ends the server, and waits until it has ended.
    pub(crate) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(mut closed) = self.closed.clone() {
            // Nothing is sent; the channel only closes.
            let _ = closed.changed().await;
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed) || self.service.is_transport_closed()
    }

    /// Returns how the server ended, as a part of an error.
    pub(crate) async fn end(&self) -> String {
        self.end.settle().await;
        self.end.words()
    }

    /// Returns the number of changes of the list of tools, if not all of them were read.
    pub(crate) fn change(&self) -> Option<u64> {
        let changes = self.handler.changes.load(Ordering::SeqCst);
        (changes != self.changes_read.load(Ordering::SeqCst)).then_some(changes)
    }

    /// Records that the list of tools was read after this number of changes.
    pub(crate) fn has_read(&self, change: u64) {
        self.changes_read.store(change, Ordering::SeqCst);
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Asks for the notifications of changed lists, which servers of the newer revision only send when asked.
    fn listen(&mut self) {
        let peer = self.peer().clone();
        let info = peer.peer_info();
        let tells = info.is_some_and(|info| {
            let tools = info.capabilities.tools.as_ref();
            !info.protocol_version.has_initialize()
                && tools.is_some_and(|tools| tools.list_changed == Some(true))
        });
        if !tells {
            return;
        }
        let changes = Arc::clone(&self.handler.changes);
        let listener = tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let subscription = peer.listen(filter).await;
            // Without its own reference the listener does not keep the connection open.
            drop(peer);
            match subscription {
                Ok(mut subscription) => {
                    while let Ok(Some(_)) = subscription.next().await {
                        changes.fetch_add(1, Ordering::SeqCst);
                    }
                }
                Err(error) => {
                    tracing::debug!(target: "agent_mcp", %error, "a server does not tell of changed tools");
                }
            }
        });
        self.listener = Some(listener.abort_handle());
    }

    /// Calls a tool, and answers the server's questions.
    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<CallToolResult, RequestError> {
        let mut params =
            CallToolRequestParams::new(name.to_owned()).with_arguments(arguments.clone());
        for _ in 0..MAX_ROUNDS {
            let request = CallToolRequest::new(params.clone());
            let request = ClientRequest::CallToolRequest(request);
            let asked = match self.request(request, Some(context)).await? {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::EmptyResult(_) => return Ok(CallToolResult::default()),
                ServerResult::InputRequiredResult(asked) => asked,
                ServerResult::CreateTaskResult(_) => {
                    let problem = "it answered with a task, which this client did not ask for";
                    return Err(RequestError::Unread(problem.to_owned()));
                }
                _ => {
                    let problem = "its answer is no result of a tool";
                    return Err(RequestError::Unread(problem.to_owned()));
                }
            };
            let questions = asked.input_requests.unwrap_or_default();
            if questions.is_empty() && asked.request_state.is_none() {
                let problem = "it asked for input without a question";
                return Err(RequestError::Failed(problem.to_owned()));
            }
            params.input_responses = self.answers(questions).await?;
            params.request_state = asked.request_state;
        }
        Err(RequestError::Failed(format!(
            "it asked for input more than {MAX_ROUNDS} times"
        )))
    }

    /// Answers the questions of a server, one after another.
    async fn answers(
        &self,
        questions: BTreeMap<String, InputRequest>,
    ) -> Result<Option<BTreeMap<String, Value>>, RequestError> {
        if questions.len() > MAX_QUESTIONS {
            let count = questions.len();
            let problem =
                format!("it asked {count} questions at once; the most is {MAX_QUESTIONS}");
            return Err(RequestError::Failed(problem));
        }
        let mut answers = BTreeMap::new();
        for (key, question) in questions {
            let method = match question {
                InputRequest::Elicitation(question) => {
                    let answer = self.handler.answer(question.params).await;
                    let answer = serde_json::to_value(answer)
                        .map_err(|error| RequestError::Tool(ToolError::execution(error)))?;
                    answers.insert(key, answer);
                    continue;
                }
                InputRequest::CreateMessage(_) => "sampling/createMessage",
                InputRequest::ListRoots(_) => "roots/list",
                _ => "a question of an unknown form",
            };
            return Err(RequestError::Failed(refused(method).message.into_owned()));
        }
        Ok((!answers.is_empty()).then_some(answers))
    }

    /// Sends a request and waits for the answer. Dropping the future sends the server a cancellation of the
    /// request.
    pub(super) async fn request(
        &self,
        request: ClientRequest,
        context: Option<&ToolContext>,
    ) -> Result<ServerResult, RequestError> {
        let answer = self.send(request, context).await;
        answer.map_err(|error| {
            let error = RequestError::from(error);
            if matches!(error, RequestError::Ended) {
                self.has_ended.store(true, Ordering::Relaxed);
            }
            error
        })
    }

    async fn send(
        &self,
        request: ClientRequest,
        context: Option<&ToolContext>,
    ) -> Result<ServerResult, ServiceError> {
        let progress = &self.handler.progress;
        let mut waiting = progress.lock().await;
        let sent = self
            .peer()
            .send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = sent.await?;
        if let Some(context) = context {
            let reported = Reported::new(context.clone());
            waiting.insert(handle.progress_token.clone(), reported);
        }
        drop(waiting);
        let in_flight = InFlight {
            handle: Some(handle),
            progress: Arc::clone(progress),
        };
        in_flight.answer().await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

/// Starts a server. The flag of an error is `true` if a server of an older revision may fail in this way.
async fn begin(
    server: &McpServer,
    name: &Arc<str>,
    initializes: bool,
    end: &End,
) -> Result<Session, (McpError, bool)> {
    let handler = Handler::new(Arc::clone(name), server.input.clone());
    let page = PageSlot::default();
    let legacy_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    let lifecycle = match initializes {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28, legacy_version.clone()],
            legacy_version: Some(legacy_version),
        },
    };
    let service = handler.clone();
    let (service, end, closed) = match &server.reach {
        Reach::Command(command) => {
            let started = Process::start(name, command, &server.redactor, end.clone());
            let (process, pipes, end) = started.map_err(|error| {
                let program = command.program.to_string_lossy();
                let advice = match program.starts_with("python") {
                    true => "; is its virtual environment active?",
                    false => "",
                };
                let text = format!(
                    "the command `{program}` of the server `{name}` cannot be started: {error}{advice}"
                );
                (McpError::new(Kind::Configuration, text), false)
            })?;
            let (transport, closed) = StdioTransport::new(process, pipes, page.clone());
            let mut when_closed = closed.clone();
            match service.serve_with_lifecycle(transport, lifecycle).await {
                Ok(service) => (service, end, Some(closed)),
                Err(error) => {
                    // The process was killed together with the transport, which rmcp drops.
                    let _ = when_closed.changed().await;
                    end.settle().await;
                    return Err(failed(server, &error, &end).await);
                }
            }
        }
        Reach::Http(endpoint) => {
            let transport = endpoint
                .transport(page.clone())
                .map_err(|error| (error.of_server(name), false))?;
            match service.serve_with_lifecycle(transport, lifecycle).await {
                Ok(service) => (service, end.clone(), None),
                Err(error) => return Err(failed(server, &error, end).await),
            }
        }
    };
    Ok(Session {
        service,
        handler,
        page,
        redactor: server.redactor.clone(),
        end,
        closed,
        listener: None,
        changes_read: AtomicU64::new(0),
        has_ended: AtomicBool::new(false),
    })
}

/// Returns the error of a server that could not be connected, and whether a server of an older revision may fail in this
/// way.
async fn failed(server: &McpServer, error: &ClientInitializeError, end: &End) -> (McpError, bool) {
    let name = &server.name;
    // A failed fallback is excluded, because there this is the result of `initialize`.
    let has_other_result = matches!(error, ClientInitializeError::ExpectedInitResult(_));
    let error = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => fallback,
        error => error,
    };
    if let ClientInitializeError::TransportError { error, .. } = error
        && let Some(challenge) = challenge_of(error)
    {
        return (unauthorized(server, challenge).await, false);
    }
    let ended = matches!(
        error,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
    );
    let words = match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended".to_owned(),
        ClientInitializeError::TransportError { error, .. } => match is_forbidden(error) {
            true => server.with_possible_advice(transport_words(error)).await,
            false => transport_words(error),
        },
        ClientInitializeError::JsonRpcError(error) => error_words(error),
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to the first request has another form than was asked".to_owned()
        }
        ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "it answered a request that nobody made".to_owned()
        }
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => {
            let versions: Vec<&str> = server_supported
                .iter()
                .map(ProtocolVersion::as_str)
                .collect();
            let versions = versions.join(", ");
            format!(
                "it speaks the revisions {versions} of the protocol, and this client 2026-07-28 and earlier ones"
            )
        }
        error => error.to_string(),
    };
    let words = server.redactor.log_text(&shortened(&words, ERROR_TEXT));
    let text = format!(
        "the server `{name}` cannot be connected: {words}{}",
        end.words()
    );
    (McpError::new(Kind::Server, text), ended || has_other_result)
}

/// Returns the error of a server that wants a sign-in.
async fn unauthorized(server: &McpServer, challenge: Challenge) -> McpError {
    let words = challenge.words();
    let words = server
        .redactor
        .log_text(words.strip_prefix("it ").unwrap_or(&words));
    let name = &server.name;
    let text = match challenge.is_about_scopes {
        true => format!("the server `{name}` refuses the request: {words}"),
        false => format!("the server `{name}` {words}"),
    };
    let text = server.with_advice(text, &challenge).await;
    McpError::new(Kind::Unauthorized, text).with_challenge(challenge)
}

/// A request that has no answer yet. Dropping it cancels the request.
struct InFlight {
    handle: Option<RequestHandle<RoleClient>>,
    progress: Progress,
}

impl InFlight {
    async fn answer(mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = &mut self.handle else {
            return Err(ServiceError::TransportClosed);
        };
        let answer = (&mut handle.rx).await;
        let token = handle.progress_token.clone();
        self.handle = None;
        self.progress.lock().await.remove(&token);
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        // A run may also be dropped where no tasks can be spawned any more.
        if let Ok(runtime) = Handle::try_current() {
            let progress = Arc::clone(&self.progress);
            runtime.spawn(async move {
                progress.lock().await.remove(&handle.progress_token);
                // The server may have ended.
                let _ = handle.cancel(Some("the call was stopped".to_owned())).await;
            });
        }
    }
}

impl RequestError {
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Ended => "it ended".to_owned(),
            Self::Unauthorized(challenge) => challenge.words(),
            Self::Failed(words) | Self::Unread(words) => words.clone(),
            Self::Tool(error) => error.to_string(),
        }
    }
}

impl From<ServiceError> for RequestError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::TransportClosed => Self::Ended,
            // The pipe to a process is closed.
            ServiceError::TransportSend(error) if error.error.is::<io::Error>() => Self::Ended,
            ServiceError::TransportSend(error) if let Some(challenge) = challenge_of(&error) => {
                Self::Unauthorized(challenge)
            }
            error => match is_answered(&error) {
                true => Self::Unread(service_words(&error)),
                false => Self::Failed(service_words(&error)),
            },
        }
    }
}

/// Whether the server has answered the request of an error.
fn is_answered(error: &ServiceError) -> bool {
    match error {
        ServiceError::McpError(error) => is_unread(error),
        ServiceError::TransportSend(error) => super::http::is_answered(&*error.error),
        ServiceError::UnexpectedResponse => true,
        _ => false,
    }
}

fn service_words(error: &ServiceError) -> String {
    let words = match error {
        ServiceError::McpError(error) => error_words(error),
        ServiceError::TransportSend(error) => transport_words(error),
        ServiceError::UnexpectedResponse => "its answer has another form than was asked".to_owned(),
        ServiceError::Cancelled { .. } => "the server stopped it".to_owned(),
        error => error.to_string(),
    };
    shortened(&words, ERROR_TEXT)
}

fn error_words(ErrorData { code, message, .. }: &ErrorData) -> String {
    format!("{message} (code {})", code.0)
}

fn challenge_of(error: &DynamicTransportError) -> Option<Challenge> {
    super::http::challenge_of(&*error.error)
}

fn is_forbidden(error: &DynamicTransportError) -> bool {
    super::http::is_forbidden(&*error.error)
}

fn transport_words(error: &DynamicTransportError) -> String {
    if let Some(words) = super::http::error_words(&*error.error) {
        return words;
    }
    // A program that ended reads no message. Its status follows.
    let error = &*error.error;
    match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) => "it ended".to_owned(),
        _ => with_causes(error),
    }
}
