//! Answers in Google's form. A streamed one comes in chunks, each of which has the form of a whole
//! answer; so a whole answer is read as a stream of one chunk.

use super::response::{self, Parts};
use crate::error::Error;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::wire::{
    Assembly, arguments_text, is_sign_of_life, list, parse, raw_at, raw_items, text,
};
use crate::model::{ModelReply, ReplyPart};
use serde_json::{Map, Value};

/// Where a part has its call, and a call its arguments.
const CALL: &str = "functionCall";
const ARGUMENTS: &str = "args";

/// The answer that a body holds.
pub(super) fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
    let mut chunks = Chunks::default();
    chunks.whole(body, failure)?;
    chunks.finish(failure)
}

/// An answer that comes in chunks.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    assembly: Assembly,
    parts: Parts,
    /// What the request costs, as the last chunk that says it has it.
    usage: Map<String, Value>,
    finish_reason: Option<String>,
    has_candidate: bool,
    is_complete: bool,
}

impl Chunks {
    /// One chunk, or several: a stream that is not one of events is a list of chunks, and an error
    /// may come in a list among events, too.
    fn chunks(&mut self, json: &Value, raw: &str, failure: &Failure<'_>) -> Result<(), Error> {
        match json {
            Value::Array(chunks) => chunks
                .iter()
                .zip(raw_items(raw))
                .try_for_each(|(chunk, raw)| self.chunk(chunk, raw, failure)),
            chunk => self.chunk(chunk, raw, failure),
        }
    }

    fn chunk(&mut self, json: &Value, raw: &str, failure: &Failure<'_>) -> Result<(), Error> {
        if let Some(error) = response::error(json, failure) {
            return Err(error);
        }
        let reply = &mut self.assembly.reply;
        reply.id = text(json, "responseId").or(reply.id.take());
        reply.model = text(json, "modelVersion").or(reply.model.take());
        if let Some(Value::Object(usage)) = json.get("usageMetadata") {
            let usage = usage
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()));
            self.usage.extend(usage);
        }
        let Some(candidate) = list(json, "candidates").first() else {
            return Ok(());
        };
        self.has_candidate = true;
        // An answer that was held back has no content.
        let content = candidate.get("content").unwrap_or(&Value::Null);
        let parts = list(content, "parts");
        let raw = match parts.iter().any(|part| part.get(CALL).is_some()) {
            true => raw_parts(raw),
            false => Vec::new(),
        };
        for (at, part) in parts.iter().enumerate() {
            self.part(part, raw.get(at).copied(), failure)?;
        }
        self.finish_reason = text(candidate, "finishReason").or(self.finish_reason.take());
        Ok(())
    }

    fn part(
        &mut self,
        part: &Value,
        raw: Option<&str>,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        self.parts.push(part);
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            if response::is_thought(part) {
                self.assembly.thought(text);
            } else {
                self.assembly.text(text);
            }
        }
        if let Some(call) = part.get(CALL).filter(|call| call.is_object()) {
            let Some(name) = text(call, "name").filter(|name| !name.is_empty()) else {
                let part = part.to_string();
                return Err(failure.unreadable("has a call without a name", part.as_bytes()));
            };
            let id = response::id(call).unwrap_or_default();
            let raw = raw.and_then(|part| raw_at(part, &[CALL, ARGUMENTS]));
            let arguments = arguments_text(call.get(ARGUMENTS), raw);
            // Calls without arguments may lack them.
            let arguments = arguments.as_deref().unwrap_or("{}");
            self.assembly.whole_call(id, &name, arguments);
        }
        Ok(())
    }
}

/// The texts of the parts of a chunk.
fn raw_parts(chunk: &str) -> Vec<&str> {
    let candidates = raw_at(chunk, &["candidates"]).map(raw_items);
    let candidate = candidates.and_then(|all| all.first().copied());
    let parts = candidate.and_then(|candidate| raw_at(candidate, &["content", "parts"]));
    parts.map(raw_items).unwrap_or_default()
}

impl StreamReader for Chunks {
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let data = frame.data.trim();
        if is_sign_of_life(&frame) {
            return Ok(());
        }
        // Not in this form, but some servers send it after their chunks in any form.
        if data == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        if frame.event == "error" {
            return Err(failure.reported(data.as_bytes()));
        }
        let (json, text) = parse(data.as_bytes(), failure)?;
        self.chunks(&json, text, failure)
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (json, text) = parse(body, failure)?;
        self.chunks(&json, text, failure)?;
        if !self.has_candidate {
            return Err(failure.unreadable("has no candidates", body));
        }
        self.is_complete = true;
        Ok(())
    }

    fn take_parts(&mut self) -> Vec<ReplyPart> {
        self.assembly.take_parts()
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The last chunk is the one that says why the model stopped, and nothing comes after it. What
    /// the request costs may come with it or later, so the end of the stream is waited for.
    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn finish(self, _: &Failure<'_>) -> Result<ModelReply, Error> {
        let calls = self.assembly.has_calls();
        let mut reply = self.assembly.finish();
        reply.usage = response::usage(&Value::Object(self.usage));
        reply.finish_reason = response::finish_reason(self.finish_reason.as_deref(), calls);
        reply.provider_data = self.parts.kept();
        Ok(reply)
    }
}
