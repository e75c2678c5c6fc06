//! Streamed answers in OpenAI's form.
//!
//! Compatible servers differ: some send id and name again with every piece of a call, some leave
//! the index out, some send a call as a whole, and some leave the last mark out.

use super::response;
use crate::error::Error;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::wire::{Assembly, is_sign_of_life, list, parse, text};
use crate::model::{FinishReason, ModelReply, ReplyPart};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An answer that comes in deltas.
#[derive(Debug, Default)]
pub(crate) struct Deltas {
    assembly: Assembly,
    finish_reason: Option<FinishReason>,
    /// The calls by the index that the server gives them, if it does.
    calls: BTreeMap<Option<u64>, usize>,
    /// The call in the form before `tool_calls`.
    legacy: Option<usize>,
    is_complete: bool,
}

impl Deltas {
    fn chunk(&mut self, json: &Value) {
        let reply = &mut self.assembly.reply;
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
        // A server that sends the whole message in one chunk may call it so.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        if let Some(delta) = delta {
            self.delta(delta);
        }
        if choice.get("finish_reason").is_some_and(Value::is_string) {
            self.finish_reason = Some(response::finish_reason(choice, self.assembly.has_calls()));
        }
    }

    fn delta(&mut self, delta: &Value) {
        // The name of it differs from server to server.
        for key in ["reasoning_content", "reasoning"] {
            if let Some(thought) = delta.get(key).and_then(Value::as_str) {
                self.assembly.thought(thought);
            }
        }
        if let Some(text) = response::content_text(delta) {
            self.assembly.text(&text);
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.assembly.text(refusal);
        }
        for call in list(delta, "tool_calls") {
            self.call(call);
        }
        if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
            self.legacy_call(call);
        }
    }

    /// A piece of the one call in the older form. A server may say the same call in both forms;
    /// then the newer one counts.
    fn legacy_call(&mut self, call: &Value) {
        if self.legacy.is_none() && self.assembly.has_calls() {
            return;
        }
        let (tool, args) = response::function(call);
        let at = self.legacy;
        let at = at.unwrap_or_else(|| self.assembly.begin_call());
        self.legacy = Some(at);
        self.assembly.call_piece(at, "", &tool, &args);
        self.assembly.reply.provider_data = Some(json!({ response::LEGACY: true }));
    }

    fn call(&mut self, call: &Value) {
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let null = Value::Null;
        let (tool, args) = response::function(call.get("function").unwrap_or(&null));
        let index = call.get("index").and_then(Value::as_u64);
        let known = self.known(index, id, &tool);
        if known.is_some_and(|at| self.is_said_again(at, id, &tool, &args)) {
            return;
        }
        let known = known.filter(|at| self.assembly.takes(*at, &tool, &args));
        let at = known.unwrap_or_else(|| self.assembly.begin_call());
        self.calls.insert(index, at);
        self.assembly.call_piece(at, id, &tool, &args);
    }

    /// The call that a piece means by index and id: the last one of the index or, without an index,
    /// the last one. Some servers send the index 0 with every call; then another id means another
    /// call. And some send another id with every piece; then only the first has a name.
    fn known(&self, index: Option<u64>, id: &str, tool: &str) -> Option<usize> {
        let current = self.calls.get(&index).copied();
        let id_of = |at: &usize| self.assembly.id(*at);
        if current.is_some_and(|at| id.is_empty() || id_of(&at).is_empty() || id_of(&at) == id) {
            return current;
        }
        // Not of an index that is new: the calls of an answer may all have the same id.
        let may_be_before = index.is_none() || current.is_some();
        let before = may_be_before.then(|| self.assembly.call_of(id)).flatten();
        before.or_else(|| current.filter(|at| tool.is_empty() && !self.assembly.is_full(*at)))
    }

    /// Whether a piece is a whole call that was there before, as a last chunk may sum it up.
    fn is_said_again(&self, at: usize, id: &str, tool: &str, args: &str) -> bool {
        let is_same = !id.is_empty() && self.assembly.id(at) == id;
        is_same && self.assembly.is_full(at) && self.assembly.says(at, tool, args)
    }
}

impl StreamReader for Deltas {
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let data = frame.data.trim();
        if is_sign_of_life(&frame) {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        if frame.event == "error" {
            return Err(failure.reported(data.as_bytes()));
        }
        let (json, _) = parse(data.as_bytes(), failure)?;
        if json.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure.reported(data.as_bytes()));
        }
        self.chunk(&json);
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let reply = response::reply(body, failure)?;
        self.assembly = Assembly::of(reply);
        self.is_complete = true;
        Ok(())
    }

    fn take_parts(&mut self) -> Vec<ReplyPart> {
        self.assembly.take_parts()
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Not every server sends `[DONE]`, but each says why the model stopped.
    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn finish(self, failure: &Failure<'_>) -> Result<ModelReply, Error> {
        if self.assembly.has_nameless_call() {
            return Err(failure.unreadable("has a tool call without a name", b""));
        }
        let has_calls = self.assembly.has_calls();
        let mut reply = self.assembly.finish();
        match self.finish_reason {
            Some(reason) => reply.finish_reason = reason,
            None if has_calls => reply.finish_reason = FinishReason::ToolCalls,
            None => {}
        }
        Ok(reply)
    }
}
