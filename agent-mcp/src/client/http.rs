//! The transport to a server that is reached by HTTP.

use super::error::{Challenge, ERROR_TEXT, Kind, McpError};
use super::message::{MAX_MESSAGE, answered_request, read_message, too_long, unreadable};
#[cfg(feature = "oauth")]
use super::oauth::{Authorizer, SignIn};
use crate::rmcp_workarounds::tool_page::{Events, PageSlot, page_of};
use agent_http::{CERTIFICATE_FILE, rejecting_tls_config, tls_config, with_proxies};
use agent_runtime::__private::{shortened, with_causes};
use agent_runtime::Environment;
#[cfg(feature = "oauth")]
use agent_runtime::redact::Redactor;
use futures_util::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, StatusCode, Url, redirect};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, JsonRpcRequest,
    ServerJsonRpcMessage,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::SseStream;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

/// The longest time that connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The header of a session of the older revisions.
const SESSION: &str = "mcp-session-id";

/// The address of a server, and the headers and the sign-in of each request to it.
#[derive(Clone)]
pub(crate) struct Endpoint {
    url: String,
    headers: Vec<(String, String)>,
    #[cfg(feature = "oauth")]
    sign_in: Option<SignIn>,
    /// Signs in. It is created before the server is contacted.
    #[cfg(feature = "oauth")]
    authorizer: Option<Arc<Authorizer>>,
}

/// The reason why a server cannot be contacted.
pub(crate) struct Unusable(String);

impl Unusable {
    pub(crate) fn of_server(self, name: &str) -> McpError {
        let text = format!("the server `{name}` cannot be contacted: {}", self.0);
        McpError::new(Kind::Configuration, text)
    }
}

impl Endpoint {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            headers: Vec::new(),
            #[cfg(feature = "oauth")]
            sign_in: None,
            #[cfg(feature = "oauth")]
            authorizer: None,
        }
    }

    pub(crate) fn add_header(&mut self, name: String, value: String) {
        self.headers.push((name, value));
    }

    /// Whether the host gives the server a token.
    pub(crate) fn has_authorization(&self) -> bool {
        let mut names = self.headers.iter().map(|(name, _)| name);
        names.any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    #[cfg(feature = "oauth")]
    pub(crate) fn set_sign_in(&mut self, sign_in: SignIn) {
        self.sign_in = Some(sign_in);
    }

    /// Creates the authorizer of the server, if the host described a sign-in.
    #[cfg(feature = "oauth")]
    pub(crate) fn prepare_sign_in(
        &mut self,
        name: &str,
        redactor: &Redactor,
    ) -> Result<(), Unusable> {
        let Some(sign_in) = self.sign_in.clone() else {
            return Ok(());
        };
        if self.has_authorization() {
            let problem = "it has both the header `authorization` and a sign-in";
            return Err(Unusable(problem.to_owned()));
        }
        let mut url = self.url()?;
        url.set_fragment(None);
        let client = Self::client(&url, HeaderMap::new())?;
        let authorizer = Authorizer::new(name, url, sign_in, client, redactor);
        self.authorizer = Some(Arc::new(authorizer));
        Ok(())
    }

    #[cfg(feature = "oauth")]
    pub(crate) fn authorizer(&self) -> Option<&Arc<Authorizer>> {
        self.authorizer.as_ref()
    }

    /// The host, which unlike the rest of the address holds no key.
    pub(crate) fn host(&self) -> Option<String> {
        Some(Url::parse(&self.url).ok()?.host_str()?.to_owned())
    }

    /// The query of the address, in which some servers expect a key.
    pub(crate) fn query(&self) -> Option<String> {
        Some(Url::parse(&self.url).ok()?.query()?.to_owned())
    }

    pub(crate) fn transport(
        &self,
        page: PageSlot,
    ) -> Result<StreamableHttpClientTransport<HttpClient>, Unusable> {
        let url = self.url()?;
        let client = HttpClient {
            client: Self::client(&url, self.header_map()?)?,
            page,
            #[cfg(feature = "oauth")]
            authorizer: self.authorizer.clone(),
        };
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        // Servers of the newer revision have no sessions.
        config.allow_stateless = true;
        Ok(StreamableHttpClientTransport::with_client(client, config))
    }

    fn url(&self) -> Result<Url, Unusable> {
        // The address may hold a key, so no message quotes it.
        let wrong = |text: &str| Unusable(text.to_owned());
        let url = Url::parse(&self.url);
        let url = url.map_err(|error| wrong(&format!("its address is no URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("its address must begin with `https://` or `http://`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "its address holds a user or a password; give them in its header `authorization`",
            ));
        }
        Ok(url)
    }

    fn client(url: &Url, headers: HeaderMap) -> Result<Client, Unusable> {
        let environment = Environment::process();
        let read = |name: &str| {
            let value = environment.read(name);
            value.map_err(|error| Unusable(error.to_string()))
        };
        let file = read(CERTIFICATE_FILE)?;
        let tls = match tls_config(file.as_deref()) {
            // A server without TLS is reached without certificates, which small containers lack.
            Err(reason) if url.scheme() == "http" => rejecting_tls_config(reason),
            tls => tls,
        };
        let tls = tls.map_err(|reason| Unusable(format!("TLS cannot be set up: {reason}")))?;
        let builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("agent-mcp/", env!("CARGO_PKG_VERSION")));
        let builder = with_proxies(builder, read, Unusable)?;
        let client = builder.build();
        client.map_err(|error| Unusable(format!("HTTP cannot be set up: {}", error.without_url())))
    }

    fn header_map(&self) -> Result<HeaderMap, Unusable> {
        let mut map = HeaderMap::new();
        for (name, value) in &self.headers {
            let wrong =
                |what: &str| Unusable(format!("{what} of the header `{name}` is not valid"));
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("the name"))?;
            if key == SESSION || key == "mcp-protocol-version" || key == ACCEPT {
                return Err(Unusable(format!(
                    "the header `{name}` is set by the protocol"
                )));
            }
            let mut value = HeaderValue::from_str(value).map_err(|_| wrong("the value"))?;
            // Keeps the value out of the debug output of requests.
            value.set_sensitive(true);
            map.append(key, value);
        }
        Ok(map)
    }
}

/// A client like rmcp's for reqwest. It also keeps the order of the properties in the schemas of tools, keeps addresses out
/// of errors, and parses no message that would take much more memory than its text.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Client,
    page: PageSlot,
    #[cfg(feature = "oauth")]
    authorizer: Option<Arc<Authorizer>>,
}

/// The reason why a request got no response, with its causes.
#[derive(Debug)]
pub(crate) struct HttpError {
    text: String,
    /// Whether the server refused the request with the status 403 and without a challenge.
    is_forbidden: bool,
    /// Whether the server answered with success, and the answer cannot be read.
    is_answered: bool,
}

impl HttpError {
    fn new(text: String) -> Self {
        Self {
            text,
            is_forbidden: false,
            is_answered: false,
        }
    }

    /// Marks the request of this error as answered by the server.
    fn answered(self) -> Self {
        Self {
            is_answered: true,
            ..self
        }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for HttpError {}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        // The address may hold a key.
        Self::new(with_causes(&error.without_url()))
    }
}

/// Returns the text of an error of this transport; `None` for any other error.
pub(crate) fn error_words(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    Some(match error.downcast_ref::<Error>()? {
        StreamableHttpError::Client(error) => error.text.clone(),
        _ => challenge_of(error)?.words(),
    })
}

/// Whether a server refused a request in a way that may be about a sign-in.
pub(crate) fn is_forbidden(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        error.downcast_ref::<Error>(),
        Some(StreamableHttpError::Client(HttpError {
            is_forbidden: true,
            ..
        }))
    )
}

/// Whether a server answered a request with success, and the answer cannot be read.
pub(crate) fn is_answered(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        error.downcast_ref::<Error>(),
        Some(StreamableHttpError::Client(HttpError {
            is_answered: true,
            ..
        }))
    )
}

/// Returns the challenge of an error of the transport, if a sign-in may help.
pub(crate) fn challenge_of(error: &(dyn std::error::Error + 'static)) -> Option<Challenge> {
    match error.downcast_ref::<Error>()? {
        StreamableHttpError::AuthRequired(error) => Some(Challenge {
            header: error.www_authenticate_header.clone(),
            scope: None,
            is_about_scopes: false,
        }),
        StreamableHttpError::InsufficientScope(error) => Some(Challenge {
            header: error.www_authenticate_header.clone(),
            scope: error.required_scope.clone(),
            is_about_scopes: true,
        }),
        _ => None,
    }
}

type Error = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        mut headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let has_session = session_id.is_some();
        let request = self.client.post(&*uri).body(serde_json::to_vec(&message)?);
        let request = with_headers(request, session_id, auth_header, headers);
        let response = self.send(request).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let JsonRpcMessage::Request(request) = message else {
            // There is no answer to a notification, nor to an answer.
            return match status.is_success() {
                true => Ok(StreamableHttpPostResponse::Accepted),
                false => Err(unexpected(response).await),
            };
        };
        let session = text_of(&response, SESSION).map(str::to_owned);
        if status.is_success() && is_of_type(&response, EVENTS) {
            let events = self.checked(response);
            return Ok(match request.request {
                ClientRequest::ListToolsRequest(_) => match page_of(events).await {
                    Ok(message) => StreamableHttpPostResponse::Json(message, session),
                    Err(events) => StreamableHttpPostResponse::Sse(events, session),
                },
                _ => StreamableHttpPostResponse::Sse(events, session),
            });
        }
        if status.is_success() && is_of_type(&response, JSON) {
            let body = whole_body(response).await;
            let body = body.map_err(|error| client_error(error.answered()))?;
            let message = match read_message(&body) {
                Ok(received) => received.kept_in(&self.page),
                Err(problem) => unreadable(&problem, request.id),
            };
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        if !status.is_success() && is_of_type(&response, JSON) {
            let body = whole_body(response).await.map_err(client_error)?;
            return match read_message(&body).map(|received| received.message) {
                // A server that refuses a request before it reads it does not know the id.
                Ok(JsonRpcMessage::Error(error)) => {
                    let message = ServerJsonRpcMessage::error(error.error, Some(request.id));
                    Ok(StreamableHttpPostResponse::Json(message, session))
                }
                _ => refused(status, &body, request, has_session),
            };
        }
        if !status.is_success() {
            let body = beginning(response).await;
            return refused(status, &body, request, has_session);
        }
        Err(unexpected(response).await)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<(), Error> {
        let request = self.client.delete(&*uri);
        let request = with_headers(request, Some(session_id), auth_header, headers);
        let response = self.send(request).await?;
        match response.status() {
            // The server ends its sessions by itself.
            StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            status if status.is_success() => Ok(()),
            _ => Err(unexpected(response).await),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        mut headers: Headers,
    ) -> Result<Events, Error> {
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::try_from(id).ok()) {
            headers.insert(HeaderName::from_static("last-event-id"), id);
        }
        let request = self.client.get(&*uri);
        let request = with_headers(request, session_id, auth_header, headers);
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if status.is_success() && is_of_type(&response, EVENTS) => {
                Ok(self.checked(response))
            }
            _ => Err(unexpected(response).await),
        }
    }
}

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

impl HttpClient {
    /// Sends a request with the token of the sign-in. A token that the server refuses is refreshed once.
    ///
    /// # Errors
    /// When there is no response, or it asks for a sign-in.
    #[cfg(feature = "oauth")]
    async fn send(&self, request: RequestBuilder) -> Result<reqwest::Response, Error> {
        let Some(authorizer) = &self.authorizer else {
            return send(request, None).await;
        };
        let failed = |problem| {
            let text = authorizer.words("the sign-in cannot be used", &problem);
            client_error(HttpError::new(text))
        };
        let again = request.try_clone();
        let token = authorizer.token().await.map_err(failed)?;
        match (send(request, token.as_deref()).await, again) {
            (Err(StreamableHttpError::AuthRequired(error)), Some(again)) => {
                let challenge = &error.www_authenticate_header;
                let renewed = authorizer.renewed(token.as_deref(), challenge).await;
                match renewed.map_err(failed)? {
                    Some(token) => send(again, Some(&token)).await,
                    None => Err(StreamableHttpError::AuthRequired(error)),
                }
            }
            (sent, _) => sent,
        }
    }

    #[cfg(not(feature = "oauth"))]
    async fn send(&self, request: RequestBuilder) -> Result<reqwest::Response, Error> {
        send(request, None).await
    }

    /// Returns the events of a response. An answer that cannot be read becomes an error, and any other message that cannot
    /// be read is left out.
    fn checked(&self, response: reqwest::Response) -> Events {
        let page = self.page.clone();
        let mut size = EventSize::default();
        let bytes = response.bytes_stream().map(move |bytes| {
            let bytes = bytes.map_err(|error| io::Error::other(HttpError::from(error)))?;
            size.add(&bytes)?;
            Ok::<_, io::Error>(bytes)
        });
        let events = SseStream::from_bytes_stream(bytes);
        let events = events.map(move |event| {
            let mut event = event?;
            let Some(data) = event.data.as_deref().filter(|data| !data.is_empty()) else {
                return Ok(event);
            };
            match read_message(data.as_bytes()) {
                Ok(received) => {
                    page.keep(&received.message, &received.text, received.unreadable);
                    // rmcp parses the event again.
                    if let Cow::Owned(text) = received.text {
                        event.data = String::from_utf8(text).ok();
                    }
                }
                Err(problem) => {
                    tracing::debug!(target: "agent_mcp", problem, "an event of a server is no message");
                    let id = answered_request(data.as_bytes());
                    let answer = id.map(|id| unreadable(&problem, id));
                    event.data = answer.and_then(|answer| serde_json::to_string(&answer).ok());
                }
            }
            Ok(event)
        });
        events.boxed()
    }
}

fn with_headers(
    request: RequestBuilder,
    session_id: Option<Arc<str>>,
    auth_header: Option<String>,
    headers: Headers,
) -> RequestBuilder {
    let mut request = request.header(ACCEPT, [EVENTS, JSON].join(", "));
    if let Some(session_id) = session_id {
        request = request.header(SESSION, &*session_id);
    }
    if let Some(token) = auth_header {
        request = request.bearer_auth(token);
    }
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request
}

async fn send(request: RequestBuilder, token: Option<&str>) -> Result<reqwest::Response, Error> {
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let response = request.send().await.map_err(client_error)?;
    refuse_sign_in(&response)?;
    Ok(response)
}

/// The bytes of an event that were read so far.
#[derive(Default)]
struct EventSize {
    event: usize,
    line: usize,
}

impl EventSize {
    /// Counts further bytes of the stream.
    ///
    /// # Errors
    /// When the event is too long.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            self.event += 1;
            match byte {
                b'\n' if self.line == 0 => self.event = 0,
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
            if self.event > MAX_MESSAGE {
                return Err(io::Error::other(too_long()));
            }
        }
        Ok(())
    }
}

async fn whole_body(mut response: reqwest::Response) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        if body.len() + bytes.len() > MAX_MESSAGE {
            return Err(HttpError::new(too_long()));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

/// Returns the beginning of a body, for an error.
async fn beginning(mut response: reqwest::Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < ERROR_TEXT
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(&bytes[..bytes.len().min(ERROR_TEXT)]);
    }
    body
}

/// Checks that a response does not ask for a sign-in.
///
/// # Errors
/// The error for which a caller signs in.
fn refuse_sign_in(response: &reqwest::Response) -> Result<(), Error> {
    let challenge = sign_in_challenge(response.headers());
    match (response.status(), challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => {
            let challenge = challenge.unwrap_or_default().to_owned();
            let error = AuthRequiredError::new(challenge);
            Err(StreamableHttpError::AuthRequired(error))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let error = InsufficientScopeError::new(challenge.to_owned(), scope_of(challenge));
            Err(StreamableHttpError::InsufficientScope(error))
        }
        _ => Ok(()),
    }
}

/// Returns the challenge of a response, or the challenge for a bearer token if the response has several.
fn sign_in_challenge(headers: &HeaderMap) -> Option<&str> {
    let is_bearer = |value: &&str| {
        let scheme = value.split_ascii_whitespace().next();
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
    };
    let values = || {
        let values = headers.get_all(WWW_AUTHENTICATE).into_iter();
        values.filter_map(|value| value.to_str().ok())
    };
    values().find(is_bearer).or_else(|| values().next())
}

/// Returns the scopes of a challenge, which may be in quotes.
fn scope_of(challenge: &str) -> Option<String> {
    let mut found = challenge.match_indices("scope=");
    let (at, name) = found.find(|(at, _)| challenge[..*at].ends_with([' ', ',']))?;
    let value = &challenge[at + name.len()..];
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', ' ']).next(),
    };
    scope.map(str::to_owned)
}

/// Returns the result of a request whose response has an error status.
fn refused(
    status: StatusCode,
    body: &[u8],
    request: JsonRpcRequest<ClientRequest>,
    has_session: bool,
) -> Result<StreamableHttpPostResponse, Error> {
    let text = status_text(status, body);
    // Servers of older revisions do not know this request, and some refuse it before they read it.
    let is_unknown = matches!(request.request, ClientRequest::DiscoverRequest(_))
        && !has_session
        && status.is_client_error()
        && status != StatusCode::FORBIDDEN;
    match is_unknown {
        true => {
            let error = ErrorData::invalid_request(text, None);
            let message = ServerJsonRpcMessage::error(error, Some(request.id));
            Ok(StreamableHttpPostResponse::Json(message, None))
        }
        false => Err(client_error(HttpError {
            is_forbidden: status == StatusCode::FORBIDDEN,
            ..HttpError::new(text)
        })),
    }
}

/// Returns the error for a response that the protocol does not define.
async fn unexpected(response: reqwest::Response) -> Error {
    let status = response.status();
    if status.is_success() {
        let found = match text_of(&response, CONTENT_TYPE.as_str()) {
            Some(found) => format!("of the type `{}`", shortened(found, 100)),
            None => "without a type".to_owned(),
        };
        let text = format!("it answered with a body {found}, and not with `{JSON}` or `{EVENTS}`");
        return client_error(HttpError::new(text).answered());
    }
    let body = beginning(response).await;
    client_error(HttpError {
        is_forbidden: status == StatusCode::FORBIDDEN,
        ..HttpError::new(status_text(status, &body))
    })
}

fn status_text(status: StatusCode, body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    match body.trim() {
        "" => format!("it answered with the status {status}"),
        body => format!(
            "it answered with the status {status}: {}",
            shortened(body, ERROR_TEXT)
        ),
    }
}

fn client_error(error: impl Into<HttpError>) -> Error {
    StreamableHttpError::Client(error.into())
}

fn text_of<'a>(response: &'a reqwest::Response, header: &str) -> Option<&'a str> {
    response.headers().get(header)?.to_str().ok()
}

fn is_of_type(response: &reqwest::Response, media_type: &str) -> bool {
    let found = text_of(response, CONTENT_TYPE.as_str()).unwrap_or_default();
    let found = found.split(';').next().unwrap_or_default().trim();
    found.eq_ignore_ascii_case(media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_for_a_bearer_token_and_its_scopes_are_read() {
        for (values, challenge, scope) in [
            (&[][..], None, None),
            (&["Bearer"], Some("Bearer"), None),
            (
                &["Basic realm=\"a\"", "bearer scope=\"a b\""],
                Some("bearer scope=\"a b\""),
                Some("a b"),
            ),
            (&["Basic realm=\"a\""], Some("Basic realm=\"a\""), None),
            (
                &["Bearer error=\"insufficient_scope\",scope=write, realm=a"],
                Some("Bearer error=\"insufficient_scope\",scope=write, realm=a"),
                Some("write"),
            ),
            (
                &["Bearer x_scope=\"a\", scope=b"],
                Some("Bearer x_scope=\"a\", scope=b"),
                Some("b"),
            ),
            (&["Bearer scope=\""], Some("Bearer scope=\""), Some("")),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(value));
            }
            let found = sign_in_challenge(&headers);
            assert_eq!(found, challenge);
            assert_eq!(found.and_then(scope_of).as_deref(), scope, "{values:?}");
        }
    }
}
