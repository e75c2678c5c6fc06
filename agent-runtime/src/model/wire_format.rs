//! The trait of the providers' wire formats.

use super::facts::Facts;
use super::http::{Endpoint, Framing, HttpRequest, StreamReader, Vendor};
use super::media_rules::MediaRules;
use super::warnings::Warnings;
use super::{ModelReply, ModelRequest};
use agent_catalog::StructuredOutput;
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::schema::Schema;
use agent_tool::Error;

/// The wire format of a provider.
pub(crate) trait WireFormat: Send + Sync + 'static {
    /// The vendor of the format.
    const VENDOR: Vendor;
    /// The provider's name in traces, after OpenTelemetry's list.
    const TRACE_NAME: &'static str;
    /// The provider in the parts of messages that are kept for it.
    const KEPT: &'static str;
    /// The form of requests, by which settings are left out.
    const FORM: RequestForm;
    /// The requests in which a model without a row can write JSON of a schema.
    const STRUCTURED_OUTPUT: Option<StructuredOutput> = None;
    /// The media that the provider accepts.
    const MEDIA: MediaRules;
    /// The division of a streamed answer into frames.
    const FRAMING: Framing;
    /// The parser of an answer, streamed or in one piece.
    type Reader: StreamReader + Default;

    /// Returns the form in which a request has the schema of a typed answer, so that the model writes JSON of it; `None` if
    /// the format has none for this schema.
    fn answer_format(_schema: &Schema) -> Option<Ordered> {
        None
    }

    /// Checks that a request can be written in this format.
    ///
    /// # Errors
    /// Configuration, such as for an id of a model that would change the URL.
    fn check(&self, _request: &ModelRequest) -> Result<(), Error> {
        Ok(())
    }

    /// Writes a request for a streamed answer, or for one in one piece.
    ///
    /// # Errors
    /// Configuration when the agent's `extra` conflicts with the request.
    fn request<'a>(
        &self,
        request: &ModelRequest,
        target: Target<'a>,
        streamed: bool,
        warnings: &mut Warnings,
    ) -> Result<HttpRequest<'a>, Error>;

    /// Remembers the hash of the [conversation](HttpRequest::conversation) before an answer.
    fn answered(&self, _conversation: u64, _reply: &ModelReply) {}
}

/// The server to which a request goes, and the facts about it and about the model.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) facts: &'a Facts,
}
