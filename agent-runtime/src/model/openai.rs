//! OpenAI's chat completions, and the servers that speak the same.

mod request;
mod response;
mod stream;

use super::remote::Format;
use super::{ModelReply, ModelRequest, trace_name};
use crate::error::Error;
use crate::model::http::{Endpoint, Failure, Framing, KeyForm, KeyVariable, Outgoing, Vendor};
use stream::Deltas;

/// OpenAI itself.
const VENDOR: Vendor = Vendor {
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

/// OpenAI's chat completions, and any server that speaks the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenAi {
    /// Whether a server that is not the vendor's is sent the newer name for the most tokens.
    pub(crate) max_completion_tokens: bool,
}

impl Format for OpenAi {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::OPENAI;
    const FRAMING: Framing = Framing::Events;
    type Reader = Deltas;

    fn outgoing<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<Outgoing<'a>, Error> {
        // OpenAI's reasoning models refuse the old name; other servers often know no other.
        let newer_limit = endpoint.is_vendor || self.max_completion_tokens;
        let body = request::body(request, newer_limit, streamed)?;
        Ok(Outgoing::new(endpoint, &PATH, body))
    }

    fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
        response::reply(body, failure)
    }
}
