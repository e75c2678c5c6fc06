//! Google's Gemini: `generateContent` and `streamGenerateContent`.

mod request;
mod response;
mod schema;
mod stream;

use super::remote::Format;
use super::{ModelReply, ModelRequest, trace_name};
use crate::error::Error;
use crate::model::http::{Endpoint, Failure, Framing, KeyForm, KeyVariable, Outgoing, Vendor};
use stream::Chunks;

/// How the key is sent, whichever variable holds it.
const KEY: KeyForm = KeyForm::Header("x-goog-api-key");

/// Google itself. The address is that of the host: what follows it is part of each request.
const VENDOR: Vendor = Vendor {
    provider: "Google",
    base_url: "https://generativelanguage.googleapis.com",
    hosts: &["generativelanguage.googleapis.com"],
    keys: &[
        KeyVariable {
            name: "GOOGLE_API_KEY",
            form: KEY,
        },
        KeyVariable {
            name: "GEMINI_API_KEY",
            form: KEY,
        },
    ],
    base_url_variable: "GOOGLE_GEMINI_BASE_URL",
    read_base_url: str::to_owned,
    headers: &[],
    header_variables: &[],
};

/// The version of the interface, unless the address names one.
const VERSION: &str = "v1beta";

/// Google's Gemini, and any server that speaks the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Google;

/// The resource of a model, which an id may name in full.
fn resource(id: &str) -> String {
    if id.starts_with("models/") || id.starts_with("tunedModels/") {
        id.to_owned()
    } else {
        format!("models/{id}")
    }
}

impl Format for Google {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::GOOGLE;
    const FRAMING: Framing = Framing::Events;
    type Reader = Chunks;

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        // The id is a part of the address, from which such segments would vanish.
        let mut segments = request.model.id().split('/');
        if segments.all(|segment| !matches!(segment.trim(), "" | "." | "..")) {
            return Ok(());
        }
        Err(Error::configuration(format!(
            "the model `{}` cannot be asked for: its id is a part of the address, in which nothing \
             between two `/` may be empty, `.` or `..`",
            request.model.to_string().escape_debug()
        )))
    }

    fn outgoing<'a>(
        &self,
        request: &ModelRequest,
        endpoint: &'a Endpoint,
        streamed: bool,
    ) -> Result<Outgoing<'a>, Error> {
        let (method, query): (_, &[_]) = if streamed {
            ("streamGenerateContent", &[("alt", "sse")])
        } else {
            ("generateContent", &[])
        };
        let name = format!("{}:{method}", resource(request.model.id()));
        let version = (!endpoint.names_version()).then_some(VERSION);
        let path: Vec<&str> = version.into_iter().chain(name.split('/')).collect();
        let body = request::body(request)?;
        Ok(Outgoing::with_query(endpoint, &path, query, body))
    }

    fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
        stream::reply(body, failure)
    }
}
