//! What was said before the first message.

mod gram;
mod twice;

use crate::outcome::Trouble;
use crate::output::error_to_stderr;
use agent_lsp::source;
use agent_runtime::{Conversation, Message, Role};
use agent_spec::json::Ordered;
use serde_json::Value;
use std::path::Path;

/// The member of what `agent run --format json` prints that holds the messages.
const MEMBER: &str = "conversation";

/// Reads a conversation: a JSON array of messages, what `agent run --format json` printed, or a gram
/// document with a pattern labelled `Conversation`. Gives nothing, having said so, when the file holds something else or what no model could be sent.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<Conversation>, Trouble> {
    if path.is_dir() {
        return Err(Trouble::new(format!(
            "cannot read `{}`: it is a directory; --history takes one file, of JSON or gram",
            path.display()
        )));
    }
    let source = source::read(path).map_err(|error| Trouble::new(error.to_string()))?;
    let name = source.display_name();
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
    /// Line and column, where it is known.
    place: Option<(usize, usize)>,
    text: String,
}

impl Problem {
    fn without_place(text: String) -> Self {
        Self { place: None, text }
    }
}

fn parse(text: &str) -> Result<Conversation, Problem> {
    if text.trim().is_empty() {
        let text = "the file is empty; a history in which nothing was said is `[]`";
        return Err(Problem::without_place(text.to_owned()));
    }
    let conversation = match parse_json(text) {
        // What has a place is no JSON; what has none is, and says the wrong thing.
        Err(problem) if problem.place.is_some() && gram::is_begun_by(text) => gram::read(text),
        read => read,
    }?;
    conversation.check().map_err(|invalid| {
        Problem::without_place(format!("no model could be sent this: {invalid}"))
    })?;
    refuse_silence(&conversation)?;
    Ok(conversation)
}

/// Refuses a message that says nothing: no provider takes such, so it would be left out in silence.
fn refuse_silence(conversation: &Conversation) -> Result<(), Problem> {
    let messages = conversation.messages();
    let is_silent = |message: &Message| {
        message.role() != Role::Function
            && message.content().trim().is_empty()
            && message.tool_calls().is_empty()
            && message.provider_data().is_none()
    };
    let Some(at) = messages.iter().position(is_silent) else {
        return Ok(());
    };
    Err(Problem::without_place(format!(
        "message {} of {} says nothing: its `content` is empty; write what was said, or leave the \
         message out",
        at + 1,
        messages.len()
    )))
}

fn parse_json(text: &str) -> Result<Conversation, Problem> {
    let without_place = Problem::without_place;
    // Read in order first: of a key given twice, what people see is not what a tree of values keeps.
    let json: Ordered = serde_json::from_str(text).map_err(|error| Problem {
        place: Some((error.line(), error.column())),
        text: if error.is_data() {
            format!("this is no history: {error}")
        } else {
            format!("this is not JSON: {error}")
        },
    })?;
    let json = json.to_value();
    let messages = match &json {
        Value::Object(members) => members.get(MEMBER).ok_or_else(|| {
            without_place(format!(
                "a history is an array of messages, or an object with the member `{MEMBER}`, as \
                 `agent run --format json` prints it"
            ))
        })?,
        other => other,
    };
    Conversation::from_json(messages).map_err(|error| without_place(error.to_string()))
}
