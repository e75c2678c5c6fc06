//! The wire format of OpenAI's Responses API.
//!
//! The server keeps nothing (`store: false`): each request has the whole conversation, with the model's encrypted
//! reasoning and the unchanged items of the provider's own tools.

mod items;
mod request;
mod stream;
mod text_format;

use crate::model::http::{Framing, HttpRequest, Vendor};
use crate::model::media_rules;
use crate::model::media_rules::MediaRules;
use crate::model::warnings::Warnings;
use crate::model::wire_format::{Target, WireFormat};
use agent_core::__private::trace_name;
use agent_core::model::ModelRequest;
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;
use agent_tool::Error;
use stream::EventReader;

const PATH: [&str; 1] = ["responses"];

/// OpenAI's Responses API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Responses;

impl WireFormat for Responses {
    const VENDOR: Vendor = Vendor {
        endpoint: "/responses",
        ..super::VENDOR
    };
    const TRACE_NAME: &'static str = trace_name::OPENAI;
    const KEPT: &'static str = items::PROVIDER;
    const FORM: RequestForm = RequestForm::Responses;
    const MEDIA: MediaRules = media_rules::OPENAI_RESPONSES;
    const FRAMING: Framing = Framing::Events;
    type Reader = EventReader;

    fn answer_format(schema: &Schema) -> Option<Ordered> {
        text_format::strict_form(schema)
    }

    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        _: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error> {
        let body = request::body(request, target, streamed)?;
        Ok(HttpRequest::new(target.endpoint, &PATH, &[], body))
    }
}
