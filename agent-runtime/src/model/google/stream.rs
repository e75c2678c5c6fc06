//! Answers of Google. A streamed answer is a sequence of chunks in the form of whole answers, so a whole
//! answer is parsed as a stream of one chunk.

use super::open_call::{ARGUMENTS, CALL, CONTINUES, OpenCall, PIECES};
use super::response::{self, KeptParts, PROVIDER};
use crate::model::http::{Failure, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{
    arguments_text, is_no_call, list, parse, raw_at, raw_items, take, take_items, text, word,
};
use agent_core::model::{FinishReason, ModelReply};
use agent_tool::Error;
use serde_json::{Map, Value};

/// Parses the chunks of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct ChunkReader {
    builder: ReplyBuilder,
    parts: KeptParts,
    /// The last numbers of tokens.
    usage: Map<String, Value>,
    finish_reason: Option<String>,
    /// The token by which the answer continues in another request.
    token: Option<String>,
    has_candidate: bool,
    /// The call whose arguments arrive in pieces.
    open: Option<OpenCall>,
}

impl ChunkReader {
    /// Adds one chunk or several: a stream without server-sent events is an array of chunks, and an error may
    /// be in an array even among events.
    fn add(&mut self, json: Value, raw: &str, failure: &Failure<'_>) -> Result<(), Error> {
        match json {
            Value::Array(chunks) => chunks
                .into_iter()
                .zip(raw_items(raw))
                .try_for_each(|(chunk, raw)| self.add_chunk(chunk, raw, failure)),
            chunk => self.add_chunk(chunk, raw, failure),
        }
    }

    fn add_chunk(
        &mut self,
        mut json: Value,
        raw: &str,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        if let Some(error) = response::error(&json, raw, failure) {
            return Err(error);
        }
        let reply = &mut self.builder.reply;
        reply.id = text(&json, "responseId").or(reply.id.take());
        reply.model = text(&json, "modelVersion").or(reply.model.take());
        if let Some(usage) = json.get("usageMetadata") {
            self.usage.extend(response::token_numbers(usage));
        }
        let candidates = take_items(&mut json, "candidates");
        let Some(mut candidate) = candidates.into_iter().next() else {
            return Ok(());
        };
        self.has_candidate = true;
        // A blocked answer has no content.
        let parts = take_items(&mut take(&mut candidate, "content"), "parts");
        let raw = match parts.iter().any(|part| part.get(CALL).is_some()) {
            true => raw_parts(raw),
            false => Vec::new(),
        };
        for (at, part) in parts.into_iter().enumerate() {
            self.add_part(part, raw.get(at).copied(), failure)?;
        }
        if let Some(token) = response::continuation_token(&candidate) {
            self.token = Some(token.to_owned());
        }
        if let Some(reason) = response::reason_word(&candidate) {
            self.finish_reason = Some(reason.to_owned());
            self.end();
        }
        Ok(())
    }

    fn add_part(
        &mut self,
        part: Value,
        raw: Option<&str>,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        if part.get(CALL).is_some_and(Value::is_object) {
            return self.add_call(part, raw, failure);
        }
        if part.as_object().is_some_and(|part| part.len() == 1) && text_of_part(&part) == Some("") {
            return Ok(());
        }
        let media = response::media(&part);
        let has_media = media.is_some();
        let goes_on = self.parts.goes_on(&part);
        if !goes_on && (has_media || response::has_content(&part)) {
            self.builder.end_part();
        }
        match text_of_part(&part) {
            Some(text) if response::is_thought(&part) => self.builder.add_thought(PROVIDER, text),
            Some(text) => self.builder.add_text(text),
            None => {
                if let Some(media) = media {
                    self.builder.add_part(media);
                }
            }
        }
        if !goes_on {
            self.keep(part, has_media);
        }
        Ok(())
    }

    fn keep(&mut self, part: Value, has_media: bool) {
        let values = self.parts.push(part, has_media);
        self.builder.count(values);
    }

    /// Adds a call, or a piece of one. A call in pieces begins with its name. It ends with the piece without
    /// `willContinue`, or else with the answer.
    fn add_call(
        &mut self,
        part: Value,
        raw: Option<&str>,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        let call = &part[CALL];
        let pieces = list(call, PIECES);
        let continues = call[CONTINUES] == true;
        let id = response::id(call).unwrap_or_default();
        let name = word(call, "name").unwrap_or_default();
        let raw = raw.and_then(|part| raw_at(part, &[CALL, ARGUMENTS]));
        let arguments = arguments_text(&call[ARGUMENTS], raw);
        let unreadable = |problem| failure.unreadable(problem, part.to_string().as_bytes());
        if !name.is_empty() {
            self.end();
            let index = self.builder.begin_call();
            self.builder.extend_call(index, id, name, "");
            if !continues && pieces.is_empty() {
                // A call of a tool without parameters may lack the arguments.
                let arguments = arguments.as_deref().unwrap_or("{}");
                self.builder.extend_call(index, "", "", arguments);
                self.keep(part, false);
                return Ok(());
            }
            let (open, values) = OpenCall::new(index, &part);
            self.builder.count(values);
            self.open = Some(open);
        }
        let Some(open) = &mut self.open else {
            let is_empty =
                pieces.is_empty() && is_no_call(id, name, &arguments.unwrap_or_default());
            return match is_empty {
                true => Ok(()),
                false => Err(unreadable("has a call without a name")),
            };
        };
        for piece in pieces {
            match open.add(piece) {
                Some(values) => self.builder.count(values),
                None => return Err(unreadable("has a piece of a call without its place")),
            }
        }
        open.sign(&part);
        if !continues {
            self.end();
        }
        Ok(())
    }
}

fn text_of_part(part: &Value) -> Option<&str> {
    part.get("text")?.as_str()
}

/// Returns the texts of the parts of a chunk.
fn raw_parts(chunk: &str) -> Vec<&str> {
    let candidates = raw_at(chunk, &["candidates"]).map(raw_items);
    let candidate = candidates.and_then(|all| all.first().copied());
    let parts = candidate.and_then(|candidate| raw_at(candidate, &["content", "parts"]));
    parts.map(raw_items).unwrap_or_default()
}

impl StreamReader for ChunkReader {
    fn builder(&mut self) -> &mut ReplyBuilder {
        &mut self.builder
    }

    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error> {
        let (json, raw) = parse(data.as_bytes(), failure)?;
        self.add(json, raw, failure)
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (json, raw) = parse(body, failure)?;
        self.add(json, raw, failure)?;
        if !self.has_candidate {
            return Err(failure.unreadable("has no candidates", body));
        }
        Ok(())
    }

    /// The last chunk has the reason. The usage may follow it, so the end of the stream is awaited.
    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn end(&mut self) {
        if let Some(open) = self.open.take() {
            let (index, arguments, part) = open.finish();
            self.builder.extend_call(index, "", "", &arguments);
            self.keep(part, false);
        }
    }

    fn conclude(mut self, reply: &mut ModelReply) {
        let has_calls = !reply.tool_calls.is_empty();
        let reason = self.finish_reason.as_deref();
        reply.usage = response::usage(&Value::Object(self.usage));
        reply.finish_reason = response::finish_reason(reason, has_calls);
        if let Some(token) = self
            .token
            .filter(|_| reason == Some(response::CONTINUATION))
        {
            reply.finish_reason = FinishReason::Paused;
            self.parts.push_token(&token);
        }
        reply.parts.extend(self.parts.into_part());
    }
}
