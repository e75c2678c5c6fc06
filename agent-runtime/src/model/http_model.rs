//! Models over HTTP. Providers differ in their wire formats only.

use super::http::{
    Endpoint, EndpointConfig, Framing, HttpClient, HttpRequest, StreamReader, Vendor, is_fetchable,
};
use super::media_rules::MediaRules;
use super::refused_thoughts::RefusedThoughts;
use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplySink};
use crate::error::Error;
use crate::media::{Media, Part};
use crate::trace::record_removed_reasoning;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// The wire format of a provider.
pub(crate) trait WireFormat: Send + Sync + 'static {
    /// The vendor of the format.
    const VENDOR: Vendor;
    /// The provider's name in traces, after OpenTelemetry's list.
    const TRACE_NAME: &'static str;
    /// The media that the provider takes.
    const MEDIA: MediaRules;
    /// The division of a streamed answer into frames.
    const FRAMING: Framing;
    /// The parser of an answer, streamed or in one piece.
    type Reader: StreamReader + Default;

    /// Checks that a request can be written in this format.
    ///
    /// # Errors
    /// Configuration, such as for an id of a model that would change the URL.
    fn check(&self, _request: &ModelRequest) -> Result<(), Error> {
        Ok(())
    }

    /// Writes a request for a streamed answer, or for one in one piece.
    ///
    /// # Errors
    /// Configuration when the agent's `extra` conflicts with the request.
    fn request<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<HttpRequest<'a>, Error>;
}

/// A model over HTTP.
pub(crate) struct HttpModel<F> {
    format: F,
    http: HttpClient,
    config: EndpointConfig,
    /// The endpoint of the last request, for the next one with the same `baseUrl`.
    endpoint: Mutex<Option<CachedEndpoint>>,
    refused: RefusedThoughts,
}

struct CachedEndpoint {
    base_url: Option<String>,
    endpoint: Arc<Endpoint>,
}

impl<F: WireFormat> HttpModel<F> {
    pub(crate) fn new(format: F, http: HttpClient, config: EndpointConfig) -> Self {
        Self {
            format,
            http,
            config,
            endpoint: Mutex::default(),
            refused: RefusedThoughts::default(),
        }
    }

    /// Returns the request with the media that the provider takes.
    async fn sendable<'r>(
        &self,
        request: &'r ModelRequest,
    ) -> Result<Cow<'r, ModelRequest>, Error> {
        let (rules, permissions) = (F::MEDIA, &request.permissions.0);
        let urls = rules.urls_left_to_caller(request);
        let fetched = match urls.is_empty() {
            true => Default::default(),
            // Boxed, because few requests need so much room.
            false => {
                let media = self
                    .http
                    .fetch_media(urls, permissions, rules.count, rules.total);
                Box::pin(media).await
            }
        };
        rules.sendable(request, &fetched)
    }

    /// Returns the request without the thoughts that the provider refuses, to send it once more; `None` for an error
    /// of another cause.
    fn without_refused(&self, request: &ModelRequest, error: &Error) -> Option<ModelRequest> {
        if !error.is_thoughts_refused() {
            return None;
        }
        let changed = self.refused.refuse(request, F::VENDOR.provider)?;
        record_removed_reasoning("refused");
        Some(changed)
    }

    async fn chat_once(&self, request: &ModelRequest) -> Result<ModelReply, Error> {
        let endpoint = self.endpoint(request)?;
        let request = {
            let sendable = self.sendable(request).await?;
            self.format.request(&sendable, &endpoint, false)?
        };
        let answer = self.http.post(&request).await?;
        let failure = request.failure();
        let mut reader = F::Reader::default();
        reader.whole(&answer, &failure)?;
        Ok(failure.redacted_reply(reader.finish(&failure)?))
    }

    /// Streams an answer. `has_begun` gets whether a part of the answer arrived before an error.
    async fn stream_once(
        &self,
        request: &ModelRequest,
        sink: &mut ReplySink<'_>,
        has_begun: &mut bool,
    ) -> Result<ModelReply, Error> {
        let endpoint = self.endpoint(request)?;
        let request = {
            let sendable = self.sendable(request).await?;
            self.format.request(&sendable, &endpoint, true)?
        };
        let mut reader = F::Reader::default();
        let streamed = self
            .http
            .stream(&request, F::FRAMING, &mut reader, sink)
            .await;
        *has_begun = !reader.builder().is_untouched();
        streamed?;
        let failure = request.failure();
        Ok(failure.redacted_reply(reader.finish(&failure)?))
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Arc<Endpoint>, Error> {
        self.format.check(request)?;
        let base_url = request.settings.base_url.as_deref();
        let mut cached = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some(cached) if cached.base_url.as_deref() == base_url => {
                return Ok(Arc::clone(&cached.endpoint));
            }
            _ => {}
        }
        let endpoint = Arc::new(Endpoint::resolve(&F::VENDOR, &self.config, base_url)?);
        *cached = Some(CachedEndpoint {
            base_url: base_url.map(str::to_owned),
            endpoint: Arc::clone(&endpoint),
        });
        Ok(endpoint)
    }
}

impl<F: WireFormat> ChatModel for HttpModel<F> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let known = self.refused.without_known(request, F::VENDOR.provider);
            let known = known.map(Box::new);
            let request = known.as_deref().unwrap_or(request);
            let error = match self.chat_once(request).await {
                Err(error) => error,
                reply => return reply,
            };
            match self.without_refused(request, &error) {
                Some(request) => Box::pin(async move { self.chat_once(&request).await }).await,
                None => Err(error),
            }
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let known = self.refused.without_known(request, F::VENDOR.provider);
            let known = known.map(Box::new);
            let request = known.as_deref().unwrap_or(request);
            let mut has_begun = false;
            let error = match self.stream_once(request, sink, &mut has_begun).await {
                Err(error) => error,
                reply => return reply,
            };
            match self.without_refused(request, &error).filter(|_| !has_begun) {
                Some(request) => {
                    let again =
                        async move { self.stream_once(&request, sink, &mut has_begun).await };
                    Box::pin(again).await
                }
                None => Err(error),
            }
        })
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        let is_fetched = |part: &Part| {
            let url = part.media().and_then(Media::url);
            F::MEDIA.leaves_url_to_caller(part)
                && url.is_some_and(|url| is_fetchable(url, &request.permissions.0))
        };
        F::MEDIA.check(request, &is_fetched)?;
        self.endpoint(request).map(drop)
    }

    fn trace_name(&self) -> &'static str {
        F::TRACE_NAME
    }
}

/// Returns the body of a request to the vendor, or to a compatible server at another address.
#[cfg(test)]
pub(crate) fn wire_body<F: WireFormat + Default>(
    request: &ModelRequest,
    base_url: Option<&str>,
) -> serde_json::Value {
    let keys = F::VENDOR.keys.iter().map(|key| (key.name, "a-key"));
    let config = EndpointConfig {
        provider: None,
        environment: crate::env::Environment::from_pairs(keys),
        base_url: base_url.map(str::to_owned),
        key: None,
        key_header: None,
        headers: Vec::new(),
        key_hosts: Vec::new(),
        redactor: crate::redact::Redactor::new(),
    };
    let endpoint = Endpoint::resolve(&F::VENDOR, &config, None).expect("an endpoint");
    let written = F::default().request(request, &endpoint, false);
    serde_json::from_slice(written.expect("a request").body()).expect("JSON")
}
