//! Google's Gemini: `generateContent` and `streamGenerateContent`.

mod chunks;
mod parts;
mod read;
mod schema;
mod write;

use super::{ChatFuture, ChatModel, ModelRequest, ReplySink};
use crate::error::Error;
use crate::http::{Caller, Endpoint, Framing, HttpClient, KeyForm, KeyVariable, Outgoing, Vendor};
use chunks::Chunks;

/// How the key is sent, whichever variable holds it.
const KEY: KeyForm = KeyForm::Header("x-goog-api-key");

/// Google itself. The address is that of the host: what follows it is part of each request.
const VENDOR: Vendor = Vendor {
    provider: "Google",
    base_url: "https://generativelanguage.googleapis.com",
    hosts: &["generativelanguage.googleapis.com"],
    keys: &[
        KeyVariable {
            name: "GOOGLE_API_KEY",
            form: KEY,
        },
        KeyVariable {
            name: "GEMINI_API_KEY",
            form: KEY,
        },
    ],
    base_url_variable: "GOOGLE_GEMINI_BASE_URL",
    read_base_url: str::to_owned,
    headers: &[],
    header_variables: &[],
};

/// The version of the interface, unless the address names one.
const VERSION: &str = "v1beta";

/// Google's Gemini, and any server that speaks the same. A [`Runtime`](crate::Runtime) makes one
/// when an agent names the provider `Google`.
#[derive(Clone, Debug)]
pub(crate) struct Google {
    http: HttpClient,
    caller: Caller,
}

impl Google {
    pub(crate) fn new(http: HttpClient, caller: Caller) -> Self {
        Self { http, caller }
    }

    fn endpoint(&self, request: &ModelRequest) -> Result<Endpoint, Error> {
        let base_url = request.settings.base_url.as_deref();
        Endpoint::resolve(&VENDOR, &self.caller, base_url)
    }
}

/// The request for a method of the request's model.
fn outgoing<'a>(
    endpoint: &'a Endpoint,
    request: &ModelRequest,
    method: &str,
    query: &[(&str, &str)],
) -> Outgoing<'a> {
    let resource = resource(request.model.id());
    let name = format!("{resource}:{method}");
    let version = (!endpoint.names_version()).then_some(VERSION);
    let path: Vec<&str> = version.into_iter().chain(name.split('/')).collect();
    Outgoing::with_query(endpoint, &path, query, write::body(request))
}

/// The resource of a model, which an id may name in full.
fn resource(id: &str) -> String {
    if id.starts_with("models/") || id.starts_with("tunedModels/") {
        id.to_owned()
    } else {
        format!("models/{id}")
    }
}

impl ChatModel for Google {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let endpoint = self.endpoint(request)?;
            let outgoing = outgoing(&endpoint, request, "generateContent", &[]);
            let answer = self.http.post(&outgoing).await?;
            let failure = outgoing.failure();
            let reply = chunks::reply(&answer, &failure)?;
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
            let query = [("alt", "sse")];
            let outgoing = outgoing(&endpoint, request, "streamGenerateContent", &query);
            let mut chunks = Chunks::default();
            self.http
                .stream(&outgoing, Framing::Events, &mut chunks, sink)
                .await?;
            Ok(outgoing.failure().masked_reply(chunks.finish()))
        })
    }

    fn trace_name(&self) -> &'static str {
        "gcp.gemini"
    }
}
