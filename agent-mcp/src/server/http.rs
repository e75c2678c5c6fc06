//! The server over Streamable HTTP.

mod allowed;
mod gate;
mod metadata;
mod reading_time;
mod sessions;
mod strangers;

use super::answering::{AnswerMemory, Answering};
use super::handler::Handler;
use super::{EndOnDrop, MESSAGE_VALUES, ServeError, Server, memory_of};
use crate::lines::without_lone_surrogates;
use agent_spec::json::{too_many_values, value_count};
use allowed::Allowed;
use gate::{Check, Gate};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use reading_time::ReadInTime;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sessions::Sessions;
use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use strangers::Strangers;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// The path of the endpoint.
const ENDPOINT: &str = "/mcp";

/// The maximum number of connections. A further connection replaces the oldest one whose client has made no
/// permitted request. If there is none, it waits.
const CONNECTIONS: usize = 1024;

/// The time for which a client may send the headers of a request, and then its body.
const SENDING: Duration = Duration::from_secs(30);

/// The time in which a client reads each MiB of an answer.
const READING: Duration = Duration::from_secs(30);

/// The seconds after which a client may try again to begin a session, if there are too many.
const SESSION_WAIT: u64 = 30;

/// The time that requests have to end after the stop signal.
const ENDING: Duration = Duration::from_secs(10);

/// A server over Streamable HTTP that is being set up: see [`Server::http`]. Awaiting it serves clients.
///
/// The server accepts requests whose `Host` is this machine, and that come from no web page, or from one of
/// this machine. Tokens are compared in constant time.
#[must_use = "a server does nothing until it is awaited"]
pub struct HttpServer {
    server: Server,
    address: SocketAddr,
    check: Option<Check>,
    is_open: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    authorization_servers: Vec<String>,
    public_url: Option<String>,
    concurrency: usize,
    rate: u32,
    sessions: usize,
    session_timeout: Duration,
    reading_time: Duration,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl HttpServer {
    pub(super) fn new(server: Server, address: SocketAddr) -> Self {
        let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        Self {
            server,
            address,
            check: None,
            is_open: false,
            hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into(),
            origins: origins.map(str::to_owned).into(),
            authorization_servers: Vec::new(),
            public_url: None,
            concurrency: 64,
            rate: 100,
            sessions: 1000,
            session_timeout: Duration::from_secs(1800),
            reading_time: READING,
            stop: Box::pin(pending()),
        }
    }

    /// Serves only requests with this bearer token.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.check = Some(Check::token(&token.into()));
        self
    }

    /// Serves only requests with a bearer token that `check` accepts. For tokens of an authorization server,
    /// `check` must also verify that they were issued for this server. It is called for each request that has
    /// a token, before the request is counted.
    ///
    /// Sessions, tasks and approvals belong to the token that began them. If clients renew their tokens, use
    /// [`authorize_caller`](Self::authorize_caller).
    pub fn authorize<F, R>(mut self, check: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = bool> + Send + 'static,
    {
        self.check = Some(Check::by(check));
        self
    }

    /// Serves only requests with a bearer token for which `check` returns the name of the caller, such as the
    /// subject of the token. An approval is accepted from the caller that was asked, even with a newer token
    /// than that of the question. Sessions and tasks belong to the caller, too. With
    /// [`authorize`](Self::authorize), approvals, sessions and tasks belong to one token.
    pub fn authorize_caller<F, R>(mut self, check: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Option<String>> + Send + 'static,
    {
        self.check = Some(Check::naming(check));
        self
    }

    /// Names an authorization server whose tokens [`authorize`](Self::authorize) accepts. Clients find it in the OAuth
    /// metadata of this server.
    pub fn authorization_server(mut self, url: impl Into<String>) -> Self {
        self.authorization_servers.push(url.into());
        self
    }

    /// Sets the address of the endpoint as clients see it, such as `https://tools.example.org/mcp`, if a proxy is before
    /// this server. Its host is allowed.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        let url = url.into();
        let host = url.split("://").nth(1).unwrap_or(&url);
        let host = host.split(['/', '?', '#']).next().unwrap_or(host);
        self.hosts.push(host.to_owned());
        self.public_url = Some(url);
        self
    }

    /// Allows requests for this host, `tools.example.org` or `tools.example.org:8080`, besides those for this machine.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Allows requests of web pages of this origin, `https://app.example.org:443`, besides those of this machine.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Serves other machines without tokens: something before this server, such as a proxy, decides who may connect.
    pub fn without_tokens(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Sets the maximum number of requests that are answered at the same time; 64 without it. A further
    /// request gets the status 503, and so does a request whose message does not fit into 256 MiB of memory
    /// together with the messages of the others. A call counts until its answer is there, even if its client
    /// does not read the answer.
    pub fn max_concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Sets the maximum number of requests a second, of all clients together; 100 without it. Twice as many
    /// requests may arrive at once. A further request gets the status 429.
    pub fn max_requests_per_second(mut self, requests: u32) -> Self {
        self.rate = requests;
        self
    }

    /// Sets the maximum number of sessions, which clients of earlier revisions have in the memory of this process; 1,000
    /// without it. An `initialize` beyond them gets the status 503, and one with more than 64 KiB or 2,000 JSON
    /// values the status 413.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Sets the time after which a session ends in which nothing is sent by the client or the server; 30 minutes without
    /// it. A call that takes longer without a report of progress ends with its session.
    pub fn session_timeout(mut self, time: Duration) -> Self {
        self.session_timeout = time;
        self
    }

    /// Sets the time in which a client must read each MiB of an answer, and the rest; 30 seconds without it. The connection
    /// of a slower client is closed.
    pub fn reading_time(mut self, time: Duration) -> Self {
        self.reading_time = time;
        self
    }

    /// Stops when `signal` is ready: new connections are refused, and requests have ten seconds to end.
    pub fn stop_when(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(signal);
        self
    }

    /// Binds the address, so that its port is known before clients are served.
    ///
    /// # Errors
    /// When two tools have the same name, when the address is taken, and when it is reachable from other machines and no
    /// token is asked for.
    pub async fn bind(self) -> Result<BoundServer, ServeError> {
        let is_local = self.address.ip().is_loopback();
        if !is_local && self.check.is_none() && !self.is_open {
            return Err(ServeError::Configuration(format!(
                "other machines can reach {}, and no token is asked for; set one with `bearer_token`, or serve \
                 127.0.0.1, or say that a proxy decides who may connect with `without_tokens`",
                self.address
            )));
        }
        if self.concurrency == 0 || self.rate == 0 {
            return Err(ServeError::Configuration(
                "a server that may answer 0 requests answers none; set a limit of at least 1"
                    .to_owned(),
            ));
        }
        let handler = Arc::new(self.server.handler()?);
        let listener = TcpListener::bind(self.address).await;
        let listener =
            listener.map_err(|error| ServeError::Io("the address cannot be bound", error))?;
        let address = listener.local_addr();
        let address = address.map_err(|error| ServeError::Io("the address is unknown", error))?;
        Ok(BoundServer {
            handler,
            listener,
            address,
            server: self,
        })
    }
}

impl IntoFuture for HttpServer {
    type Output = Result<(), ServeError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Binds the address and serves clients.
    ///
    /// # Errors
    /// As those of [`bind`](HttpServer::bind) and of [`BoundServer::run`].
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { self.bind().await?.run().await })
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpServer")
            .field("server", &self.server)
            .field("address", &self.address)
            .field("asks_for_tokens", &self.check.is_some())
            .finish_non_exhaustive()
    }
}

/// A server over HTTP whose address is bound.
#[must_use = "a server does nothing until it runs"]
pub struct BoundServer {
    handler: Arc<Handler>,
    listener: TcpListener,
    address: SocketAddr,
    server: HttpServer,
}

impl fmt::Debug for BoundServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BoundServer")
            .field("address", &self.address)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

/// The service of rmcp. It creates the handler of a session, and all share ours.
type McpService = StreamableHttpService<Arc<Handler>, LocalSessionManager>;

/// The parts that each request needs.
struct Shared {
    service: McpService,
    allowed: Allowed,
    gate: Gate,
    answers: Arc<AnswerMemory>,
    metadata: Option<metadata::Metadata>,
    sessions: Sessions,
    strangers: Strangers,
    message_bytes: usize,
}

impl BoundServer {
    /// The address, with its port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves clients until the [stop signal](HttpServer::stop_when) is ready. Dropping the future ends all
    /// connections, and cancels the calls and tasks of the clients.
    ///
    /// # Errors
    /// When no connection can be accepted any more.
    pub async fn run(self) -> Result<(), ServeError> {
        let Self {
            handler,
            listener,
            address,
            server,
        } = self;
        let _ending = EndOnDrop(Arc::clone(&handler));
        let message_bytes = server.server.message_bytes;
        // `Allowed` has checked the host and the origin before.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(message_bytes);
        let cancellation = config.cancellation_token.clone();
        let _cancelling = cancellation.clone().drop_guard();
        let of_session = Arc::clone(&handler);
        let url = server.public_url;
        let url = url.unwrap_or_else(|| format!("http://{address}{ENDPOINT}"));
        let sessions = Sessions::new(server.sessions, server.session_timeout);
        let shared = Arc::new(Shared {
            service: StreamableHttpService::new(
                move || Ok(Arc::clone(&of_session)),
                sessions.manager(),
                config,
            ),
            sessions,
            strangers: Strangers::default(),
            metadata: metadata::Metadata::new(&url, &server.authorization_servers),
            allowed: Allowed::new(&server.hosts, &server.origins),
            answers: Arc::new(AnswerMemory::new()),
            gate: Gate::new(server.check, server.concurrency, server.rate),
            message_bytes,
        });
        let (connections, graceful) = (
            Arc::new(Semaphore::new(CONNECTIONS)),
            GracefulShutdown::new(),
        );
        // Dropping the set ends the connections.
        let mut served = JoinSet::new();
        let mut stop = server.stop;
        let ended = loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break Ok(()),
                accepted = accept(&listener, &connections, &shared.strangers) => accepted,
            };
            let (stream, permit) = match accepted {
                Ok(accepted) => accepted,
                Err(error) if is_passing(&error) => {
                    // For example, too many files are open. Accepting again at once would fail again.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
                Err(error) => break Err(ServeError::Io("no connection can be accepted", error)),
            };
            while served.try_join_next().is_some() {}
            shared.strangers.add(|number| {
                let answering = Arc::clone(&shared);
                let service = service_fn(move |request| {
                    let shared = Arc::clone(&answering);
                    async move { Ok::<_, Infallible>(shared.answer(request, number).await) }
                });
                let stream = ReadInTime::new(stream, server.reading_time);
                let connection = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(SENDING)
                    .serve_connection(TokioIo::new(stream), service);
                let connection = graceful.watch(connection);
                let shared = Arc::clone(&shared);
                served.spawn(async move {
                    // A connection fails when its client leaves.
                    let _ = connection.await;
                    shared.strangers.remove(number);
                    drop(permit);
                })
            });
        };
        drop(listener);
        let closing = graceful.shutdown();
        let mut closing = std::pin::pin!(closing);
        if tokio::time::timeout(ENDING, &mut closing).await.is_err() {
            // Ends the streams of sessions, which otherwise last as long as their clients.
            cancellation.cancel();
            let _ = tokio::time::timeout(Duration::from_secs(1), closing).await;
        }
        ended
    }
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
    strangers: &Strangers,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    if connections.available_permits() == 0 {
        strangers.end_oldest();
    }
    let permit = Arc::clone(connections).acquire_owned().await;
    Ok((stream, permit.map_err(io::Error::other)?))
}

/// Whether the error affects only one connection or is temporary, so that others can be accepted.
fn is_passing(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

type Answered = Response<Held>;

impl Shared {
    /// Answers a request. The caller is checked before the request is counted and before its body is read, so
    /// that callers without permission cannot take the places of permitted callers.
    async fn answer(&self, mut request: Request<Incoming>, connection: u64) -> Answered {
        if let Err((status, text)) = self.allowed.check(request.uri(), request.headers()) {
            return closing(plain(status, text.to_owned()));
        }
        let path = request.uri().path();
        if let Some(metadata) = &self.metadata
            && metadata.is_at(path)
            && request.method() == Method::GET
        {
            return json(StatusCode::OK, metadata.document().to_owned());
        }
        if path != ENDPOINT {
            let text = format!("Not Found: the endpoint is {ENDPOINT}\n");
            return closing(plain(StatusCode::NOT_FOUND, text));
        }
        let Ok(caller) = self.gate.admit(request.headers()).await else {
            return closing(self.unauthorized());
        };
        self.strangers.remove(connection);
        if let Err(wait) = self.gate.enter() {
            let text = "Too Many Requests: the server answers fewer requests a second\n";
            return later(StatusCode::TOO_MANY_REQUESTS, wait, text);
        }
        if !self.sessions.may_use(request.headers(), caller.as_ref()) {
            let text = "Not Found: there is no such session\n".to_owned();
            return plain(StatusCode::NOT_FOUND, text);
        }
        if let Some(caller) = &caller {
            request.extensions_mut().insert(caller.clone());
        }
        if request.method() != Method::POST {
            // The stream of a session does not count as a request that is answered, because it stays open.
            return self.service.handle(request).await.map(Held::free);
        }
        let Some(permit) = self.gate.begin() else {
            let text = "Service Unavailable: the server answers too many requests already\n";
            return later(StatusCode::SERVICE_UNAVAILABLE, 1, text);
        };
        let (head, body) = request.into_parts();
        let body = Limited::new(body, self.message_bytes).collect();
        let body = match tokio::time::timeout(SENDING, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let most = self.message_bytes;
                let text = format!("Payload Too Large: a message has at most {most} bytes\n");
                return plain(StatusCode::PAYLOAD_TOO_LARGE, text);
            }
            Ok(Err(_)) => {
                let text = "Bad Request: the body cannot be read\n".to_owned();
                return plain(StatusCode::BAD_REQUEST, text);
            }
            Err(_) => {
                let text = "Request Timeout: the body did not arrive\n".to_owned();
                return plain(StatusCode::REQUEST_TIMEOUT, text);
            }
        };
        let values = value_count(&body);
        if values > MESSAGE_VALUES {
            let values = too_many_values(MESSAGE_VALUES);
            let text = format!("Payload Too Large: the message has {values}\n");
            return plain(StatusCode::PAYLOAD_TOO_LARGE, text);
        }
        let Some(memory) = self.gate.reserve(memory_of(&body, values)) else {
            let text = "Service Unavailable: the messages that are answered take too much memory\n";
            return later(StatusCode::SERVICE_UNAVAILABLE, 1, text);
        };
        // rmcp refuses a text with half of a surrogate pair.
        let has_surrogates = body
            .windows(3)
            .any(|text| text.eq_ignore_ascii_case(br"\ud"));
        let repaired = has_surrogates.then(|| without_lone_surrogates(&body));
        let body = repaired.flatten().map_or(body, Bytes::from);
        let message = sessions::Head::read(&body);
        let under_way = match &message.id {
            Some(id) => match self.sessions.begin_request(&head.headers, id) {
                Ok(under_way) => under_way,
                Err(()) => return repeated(id.clone()),
            },
            None => None,
        };
        let beginning = if message.is_initialize {
            if let Some(problem) = sessions::too_large(&body, values) {
                let text = format!("Payload Too Large: {problem}\n");
                return plain(StatusCode::PAYLOAD_TOO_LARGE, text);
            }
            let Some(beginning) = self.sessions.begin().await else {
                let text = "Service Unavailable: the server has too many sessions already\n";
                return later(StatusCode::SERVICE_UNAVAILABLE, SESSION_WAIT, text);
            };
            Some(beginning)
        } else {
            None
        };
        let mut request = Request::from_parts(head, Full::new(body));
        let answering = Answering::new(&self.answers, vec![permit, memory]);
        request.extensions_mut().insert(answering.clone());
        if let Some(under_way) = under_way {
            // Dropped with the request, when it was answered.
            request.extensions_mut().insert(under_way);
        }
        let answer = self.service.handle(request).await;
        self.sessions.record(answer.headers(), caller);
        drop(beginning);
        answer.map(|body| Held {
            body,
            _answering: Some(answering),
        })
    }

    fn unauthorized(&self) -> Answered {
        let text = "Unauthorized: a valid bearer token is needed\n".to_owned();
        let mut answer = plain(StatusCode::UNAUTHORIZED, text);
        let challenge = match &self.metadata {
            Some(metadata) => format!("Bearer resource_metadata=\"{}\"", metadata.url()),
            None => "Bearer".to_owned(),
        };
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            let headers = answer.headers_mut();
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        answer
    }
}

/// Returns the refusal of a request whose id another request of its session has.
fn repeated(id: RequestId) -> Answered {
    let problem = "a request with this id has no answer yet";
    let error = ErrorData::invalid_request(problem, None);
    let error = ServerJsonRpcMessage::error(error, Some(id));
    let text = serde_json::to_string(&error).unwrap_or_default();
    json(StatusCode::BAD_REQUEST, text)
}

/// Lets the connection of a request that is refused end, so that it is free for others. Its body is not read.
fn closing(mut answer: Answered) -> Answered {
    let headers = answer.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

fn plain(status: StatusCode, text: String) -> Answered {
    of_type(status, "text/plain; charset=utf-8", text)
}

fn json(status: StatusCode, text: String) -> Answered {
    of_type(status, "application/json", text)
}

/// Returns a refusal that says when the client may try again.
fn later(status: StatusCode, seconds: u64, text: &str) -> Answered {
    let mut answer = plain(status, text.to_owned());
    let headers = answer.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    answer
}

fn of_type(status: StatusCode, media_type: &'static str, text: String) -> Answered {
    let mut answer = Response::new(Held::free(Full::from(text).boxed()));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    answer
}

/// A body that holds the place and the memory of its request until the body was sent.
struct Held {
    body: BoxBody<Bytes, Infallible>,
    _answering: Option<Answering>,
}

impl Held {
    fn free(body: BoxBody<Bytes, Infallible>) -> Self {
        Self {
            body,
            _answering: None,
        }
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
