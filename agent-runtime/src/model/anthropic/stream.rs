//! Streamed answers of Anthropic: a message that begins, blocks that grow one after the other, and a
//! message that ends.

use super::response;
use crate::model::http::{Failure, StreamReader};
use crate::model::reply_builder::ReplyBuilder;
use crate::model::wire::{
    is_no_call, kind, member, parse, raw_at, raw_items, take, take_items, text, word,
};
use agent_core::__private::REFUSED;
use agent_core::model::ModelReply;
use agent_spec::json::{parse_json, values_in};
use agent_tool::Error;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The member of an event with the block that begins.
const BLOCK: &str = "content_block";

/// The index of the blocks of a message that begins with its content. No event has this index.
const WHOLE_BLOCK: u64 = u64::MAX;

/// Parses the events of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    builder: ReplyBuilder,
    blocks: Vec<Block>,
    /// The positions in `blocks` by the server's index. Some servers use an index for several blocks.
    positions: BTreeMap<u64, usize>,
    /// The indexes of calls that began since the last end of all blocks.
    begun_calls: Vec<u64>,
    /// The last numbers of tokens.
    usage: Map<String, Value>,
    stop_reason: Option<String>,
    /// Whether the answer is the reason of a refusal, and nothing else.
    is_refused: bool,
}

/// A block with the text so far, and its call if it is one.
#[derive(Debug)]
struct Block {
    json: Value,
    call: Option<BlockCall>,
    /// The input of a tool of the server, whose pieces are JSON text.
    input: String,
}

#[derive(Debug)]
struct BlockCall {
    index: usize,
    /// The arguments in the block's first event, which are used if no pieces follow.
    input: Option<String>,
}

impl EventReader {
    /// Begins the message. `raw` is the text of its event, which has the message's content at `path`.
    ///
    /// # Errors
    /// Returns an error if another message has begun: a proxy sent a second answer after one that broke off.
    fn begin_message(
        &mut self,
        mut message: Value,
        raw: &str,
        path: &[&str],
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        let id = text(&message, "id");
        let reply = &mut self.builder.reply;
        if reply.id.is_some() && reply.id != id {
            let problem = "begins a second message within the first";
            return Err(failure.unreadable(problem, raw.as_bytes()));
        }
        let is_begun = reply.id.is_some();
        reply.id = id;
        reply.model = text(&message, "model");
        self.count(&message);
        self.stop_reason = word(&message, "stop_reason").map(str::to_owned);
        // A message with a call by code of the server arrives complete in this event, and no events of its
        // blocks follow.
        let content = take_items(&mut message, "content");
        if is_begun || content.is_empty() {
            return Ok(());
        }
        let texts = raw_at(raw, path).map(raw_items).unwrap_or_default();
        for (at, block) in content.into_iter().enumerate() {
            self.begin_block(WHOLE_BLOCK, block, texts.get(at).copied());
        }
        self.end_block(WHOLE_BLOCK);
        Ok(())
    }

    fn count(&mut self, json: &Value) {
        // Each event has the numbers of the whole answer so far. A number may be lower than before, because
        // after a compaction less of the input counts. A number that is missing or null keeps its last value.
        // Other members are left out, because the events of an answer could have millions of them.
        let numbers = response::TOKENS.map(|key| (key, &json["usage"][key]));
        for (key, value) in numbers.into_iter().filter(|(_, value)| !value.is_null()) {
            self.usage.insert(key.to_owned(), value.clone());
        }
    }

    /// Begins a block. `raw` is its text.
    fn begin_block(&mut self, index: u64, json: Value, raw: Option<&str>) {
        self.end_block(index);
        self.builder.count(values_in(&json));
        self.positions.insert(index, self.blocks.len());
        let mut call = None;
        self.builder.end_part();
        match kind(&json) {
            "text" => self.builder.add_text(member(&json, "text")),
            "thinking" => {
                let thought = member(&json, "thinking");
                self.builder.add_thought(response::PROVIDER, thought);
            }
            "tool_use" => {
                let id = member(&json, "id");
                let name = member(&json, "name");
                let input = response::input(&json, raw);
                if !is_no_call(id, name, &input) {
                    let at = self.builder.begin_call();
                    self.builder.extend_call(at, id, name, "");
                    self.begun_calls.push(index);
                    let input = Some(input);
                    call = Some(BlockCall { index: at, input });
                }
            }
            _ => {}
        }
        self.blocks.push(Block {
            json,
            call,
            input: String::new(),
        });
    }

    fn extend_block(&mut self, index: u64, delta: &Value) {
        if !self.positions.contains_key(&index) {
            // Some servers leave out the first event of a text.
            match kind(delta) {
                "text_delta" => self.begin_block(index, json!({"type": "text", "text": ""}), None),
                "thinking_delta" => {
                    let block = json!({"type": "thinking", "thinking": ""});
                    self.begin_block(index, block, None);
                }
                _ => {}
            }
        }
        let Some(block) = block_at(&mut self.blocks, &self.positions, index) else {
            return;
        };
        match kind(delta) {
            "text_delta" => self
                .builder
                .add_text(extend(&mut block.json, "text", delta)),
            "thinking_delta" => {
                let piece = extend(&mut block.json, "thinking", delta);
                self.builder.add_thought(response::PROVIDER, piece);
            }
            "signature_delta" => {
                extend(&mut block.json, "signature", delta);
            }
            "citations_delta" => {
                if let (Value::Object(members), Some(citation)) =
                    (&mut block.json, delta.get("citation"))
                {
                    self.builder.count(values_in(citation));
                    let citations = members.entry("citations").or_insert(Value::Null);
                    match citations {
                        Value::Array(citations) => citations.push(citation.clone()),
                        other => *other = json!([citation]),
                    }
                }
            }
            "input_json_delta" => {
                let piece = member(delta, "partial_json");
                if !piece.is_empty() && kind(&block.json) == "tool_use" {
                    let call = block.call.get_or_insert_with(|| BlockCall {
                        index: self.builder.begin_call(),
                        input: None,
                    });
                    call.input = None;
                    self.builder.extend_call(call.index, "", "", piece);
                } else if !piece.is_empty() {
                    block.input.push_str(piece);
                }
            }
            _ => {}
        }
    }

    /// Adds the reason of a refusal to an answer that has nothing else.
    fn explain(&mut self, explanation: Option<String>) {
        if self.builder.is_empty()
            && let Some(explanation) = explanation
        {
            self.builder.add_text(&explanation);
            self.is_refused = true;
        }
    }

    fn end_block(&mut self, index: u64) {
        let Some(block) = block_at(&mut self.blocks, &self.positions, index) else {
            return;
        };
        if let Some(call) = &mut block.call
            && let Some(input) = call.input.take()
        {
            self.builder.extend_call(call.index, "", "", &input);
        }
        let input = std::mem::take(&mut block.input);
        if let (Ok(input), Value::Object(members)) = (parse_json(&input), &mut block.json) {
            self.builder.count(values_in(&input));
            members.insert(response::INPUT.to_owned(), input);
        }
    }
}

fn block_at<'a>(
    blocks: &'a mut [Block],
    positions: &BTreeMap<u64, usize>,
    index: u64,
) -> Option<&'a mut Block> {
    blocks.get_mut(*positions.get(&index)?)
}

/// Adds a piece to a text of a block, and returns the piece.
fn extend<'a>(block: &mut Value, key: &str, delta: &'a Value) -> &'a str {
    let piece = member(delta, key);
    if let Value::Object(members) = block {
        match members.get_mut(key) {
            // In place, because an answer may have a hundred thousand pieces.
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                members.insert(key.to_owned(), piece.into());
            }
        }
    }
    piece
}

impl StreamReader for EventReader {
    fn builder(&mut self) -> &mut ReplyBuilder {
        &mut self.builder
    }

    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error> {
        let (mut json, raw) = parse(data.as_bytes(), failure)?;
        if response::is_error(&json) {
            return Err(failure.reported(data.as_bytes()));
        }
        let index = json["index"].as_u64().unwrap_or(0);
        if kind(&json) == "content_block_start" {
            let block = take(&mut json, BLOCK);
            self.begin_block(index, block, raw_at(raw, &[BLOCK]));
            return Ok(());
        }
        if kind(&json) == "message_start" {
            let message = take(&mut json, "message");
            return self.begin_message(message, raw, &["message", "content"], failure);
        }
        let delta = &json["delta"];
        match kind(&json) {
            "content_block_delta" => self.extend_block(index, delta),
            "content_block_stop" => self.end_block(index),
            "message_delta" => {
                self.count(&json);
                let reason = word(delta, "stop_reason");
                let reason = reason.map(str::to_owned);
                self.stop_reason = reason.or(self.stop_reason.take());
                self.end();
                self.explain(response::explanation(delta));
            }
            "message_stop" => {
                self.end();
                self.builder.complete();
            }
            // `ping`, and events that Anthropic may add.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (message, raw) = parse(body, failure)?;
        if response::is_error(&message) {
            return Err(failure.reported(body));
        }
        if !message["content"].is_array() {
            return Err(failure.unreadable("has no content", body));
        }
        let explanation = response::explanation(&message);
        self.begin_message(message, raw, &["content"], failure)?;
        self.explain(explanation);
        Ok(())
    }

    /// Every server sends the reason, but some leave out `message_stop`.
    fn may_end(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn end(&mut self) {
        for index in std::mem::take(&mut self.begun_calls) {
            self.end_block(index);
        }
    }

    fn conclude(self, reply: &mut ModelReply) {
        let blocks = self.blocks.into_iter().map(|block| block.json);
        let has_calls = !reply.tool_calls.is_empty();
        let usage = Value::Object(self.usage);
        reply.usage = response::usage(&usage);
        reply.usage_parts = response::usage_parts(&usage, reply.model.as_deref());
        if self.is_refused {
            reply.warnings.push(REFUSED.to_owned());
        }
        reply.finish_reason = response::finish_reason(self.stop_reason.as_deref(), has_calls);
        reply.parts.extend(response::kept_blocks(blocks));
    }
}
