//! The wire format of Google's Gemini: `generateContent` and `streamGenerateContent`.

mod open_call;
mod request;
mod response;
mod schema;
mod stream;

use super::ModelRequest;
use super::http::{Framing, HttpRequest, KeyForm, KeyVariable, Vendor};
use super::media_rules::{self, MediaRules};
use super::warnings::Warnings;
use super::wire_format::{Target, WireFormat};
use agent_core::__private::trace_name;
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;
use agent_tool::Error;
use stream::ChunkReader;

/// The form of the key from either variable.
const KEY: KeyForm = KeyForm::Header("x-goog-api-key");

/// The vendor. Its base URL ends with the host; the path, with its version, is part of each request.
const VENDOR: Vendor = Vendor {
    provider: "Google",
    base_url: "https://generativelanguage.googleapis.com",
    endpoint: ":generateContent",
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

/// The version in the path, unless the base URL has one.
const VERSION: &str = "v1beta";

/// Google's Gemini API.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Google;

/// Returns the resource name of a model; some users write it as the id.
fn resource(id: &str) -> String {
    if id.starts_with("models/") || id.starts_with("tunedModels/") {
        id.to_owned()
    } else {
        format!("models/{id}")
    }
}

impl WireFormat for Google {
    const VENDOR: Vendor = VENDOR;
    const TRACE_NAME: &'static str = trace_name::GOOGLE;
    const KEPT: &'static str = response::PROVIDER;
    const FORM: RequestForm = RequestForm::Google;
    const MEDIA: MediaRules = media_rules::GOOGLE;
    const FRAMING: Framing = Framing::Events;
    type Reader = ChunkReader;

    fn answer_format(schema: &Schema) -> Option<Ordered> {
        Some(schema::convert(schema))
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        // The id is a part of the URL, and URL parsers drop such segments.
        let mut segments = request.model.id().split('/');
        if segments.all(|segment| !matches!(segment.trim(), "" | "." | "..")) {
            return Ok(());
        }
        Err(Error::configuration(format!(
            "the model `{}` cannot be requested: its id is a part of the URL, in which no part \
             between two `/` may be empty, `.` or `..`",
            request.model.to_string().escape_debug()
        )))
    }

    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        warnings: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error> {
        let (method, query): (_, &[_]) = if streamed {
            ("streamGenerateContent", &[("alt", "sse")])
        } else {
            ("generateContent", &[])
        };
        let name = format!("{}:{method}", resource(request.model.id()));
        // In the URLs of Google's other platform, the version precedes the publisher.
        let has_version = target.endpoint.has_version()
            || target.endpoint.url.path().ends_with("/publishers/google");
        let version = (!has_version).then_some(VERSION);
        let path: Vec<&str> = version.into_iter().chain(name.split('/')).collect();
        let body = request::body(request, &target.facts.model, warnings)?;
        Ok(HttpRequest::new(target.endpoint, &path, query, body))
    }
}
