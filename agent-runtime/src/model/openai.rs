//! OpenAI's chat completions, and the servers that speak the same.

mod read;
mod wire_id;
mod wire_name;
mod write;

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use crate::error::Error;
use crate::http::{Caller, Endpoint, Failure, HttpClient, KeyHeader, Vendor};

/// OpenAI itself.
pub(crate) const VENDOR: Vendor = Vendor {
    provider: "OpenAI",
    base_url: "https://api.openai.com/v1",
    hosts: &["api.openai.com"],
    key_variable: "OPENAI_API_KEY",
    base_url_variable: "OPENAI_BASE_URL",
};

/// OpenAI's chat completions, and any server that speaks the same. A
/// [`Runtime`](crate::Runtime) makes one when an agent names the provider `OpenAI`.
#[derive(Clone, Debug)]
pub(crate) struct OpenAi {
    http: HttpClient,
    caller: Caller,
}

impl OpenAi {
    pub(crate) fn new(http: HttpClient, caller: Caller) -> Self {
        Self { http, caller }
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelReply, Error> {
        let base_url = request.settings.base_url.as_deref();
        let endpoint = Endpoint::resolve(&VENDOR, &self.caller, base_url)?;
        let body = write::body(request, endpoint.is_vendor);
        let path = ["chat", "completions"];
        let answer = self
            .http
            .post(VENDOR.provider, &endpoint, &path, KeyHeader::Bearer, body)
            .await?;
        let url = endpoint.join(&path);
        let failure = Failure {
            provider: VENDOR.provider,
            url: &url,
            key: endpoint.key.as_ref(),
        };
        if let Some(id) = &answer.request_id {
            tracing::debug!(request_id = id.as_str(), "answered");
        }
        read::reply(&answer.body, &failure)
    }
}

impl ChatModel for OpenAi {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(self.complete(request))
    }

    fn trace_name(&self) -> &'static str {
        "openai"
    }
}
