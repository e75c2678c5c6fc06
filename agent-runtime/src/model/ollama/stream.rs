//! Answers of Ollama. A streamed answer has one JSON text per line, the last one with `done`.

use super::response;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{member, text};
use agent_core::model::ModelReply;
use agent_tool::Error;
use serde_json::Value;

/// Parses the lines of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    builder: ReplyBuilder,
    has_message: bool,
}

impl LineReader {
    fn add_message(
        &mut self,
        message: &Value,
        raw: &str,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        let (thought, said) = (member(message, "thinking"), member(message, "content"));
        self.builder.add_thought(response::PROVIDER, thought);
        self.builder.add_text(said);
        let Some(calls) = response::calls(message, raw) else {
            return Err(failure.unreadable(response::NAMELESS, raw.as_bytes()));
        };
        for call in calls {
            self.builder
                .add_call(call.id(), call.tool(), call.args_text());
        }
        Ok(())
    }

    /// Sets the reason, the usage and the model, which the end of an answer has.
    fn set_end(&mut self, json: &Value) {
        let has_calls = self.builder.has_calls();
        let reply = &mut self.builder.reply;
        reply.finish_reason = response::finish_reason(json, has_calls);
        reply.usage = response::usage(json);
        reply.model = text(json, "model");
    }
}

impl StreamReader for LineReader {
    fn builder(&mut self) -> &mut ReplyBuilder {
        &mut self.builder
    }

    /// Parses each line as JSON: neither event names nor `[DONE]` are part of this format.
    fn frame(&mut self, frame: &Frame, failure: &Failure<'_>) -> Result<(), Error> {
        self.data(&frame.data, failure)
    }

    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error> {
        let (json, raw) = response::parse(data.as_bytes(), failure)?;
        if json["message"].is_object() {
            self.has_message = true;
            self.add_message(&json["message"], raw, failure)?;
        }
        if json["done"] == true {
            if !self.has_message {
                return Err(failure.unreadable(response::NO_MESSAGE, raw.as_bytes()));
            }
            self.set_end(&json);
            self.builder.complete();
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (json, raw) = response::parse(body, failure)?;
        if !json["message"].is_object() {
            return Err(failure.unreadable(response::NO_MESSAGE, body));
        }
        self.add_message(&json["message"], raw, failure)?;
        self.set_end(&json);
        Ok(())
    }

    /// Ollama always sends `done`, so an answer without it is incomplete.
    fn may_end(&self) -> bool {
        false
    }

    fn has_begun(&self) -> bool {
        self.has_message
    }

    fn conclude(self, _reply: &mut ModelReply) {}
}
