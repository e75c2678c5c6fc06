//! Streamed answers in OpenAI's form.
//!
//! Compatible servers differ: some send id and name again with every piece of a call, some leave
//! the index out, some send a call as a whole, and some leave the last mark out.

use super::read;
use crate::error::Error;
use crate::http::{Failure, Frame, StreamReader};
use crate::model::wire::{Assembly, list, parse, text};
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
            reply.usage = read::usage(Some(usage));
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
            self.finish_reason = Some(read::finish_reason(choice, self.assembly.has_calls()));
        }
    }

    fn delta(&mut self, delta: &Value) {
        // The name of it differs from server to server.
        for key in ["reasoning_content", "reasoning"] {
            if let Some(thought) = delta.get(key).and_then(Value::as_str) {
                self.assembly.thought(thought);
            }
        }
        if let Some(text) = read::content_text(delta) {
            self.assembly.text(&text);
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.assembly.text(refusal);
        }
        for call in list(delta, "tool_calls") {
            self.call(call);
        }
        if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
            let (tool, args) = read::function(call);
            let at = *self
                .calls
                .entry(None)
                .or_insert_with(|| self.assembly.begin_call());
            self.assembly.call_piece(at, "", &tool, &args);
            self.assembly.reply.provider_data = Some(json!({ read::LEGACY: true }));
        }
    }

    fn call(&mut self, call: &Value) {
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let null = Value::Null;
        let (tool, args) = read::function(call.get("function").unwrap_or(&null));
        let at = self.place(call.get("index").and_then(Value::as_u64), id, &tool);
        self.assembly.call_piece(at, id, &tool, &args);
    }

    /// The call that a piece belongs to. An index may stand for several calls one after the other,
    /// since some servers send 0 with each; a new id tells them apart. Without an index a known id
    /// says which call is meant, and a piece with neither id nor name goes on with the last.
    fn place(&mut self, index: Option<u64>, id: &str, tool: &str) -> usize {
        let current = self.calls.get(&index).copied();
        let known = current.filter(|at| {
            let current_id = self.assembly.id(*at);
            if id.is_empty() {
                index.is_some() || tool.is_empty()
            } else {
                current_id.is_empty() || current_id == id
            }
        });
        let by_id = || match index {
            None if !id.is_empty() => self.assembly.call_of(id),
            _ => None,
        };
        let at = known.or_else(by_id);
        let at = at.unwrap_or_else(|| self.assembly.begin_call());
        self.calls.insert(index, at);
        at
    }
}

impl StreamReader for Deltas {
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let data = frame.data.trim();
        if data == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        let json = parse(data.as_bytes(), failure)?;
        if frame.event == "error" || json.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure.reported(data.as_bytes()));
        }
        self.chunk(&json);
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let reply = read::reply(body, failure)?;
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
