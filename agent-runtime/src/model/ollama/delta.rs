//! Streamed answers in Ollama's form: a JSON text a line, of which the last says `done`.
//!
//! A server that does not stream sends one JSON text, which may take several lines.

use super::read;
use crate::error::Error;
use crate::http::{Failure, Frame, StreamReader};
use crate::model::wire::{Assembly, Nesting, text};
use crate::model::{ModelReply, ReplyPart};
use serde_json::Value;

/// An answer that comes in deltas.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    assembly: Assembly,
    thinking: String,
    lines: Lines,
    has_message: bool,
    is_complete: bool,
}

/// The lines of an object that is not complete.
#[derive(Debug, Default)]
struct Lines {
    text: String,
    nesting: Nesting,
}

impl Lines {
    /// Adds a line; gives the text that it completes.
    fn push(&mut self, line: String) -> Option<String> {
        if self.text.is_empty() && !line.trim_start().starts_with('{') {
            return Some(line);
        }
        self.nesting.push(&line);
        if self.text.is_empty() {
            self.text = line;
        } else {
            // Between two lines there is no part of a string, so a space is as good as a line end.
            self.text.push(' ');
            self.text.push_str(&line);
        }
        self.nesting.is_over().then(|| std::mem::take(self).text)
    }
}

impl Deltas {
    /// The answer that the deltas make.
    pub(super) fn finish(self) -> ModelReply {
        let mut reply = self.assembly.finish();
        reply.provider_data = read::kept(&self.thinking).or(reply.provider_data);
        reply
    }

    fn message(&mut self, message: &Value, raw: &str, failure: &Failure<'_>) -> Result<(), Error> {
        if let Some(thinking) = text(message, "thinking") {
            self.assembly.thought(&thinking);
            self.thinking.push_str(&thinking);
        }
        if let Some(content) = text(message, "content") {
            self.assembly.text(&content);
        }
        let Some(calls) = read::calls(message, raw) else {
            return Err(failure.unreadable(read::NAMELESS, raw.as_bytes()));
        };
        for call in calls {
            self.assembly
                .whole_call(call.id(), call.tool(), call.args_text());
        }
        Ok(())
    }
}

impl StreamReader for Deltas {
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let Some(whole) = self.lines.push(frame.data) else {
            return Ok(());
        };
        let (json, raw) = read::parse(whole.as_bytes(), failure)?;
        if let Some(message) = json.get("message").filter(|message| message.is_object()) {
            self.has_message = true;
            self.message(message, raw, failure)?;
        }
        if json.get("done").and_then(Value::as_bool) == Some(true) {
            if !self.has_message {
                return Err(failure.unreadable(read::NO_MESSAGE, raw.as_bytes()));
            }
            let calls = self.assembly.has_calls();
            let reply = &mut self.assembly.reply;
            reply.finish_reason = read::finish_reason(&json, calls);
            reply.usage = read::usage(&json);
            reply.model = text(&json, "model");
            self.is_complete = true;
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        self.assembly = Assembly::of(read::reply(body, failure)?);
        self.is_complete = true;
        Ok(())
    }

    fn take_parts(&mut self) -> Vec<ReplyPart> {
        self.assembly.take_parts()
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Ollama always says when it is done; what ends without was broken off.
    fn may_end(&self) -> bool {
        false
    }
}
