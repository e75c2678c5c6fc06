//! Streamed answers in Anthropic's form: a message that begins, blocks that grow one after the
//! other, and a message that ends.

use super::response;
use crate::error::Error;
use crate::model::http::{Failure, Frame, StreamReader};
use crate::model::wire::{Assembly, is_sign_of_life, parse, raw_at, text};
use crate::model::{ModelReply, ReplyPart};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where an event has the block that begins.
const BLOCK: &str = "content_block";

/// An answer that comes in events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    assembly: Assembly,
    /// The blocks in order, as far as they have come.
    blocks: Vec<Block>,
    /// Where the block of an index stands. Some servers give the same index to several.
    places: BTreeMap<u64, usize>,
    /// The indexes of calls that began since the last time that all blocks were ended.
    begun_calls: Vec<u64>,
    /// What the request costs, as the last event that says it has it: the numbers grow.
    usage: Map<String, Value>,
    stop_reason: Option<String>,
    /// An answer of a server that does not stream.
    whole: Option<ModelReply>,
    is_complete: bool,
}

/// A block as it began, with the text that it grew by, and its call if it is one.
#[derive(Debug)]
struct Block {
    json: Value,
    call: Option<Call>,
}

#[derive(Debug)]
struct Call {
    at: usize,
    /// The arguments that it began with, until it has any.
    input: Option<String>,
}

impl Events {
    fn message(&mut self, message: &Value) {
        let reply = &mut self.assembly.reply;
        reply.id = text(message, "id");
        reply.model = text(message, "model");
        self.count(message);
    }

    fn count(&mut self, json: &Value) {
        let Some(Value::Object(usage)) = json.get("usage") else {
            return;
        };
        for (key, value) in usage {
            // Some servers count the input only at the start, and say zero or nothing at the end.
            let known = self.usage.get(key).and_then(Value::as_u64);
            if !value.is_null() && (known.is_none() || value.as_u64() >= known) {
                self.usage.insert(key.clone(), value.clone());
            }
        }
    }

    fn begin(&mut self, index: u64, json: &Value, raw: Option<&str>) {
        self.end(index);
        self.places.insert(index, self.blocks.len());
        let mut call = None;
        match response::kind(json) {
            "text" => self.assembly.text(response::member(json, "text")),
            "thinking" => self.assembly.thought(response::member(json, "thinking")),
            "tool_use" => {
                let at = self.assembly.begin_call();
                let (id, name) = (response::member(json, "id"), response::member(json, "name"));
                self.assembly.call_piece(at, id, name, "");
                self.begun_calls.push(index);
                let input = Some(response::input(json, raw));
                call = Some(Call { at, input });
            }
            _ => {}
        }
        let json = json.clone();
        self.blocks.push(Block { json, call });
    }

    fn delta(&mut self, index: u64, delta: &Value) {
        if !self.places.contains_key(&index) {
            // Some servers leave out where a text begins.
            match response::kind(delta) {
                "text_delta" => self.begin(index, &json!({"type": "text", "text": ""}), None),
                "thinking_delta" => {
                    self.begin(index, &json!({"type": "thinking", "thinking": ""}), None);
                }
                _ => {}
            }
        }
        let Some(block) = block_of(&mut self.blocks, &self.places, index) else {
            return;
        };
        match response::kind(delta) {
            "text_delta" => self.assembly.text(grow(&mut block.json, "text", delta)),
            "thinking_delta" => {
                let piece = grow(&mut block.json, "thinking", delta);
                self.assembly.thought(piece);
            }
            "signature_delta" => {
                grow(&mut block.json, "signature", delta);
            }
            "input_json_delta" => {
                let piece = response::member(delta, "partial_json");
                if let Some(call) = block.call.as_mut().filter(|_| !piece.is_empty()) {
                    call.input = None;
                    self.assembly.call_piece(call.at, "", "", piece);
                }
            }
            _ => {}
        }
    }

    /// A call without pieces of arguments has those that it began with, usually none.
    fn end(&mut self, index: u64) {
        let Some(block) = block_of(&mut self.blocks, &self.places, index) else {
            return;
        };
        if let Some(call) = &mut block.call
            && let Some(input) = call.input.take()
        {
            self.assembly.call_piece(call.at, "", "", &input);
        }
    }

    fn end_all(&mut self) {
        for index in std::mem::take(&mut self.begun_calls) {
            self.end(index);
        }
    }
}

fn block_of<'a>(
    blocks: &'a mut [Block],
    places: &BTreeMap<u64, usize>,
    index: u64,
) -> Option<&'a mut Block> {
    blocks.get_mut(*places.get(&index)?)
}

/// Adds the piece of a text to what the block has of it, and gives the piece.
fn grow<'a>(block: &mut Value, key: &str, delta: &'a Value) -> &'a str {
    let piece = response::member(delta, key);
    if let Value::Object(members) = block {
        match members.get_mut(key) {
            // In place: an answer may come in a hundred thousand pieces.
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                members.insert(key.to_owned(), piece.into());
            }
        }
    }
    piece
}

impl StreamReader for Events {
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let data = frame.data.trim();
        if is_sign_of_life(&frame) {
            return Ok(());
        }
        // Not in this form, but some servers send it after their events in any form.
        if data == "[DONE]" {
            self.end_all();
            self.is_complete = true;
            return Ok(());
        }
        if frame.event == "error" {
            return Err(failure.reported(data.as_bytes()));
        }
        let (json, raw) = parse(data.as_bytes(), failure)?;
        if response::is_error(&json) {
            return Err(failure.reported(data.as_bytes()));
        }
        let index = json.get("index").and_then(Value::as_u64).unwrap_or(0);
        let part = |key| json.get(key).unwrap_or(&Value::Null);
        match response::kind(&json) {
            "message_start" => self.message(part("message")),
            "content_block_start" => self.begin(index, part(BLOCK), raw_at(raw, &[BLOCK])),
            "content_block_delta" => self.delta(index, part("delta")),
            "content_block_stop" => self.end(index),
            "message_delta" => {
                self.count(&json);
                let reason = text(part("delta"), "stop_reason");
                self.stop_reason = reason.or(self.stop_reason.take());
                self.end_all();
                if self.assembly.is_empty()
                    && let Some(explanation) = response::explanation(part("delta"))
                {
                    self.assembly.text(&explanation);
                }
            }
            "message_stop" => {
                self.end_all();
                self.is_complete = true;
            }
            // `ping`, and events that may be added.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let reply = response::reply(body, failure)?;
        self.assembly = Assembly::of(reply.clone());
        self.whole = Some(reply);
        self.is_complete = true;
        Ok(())
    }

    fn take_parts(&mut self) -> Vec<ReplyPart> {
        self.assembly.take_parts()
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Every server says why the model stopped, and not every one that the message has.
    fn may_end(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn finish(mut self, failure: &Failure<'_>) -> Result<ModelReply, Error> {
        if let Some(reply) = self.whole {
            return Ok(reply);
        }
        if self.assembly.has_nameless_call() {
            return Err(failure.unreadable(response::NAMELESS, b""));
        }
        let calls = self.assembly.has_calls();
        let blocks: Vec<Value> = self.blocks.into_iter().map(|block| block.json).collect();
        self.assembly.reply.usage = response::usage(Some(&Value::Object(self.usage)));
        let mut reply = self.assembly.finish();
        reply.finish_reason = response::finish_reason(self.stop_reason.as_deref(), calls);
        reply.provider_data = response::kept(&blocks);
        Ok(reply)
    }
}
