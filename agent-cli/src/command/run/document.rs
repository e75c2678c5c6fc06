//! A run as one document, as JSON or gram.

use crate::outcome::Outcome;
use crate::output::{error_to_stderr, json_to_stdout, to_stdout};
use agent_gram::{Pattern, Subject, Value, ValueError, print};
use agent_lsp::terminal::sanitize;
use agent_runtime::redact::Redactor;
use agent_runtime::{AgentResponse, Conversation};
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

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
                gram_to_stdout(&responses, unfinished.as_ref())
            }
        }
    }
}

/// For whom a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people, as it happens.
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there.
    Json,
    /// For storing and asking: a gram document on standard output, and nothing else there.
    Gram,
}

/// The label of what came of a message that was not answered: who asks for answers finds answers.
const UNFINISHED: &str = "UnfinishedResponse";

/// Writes a document with a pattern for each response, and one for what came of a message without.
///
/// Gram has no escapes for most control characters. What models and tools say must not be able to
/// steer a terminal, so a terminal gets the text without them; a file or a program gets all of it.
fn gram_to_stdout(
    responses: &[AgentResponse],
    unfinished: Option<&AgentResponse>,
) -> io::Result<Outcome> {
    let answers = responses.iter().map(AgentResponse::to_pattern);
    let patterns: Result<Vec<Pattern>, ValueError> =
        answers.chain(unfinished.map(unfinished_pattern)).collect();
    let mut text = match patterns {
        Ok(patterns) => print(&patterns),
        Err(error) => {
            let message = format!("an answer cannot be written as gram, but as json: {error}");
            error_to_stderr(&message);
            return Ok(Outcome::Failed);
        }
    };
    if io::stdout().is_terminal() {
        text = sanitize(&text);
    }
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Outcome::Fine)
}

/// What came of a message that was not answered: the calls, and as properties the usage and, if some
/// came, the text.
fn unfinished_pattern(response: &AgentResponse) -> Result<Pattern, ValueError> {
    let whole = response.to_pattern()?;
    let mut subject = Subject::default().with_label(UNFINISHED);
    let record = &mut subject.properties;
    if !response.content.is_empty() {
        let text = Value::String(response.content.clone().into());
        record.insert("content", text)?;
    }
    if let Some(usage) = whole.subject().properties.get("usage") {
        record.insert("usage", usage.clone())?;
    }
    Pattern::new(subject, whole.elements().to_vec())
}
