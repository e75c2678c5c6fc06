//! Ollama's own chat, `/api/chat`, on this machine or another.
//!
//! A call that a model prints as text, as small models do when their template has no place for
//! tools, stays text: what looks like a call may be an example, and Ollama is where templates are
//! known.

mod delta;
mod host;
mod read;
mod write;

use super::{ChatFuture, ChatModel, ModelRequest, ReplySink};
use crate::error::Error;
use crate::http::{Caller, Endpoint, Framing, HttpClient, KeyForm, KeyVariable, Outgoing, Vendor};
use delta::Deltas;

/// Ollama. Its own host, unlike the program on this machine, insists on a key.
const VENDOR: Vendor = Vendor {
    provider: "Ollama",
    base_url: "http://127.0.0.1:11434",
    hosts: &["ollama.com"],
    keys: &[KeyVariable {
        name: "OLLAMA_API_KEY",
        form: KeyForm::Bearer,
    }],
    base_url_variable: "OLLAMA_HOST",
    read_base_url: host::base_url,
    headers: &[],
    header_variables: &[],
};

const PATH: [&str; 2] = ["api", "chat"];

/// Ollama's chat. A [`Runtime`](crate::Runtime) makes one when an agent names the provider
/// `Ollama`.
#[derive(Clone, Debug)]
pub(crate) struct Ollama {
    http: HttpClient,
    caller: Caller,
}

impl Ollama {
    pub(crate) fn new(http: HttpClient, caller: Caller) -> Self {
        Self { http, caller }
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Endpoint, Error> {
        let base_url = request.settings.base_url.as_deref();
        Endpoint::resolve(&VENDOR, &self.caller, base_url)
    }
}

impl ChatModel for Ollama {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let outgoing = Outgoing::new(&endpoint, &PATH, write::body(request, false));
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
            let outgoing = Outgoing::new(&endpoint, &PATH, write::body(request, true));
            let mut deltas = Deltas::default();
            self.http
                .stream(&outgoing, Framing::Lines, &mut deltas, sink)
                .await?;
            Ok(outgoing.failure().masked_reply(deltas.finish()))
        })
    }

    fn trace_name(&self) -> &'static str {
        "ollama"
    }
}
