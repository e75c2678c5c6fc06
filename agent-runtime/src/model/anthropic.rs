//! The wire format of Anthropic: its Messages API.

mod cache_marks;
mod request;
mod response;
mod stream;

use super::http::{Endpoint, Framing, HttpRequest, KeyForm, KeyVariable, Vendor};
use super::http_model::WireFormat;
use super::media_rules::{self, MediaRules};
use super::{ModelRequest, trace_name};
use crate::error::Error;
use stream::EventReader;

/// The vendor. Its base URL ends with the host; the path, with its version, is part of each request.
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
    // The only version that compatible servers know.
    headers: &[("anthropic-version", "2023-06-01")],
    header_variables: &[],
};

const PATH: [&str; 2] = ["v1", "messages"];

/// Anthropic's Messages API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Anthropic;

impl WireFormat for Anthropic {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::ANTHROPIC;
    const MEDIA: MediaRules = media_rules::ANTHROPIC;
    const FRAMING: Framing = Framing::Events;
    type Reader = EventReader;

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        request::check_thinking_budget(&request.settings)
    }

    fn request<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<HttpRequest<'a>, Error> {
        // The base URL may have the version already.
        let path = if endpoint.has_version() {
            &PATH[1..]
        } else {
            &PATH
        };
        let body = request::body(request, endpoint.is_vendor, streamed)?;
        Ok(HttpRequest::new(endpoint, path, &[], body))
    }
}
