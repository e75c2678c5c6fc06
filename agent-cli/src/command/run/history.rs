//! What was said before the first message.

use crate::input;
use crate::outcome::Trouble;
use crate::output::error_to_stderr;
use agent_runtime::Conversation;
use serde_json::Value;
use std::path::Path;

/// The member of what `agent run --format json` prints that holds the messages.
const MEMBER: &str = "conversation";

/// Reads a conversation: a JSON array of messages, or what `agent run --format json` printed. Gives
/// nothing, having said so, when the file holds something else or what no model could be sent.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<Conversation>, Trouble> {
    if path.is_dir() {
        return Err(Trouble::new(format!(
            "cannot read `{}`: it is a directory; --history takes one JSON file",
            path.display()
        )));
    }
    let source = input::read(path).map_err(|error| Trouble::new(error.to_string()))?;
    let name = source.shown_name();
    match parse(&source.text) {
        Ok(conversation) => Ok(Some(conversation)),
        Err(Problem { place, text }) => {
            let place = place.map(|(line, column)| format!(":{line}:{column}"));
            error_to_stderr(&format!("{name}{}: {text}", place.unwrap_or_default()));
            Ok(None)
        }
    }
}

struct Problem {
    /// Line and column, when the text is no JSON.
    place: Option<(usize, usize)>,
    text: String,
}

fn parse(text: &str) -> Result<Conversation, Problem> {
    let without_place = |text: String| Problem { place: None, text };
    if text.trim().is_empty() {
        let text = "the file is empty; a history in which nothing was said is `[]`";
        return Err(without_place(text.to_owned()));
    }
    let json: Value = serde_json::from_str(text).map_err(|error| Problem {
        place: Some((error.line(), error.column())),
        text: format!("this is not JSON: {error}"),
    })?;
    let messages = match &json {
        Value::Object(members) => members.get(MEMBER).ok_or_else(|| {
            without_place(format!(
                "a history is an array of messages, or an object with the member `{MEMBER}`, as \
                 `agent run --format json` prints it"
            ))
        })?,
        other => other,
    };
    let conversation =
        Conversation::from_json(messages).map_err(|error| without_place(error.to_string()))?;
    conversation
        .check()
        .map_err(|invalid| without_place(format!("no model could be sent this: {invalid}")))?;
    Ok(conversation)
}
