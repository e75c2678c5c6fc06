//! A conversation as it is shown.

use crate::outcome::{Outcome, Trouble};
use crate::output::{error_to_stderr, json_to_stdout, to_stdout};
use crate::shown::shortened;
use agent_gram::print;
use agent_lsp::terminal::sanitize;
use agent_runtime::{Conversation, Message, Role, ToolCall};
use clap::ValueEnum;
use std::io::{self, IsTerminal, Write};

/// For whom a conversation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ShowFormat {
    /// For people
    #[default]
    Human,
    /// For programs: an array of messages on standard output
    Json,
    /// For storing and asking: a gram document on standard output
    Gram,
}

/// Shows a conversation.
pub(super) fn show(conversation: &Conversation, format: ShowFormat) -> Result<Outcome, Trouble> {
    let text = match format {
        ShowFormat::Json => {
            json_to_stdout(conversation)?;
            return Ok(Outcome::Fine);
        }
        ShowFormat::Human => sanitize(&transcript(conversation)),
        ShowFormat::Gram => match conversation.to_pattern() {
            // A terminal gets the text without what could steer it; a file gets all of it.
            Ok(pattern) if io::stdout().is_terminal() => sanitize(&print(&[pattern])),
            Ok(pattern) => print(&[pattern]),
            Err(error) => {
                let text = "the conversation cannot be written as gram, but as json";
                error_to_stderr(&format!("{text}: {error}"));
                return Ok(Outcome::Failed);
            }
        },
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Outcome::Fine)
}

/// The conversation as `agent run` shows it.
fn transcript(conversation: &Conversation) -> String {
    let mut text = String::new();
    let messages = conversation.messages();
    for (at, message) in messages.iter().enumerate() {
        let content = message.content();
        match message.role() {
            Role::User => text.push_str(&format!("💬 {content}\n")),
            Role::Assistant => {
                if !content.trim().is_empty() {
                    text.push_str(&format!("🤖 {content}\n"));
                }
                for call in message.tool_calls() {
                    text.push_str(&line_of_call(call, &messages[at + 1..]));
                }
            }
            // Shown with its call.
            _ => {}
        }
    }
    text
}

fn line_of_call(call: &ToolCall, behind: &[Message]) -> String {
    let result = behind.iter().find(|m| m.call_id() == Some(call.id()));
    let came = match result {
        Some(result) if result.is_error() => format!("error: {}", shortened(result.content())),
        Some(result) => shortened(result.content()),
        None => "no result".to_owned(),
    };
    let args = shortened(call.args_text());
    format!("🛠️ {} {args} → {came}\n", call.tool())
}
