//! The wire format of OpenAI's Responses API.
//!
//! The server keeps nothing (`store: false`): each request has the whole conversation, with the model's encrypted
//! reasoning and the items of the provider's own tools as they came.

mod items;
mod request;
mod stream;
mod text_format;

use super::http::{Endpoint, Framing, HttpRequest, Vendor};
use super::http_model::WireFormat;
use super::media_rules::{self, MediaRules};
use super::{ModelRequest, openai, trace_name};
use crate::error::Error;
use stream::EventReader;

/// The vendor: OpenAI, under the name of this provider.
const VENDOR: Vendor = Vendor {
    provider: "OpenAIResponses",
    ..openai::VENDOR
};

const PATH: [&str; 1] = ["responses"];

/// OpenAI's Responses API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenAiResponses;

impl WireFormat for OpenAiResponses {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::OPENAI;
    const MEDIA: MediaRules = media_rules::OPENAI_RESPONSES;
    const FRAMING: Framing = Framing::Events;
    type Reader = EventReader;

    fn request<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<HttpRequest<'a>, Error> {
        let body = request::body(request, endpoint.is_vendor, streamed)?;
        Ok(HttpRequest::new(endpoint, &PATH, &[], body))
    }
}
