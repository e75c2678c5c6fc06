//! The wire format of OpenAI's Chat Completions API, which many servers are compatible with.

mod request;
mod response;
mod stream;

use crate::model::http::{Framing, HttpRequest, Vendor};
use crate::model::media_rules;
use crate::model::media_rules::MediaRules;
use crate::model::warnings::Warnings;
use crate::model::wire_format::{Target, WireFormat};
use agent_core::__private::trace_name;
use agent_core::model::ModelRequest;
use agent_spec::__private::RequestForm;
use agent_tool::Error;
pub(super) use request::{CACHE_KEY, cache_key};
use stream::DeltaReader;

const PATH: [&str; 2] = ["chat", "completions"];

/// OpenAI's Chat Completions API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChatCompletions {
    /// Whether a compatible server gets `maxTokens` as `max_completion_tokens`. OpenAI always does.
    pub(crate) max_completion_tokens: bool,
}

impl WireFormat for ChatCompletions {
    const VENDOR: Vendor = super::VENDOR;
    const TRACE_NAME: &'static str = trace_name::OPENAI;
    const KEPT: &'static str = response::PROVIDER;
    const FORM: RequestForm = RequestForm::Chat;
    const MEDIA: MediaRules = media_rules::OPENAI;
    const FRAMING: Framing = Framing::Events;
    type Reader = DeltaReader;

    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        _: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error> {
        let body = request::body(request, target, self.max_completion_tokens, streamed)?;
        Ok(HttpRequest::new(target.endpoint, &PATH, &[], body))
    }
}
