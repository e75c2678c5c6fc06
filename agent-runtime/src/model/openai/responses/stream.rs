//! Answers of the Responses API: items that begin, grow and are done, and a response that ends.
//!
//! An answer in one piece is parsed as a stream of items that are done.

use super::items::{
    CALL, CONTENT, ENCRYPTED, PROVIDER, REFUSAL, SUMMARY, image, is_needed, is_of_program,
    kept_item, lists_of_texts, text_key,
};
use crate::model::http::span::record_removed_reasoning;
use crate::model::http::{Failure, StreamReader};
use crate::model::reply_builder::{PART, ReplyBuilder};
use crate::model::wire::{
    count, has_error, is_no_call, kind, list, member, parse, refuse, take, take_items, text, word,
};
use agent_core::conversation::ProviderPart;
use agent_core::model::{FinishReason, ModelReply, Usage};
use agent_spec::json::values_in;
use agent_tool::Error;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The member of a response with its items.
const OUTPUT: &str = "output";

/// Parses the events of a streamed answer.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    builder: ReplyBuilder,
    items: Vec<Item>,
    /// The positions in `items`.
    positions: BTreeMap<Key, usize>,
    /// The place of the last piece of text.
    place: Option<(usize, &'static str, u64)>,
    /// The hashes of the items that are done.
    done: HashSet<u64>,
    hasher: RandomState,
    /// Whether the next request needs more of an item than the message has.
    is_any_needed: bool,
    usage: Option<Usage>,
    finish_reason: Option<FinishReason>,
    is_refused: bool,
    /// Whether there is text that is no refusal.
    has_text: bool,
}

/// The key of an item: its index in the answer or, from servers that send none, its id. Other servers change the
/// ids between events.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Index(u64),
    Id(String),
}

/// An item so far.
#[derive(Debug, Default)]
struct Item {
    done: Option<Done>,
    /// The lists and the indexes of the texts of which pieces have arrived.
    begun: BTreeSet<(&'static str, u64)>,
    /// The index of the call.
    call: Option<usize>,
    has_arguments: bool,
    /// The arguments of a call whose name is not known yet.
    held: String,
}

/// An item that is done. Before that its reasoning may be incomplete.
#[derive(Debug)]
struct Done {
    ids: Ids,
    hash: u64,
    /// The item without what the message has of it.
    kept: Value,
}

/// The id of an item and the id of its call; empty for those that it lacks.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ids(String, String);

impl Ids {
    fn of(item: &Value) -> Self {
        let id = |key| member(item, key).to_owned();
        Self(id("id"), id("call_id"))
    }

    fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

impl EventReader {
    /// Reads the id, the model and the usage, which the events of the whole response have.
    fn begin(&mut self, response: &Value) {
        let reply = &mut self.builder.reply;
        let given = |key| text(response, key).filter(|text| !text.is_empty());
        reply.id = given("id").or(reply.id.take());
        reply.model = given("model").or(reply.model.take());
        if response["usage"].is_object() {
            self.usage = Some(parse_usage(&response["usage"]));
        }
    }

    fn begin_item(&mut self, key: Key, item: &Value) {
        let at = self.push_item(key);
        if kind(item) == CALL && !member(item, "name").is_empty() {
            self.extend_call(at, item, "");
        }
    }

    fn push_item(&mut self, key: Key) -> usize {
        self.builder.count(PART);
        self.items.push(Item::default());
        self.positions.insert(key, self.items.len() - 1);
        self.items.len() - 1
    }

    /// Whether an item was done before, at a position or elsewhere: some servers send its last event again. Other
    /// servers give all items one index or one id, so that an item with other ids is another item.
    fn is_done(&self, at: Option<usize>, item: &Value) -> bool {
        let (ids, hash) = (Ids::of(item), self.hash(item));
        let here = at.and_then(|at| self.items[at].done.as_ref());
        let is_here = here.is_some_and(|done| done.hash == hash || ids.is_any() && done.ids == ids);
        is_here || ids.is_any() && self.done.contains(&hash)
    }

    fn hash(&self, item: &Value) -> u64 {
        self.hasher.hash_one(item.to_string())
    }

    /// Returns the position of the item of a piece. Some servers leave out the event with which an item begins.
    fn position(&mut self, event: &Value) -> usize {
        let key = key(event, event, "item_id");
        let known = self.positions.get(&key).copied();
        known.unwrap_or_else(|| self.push_item(key))
    }

    /// Adds a piece of a text: of the thoughts if `is_thought`, else of the answer.
    fn add_piece(&mut self, place: (usize, &'static str, u64), piece: &str, is_thought: bool) {
        if piece.is_empty() {
            return;
        }
        if self.place != Some(place) {
            self.builder.end_part();
            self.place = Some(place);
        }
        let (at, list, index) = place;
        self.items[at].begun.insert((list, index));
        match is_thought {
            true => self.builder.add_thought(PROVIDER, piece),
            false => self.builder.add_text(piece),
        }
    }

    /// Adds a piece of a call. `json` may have its id and its name.
    fn extend_call(&mut self, at: usize, json: &Value, arguments: &str) {
        let item = &mut self.items[at];
        let index = *item.call.get_or_insert_with(|| self.builder.begin_call());
        item.has_arguments |= !arguments.is_empty();
        let (id, name) = (member(json, "call_id"), member(json, "name"));
        self.builder.extend_call(index, id, name, arguments);
    }

    fn add_arguments(&mut self, at: usize, piece: &str) {
        match self.items[at].call {
            Some(_) => self.extend_call(at, &Value::Null, piece),
            None => self.items[at].held.push_str(piece),
        }
    }

    /// Ends an item. Adds its texts and arguments, unless they have arrived in pieces.
    fn end_item(&mut self, at: usize, item: Value) {
        if kind(&item).is_empty() {
            return;
        }
        for list_key in lists_of_texts(&item) {
            let is_thought = kind(&item) != super::items::MESSAGE;
            for (index, part) in (0..).zip(list(&item, list_key)) {
                self.is_refused |= kind(part) == REFUSAL;
                let text = text_key(part).map(|key| member(part, key));
                self.has_text |= !is_thought
                    && kind(part) != REFUSAL
                    && text.is_some_and(|text| !text.is_empty());
                let is_new = !self.items[at].begun.contains(&(*list_key, index));
                if let Some(text) = text.filter(|_| is_new) {
                    self.add_piece((at, list_key, index), text, is_thought);
                }
            }
        }
        if kind(&item) == CALL {
            let held = std::mem::take(&mut self.items[at].held);
            let arguments = match item.get("arguments") {
                Some(Value::Object(_)) => item["arguments"].to_string(),
                Some(Value::String(text)) if !text.is_empty() => text.clone(),
                _ => held,
            };
            let (id, name) = (member(&item, "call_id"), member(&item, "name"));
            if self.items[at].call.is_none() && is_no_call(id, name, &arguments) {
                return;
            }
            let is_new = !self.items[at].has_arguments;
            self.extend_call(at, &item, if is_new { &arguments } else { "" });
        }
        let image = image(&item);
        let has_image = image.is_some();
        if let Some(image) = image {
            self.builder.add_part(image);
            self.place = None;
        }
        self.is_any_needed |= is_needed(&item);
        let (ids, hash) = (Ids::of(&item), self.hash(&item));
        let kept = kept_item(item, has_image);
        self.builder.count(values_in(&kept));
        self.done.insert(hash);
        self.items[at].done = Some(Done { ids, hash, kept });
    }

    /// Ends the response. Adds the items that no event has ended.
    fn end_response(&mut self, mut response: Value, failure: &Failure<'_>) -> Result<(), Error> {
        if has_error(&response) || member(&response, "status") == "failed" {
            return Err(failure.reported(response.to_string().as_bytes()));
        }
        self.begin(&response);
        let is_any_done = self.items.iter().any(|item| item.done.is_some());
        let output = take_items(&mut response, OUTPUT);
        for (index, mut item) in (0..).zip(output) {
            let keys = [Key::Index(index), Key::Id(member(&item, "id").to_owned())];
            let known = keys.iter().find_map(|key| self.positions.get(key));
            let at = match known.copied() {
                Some(at) if self.items[at].done.is_some() => continue,
                Some(at) => at,
                None if is_any_done => continue,
                None => self.push_item(Key::Index(index)),
            };
            if let Value::Object(members) = &mut item {
                // Only an item that is done has all of its encrypted content.
                members.remove(ENCRYPTED);
            }
            self.end_item(at, item);
        }
        if member(&response, "status") == "cancelled" {
            let problem = "is not complete; its status is `cancelled`";
            return Err(failure.unreadable(problem, b""));
        }
        self.end();
        trace_removed_reasoning(&response, failure);
        let has_calls = self.builder.has_calls();
        self.finish_reason = Some(finish_reason(&response, has_calls));
        Ok(())
    }
}

/// Returns the key of the item of an event. `id_key` is the key of its id in `holder`.
fn key(event: &Value, holder: &Value, id_key: &str) -> Key {
    match event["output_index"].as_u64() {
        Some(index) => Key::Index(index),
        None => Key::Id(member(holder, id_key).to_owned()),
    }
}

/// Parses the reason for which the model stopped.
fn finish_reason(response: &Value, calls: bool) -> FinishReason {
    let done = match calls {
        true => FinishReason::ToolCalls,
        false => FinishReason::Stop,
    };
    match word(response, "status") {
        None | Some("completed") => done,
        Some("incomplete") => {
            match word(&response["incomplete_details"], "reason") {
                Some("max_output_tokens") => FinishReason::Length,
                Some("content_filter") => FinishReason::ContentFilter,
                // The answer stopped between two items, so that the model can continue with the items so far.
                Some("steered") => FinishReason::Paused,
                Some(other) => FinishReason::Other(other.to_owned()),
                None => FinishReason::Other("incomplete".to_owned()),
            }
        }
        Some(other) => FinishReason::Other(other.to_owned()),
    }
}

fn parse_usage(json: &Value) -> Usage {
    let written = json["output_tokens"].as_u64();
    let mut usage = Usage::reported(count(json, &["input_tokens"]), written);
    usage.cached_tokens = count(json, &["input_tokens_details", "cached_tokens"]);
    usage.cache_written_tokens = count(json, &["input_tokens_details", "cache_write_tokens"]);
    usage.reasoning_tokens = count(json, &["output_tokens_details", "reasoning_tokens"]);
    usage
}

/// Records that the server withheld earlier reasoning from the model, such as the reasoning of another model.
/// The answer is complete without it.
fn trace_removed_reasoning(response: &Value, failure: &Failure<'_>) {
    let changes = list(response, "input_transformations").iter();
    let removed = changes.filter(|change| member(change, "action") == "removed");
    let reasons: BTreeSet<&str> = removed.map(|change| member(change, "reason")).collect();
    if !reasons.is_empty() {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        record_removed_reasoning(&failure.quote(&reasons.join(", ")));
    }
}

impl StreamReader for EventReader {
    fn builder(&mut self) -> &mut ReplyBuilder {
        &mut self.builder
    }

    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error> {
        let (mut event, _) = parse(data.as_bytes(), failure)?;
        if kind(&event) == "error" || has_error(&event) {
            return Err(failure.reported(data.as_bytes()));
        }
        let (item, response) = (take(&mut event, "item"), take(&mut event, "response"));
        let index = |key| count(&event, &[key]);
        let piece = member(&event, "delta");
        match kind(&event) {
            "response.created" | "response.in_progress" | "response.queued" => {
                self.begin(&response);
            }
            "response.output_item.added" => {
                self.begin_item(key(&event, &item, "id"), &item);
            }
            "response.output_item.done" => {
                let key = key(&event, &item, "id");
                let known = self.positions.get(&key).copied();
                if self.is_done(known, &item) {
                    return Ok(());
                }
                let open = known.filter(|at| self.items[*at].done.is_none());
                let at = open.unwrap_or_else(|| self.push_item(key));
                self.end_item(at, item);
            }
            word @ ("response.output_text.delta" | "response.refusal.delta") => {
                match word == "response.refusal.delta" {
                    true => self.is_refused |= !piece.is_empty(),
                    false => self.has_text |= !piece.is_empty(),
                }
                let at = self.position(&event);
                self.add_piece((at, CONTENT, index("content_index")), piece, false);
            }
            "response.reasoning_summary_text.delta" => {
                let at = self.position(&event);
                self.add_piece((at, SUMMARY, index("summary_index")), piece, true);
            }
            "response.reasoning_text.delta" => {
                let at = self.position(&event);
                self.add_piece((at, CONTENT, index("content_index")), piece, true);
            }
            "response.function_call_arguments.delta" if !piece.is_empty() => {
                let at = self.position(&event);
                self.add_arguments(at, piece);
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                self.end_response(response, failure)?;
                self.builder.complete();
            }
            // Events of the provider's own tools, whose items arrive complete, and events that OpenAI may
            // add.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        let (mut response, _) = parse(body, failure)?;
        let Value::Array(output) = take(&mut response, OUTPUT) else {
            return Err(match has_error(&response) || kind(&response) == "error" {
                true => failure.reported(body),
                false => failure.unreadable("has no output", body),
            });
        };
        if let Some(status @ ("in_progress" | "queued")) = word(&response, "status") {
            let problem = format!("is not complete; its status is `{status}`");
            return Err(failure.unreadable(&problem, b""));
        }
        for (index, item) in (0..).zip(output) {
            let at = self.push_item(Key::Index(index));
            self.end_item(at, item);
        }
        self.end_response(response, failure)
    }

    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// Ends the calls whose name never arrived. Such a call is an error, unless it is empty. An item that
    /// waits for the program is an error, too, because the next request without its outcome would be refused.
    fn end(&mut self) {
        let done = || self.items.iter().filter_map(|item| item.done.as_ref());
        let has_outcome = |id: &str| {
            let mut others = done().filter(|done| !id.is_empty() && done.ids.1 == id);
            others.any(|done| kind(&done.kept).ends_with("_output"))
        };
        let mut waiting = done().filter(|done| is_of_program(&done.kept));
        let found = waiting.find(|done| !has_outcome(&done.ids.1));
        if let Some(Done { kept, .. }) = found {
            self.builder.not_run = Some(match member(kept, "name") {
                "" => format!("`{}`", kind(kept)),
                name => format!("`{}` of `{name}`", kind(kept)),
            });
        }
        for at in 0..self.items.len() {
            let held = std::mem::take(&mut self.items[at].held);
            if !held.is_empty() && !is_no_call("", "", &held) {
                self.extend_call(at, &Value::Null, &held);
            }
        }
    }

    fn conclude(self, reply: &mut ModelReply) {
        let has_calls = !reply.tool_calls.is_empty();
        reply.usage = self.usage.unwrap_or_else(|| parse_usage(&Value::Null));
        // A server that ends with `[DONE]` may have sent no response.
        reply.finish_reason = self
            .finish_reason
            .unwrap_or_else(|| finish_reason(&Value::Null, has_calls));
        if self.is_refused {
            refuse(reply, self.has_text);
        }
        if self.is_any_needed {
            let done = self.items.into_iter().filter_map(|item| item.done);
            let kept = Value::Array(done.map(|done| done.kept).collect());
            reply.parts.push(ProviderPart::new(PROVIDER, kept).into());
        }
    }
}
