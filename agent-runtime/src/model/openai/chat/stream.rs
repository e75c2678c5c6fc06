//! Answers of OpenAI in one piece and in many, parsed leniently.
//!
//! Compatible servers differ: some repeat id and name with every piece of a call, some leave out the index,
//! some send a call in one piece, and some leave out the end mark.

use super::response::{self, Said};
use crate::model::http::{Failure, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{
    base64_bytes, has_error, is_no_call, list, member, parse, refuse, text, word,
};
use agent_core::model::{FinishReason, ModelReply};
use agent_tool::Error;
use serde_json::Value;
use std::collections::BTreeMap;

/// Parses the chunks of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct DeltaReader {
    builder: ReplyBuilder,
    finish_reason: Option<FinishReason>,
    is_refused: bool,
    /// Whether there is text that is no refusal.
    has_text: bool,
    /// The last call of each index that the server sent, and of calls without an index.
    calls: BTreeMap<Option<u64>, usize>,
    /// The call in the older form `function_call`.
    legacy: Option<usize>,
    audio: Vec<u8>,
    /// The base64 of audio that is not decoded yet.
    encoded: String,
}

impl DeltaReader {
    fn add_chunk(&mut self, json: &Value) {
        let reply = &mut self.builder.reply;
        if reply.id.is_none() {
            reply.id = text(json, "id").filter(|id| !id.is_empty());
        }
        if reply.model.is_none() {
            reply.model = text(json, "model").filter(|model| !model.is_empty());
        }
        if json["usage"].is_object() {
            reply.usage = response::usage(&json["usage"]);
        }
        let choice = &json["choices"][0];
        // An answer in one piece has a `message`, and so have the only chunks of some servers.
        match choice.get("delta") {
            Some(delta) => self.add_delta(delta, false),
            None => self.add_delta(&choice["message"], true),
        }
        if word(choice, "finish_reason").is_some() {
            self.end();
            let has_calls = self.builder.has_calls();
            self.finish_reason = Some(response::finish_reason(choice, has_calls));
        }
    }

    /// Adds a piece of a message, or a message as a whole.
    fn add_delta(&mut self, delta: &Value, is_whole: bool) {
        for key in response::THOUGHTS {
            let thought = member(delta, key);
            self.builder.add_thought(response::PROVIDER, thought);
        }
        let mut has_text = false;
        for piece in response::said(delta) {
            match piece {
                Said::Text(text) => {
                    has_text |= !text.is_empty();
                    self.builder.add_text(text);
                }
                Said::Thought(text) => self.builder.add_thought(response::PROVIDER, text),
            }
        }
        if !has_text {
            let spoken = member(&delta["audio"], "transcript");
            self.builder.add_text(spoken);
        }
        self.has_text |= has_text;
        if let Some(refusal) = response::refusal(delta) {
            self.is_refused = true;
            self.builder.add_text(&refusal);
        }
        for image in response::images(delta) {
            self.builder.add_part(image);
        }
        self.add_audio(member(&delta["audio"], "data"));
        for (index, call) in (0..).zip(list(delta, "tool_calls")) {
            // In a whole message, each entry is a call of its own.
            let index = if is_whole {
                Some(index)
            } else {
                call["index"].as_u64()
            };
            self.add_call(index, call);
        }
        if delta["function_call"].is_object() {
            self.add_legacy_call(&delta["function_call"]);
        }
    }

    /// Adds a piece of the base64 of spoken words.
    fn add_audio(&mut self, piece: &str) {
        self.encoded.push_str(piece);
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

    fn add_call(&mut self, index: Option<u64>, call: &Value) {
        let id = member(call, "id");
        if call["custom"].is_object() {
            let name = member(&call["custom"], "name");
            let not_run = || format!("`custom` of `{name}`");
            self.builder.not_run.get_or_insert_with(not_run);
            return;
        }
        let (tool, args) = response::function(&call["function"]);
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
    fn add_legacy_call(&mut self, call: &Value) {
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
        if has_error(&json) {
            return Err(failure.reported(data.as_bytes()));
        }
        self.add_chunk(&json);
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (json, _) = parse(body, failure)?;
        if has_error(&json) {
            return Err(failure.reported(body));
        }
        let choice = &json["choices"][0];
        if choice.is_null() {
            return Err(failure.unreadable("has no choices", body));
        }
        if !choice["message"].is_object() {
            return Err(failure.unreadable("has no message", body));
        }
        self.add_chunk(&json);
        self.end();
        Ok(())
    }

    /// Every server sends the reason, but some leave out `[DONE]`.
    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// Adds the spoken words, whose pieces are complete.
    fn end(&mut self) {
        if let Some(audio) = response::audio(std::mem::take(&mut self.audio)) {
            self.builder.add_part(audio);
        }
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
            refuse(reply, self.has_text);
        }
    }
}
