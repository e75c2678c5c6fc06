//! Anthropic's messages, and the servers that speak the same.

mod blocks;
mod events;
mod read;
mod write;

use super::{ChatFuture, ChatModel, ModelRequest, ReplySink};
use crate::error::Error;
use crate::http::{Caller, Endpoint, Framing, HttpClient, KeyForm, KeyVariable, Outgoing, Vendor};
use events::Events;

/// Anthropic itself. The address is that of the host: what follows it is part of each request.
const VENDOR: Vendor = Vendor {
    provider: "Anthropic",
    base_url: "https://api.anthropic.com",
    hosts: &["api.anthropic.com"],
    keys: &[
        KeyVariable {
            name: "ANTHROPIC_API_KEY",
            form: KeyForm::Header("x-api-key"),
        },
        KeyVariable {
            name: "ANTHROPIC_AUTH_TOKEN",
            form: KeyForm::Bearer,
        },
    ],
    base_url_variable: "ANTHROPIC_BASE_URL",
    read_base_url: str::to_owned,
    // The version that compatible servers know.
    headers: &[("anthropic-version", "2023-06-01")],
    header_variables: &[],
};

const PATH: [&str; 2] = ["v1", "messages"];

/// Anthropic's messages, and any server that speaks the same. A [`Runtime`](crate::Runtime) makes
/// one when an agent names the provider `Anthropic`.
#[derive(Clone, Debug)]
pub(crate) struct Anthropic {
    http: HttpClient,
    caller: Caller,
}

impl Anthropic {
    pub(crate) fn new(http: HttpClient, caller: Caller) -> Self {
        Self { http, caller }
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Endpoint, Error> {
        let base_url = request.settings.base_url.as_deref();
        Endpoint::resolve(&VENDOR, &self.caller, base_url)
    }
}

/// The resource below a base address, which may name the version already.
fn path(endpoint: &Endpoint) -> &'static [&'static str] {
    if endpoint.names_version() {
        &PATH[1..]
    } else {
        &PATH
    }
}

impl ChatModel for Anthropic {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let body = write::body(request, false);
            let outgoing = Outgoing::new(&endpoint, path(&endpoint), body);
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
            let body = write::body(request, true);
            let outgoing = Outgoing::new(&endpoint, path(&endpoint), body);
            let mut events = Events::default();
            self.http
                .stream(&outgoing, Framing::Events, &mut events, sink)
                .await?;
            let failure = outgoing.failure();
            let reply = events.finish(&failure)?;
            Ok(failure.masked_reply(reply))
        })
    }

    fn trace_name(&self) -> &'static str {
        "anthropic"
    }
}
