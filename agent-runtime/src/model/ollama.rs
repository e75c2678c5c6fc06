//! The wire format of Ollama: `/api/chat`, on this machine or another.
//!
//! A call that a model prints as text stays text, because it may be an example. Small models print calls when
//! their template does not support tools; only Ollama knows the template.

mod host;
mod request;
mod response;
mod stream;

use super::ModelRequest;
use super::http::{Framing, HttpRequest, KeyForm, KeyVariable, Vendor};
use super::media_rules::{self, MediaRules};
use super::warnings::Warnings;
use super::wire_format::{Target, WireFormat};
use agent_catalog::StructuredOutput;
use agent_core::__private::trace_name;
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;
use agent_tool::Error;
use stream::LineReader;

/// The vendor. Its own host requires a key; Ollama on this machine does not.
const VENDOR: Vendor = Vendor {
    provider: "Ollama",
    base_url: "http://127.0.0.1:11434",
    endpoint: "/api/chat",
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

/// Ollama's chat API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ollama;

impl WireFormat for Ollama {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::OLLAMA;
    const KEPT: &'static str = response::PROVIDER;
    const FORM: RequestForm = RequestForm::Ollama;
    // With a schema and tools in one request, a model writes JSON and calls no tool.
    const STRUCTURED_OUTPUT: Option<StructuredOutput> = Some(StructuredOutput::WithoutTools);
    const MEDIA: MediaRules = media_rules::OLLAMA;
    const FRAMING: Framing = Framing::Lines;
    type Reader = LineReader;

    fn answer_format(schema: &Schema) -> Option<Ordered> {
        Some(schema.to_ordered())
    }

    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        warnings: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error> {
        let body = request::body(request, streamed, warnings)?;
        Ok(HttpRequest::new(target.endpoint, &PATH, &[], body))
    }
}
