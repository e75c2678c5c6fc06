//! The wire format of OpenAI: its Chat Completions API, which many servers are compatible with.

mod request;
mod response;
mod stream;

use super::http::{Endpoint, Framing, HttpRequest, KeyForm, KeyVariable, Vendor};
use super::http_model::WireFormat;
use super::media_rules::{self, MediaRules};
use super::{ModelRequest, trace_name};
use crate::error::Error;
pub(super) use request::{CACHE_KEY, cache_key};
use stream::DeltaReader;

/// The vendor.
pub(super) const VENDOR: Vendor = Vendor {
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

/// OpenAI's Chat Completions API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenAi {
    /// Whether a compatible server gets `maxTokens` as `max_completion_tokens`. OpenAI always does.
    pub(crate) max_completion_tokens: bool,
}

impl WireFormat for OpenAi {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::OPENAI;
    const MEDIA: MediaRules = media_rules::OPENAI;
    const FRAMING: Framing = Framing::Events;
    type Reader = DeltaReader;

    fn request<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<HttpRequest<'a>, Error> {
        // OpenAI's reasoning models reject `max_tokens`; many other servers know no other name.
        let newer_limit = endpoint.is_vendor || self.max_completion_tokens;
        let body = request::body(request, newer_limit, endpoint.is_vendor, streamed)?;
        Ok(HttpRequest::new(endpoint, &PATH, &[], body))
    }
}
