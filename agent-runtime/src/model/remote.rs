//! A provider that is reached over HTTP. What providers differ in is their wire format.

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplySink};
use crate::error::Error;
use crate::model::http::{
    Caller, Endpoint, Failure, Framing, HttpClient, Outgoing, StreamReader, Vendor,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The wire format of a provider.
pub(crate) trait Format: Send + Sync + 'static {
    /// Whose format it is.
    const VENDOR: Vendor;
    /// The provider's name in traces, after OpenTelemetry's list.
    const TRACE_NAME: &'static str;
    /// How a streamed answer is divided.
    const FRAMING: Framing;
    /// What reads a streamed answer.
    type Reader: StreamReader + Default;

    /// Checks what could not be sent as it stands.
    ///
    /// # Errors
    /// Configuration, such as when the model's id would change the address.
    fn check(&self, _request: &ModelRequest) -> Result<(), Error> {
        Ok(())
    }

    /// What is sent, to be answered in one piece or streamed.
    ///
    /// # Errors
    /// When the settings do not go together.
    fn outgoing<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<Outgoing<'a>, Error>;

    /// Reads an answer in one piece.
    ///
    /// # Errors
    /// When it tells of an error, or cannot be understood.
    fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error>;
}

/// A provider over HTTP. A [`Runtime`](crate::Runtime) makes one when an agent names it.
pub(crate) struct Remote<F> {
    format: F,
    http: HttpClient,
    caller: Caller,
    /// The endpoint of the last request, for the next one with the same `baseUrl`.
    endpoint: Mutex<Option<Known>>,
}

struct Known {
    base_url: Option<String>,
    endpoint: Arc<Endpoint>,
}

impl<F: Format> Remote<F> {
    pub(crate) fn new(format: F, http: HttpClient, caller: Caller) -> Self {
        Self {
            format,
            http,
            caller,
            endpoint: Mutex::default(),
        }
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Arc<Endpoint>, Error> {
        self.format.check(request)?;
        let base_url = request.settings.base_url.as_deref();
        let mut known = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if known.base_url.as_deref() == base_url => {
                return Ok(Arc::clone(&known.endpoint));
            }
            _ => {}
        }
        let endpoint = Arc::new(Endpoint::resolve(&F::VENDOR, &self.caller, base_url)?);
        *known = Some(Known {
            base_url: base_url.map(str::to_owned),
            endpoint: Arc::clone(&endpoint),
        });
        Ok(endpoint)
    }
}

impl<F: Format> ChatModel for Remote<F> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let outgoing = self.format.outgoing(request, &endpoint, false)?;
            let answer = self.http.post(&outgoing).await?;
            let failure = outgoing.failure();
            Ok(failure.redacted_reply(F::reply(&answer, &failure)?))
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let outgoing = self.format.outgoing(request, &endpoint, true)?;
            let mut reader = F::Reader::default();
            self.http
                .stream(&outgoing, F::FRAMING, &mut reader, sink)
                .await?;
            let failure = outgoing.failure();
            Ok(failure.redacted_reply(reader.finish(&failure)?))
        })
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        self.endpoint(request).map(drop)
    }

    fn trace_name(&self) -> &'static str {
        F::TRACE_NAME
    }
}
