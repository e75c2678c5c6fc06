//! Streamed answers of Ollama: one JSON text per line, the last one with `done`.

use super::response;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{Json, Node, text};
use agent_core::model::ModelReply;
use agent_tool::Error;

/// Parses the lines of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    builder: ReplyBuilder,
    has_message: bool,
}

impl LineReader {
    fn add_message(
        &mut self,
        message: &Json<'_>,
        raw: &str,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        if let Some(thinking) = text(message, "thinking") {
            self.builder.add_thought(response::PROVIDER, &thinking);
        }
        if let Some(content) = text(message, "content") {
            self.builder.add_text(&content);
        }
        let Some(calls) = response::calls(message, raw) else {
            return Err(failure.unreadable(response::NAMELESS, raw.as_bytes()));
        };
        for call in calls {
            self.builder
                .add_call(call.id(), call.tool(), call.args_text());
        }
        Ok(())
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
        if let Some(message) = json.get("message").filter(|message| message.is_object()) {
            self.has_message = true;
            self.add_message(message, raw, failure)?;
        }
        if json.get("done").and_then(Json::as_bool) == Some(true) {
            if !self.has_message {
                return Err(failure.unreadable(response::NO_MESSAGE, raw.as_bytes()));
            }
            let has_calls = self.builder.has_calls();
            let reply = &mut self.builder.reply;
            reply.finish_reason = response::finish_reason(&json, has_calls);
            reply.usage = response::usage(&json);
            reply.model = text(&json, "model");
            self.builder.complete();
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        self.builder
            .set_whole(response::parse_reply(body, failure)?);
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
