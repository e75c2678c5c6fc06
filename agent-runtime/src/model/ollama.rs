//! Ollama's own chat, `/api/chat`, on this machine or another.
//!
//! A call that a model prints as text, as small models do when their template has no place for
//! tools, stays text: what looks like a call may be an example, and Ollama is where templates are
//! known.

mod host;
mod request;
mod response;
mod stream;

use super::remote::Format;
use super::{ModelReply, ModelRequest, trace_name};
use crate::error::Error;
use crate::model::http::{Endpoint, Failure, Framing, KeyForm, KeyVariable, Outgoing, Vendor};
use stream::Deltas;

/// Ollama. Its own host, unlike the program on this machine, insists on a key.
const VENDOR: Vendor = Vendor {
    provider: "Ollama",
    base_url: "http://127.0.0.1:11434",
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

/// Ollama's chat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ollama;

impl Format for Ollama {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::OLLAMA;
    const FRAMING: Framing = Framing::Lines;
    type Reader = Deltas;

    fn outgoing<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<Outgoing<'a>, Error> {
        let body = request::body(request, streamed)?;
        Ok(Outgoing::new(endpoint, &PATH, body))
    }

    fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
        response::reply(body, failure)
    }
}
