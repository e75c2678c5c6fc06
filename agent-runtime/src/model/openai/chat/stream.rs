//! Streamed answers of OpenAI, parsed leniently.
//!
//! Compatible servers differ: some repeat id and name with every piece of a call, some leave out the index,
//! some send a call in one piece, and some leave out the end mark.

use super::response;
use crate::model::http::{Failure, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{
    Json, Node, base64_bytes, is_no_call, list, member, parse, refuse, text, word,
};
use agent_core::model::{FinishReason, ModelReply};
use agent_tool::Error;
use std::collections::BTreeMap;

/// Parses the chunks of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct DeltaReader {
    builder: ReplyBuilder,
    finish_reason: Option<FinishReason>,
    is_refused: bool,
    /// The last call of each index that the server sent, and of calls without an index.
    calls: BTreeMap<Option<u64>, usize>,
    /// The call in the older form `function_call`.
    legacy: Option<usize>,
    audio: Vec<u8>,
    /// The base64 of audio that is not decoded yet.
    encoded: String,
}

impl DeltaReader {
    fn add_chunk(&mut self, json: &Json<'_>) {
        let reply = &mut self.builder.reply;
        if reply.id.is_none() {
            reply.id = text(json, "id").filter(|id| !id.is_empty());
        }
        if reply.model.is_none() {
            reply.model = text(json, "model").filter(|model| !model.is_empty());
        }
        if let Some(usage) = json.get("usage").filter(|usage| usage.is_object()) {
            reply.usage = response::usage(Some(usage));
        }
        let Some(choice) = list(json, "choices").first() else {
            return;
        };
        // Some servers send the whole message in one chunk, as `message`.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        if let Some(delta) = delta {
            self.add_delta(delta);
        }
        if word(choice, "finish_reason").is_some() {
            if let Some(audio) = response::audio(std::mem::take(&mut self.audio)) {
                self.builder.add_part(audio);
            }
            let has_calls = self.builder.has_calls();
            self.finish_reason = Some(response::finish_reason(choice, has_calls));
        }
    }

    fn add_delta(&mut self, delta: &Json<'_>) {
        for key in response::THOUGHTS {
            if let Some(thought) = delta.get(key).and_then(Node::as_str) {
                self.builder.add_thought(response::PROVIDER, thought);
            }
        }
        if let Some(text) = response::content_text(delta) {
            self.builder.add_text(&text);
        }
        if let Some(refusal) = response::refusal(delta) {
            self.is_refused = true;
            self.builder.add_text(&refusal);
        }
        for image in response::images(delta) {
            self.builder.add_part(image);
        }
        if let Some(audio) = delta.get("audio") {
            self.add_audio(audio);
        }
        for call in list(delta, "tool_calls") {
            self.add_call(call);
        }
        if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
            self.add_legacy_call(call);
        }
    }

    /// Adds a piece of spoken words and of their transcript.
    fn add_audio(&mut self, piece: &Json<'_>) {
        if let Some(transcript) = piece.get("transcript").and_then(Node::as_str) {
            self.builder.add_text(transcript);
        }
        if let Some(data) = piece.get("data").and_then(Node::as_str) {
            self.encoded.push_str(data);
            // Four characters are three bytes.
            let rest = self.encoded.len() % 4;
            let whole = self.encoded.get(..self.encoded.len() - rest);
            match whole.and_then(base64_bytes) {
                Some(bytes) => {
                    self.audio.extend(bytes);
                    self.encoded.drain(..self.encoded.len() - rest);
                }
                None => self.encoded.clear(),
            }
        }
    }

    fn add_call(&mut self, call: &Json<'_>) {
        let id = member(call, "id");
        let (tool, args) = response::function(call.get("function").unwrap_or(&Json::Null));
        let index = call.get("index").and_then(Node::as_u64);
        let known = self.find_call(index, id, &tool);
        if known.is_none() && is_no_call(id, &tool, &args) {
            return;
        }
        if known.is_some_and(|at| self.is_repeated(at, id, &tool, &args)) {
            return;
        }
        let known = known.filter(|at| self.builder.accepts(*at, &tool, &args));
        let at = known.unwrap_or_else(|| self.builder.begin_call());
        self.calls.insert(index, at);
        self.builder.extend_call(at, id, &tool, &args);
    }

    /// Adds a piece of the one call in the older form. Some servers send the call in both forms, and the
    /// newer one counts.
    fn add_legacy_call(&mut self, call: &Json<'_>) {
        if self.legacy.is_none() && self.builder.has_calls() {
            return;
        }
        let (tool, args) = response::function(call);
        if self.legacy.is_none() && is_no_call("", &tool, &args) {
            return;
        }
        let at = self.legacy;
        let at = at.unwrap_or_else(|| self.builder.begin_call());
        self.legacy = Some(at);
        self.builder.extend_call(at, "", &tool, &args);
    }

    /// Finds the call that a piece belongs to: the last call of its index or, without an index, the last
    /// call. Some servers send the index 0 with every call, so that a new id begins another call. Others send
    /// a new id with every piece, so that only a piece with a name begins a call.
    fn find_call(&self, index: Option<u64>, id: &str, tool: &str) -> Option<usize> {
        let current = self.calls.get(&index).copied();
        let id_of = |at: usize| self.builder.call_id(at);
        if current.is_some_and(|at| id.is_empty() || id_of(at).is_empty() || id_of(at) == id) {
            return current;
        }
        // A new index begins a call even if its id is known: some servers use one id for all calls.
        let may_be_known = index.is_none() || current.is_some();
        let known = may_be_known.then(|| self.builder.find_call(id)).flatten();
        known.or_else(|| {
            current.filter(|at| tool.is_empty() && !self.builder.has_all_arguments(*at))
        })
    }

    /// Whether a piece repeats a whole call: some servers send all calls again in the last chunk.
    fn is_repeated(&self, at: usize, id: &str, tool: &str, args: &str) -> bool {
        !id.is_empty()
            && self.builder.call_id(at) == id
            && self.builder.has_all_arguments(at)
            && self.builder.is_equal(at, tool, args)
    }
}

impl StreamReader for DeltaReader {
    fn builder(&mut self) -> &mut ReplyBuilder {
        &mut self.builder
    }

    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error> {
        let (json, _) = parse(data.as_bytes(), failure)?;
        if json.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure.reported(data.as_bytes()));
        }
        self.add_chunk(&json);
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        self.builder
            .set_whole(response::parse_reply(body, failure)?);
        Ok(())
    }

    /// Every server sends the reason, but some leave out `[DONE]`.
    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn conclude(self, reply: &mut ModelReply) {
        if self.legacy.is_some() {
            reply.parts.push(response::legacy_mark());
        }
        match self.finish_reason {
            Some(reason) => reply.finish_reason = reason,
            None if !reply.tool_calls.is_empty() => reply.finish_reason = FinishReason::ToolCalls,
            None => {}
        }
        if self.is_refused {
            refuse(&mut reply.finish_reason);
        }
    }
}
