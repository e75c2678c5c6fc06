//! A run as gram.

use crate::outcome::Outcome;
use crate::output::{error_to_stderr, to_stdout};
use agent_gram::{Pattern, Subject, Value, ValueError, print};
use agent_lsp::terminal::sanitize;
use agent_runtime::AgentResponse;
use std::io::{self, IsTerminal, Write};

/// The label of what came of a message that was not answered: who asks for answers finds answers.
const UNFINISHED: &str = "UnfinishedResponse";

/// Writes a document with a pattern for each response, and one for what came of a message without.
///
/// Gram has no escapes for most control characters. What models and tools say must not be able to
/// steer a terminal, so a terminal gets the text without them; a file or a program gets all of it.
pub(super) fn to_stdout_of(
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
