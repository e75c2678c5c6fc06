//! OpenAI's chat completions, and the servers that speak the same.

mod delta;
mod read;
mod write;

use super::{ChatFuture, ChatModel, ModelRequest, ReplySink};
use crate::error::Error;
use crate::http::{Caller, Endpoint, Framing, HttpClient, KeyForm, KeyVariable, Outgoing, Vendor};
use delta::Deltas;

/// OpenAI itself.
const VENDOR: Vendor = Vendor {
    provider: "OpenAI",
    base_url: "https://api.openai.com/v1",
    hosts: &["api.openai.com"],
    keys: &[KeyVariable {
        name: "OPENAI_API_KEY",
        form: KeyForm::Bearer,
    }],
    base_url_variable: "OPENAI_BASE_URL",
    read_base_url: str::to_owned,
    headers: &[],
    header_variables: &[
        ("openai-organization", "OPENAI_ORG_ID"),
        ("openai-project", "OPENAI_PROJECT_ID"),
    ],
};

const PATH: [&str; 2] = ["chat", "completions"];

/// OpenAI's chat completions, and any server that speaks the same. A
/// [`Runtime`](crate::Runtime) makes one when an agent names the provider `OpenAI`.
#[derive(Clone, Debug)]
pub(crate) struct OpenAi {
    http: HttpClient,
    caller: Caller,
    /// Whether a server that is not the vendor's is sent the newer name for the most tokens.
    max_completion_tokens: bool,
}

impl OpenAi {
    pub(crate) fn new(http: HttpClient, caller: Caller) -> Self {
        Self::compatible(http, caller, false)
    }

    /// Another provider that speaks the same.
    pub(crate) fn compatible(
        http: HttpClient,
        caller: Caller,
        max_completion_tokens: bool,
    ) -> Self {
        Self {
            http,
            caller,
            max_completion_tokens,
        }
    }

    fn body(&self, request: &ModelRequest, endpoint: &Endpoint, streamed: bool) -> String {
        // OpenAI's reasoning models refuse the old name; other servers often know no other.
        let newer_limit = endpoint.is_vendor || self.max_completion_tokens;
        write::body(request, newer_limit, streamed)
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Endpoint, Error> {
        let base_url = request.settings.base_url.as_deref();
        Endpoint::resolve(&VENDOR, &self.caller, base_url)
    }
}

impl ChatModel for OpenAi {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let body = self.body(request, &endpoint, false);
            let outgoing = Outgoing::new(&endpoint, &PATH, body);
            let answer = self.http.post(&outgoing).await?;
            let failure = outgoing.failure();
            let reply = read::reply(&answer, &failure)?;
            Ok(failure.masked_reply(reply))
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let body = self.body(request, &endpoint, true);
            let outgoing = Outgoing::new(&endpoint, &PATH, body);
            let mut deltas = Deltas::default();
            self.http
                .stream(&outgoing, Framing::Events, &mut deltas, sink)
                .await?;
            let failure = outgoing.failure();
            let reply = deltas.finish(&failure)?;
            Ok(failure.masked_reply(reply))
        })
    }

    fn trace_name(&self) -> &'static str {
        "openai"
    }
}
