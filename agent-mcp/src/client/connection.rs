//! A connection to a server: starting it, restarting it when it ended, and calls.

use super::content::value_of;
use super::error::{Kind, McpError};
use super::handler::{Handler, Progress, Reported, refused};
use super::list::{MAX_PAGES, PageSlot, ToolList};
use super::process::{End, Process};
use super::server::{McpServer, Reach};
use super::stdio::StdioTransport;
use super::text::{ERROR_TEXT, cut, with_causes};
use super::tool::McpTool;
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::{ToolContext, ToolError};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ErrorData, InputRequest,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerPeerInfo, ServerResult,
    SubscriptionFilter,
};
use rmcp::service::{ClientInitializeError, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient, ServiceError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// The maximum number of times that a server is started again without a successful call in between.
const MAX_RESTARTS: u32 = 5;

/// The longest delay before a server is started again.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The maximum number of times that a server may ask for input in one call.
const MAX_ROUNDS: usize = 10;

/// The maximum number of questions at once.
const MAX_QUESTIONS: usize = 16;

/// A server that was connected once. It is started again at a call when it has ended.
pub(crate) struct Connection {
    pub(crate) server: McpServer,
    /// The server's name, in the form in which tasks share it.
    name: Arc<str>,
    live: Mutex<Live>,
    /// Held while the list of tools is read again, so that no call passes by the old one.
    reading: Mutex<()>,
    list: RwLock<Arc<ToolList>>,
    /// Whether the server speaks a revision of the protocol that begins with `initialize`.
    initializes: AtomicBool,
}

struct Live {
    session: Option<Arc<Session>>,
    /// How often the server was started again since the last successful call.
    restarts: u32,
    /// The time before which the server is not started again.
    earliest: Instant,
    is_closed: bool,
}

/// A running server. Dropping the session ends it.
struct Session {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    page: PageSlot,
    end: End,
    /// Ends when the transport is closed, if that can be awaited.
    closed: Option<watch::Receiver<()>>,
    listener: Option<AbortHandle>,
}

/// The reason why a request has no result.
enum RequestError {
    /// The server ended, or could not be reached any more.
    Ended,
    Failed(String),
    Tool(ToolError),
}

impl Connection {
    /// Starts a server and reads its tools.
    pub(crate) async fn open(server: McpServer) -> Result<(Arc<Self>, ServerPeerInfo), McpError> {
        let name: Arc<str> = Arc::from(server.name.as_str());
        let (session, list) = start(&server, &name, false).await?;
        let info = session.service.peer().peer_info();
        let info = info.ok_or_else(|| {
            let text = format!("the server `{name}` gave no information about itself");
            McpError::new(Kind::Server, text)
        })?;
        let live = Live {
            session: Some(Arc::new(session)),
            restarts: 0,
            earliest: Instant::now() + server.restart_delay,
            is_closed: false,
        };
        let connection = Self {
            server,
            name,
            live: Mutex::new(live),
            reading: Mutex::default(),
            list: RwLock::new(Arc::new(list)),
            initializes: AtomicBool::new(info.protocol_version.has_initialize()),
        };
        Ok((Arc::new(connection), (*info).clone()))
    }

    pub(crate) fn list(&self) -> Arc<ToolList> {
        Arc::clone(&self.list.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_list(&self, list: ToolList) {
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(list);
    }

    /// Ends the server, and waits until it has ended. Later calls fail.
    pub(crate) async fn close(&self) {
        let mut live = self.live.lock().await;
        live.is_closed = true;
        if let Some(session) = live.session.take() {
            session.service.cancellation_token().cancel();
            if let Some(mut closed) = session.closed.clone() {
                // It only ever ends.
                let _ = closed.changed().await;
            }
        }
    }

    /// Returns the running server. One that has ended is started again.
    async fn session(&self) -> Result<Arc<Session>, String> {
        let mut live = self.live.lock().await;
        if live.is_closed {
            return Err(format!(
                "the connection to the server `{}` was closed",
                self.name
            ));
        }
        if let Some(session) = &live.session {
            if !session.service.is_transport_closed() {
                return Ok(Arc::clone(session));
            }
            let ended = session.end.words();
            tracing::info!(target: "agent_mcp", server = &*self.name, "a server has ended{ended}");
            live.session = None;
        }
        if live.restarts == MAX_RESTARTS {
            return Err(format!(
                "the server `{}` ended {MAX_RESTARTS} times without a successful call, and is not started again",
                self.name
            ));
        }
        sleep_until(live.earliest).await;
        live.restarts += 1;
        let doubled = 2_u32.pow(live.restarts);
        let delay = self.server.restart_delay.saturating_mul(doubled);
        live.earliest = Instant::now() + delay.min(LONGEST_DELAY);
        let initializes = self.initializes.load(Ordering::Relaxed);
        let started = start(&self.server, &self.name, initializes).await;
        let (session, list) = started.map_err(|error| error.to_string())?;
        self.set_list(list);
        let session = Arc::new(session);
        live.session = Some(Arc::clone(&session));
        Ok(session)
    }

    /// Reads the list of tools again if the server says that it changed.
    async fn refresh(&self, session: &Session) -> Result<(), String> {
        let _reading = self.reading.lock().await;
        let changed = &session.handler.list_changed;
        if !changed.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let read = timeout(self.server.connect_timeout, session.list()).await;
        let problem = match read {
            Ok(Ok(list)) => {
                self.set_list(list);
                return Ok(());
            }
            Ok(Err(error)) => self.server.redactor.log_text(&error.words()),
            Err(_) => "it did not answer in time".to_owned(),
        };
        changed.store(true, Ordering::SeqCst);
        Err(format!(
            "the tools of the server `{}` changed and cannot be read again: {problem}",
            self.name
        ))
    }

    /// Calls a tool.
    pub(crate) async fn call(
        &self,
        tool: &McpTool,
        arguments: &str,
        context: &ToolContext,
    ) -> Result<Value, ToolError> {
        let remote = &tool.bound.name;
        let of_server = || {
            format!(
                "the tool `{}` of the server `{}`",
                cut(remote, 100),
                self.name
            )
        };
        let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
            ToolError::Validation(format!("the arguments are not a JSON object: {error}"))
        })?;
        let mut may_repeat = tool.is_repeatable();
        loop {
            let session = self.session().await.map_err(ToolError::Execution)?;
            self.refresh(&session).await.map_err(ToolError::Execution)?;
            tool.check(&self.list()).map_err(|change| {
                let text = format!("{} changed since it was bound: {change}", of_server());
                ToolError::Execution(text)
            })?;
            match session.call(remote, &arguments, context).await {
                Ok(result) => {
                    self.live.lock().await.restarts = 0;
                    return value_of(result, context).map_err(|error| self.redacted(error));
                }
                Err(RequestError::Ended) if may_repeat => may_repeat = false,
                Err(RequestError::Ended) => {
                    session.end.settle().await;
                    let ended = session.end.words();
                    return Err(ToolError::Execution(format!(
                        "the server `{}` ended during the call of `{}`{ended}; whether the call was made is not known",
                        self.name,
                        cut(remote, 100),
                    )));
                }
                Err(RequestError::Failed(problem)) => {
                    let problem = self.server.redactor.log_text(&problem);
                    let text = format!("{} failed: {problem}", of_server());
                    return Err(ToolError::Execution(text));
                }
                Err(RequestError::Tool(error)) => return Err(error),
            }
        }
    }

    fn redacted(&self, error: ToolError) -> ToolError {
        error.redacted(&self.server.redactor)
    }
}

/// Starts a server and reads its tools, within the time for that.
async fn start(
    server: &McpServer,
    name: &Arc<str>,
    initializes: bool,
) -> Result<(Session, ToolList), McpError> {
    let started = async {
        let mut session = match begin(server, name, initializes).await {
            // Some servers of older revisions end at the first request that they do not know.
            Err((newer, true)) if !initializes => {
                let begun = begin(server, name, true).await;
                begun.map_err(|(older, _)| older.after(&newer))
            }
            begun => begun.map_err(|(error, _)| error),
        }?;
        match session.list().await {
            Ok(list) => {
                session.listen();
                Ok((session, list))
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
            let text = format!("the server `{name}` did not answer within {time:?}");
            Err(McpError::new(Kind::Timeout, text))
        }
    }
}

/// Starts a server. An error has whether the server ended.
async fn begin(
    server: &McpServer,
    name: &Arc<str>,
    initializes: bool,
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
            let started = Process::start(name, command, &server.redactor);
            let (process, pipes, end) = started.map_err(|error| {
                let program = command.program.to_string_lossy();
                let text = format!(
                    "the command `{program}` of the server `{name}` cannot be started: {error}"
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
                    return Err(failed(server, &error, &end));
                }
            }
        }
        #[cfg(feature = "http")]
        Reach::Http(endpoint) => {
            let transport = endpoint
                .transport(page.clone())
                .map_err(|error| (error.of_server(name), false))?;
            let end = End::default();
            match service.serve_with_lifecycle(transport, lifecycle).await {
                Ok(service) => (service, end, None),
                Err(error) => return Err(failed(server, &error, &end)),
            }
        }
    };
    Ok(Session {
        service,
        handler,
        page,
        end,
        closed,
        listener: None,
    })
}

/// Returns the error of a server that could not be connected, and whether the server ended.
fn failed(server: &McpServer, error: &ClientInitializeError, end: &End) -> (McpError, bool) {
    let name = &server.name;
    if error.is_authorization_required() {
        let text = format!(
            "the server `{name}` asks for a sign-in; give it a token with `.header(\"authorization\", …)`"
        );
        return (McpError::new(Kind::Unauthorized, text), false);
    }
    let error = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => fallback,
        error => error,
    };
    let ended = matches!(
        error,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
    );
    let words = match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended".to_owned(),
        ClientInitializeError::TransportError { error, .. } => with_causes(&*error.error),
        // rmcp prints whole messages, which are of any length.
        error => error.to_string(),
    };
    let words = server.redactor.log_text(&cut(&words, ERROR_TEXT));
    let text = format!(
        "the server `{name}` cannot be connected: {words}{}",
        end.words()
    );
    (McpError::new(Kind::Server, text), ended)
}

impl Session {
    fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Reads the list of tools.
    async fn list(&self) -> Result<ToolList, RequestError> {
        let mut list = ToolList::default();
        let has_tools = |info: &ServerPeerInfo| info.capabilities.tools.is_some();
        if !self.peer().peer_info().is_some_and(|info| has_tools(&info)) {
            return Ok(list);
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params =
                cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request = ListToolsRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            };
            let request = ClientRequest::ListToolsRequest(request);
            let result = self.request(request, None).await?;
            let ServerResult::ListToolsResult(page) = result else {
                return Err(ServiceError::UnexpectedResponse.into());
            };
            let has_room = list.add(page.tools, &self.page.take());
            cursor = page.next_cursor.filter(|cursor| !cursor.is_empty());
            if cursor.is_none() || !has_room {
                return Ok(list);
            }
        }
        Err(RequestError::Failed(format!(
            "the list has more than {MAX_PAGES} pages"
        )))
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
        let changed = Arc::clone(&self.handler.list_changed);
        let listener = tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let subscription = peer.listen(filter).await;
            // Without its own reference the listener does not keep the connection open.
            drop(peer);
            match subscription {
                Ok(mut subscription) => {
                    while let Ok(Some(_)) = subscription.next().await {
                        changed.store(true, Ordering::SeqCst);
                    }
                }
                Err(error) => {
                    tracing::debug!(target: "agent_mcp", %error, "a server does not tell of changed tools");
                }
            }
        });
        self.listener = Some(listener.abort_handle());
    }

    async fn call(
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
                    return Err(RequestError::Failed(problem.to_owned()));
                }
                _ => {
                    let problem = "its answer is no result of a tool";
                    return Err(RequestError::Failed(problem.to_owned()));
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

    /// Sends a request and waits for the answer. Dropping the future tells the server that the request is cancelled.
    async fn request(
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
    fn words(&self) -> String {
        match self {
            Self::Ended => "it ended".to_owned(),
            Self::Failed(words) => words.clone(),
            Self::Tool(error) => error.to_string(),
        }
    }
}

impl From<ServiceError> for RequestError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::TransportClosed => Self::Ended,
            error => Self::Failed(service_words(&error)),
        }
    }
}

fn service_words(error: &ServiceError) -> String {
    let words = match error {
        ServiceError::McpError(ErrorData { code, message, .. }) => {
            format!("{message} (code {})", code.0)
        }
        ServiceError::TransportSend(error) => with_causes(&*error.error),
        ServiceError::UnexpectedResponse => "its answer has another form than was asked".to_owned(),
        ServiceError::Cancelled { .. } => "the server stopped it".to_owned(),
        error => error.to_string(),
    };
    cut(&words, ERROR_TEXT)
}
