//! An answer that is put together from pieces.

use crate::conversation::ToolCall;
use crate::model::{ModelReply, ReplyPart};
use std::collections::HashMap;

/// An answer that is put together from pieces, and the parts that the pieces make.
///
/// A call is known by its place, from 0. Its name may come late and its arguments before it: they
/// wait for the name.
#[derive(Debug, Default)]
pub(in crate::model) struct Assembly {
    /// Everything but text and calls.
    pub(in crate::model) reply: ModelReply,
    text: String,
    calls: Vec<Call>,
    /// The place of the first call that has an id.
    places: HashMap<String, usize>,
    parts: Vec<ReplyPart>,
    /// How many calls have begun: those before it have names.
    begun: usize,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    tool: String,
    args: String,
    nesting: Nesting,
    /// How much of the arguments was told.
    told: usize,
}

impl Assembly {
    /// An answer that came as a whole.
    pub(in crate::model) fn of(mut reply: ModelReply) -> Self {
        let (content, calls) = (reply.content.take(), std::mem::take(&mut reply.tool_calls));
        let mut assembly = Self {
            reply,
            ..Self::default()
        };
        assembly.text(&content.unwrap_or_default());
        for call in calls {
            assembly.whole_call(call.id(), call.tool(), call.args_text());
        }
        assembly
    }

    pub(in crate::model) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.parts.push(ReplyPart::Text(text.to_owned()));
        }
    }

    pub(in crate::model) fn thought(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(ReplyPart::Thought(text.to_owned()));
        }
    }

    /// Begins a call; gives its place.
    pub(in crate::model) fn begin_call(&mut self) -> usize {
        self.calls.push(Call::default());
        self.calls.len() - 1
    }

    /// A piece of a call that has begun. Id and name are said once, or again with every piece.
    pub(in crate::model) fn call_piece(&mut self, at: usize, id: &str, tool: &str, args: &str) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        if call.id.is_empty() && !id.is_empty() {
            id.clone_into(&mut call.id);
            self.places.entry(id.to_owned()).or_insert(at);
        }
        if call.tool.is_empty() {
            tool.clone_into(&mut call.tool);
        }
        call.args.push_str(args);
        call.nesting.push(args);
        self.tell(at);
    }

    /// A call that comes as a whole.
    pub(in crate::model) fn whole_call(&mut self, id: &str, tool: &str, args: &str) {
        let at = self.begin_call();
        self.call_piece(at, id, tool, args);
    }

    /// The id of a call; empty while it is not known.
    pub(in crate::model) fn id(&self, at: usize) -> &str {
        self.calls.get(at).map_or("", |call| &call.id)
    }

    /// Whether a piece with this name and these arguments can belong to a call, by what the call
    /// has of both: a call has one name and, when its arguments are complete, no further ones.
    pub(in crate::model) fn takes(&self, at: usize, tool: &str, args: &str) -> bool {
        self.calls.get(at).is_some_and(|call| {
            let is_other = !tool.is_empty() && !call.tool.is_empty() && tool != call.tool;
            let is_full = call.nesting.is_over() && !tool.is_empty() && !args.trim().is_empty();
            !is_other && !is_full
        })
    }

    /// Whether the arguments of a call are complete, as far as braces tell.
    pub(in crate::model) fn is_full(&self, at: usize) -> bool {
        self.calls
            .get(at)
            .is_some_and(|call| call.nesting.is_over())
    }

    /// Whether a call says just this.
    pub(in crate::model) fn says(&self, at: usize, tool: &str, args: &str) -> bool {
        let call = self.calls.get(at);
        call.is_some_and(|call| call.tool == tool && call.args == args)
    }

    /// The first call that has an id.
    pub(in crate::model) fn call_of(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Tells of a call, if it was its turn; then of those that waited for it. Calls are told of in
    /// their order, each from when its name is known.
    fn tell(&mut self, at: usize) {
        if at < self.begun {
            self.tell_arguments(at);
        }
        while let Some(call) = self
            .calls
            .get(self.begun)
            .filter(|call| !call.tool.is_empty())
        {
            let index = self.begun;
            self.begun += 1;
            self.parts.push(ReplyPart::call(index, &call.tool));
            self.tell_arguments(index);
        }
    }

    fn tell_arguments(&mut self, index: usize) {
        let call = &mut self.calls[index];
        if call.told < call.args.len() {
            let piece = &call.args[call.told..];
            self.parts.push(ReplyPart::arguments(index, piece));
            call.told = call.args.len();
        }
    }

    pub(in crate::model) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whether there is neither text nor a call.
    pub(in crate::model) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// Whether a call never got a name.
    pub(in crate::model) fn has_nameless_call(&self) -> bool {
        self.calls.iter().any(|call| call.tool.is_empty())
    }

    pub(in crate::model) fn take_parts(&mut self) -> Vec<ReplyPart> {
        std::mem::take(&mut self.parts)
    }

    /// The answer.
    pub(in crate::model) fn finish(self) -> ModelReply {
        let mut reply = self.reply;
        reply.content = Some(self.text).filter(|text| !text.is_empty());
        let calls = self.calls.into_iter();
        reply.tool_calls = calls
            .map(|call| ToolCall::new(call.id, call.tool, call.args))
            .collect();
        reply
    }
}

/// How deep an object or a list that comes in pieces stands open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    was_open: bool,
}

impl Nesting {
    pub(super) fn push(&mut self, piece: &str) {
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

    /// Whether everything that was opened is closed again.
    pub(super) fn is_over(self) -> bool {
        self.was_open && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::{Nesting, *};

    #[test]
    fn calls_are_told_in_order_and_once_they_have_names() {
        let mut assembly = Assembly::default();
        assembly.text("Hm");
        let (first, second) = (assembly.begin_call(), assembly.begin_call());
        assembly.call_piece(first, "a", "", "{");
        assert_eq!(assembly.take_parts(), [ReplyPart::Text("Hm".into())]);
        assembly.call_piece(second, "b", "second", "{}");
        assert_eq!(assembly.take_parts(), []);
        assembly.call_piece(first, "", "first", "}");
        assert_eq!(
            assembly.take_parts(),
            [
                ReplyPart::call(0, "first"),
                ReplyPart::arguments(0, "{}"),
                ReplyPart::call(1, "second"),
                ReplyPart::arguments(1, "{}"),
            ]
        );
        assembly.call_piece(second, "b", "second", " ");
        assert_eq!(assembly.take_parts(), [ReplyPart::arguments(1, " ")]);
        let reply = assembly.finish();
        assert_eq!(reply.content.as_deref(), Some("Hm"));
        assert_eq!(
            reply.tool_calls,
            [
                ToolCall::new("a", "first", "{}"),
                ToolCall::new("b", "second", "{} ")
            ]
        );
    }

    #[test]
    fn an_object_is_over_where_its_last_brace_closes() {
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
