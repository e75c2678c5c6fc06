//! A run as gram.

use crate::outcome::Outcome;
use crate::output::{error_to_stderr, to_stdout};
use crate::shown::harmless;
use agent_gram::{Pattern, ValueError, print};
use agent_runtime::AgentResponse;
use std::io::{self, IsTerminal, Write};

/// Writes a document with a pattern for each response.
///
/// Gram has no escapes for most control characters. What models and tools say must not be able to
/// steer a terminal, so a terminal gets the text without them; a file or a program gets all of it.
pub(super) fn responses_to_stdout(responses: &[AgentResponse]) -> io::Result<Outcome> {
    let patterns: Result<Vec<Pattern>, ValueError> =
        responses.iter().map(AgentResponse::to_pattern).collect();
    let mut text = match patterns {
        Ok(patterns) => print(&patterns),
        Err(error) => {
            let message = format!("an answer cannot be written as gram, but as json: {error}");
            error_to_stderr(&message);
            return Ok(Outcome::Failed);
        }
    };
    if io::stdout().is_terminal() {
        text = harmless(&text);
    }
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Outcome::Fine)
}
