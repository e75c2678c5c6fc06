//! Streamed answers in Ollama's form: a JSON text a line, of which the last says `done`.

use super::response;
use crate::error::Error;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::wire::{Assembly, text};
use crate::model::{ModelReply, ReplyPart};
use serde_json::Value;

/// An answer that comes in deltas.
#[derive(Debug, Default)]
pub(crate) struct Deltas {
    assembly: Assembly,
    thinking: String,
    has_message: bool,
    is_complete: bool,
}

impl Deltas {
    fn message(&mut self, message: &Value, raw: &str, failure: &Failure<'_>) -> Result<(), Error> {
        if let Some(thinking) = text(message, "thinking") {
            self.assembly.thought(&thinking);
            self.thinking.push_str(&thinking);
        }
        if let Some(content) = text(message, "content") {
            self.assembly.text(&content);
        }
        let Some(calls) = response::calls(message, raw) else {
            return Err(failure.unreadable(response::NAMELESS, raw.as_bytes()));
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
        let (json, raw) = response::parse(frame.data.as_bytes(), failure)?;
        if let Some(message) = json.get("message").filter(|message| message.is_object()) {
            self.has_message = true;
            self.message(message, raw, failure)?;
        }
        if json.get("done").and_then(Value::as_bool) == Some(true) {
            if !self.has_message {
                return Err(failure.unreadable(response::NO_MESSAGE, raw.as_bytes()));
            }
            let calls = self.assembly.has_calls();
            let reply = &mut self.assembly.reply;
            reply.finish_reason = response::finish_reason(&json, calls);
            reply.usage = response::usage(&json);
            reply.model = text(&json, "model");
            self.is_complete = true;
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        self.assembly = Assembly::of(response::reply(body, failure)?);
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

    fn has_begun(&self) -> bool {
        self.has_message
    }

    fn finish(self, _: &Failure<'_>) -> Result<ModelReply, Error> {
        let mut reply = self.assembly.finish();
        reply.provider_data = response::kept(&self.thinking).or(reply.provider_data);
        Ok(reply)
    }
}
