//! Anthropic's messages, and the servers that speak the same.

mod request;
mod response;
mod stream;

use super::remote::Format;
use super::{ModelReply, ModelRequest, trace_name};
use crate::error::Error;
use crate::model::http::{Endpoint, Failure, Framing, KeyForm, KeyVariable, Outgoing, Vendor};
use stream::Events;

/// Anthropic itself. The address is that of the host: what follows it is part of each request.
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
    // The version that compatible servers know.
    headers: &[("anthropic-version", "2023-06-01")],
    header_variables: &[],
};

const PATH: [&str; 2] = ["v1", "messages"];

/// Anthropic's messages, and any server that speaks the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Anthropic;

impl Format for Anthropic {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::ANTHROPIC;
    const FRAMING: Framing = Framing::Events;
    type Reader = Events;

    fn outgoing<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<Outgoing<'a>, Error> {
        // The base address may name the version already.
        let path = if endpoint.names_version() {
            &PATH[1..]
        } else {
            &PATH
        };
        let body = request::body(request, streamed)?;
        Ok(Outgoing::new(endpoint, path, body))
    }

    fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
        response::reply(body, failure)
    }
}
