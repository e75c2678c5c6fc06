//! The wire format of Anthropic: its Messages API.

mod answer_format;
mod bound_thoughts;
mod cache_marks;
mod request;
mod response;
mod stream;
mod turn;

use super::http::{Framing, HttpRequest, KeyForm, KeyVariable, Vendor};
use super::media_rules::{self, MediaRules};
use super::warnings::Warnings;
use super::wire_format::{Target, WireFormat};
use super::{ModelReply, ModelRequest};
use agent_core::__private::trace_name;
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;
use agent_tool::Error;
use bound_thoughts::BoundThoughts;
use stream::EventReader;

/// The vendor. Its base URL ends with the host; the path, with its version, is part of each request.
const VENDOR: Vendor = Vendor {
    provider: "Anthropic",
    base_url: "https://api.anthropic.com",
    endpoint: "/v1/messages",
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
    // Compatible servers accept only this version.
    headers: &[("anthropic-version", "2023-06-01")],
    header_variables: &[],
};

const PATH: [&str; 2] = ["v1", "messages"];

/// Anthropic's Messages API.
#[derive(Debug, Default)]
pub(crate) struct Anthropic {
    bound: BoundThoughts,
}

impl WireFormat for Anthropic {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::ANTHROPIC;
    const KEPT: &'static str = response::PROVIDER;
    const FORM: RequestForm = RequestForm::Anthropic;
    const MEDIA: MediaRules = media_rules::ANTHROPIC;
    const FRAMING: Framing = Framing::Events;
    type Reader = EventReader;

    fn answer_format(schema: &Schema) -> Option<Ordered> {
        answer_format::convert(schema)
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        request::check_thinking_budget(&request.settings)
    }

    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        warnings: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error> {
        // The base URL may have the version already.
        let path = if target.endpoint.has_version() {
            &PATH[1..]
        } else {
            &PATH
        };
        let (body, conversation) = request::body(request, target, streamed, &self.bound, warnings)?;
        let mut written = HttpRequest::new(target.endpoint, path, &[], body);
        written.conversation = conversation;
        Ok(written)
    }

    fn answered(&self, conversation: u64, reply: &ModelReply) {
        self.bound.remember(conversation, reply);
    }
}
