//! A run as one document, for programs.

use super::format::Format;
use super::gram;
use crate::outcome::Outcome;
use crate::output::json_to_stdout;
use agent_runtime::{AgentResponse, Conversation, Redactor};
use serde::Serialize;
use std::io;

/// What a run came to.
pub(super) struct RunDocument<'a> {
    /// The answers, one for each message.
    pub(super) responses: &'a [AgentResponse],
    /// What came of a message that was not answered.
    pub(super) unfinished: Option<AgentResponse>,
    /// All that was said, the calls of tools and their results included.
    pub(super) conversation: &'a Conversation,
}

/// `{"responses": […], "conversation": […]}`. Scripts depend on these members.
#[derive(Serialize)]
struct Json<'a> {
    responses: &'a [AgentResponse],
    conversation: &'a Conversation,
}

impl RunDocument<'_> {
    /// Writes the run with its secrets replaced, unless the format is the one for people.
    ///
    /// # Errors
    /// When standard output cannot be written to.
    pub(super) fn to_stdout(&self, format: Format, redactor: &Redactor) -> io::Result<Outcome> {
        let redacted = |response: &AgentResponse| response.redacted(redactor);
        let responses: Vec<_> = self.responses.iter().map(redacted).collect();
        match format {
            Format::Human => Ok(Outcome::Fine),
            // Its conversation has what came of the last message.
            Format::Json => {
                json_to_stdout(&Json {
                    responses: &responses,
                    conversation: &self.conversation.redacted(redactor),
                })?;
                Ok(Outcome::Fine)
            }
            Format::Gram => {
                let unfinished = self.unfinished.as_ref().map(redacted);
                gram::to_stdout_of(&responses, unfinished.as_ref())
            }
        }
    }
}
