//! The transport to a server that is reached by HTTP.

use super::error::{Kind, McpError};
use super::list::PageSlot;
use super::stdio::MAX_MESSAGE;
use agent_http::{CERTIFICATE_FILE, rejecting_tls_config, tls_config, with_proxies};
use agent_runtime::Environment;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, StatusCode, Url, redirect};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The longest time that connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The header of a session of the older revisions.
const SESSION: &str = "mcp-session-id";

/// The address of a server, and what each request to it has.
#[derive(Clone)]
pub(crate) struct Endpoint {
    url: String,
    headers: Vec<(String, String)>,
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
        let headers = Vec::new();
        Self { url, headers }
    }

    pub(crate) fn add_header(&mut self, name: String, value: String) {
        self.headers.push((name, value));
    }

    /// The host, which unlike the rest of the address holds no key.
    pub(crate) fn host(&self) -> Option<String> {
        Some(Url::parse(&self.url).ok()?.host_str()?.to_owned())
    }

    /// The query of the address, in which some servers take a key.
    pub(crate) fn query(&self) -> Option<String> {
        Some(Url::parse(&self.url).ok()?.query()?.to_owned())
    }

    pub(crate) fn transport(
        &self,
        page: PageSlot,
    ) -> Result<StreamableHttpClientTransport<HttpClient>, Unusable> {
        let url = self.url()?;
        let client = self.client(&url)?;
        let client = HttpClient { client, page };
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .max_sse_event_size(MAX_MESSAGE)
            .max_json_response_size(MAX_MESSAGE);
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
                "its address holds a user or a password; give them with `.header(\"authorization\", …)`",
            ));
        }
        Ok(url)
    }

    fn client(&self, url: &Url) -> Result<Client, Unusable> {
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
            .default_headers(self.header_map()?)
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

/// rmcp's client for reqwest, which additionally keeps the order of the properties in the schemas of tools, and addresses
/// out of errors.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Client,
    page: PageSlot,
}

type Error = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let lists = matches!(
            &message,
            JsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::ListToolsRequest(_))
        );
        let posted = if lists {
            self.list(&uri, &message, session_id, custom_headers, limits)
                .await
        } else {
            self.client
                .post_message_with_response_limits(
                    uri,
                    message,
                    session_id,
                    auth_header,
                    custom_headers,
                    limits,
                )
                .await
        };
        posted.map_err(without_url)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Error> {
        let deleted = self
            .client
            .delete_session(uri, session_id, auth_header, custom_headers);
        deleted.await.map_err(without_url)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, Error> {
        let stream = self.client.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            MAX_MESSAGE,
        );
        stream.await.map_err(without_url)
    }
}

impl HttpClient {
    /// Asks for a page of the list of tools. rmcp's client only gives the parsed page, in which the properties of schemas
    /// are sorted.
    async fn list(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let has_session = session_id.is_some();
        let mut request = self
            .client
            .post(uri)
            .header(ACCEPT, "text/event-stream, application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(message)?);
        if let Some(session_id) = session_id {
            request = request.header(SESSION, &*session_id);
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = response.headers().get(WWW_AUTHENTICATE);
            let challenge = challenge.and_then(|value| value.to_str().ok());
            let challenge = challenge.unwrap_or_default().to_owned();
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(
                challenge,
            )));
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().ok()?.to_owned())
        };
        let session = header(SESSION);
        let media_type = header(CONTENT_TYPE.as_str()).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        if status.is_success() && media_type.eq_ignore_ascii_case("text/event-stream") {
            let events = self.events(response, limits.max_sse_event_size);
            return Ok(match response_of(events).await {
                Ok(message) => StreamableHttpPostResponse::Json(message, session),
                Err(events) => StreamableHttpPostResponse::Sse(events, session),
            });
        }
        if !media_type.eq_ignore_ascii_case("application/json") {
            return Err(StreamableHttpError::UnexpectedServerResponse(
                format!("HTTP {status} without a JSON message").into(),
            ));
        }
        let body = whole_body(response, limits.max_json_response_size).await?;
        let message: ServerJsonRpcMessage = serde_json::from_slice(&body)?;
        self.page.keep(&message, &body);
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    /// Returns the events of a response, which has at most so many bytes.
    fn events(&self, response: reqwest::Response, most: usize) -> Events {
        let mut left = most;
        let bytes = response.bytes_stream().map(move |bytes| {
            let bytes = bytes.map_err(|error| std::io::Error::other(error.without_url()))?;
            left = left.checked_sub(bytes.len()).ok_or_else(|| {
                std::io::Error::other(format!("the list of tools has more than {most} bytes"))
            })?;
            Ok::<_, std::io::Error>(bytes)
        });
        let page = self.page.clone();
        let events = SseStream::from_bytes_stream(bytes);
        let events = events.inspect(move |event| {
            if let Ok(Sse {
                data: Some(data), ..
            }) = event
                && let Ok(message) = serde_json::from_str(data)
            {
                page.keep(&message, data.as_bytes());
            }
        });
        events.boxed()
    }
}

/// Returns the response if it is the first message of a stream, and otherwise the whole stream.
///
/// rmcp reads the headers of tools from a response without a stream. From a stream it does so only if it handles the
/// response before the end of the stream, which is a matter of chance when both arrive together.
async fn response_of(events: Events) -> Result<ServerJsonRpcMessage, Events> {
    let mut events = events.fuse();
    let mut read = Vec::new();
    while let Some(event) = events.next().await {
        let data = event.as_ref().ok().and_then(|event| event.data.as_deref());
        let data = data.unwrap_or_default();
        if let Ok(message @ ServerJsonRpcMessage::Response(_)) = serde_json::from_str(data) {
            return Ok(message);
        }
        // An event without data only has the id with which the stream is resumed.
        let is_message = event.is_err() || !data.is_empty();
        read.push(event);
        if is_message {
            break;
        }
    }
    Err(stream::iter(read).chain(events).boxed())
}

async fn whole_body(mut response: reqwest::Response, most: usize) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(bytes) = response
        .chunk()
        .await
        .map_err(StreamableHttpError::Client)?
    {
        if body.len() + bytes.len() > most {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

/// Removes the address from an error, because it may hold a key.
fn without_url(error: Error) -> Error {
    match error {
        StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
        error => error,
    }
}
