//! Building a reply from the pieces of a streamed answer.

use super::{ModelReply, ReplyPart};
use agent_core::conversation::{Part, Thinking, ToolCall};
use agent_spec::json::values_in;
use std::collections::HashMap;

/// The maximum number of values of an answer that stay in memory, as [`values_in`] counts them. A model's answer of 32
/// MiB can have millions of values, which take gigabytes; this number takes up to 30 MB. The number is a third of what
/// a JSON text may have, so that each answer can be stored and read again.
pub(super) const MAX_KEPT_VALUES: usize = 300_000;

/// The number of values that a part, a call or an item of an answer counts as, which is that of an object.
pub(super) const PART: usize = 8;

/// Builds a reply from pieces, and the parts that a [`ReplySink`](super::ReplySink) gets.
///
/// A call is identified by its index in the answer, from 0. Its name may arrive after its arguments; their
/// parts then wait for the name.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuilder {
    /// The reply without its parts and calls.
    pub(super) reply: ModelReply,
    said: Vec<Part>,
    /// Whether the next piece of text or thoughts begins a part.
    is_part_over: bool,
    calls: Vec<BegunCall>,
    /// The index of the first call with an id.
    index_by_id: HashMap<String, usize>,
    parts: Vec<ReplyPart>,
    /// The number of calls of which a part was made. They are the first ones, and have names.
    begun: usize,
    /// The number of values that stay in memory. The values of the events themselves are not counted, because
    /// an answer may have millions of events with few values each.
    values: usize,
    /// The number of bytes of texts, arguments, data and media.
    bytes: usize,
    /// A call of a tool that is no function, which the program would have to make.
    pub(super) not_run: Option<String>,
    is_complete: bool,
}

#[derive(Debug, Default)]
struct BegunCall {
    id: String,
    tool: String,
    args: String,
    nesting: Nesting,
    /// The number of bytes of the arguments of which parts were made.
    sent: usize,
}

impl ReplyBuilder {
    pub(super) fn add_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        let last = self.said.last_mut().filter(|_| !self.is_part_over);
        match last {
            // In place, because an answer may have a hundred thousand pieces.
            Some(Part::Text(begun)) => begun.push_str(text),
            _ => self.push(Part::Text(text.to_owned())),
        }
        self.is_part_over = false;
        self.parts.push(ReplyPart::Text(text.to_owned()));
    }

    /// Adds thoughts of a model with the wire format of this provider.
    pub(super) fn add_thought(&mut self, provider: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        let last = self.said.last_mut().filter(|_| !self.is_part_over);
        match last {
            Some(Part::Thinking(begun)) => begun.push(text),
            _ => self.push(Part::Thinking(Thinking::new(provider, text))),
        }
        self.is_part_over = false;
        self.parts.push(ReplyPart::Thought(text.to_owned()));
    }

    /// Adds a part that arrives in one piece.
    pub(super) fn add_part(&mut self, part: Part) {
        self.end_part();
        match part {
            Part::Text(text) => self.add_text(&text),
            Part::Thinking(thinking) => self.add_thought(thinking.provider(), thinking.text()),
            Part::Provider(data) => {
                self.count(values_in(data.data()));
                self.bytes += data.data().to_string().len();
                self.push(Part::Provider(data));
            }
            media => {
                let bytes = media.media().and_then(|media| media.bytes());
                self.bytes += bytes.map_or(0, <[u8]>::len);
                self.parts.push(ReplyPart::Part(media.clone()));
                self.push(media);
            }
        }
        self.end_part();
    }

    fn push(&mut self, part: Part) {
        self.count(PART);
        self.said.push(part);
    }

    /// Counts values that stay in memory until the end of the answer, such as those of its data for the provider.
    pub(super) fn count(&mut self, values: usize) {
        self.values = self.values.saturating_add(values);
    }

    /// The number of bytes of texts, arguments, data and media of an answer that arrives in pieces.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether more than [`MAX_KEPT_VALUES`] stay in memory.
    pub(super) fn has_too_many_values(&self) -> bool {
        self.values > MAX_KEPT_VALUES
    }

    /// Ends a part, so that the next piece of text or thoughts begins another.
    pub(super) fn end_part(&mut self) {
        self.is_part_over = true;
    }

    /// Begins a call, and returns its index.
    pub(super) fn begin_call(&mut self) -> usize {
        self.count(PART);
        self.calls.push(BegunCall::default());
        self.calls.len() - 1
    }

    /// Adds a piece to a call. Id and name arrive once, or again with every piece.
    pub(super) fn extend_call(&mut self, index: usize, id: &str, tool: &str, args: &str) {
        let Some(call) = self.calls.get_mut(index) else {
            return;
        };
        if call.id.is_empty() && !id.is_empty() {
            id.clone_into(&mut call.id);
            self.index_by_id.entry(id.to_owned()).or_insert(index);
        }
        if call.tool.is_empty() {
            tool.clone_into(&mut call.tool);
        }
        self.bytes += args.len();
        call.args.push_str(args);
        call.nesting.push(args);
        self.add_call_parts(index);
    }

    /// Adds a call that arrives in one piece.
    pub(super) fn add_call(&mut self, id: &str, tool: &str, args: &str) {
        let index = self.begin_call();
        self.extend_call(index, id, tool, args);
    }

    /// Returns the id of a call; empty while it is unknown.
    pub(super) fn call_id(&self, index: usize) -> &str {
        self.calls.get(index).map_or("", |call| &call.id)
    }

    /// Returns the index of the first call with an id.
    pub(super) fn find_call(&self, id: &str) -> Option<usize> {
        self.index_by_id.get(id).copied()
    }

    /// Whether a piece can belong to a call: a call has one name, and its arguments end with the object.
    pub(super) fn accepts(&self, index: usize, tool: &str, args: &str) -> bool {
        self.calls.get(index).is_some_and(|call| {
            let is_other = !tool.is_empty() && !call.tool.is_empty() && tool != call.tool;
            let is_next = call.nesting.is_over() && !tool.is_empty() && !args.trim().is_empty();
            !is_other && !is_next
        })
    }

    /// Whether the arguments of a call are complete, by their brackets.
    pub(super) fn has_all_arguments(&self, index: usize) -> bool {
        self.calls
            .get(index)
            .is_some_and(|call| call.nesting.is_over())
    }

    /// Whether a call has exactly this name and these arguments.
    pub(super) fn is_equal(&self, index: usize, tool: &str, args: &str) -> bool {
        let call = self.calls.get(index);
        call.is_some_and(|call| call.tool == tool && call.args == args)
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(super) fn has_nameless_call(&self) -> bool {
        self.calls.iter().any(|call| call.tool.is_empty())
    }

    /// Whether there is neither text, nor media, nor a call.
    pub(super) fn is_empty(&self) -> bool {
        let mut said = self.said.iter();
        self.calls.is_empty() && said.all(|part| matches!(part, Part::Thinking(_)))
    }

    /// Whether nothing of the answer has arrived.
    pub(super) fn is_untouched(&self) -> bool {
        self.said.is_empty() && self.calls.is_empty()
    }

    /// Marks the answer as complete, so that nothing further is read.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }

    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the parts since the last call of this method.
    pub(super) fn take_parts(&mut self) -> Vec<ReplyPart> {
        std::mem::take(&mut self.parts)
    }

    /// Returns the reply, and leaves an empty builder.
    pub(super) fn build(&mut self) -> ModelReply {
        let mut reply = std::mem::take(&mut self.reply);
        reply.parts = std::mem::take(&mut self.said);
        let calls = std::mem::take(&mut self.calls).into_iter();
        reply.tool_calls = calls
            .map(|call| ToolCall::new(call.id, call.tool, call.args))
            .collect();
        reply
    }

    /// Makes the parts of a call, and of the calls that waited for its name. The calls begin in their order,
    /// each after its name has arrived.
    fn add_call_parts(&mut self, index: usize) {
        if index < self.begun {
            self.add_argument_part(index);
        }
        while let Some(call) = self
            .calls
            .get(self.begun)
            .filter(|call| !call.tool.is_empty())
        {
            let index = self.begun;
            self.begun += 1;
            self.parts
                .push(ReplyPart::call_with_id(index, &call.tool, &call.id));
            self.add_argument_part(index);
        }
    }

    fn add_argument_part(&mut self, index: usize) {
        let call = &mut self.calls[index];
        if call.sent < call.args.len() {
            let piece = &call.args[call.sent..];
            self.parts.push(ReplyPart::arguments(index, piece));
            call.sent = call.args.len();
        }
    }
}

/// The bracket depth of a JSON text that arrives in pieces.
#[derive(Clone, Copy, Debug, Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    was_open: bool,
}

impl Nesting {
    fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => {
                    self.depth += 1;
                    self.was_open = true;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether there was a bracket, and all brackets are closed.
    fn is_over(self) -> bool {
        self.was_open && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::{Message, ProviderPart};
    use agent_spec::json::{MAX_VALUES, has_more_values_than};

    #[test]
    fn parts_of_calls_are_in_order_and_wait_for_names() {
        let mut builder = ReplyBuilder::default();
        builder.add_text("Hm");
        let (first, second) = (builder.begin_call(), builder.begin_call());
        builder.extend_call(first, "a", "", "{");
        assert_eq!(builder.take_parts(), [ReplyPart::Text("Hm".into())]);
        builder.extend_call(second, "b", "second", "{}");
        assert_eq!(builder.take_parts(), []);
        builder.extend_call(first, "", "first", "}");
        assert_eq!(
            builder.take_parts(),
            [
                ReplyPart::call_with_id(0, "first", "a"),
                ReplyPart::arguments(0, "{}"),
                ReplyPart::call_with_id(1, "second", "b"),
                ReplyPart::arguments(1, "{}"),
            ]
        );
        builder.extend_call(second, "b", "second", " ");
        assert_eq!(builder.take_parts(), [ReplyPart::arguments(1, " ")]);
        let reply = builder.build();
        assert_eq!(reply.parts, [Part::from("Hm")]);
        assert_eq!(
            reply.tool_calls,
            [
                ToolCall::new("a", "first", "{}"),
                ToolCall::new("b", "second", "{} ")
            ]
        );
    }

    /// If an answer within the limit could not be stored, an answer that was paid for could not be read
    /// again.
    #[test]
    fn each_answer_within_the_limit_can_be_stored() {
        let most = MAX_KEPT_VALUES / PART;
        let mut texts_and_thoughts = ReplyBuilder::default();
        let mut calls = ReplyBuilder::default();
        for at in 0..most {
            match at % 2 {
                0 => texts_and_thoughts.add_text("a"),
                _ => texts_and_thoughts.add_thought("OpenAIResponses", "a"),
            }
            calls.add_call("a", "t", "{}");
        }
        let data = serde_json::json!({"": []});
        let objects = vec![data.clone(); (MAX_KEPT_VALUES - PART - 2) / values_in(&data)];
        let mut kept = ReplyBuilder::default();
        kept.add_part(ProviderPart::new("Acme", objects.into()).into());
        for mut builder in [texts_and_thoughts, calls, kept] {
            assert!(!builder.has_too_many_values());
            let reply = std::mem::take(&mut builder).build();
            let message = Message::assistant_parts(reply.parts).with_tool_calls(reply.tool_calls);
            let text = message.to_exact_json().expect("it can be stored");
            assert!(!has_more_values_than(text.as_bytes(), MAX_VALUES));
        }
    }

    #[test]
    fn nesting_is_over_at_the_last_closing_bracket() {
        for (text, is_over) in [
            ("", false),
            (" ", false),
            ("{", false),
            ("{}", true),
            ("{\"a\": [1, {}]} ", true),
            ("{\"a\": \"}\"", false),
            ("{\"a\": \"\\\"}\"", false),
            ("{\"a\": \"\\\\\"}", true),
            ("}", false),
        ] {
            let mut nesting = Nesting::default();
            for piece in text.split_inclusive(char::is_alphabetic) {
                nesting.push(piece);
            }
            assert_eq!(nesting.is_over(), is_over, "{text}");
        }
    }
}
