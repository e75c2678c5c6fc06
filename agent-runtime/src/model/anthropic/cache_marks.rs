//! The marks up to which Anthropic caches a request.
//!
//! Anthropic caches the tools, the instruction and the messages, in this order, up to each mark, and accepts four
//! marks. From a mark it looks back about 20 blocks for the place up to which an earlier request was cached.

use super::turn::{ASSISTANT, has_kind};
use crate::model::wire::{Object, Turn, set};
use agent_spec::PromptCache;
use agent_spec::json::Ordered;

/// The distance from the last block at which the end of the previous request gets a mark of its own. It is less
/// than 20, because the exact number is not documented for all kinds of blocks.
const FAR: usize = 15;

/// The kinds of blocks that can have a mark. Thoughts cannot.
const MARKABLE: [&str; 5] = ["text", "tool_use", "tool_result", "image", "document"];

const MEMBER: &str = "cache_control";

/// The marks of one request. All have the same time, because Anthropic rejects a longer time after a shorter one.
pub(super) struct CacheMarks {
    cache: PromptCache,
    /// Whether the server marks the last block itself. Some compatible servers reject the member that asks for
    /// this mark, and accept only marks on blocks.
    is_automatic: bool,
}

impl CacheMarks {
    pub(super) fn new(cache: PromptCache, is_automatic: bool) -> Self {
        Self {
            cache,
            is_automatic,
        }
    }

    /// Returns the instruction with its mark, which covers the tools as well.
    pub(super) fn instruction(&self, text: &str) -> Ordered {
        let Some(mark) = self.mark() else {
            return Ordered::text(text.to_owned());
        };
        let block = Object::default()
            .with_text("type", "text")
            .with_text("text", text)
            .with(MEMBER, mark);
        Ordered::Array(vec![block.into_value()])
    }

    /// Marks the last tool, for a request without an instruction.
    pub(super) fn mark_tools(&self, tools: &mut [Ordered]) {
        if let (Some(mark), Some(tool)) = (self.mark(), tools.last_mut()) {
            set(tool, MEMBER, mark);
        }
    }

    /// Returns the mark of the whole request, by which the server marks its last block.
    pub(super) fn of_request(&self) -> Option<Ordered> {
        self.mark().filter(|_| self.is_automatic)
    }

    /// Marks the end of the previous request if it is far from the last block. After an answer with many
    /// calls and their results, Anthropic's look back from the last block would not reach that end. The last
    /// block is marked, too, if the server does not mark it itself.
    pub(super) fn mark_turns(&self, turns: &mut [Turn]) {
        let Some(mark) = self.mark() else {
            return;
        };
        // The previous request ended before the last answer.
        let answer = turns.iter().rposition(|turn| turn.role == ASSISTANT);
        let (before, since) = turns.split_at_mut(answer.unwrap_or(0));
        let distance: usize = since.iter().map(|turn| turn.parts.len()).sum();
        if distance > FAR {
            mark_last(before, mark.clone());
        }
        if !self.is_automatic {
            mark_last(turns, mark);
        }
    }

    fn mark(&self) -> Option<Ordered> {
        let mark = Object::default().with_text("type", "ephemeral");
        match self.cache {
            PromptCache::Off => None,
            PromptCache::OneHour => Some(mark.with_text("ttl", self.cache.as_str()).into_value()),
            // The default of Anthropic.
            _ => Some(mark.into_value()),
        }
    }
}

/// Marks the last block that can have a mark.
fn mark_last(turns: &mut [Turn], mark: Ordered) {
    let blocks = turns.iter_mut().flat_map(|turn| turn.parts.iter_mut());
    if let Some(block) = blocks.rev().find(|block| is_markable(block)) {
        set(block, MEMBER, mark);
    }
}

fn is_markable(block: &Ordered) -> bool {
    has_kind(block, &MARKABLE)
}

#[cfg(test)]
mod tests {
    use crate::model::WIRE_BODIES;
    use agent_core::conversation::{Message, ProviderPart, Thinking, ToolCall};
    use agent_core::model::{ModelRequest, ToolDefinition};
    use agent_spec::{Model, PromptCache, Settings, ToolSpec};
    use serde_json::{Value, json};

    const SERVER: Option<&str> = Some("http://127.0.0.1:9");

    fn request(instruction: &str, messages: Vec<Message>, cache: Option<PromptCache>) -> Value {
        body(None, instruction, messages, cache)
    }

    fn body(
        base_url: Option<&str>,
        instruction: &str,
        messages: Vec<Message>,
        cache: Option<PromptCache>,
    ) -> Value {
        let mut settings = Settings::NONE;
        settings.cache = cache;
        let spec = |name| ToolSpec::new(name, "Does it.", "()==>(::String)").expect("a spec");
        let tools = ["a", "b"].map(|name| ToolDefinition::new(&spec(name)));
        let model = Model::from_static("Anthropic", "claude");
        let request = ModelRequest::new(model, instruction, messages)
            .with_settings(settings)
            .with_tools(tools);
        let (_, write) = WIRE_BODIES[1];
        write(&request, base_url)
    }

    /// The paths of the marks in a request, and the marks.
    fn marks(json: &Value) -> Vec<(String, Value)> {
        fn collect(json: &Value, path: &str, marks: &mut Vec<(String, Value)>) {
            match json {
                Value::Object(members) => {
                    for (key, value) in members {
                        match key.as_str() {
                            "cache_control" => marks.push((path.to_owned(), value.clone())),
                            _ => collect(value, &format!("{path}/{key}"), marks),
                        }
                    }
                }
                Value::Array(items) => {
                    for (at, item) in items.iter().enumerate() {
                        collect(item, &format!("{path}/{at}"), marks);
                    }
                }
                _ => {}
            }
        }
        let mut marks = Vec::new();
        collect(json, "", &mut marks);
        marks
    }

    fn paths(json: &Value) -> Vec<String> {
        marks(json).into_iter().map(|(path, _)| path).collect()
    }

    /// A question, an answer with calls, and their results.
    fn calls(count: usize) -> Vec<Message> {
        let ids: Vec<String> = (0..count).map(|n| format!("call_{n}")).collect();
        let calls = ids.iter().map(|id| ToolCall::new(id, "a", "{}"));
        let mut messages = vec![
            Message::user("Hi"),
            Message::assistant("").with_tool_calls(calls),
        ];
        messages.extend(ids.iter().map(|id| Message::function("a", id, "done")));
        messages
    }

    #[test]
    fn marks_the_instruction_and_the_request_by_default() {
        let hi = || vec![Message::user("Hi")];
        let mark = json!({"type": "ephemeral"});
        for cache in [None, Some(PromptCache::FiveMinutes)] {
            let body = request("Help.", hi(), cache);
            let system = json!([{"type": "text", "text": "Help.", "cache_control": mark}]);
            assert_eq!(body["system"], system);
            assert_eq!(body["cache_control"], mark);
            assert_eq!(paths(&body), ["", "/system/0"]);
        }
        let hour = request("Help.", hi(), Some(PromptCache::OneHour));
        for (path, mark) in marks(&hour) {
            assert_eq!(mark, json!({"type": "ephemeral", "ttl": "1h"}), "{path}");
        }
        assert_eq!(marks(&hour).len(), 2);
        let off = request("Help.", hi(), Some(PromptCache::Off));
        assert_eq!((&off["system"], paths(&off).len()), (&json!("Help."), 0));
    }

    #[test]
    fn marks_the_last_tool_without_an_instruction() {
        let body = request(" ", vec![Message::user("Hi")], None);
        assert_eq!(paths(&body), ["", "/tools/1"]);
    }

    #[test]
    fn marks_the_end_of_the_request_before_many_calls() {
        for count in [1, 7] {
            assert_eq!(
                paths(&request("Help.", calls(count), None)),
                ["", "/system/0"]
            );
        }
        let many = request("Help.", calls(8), None);
        assert_eq!(paths(&many), ["", "/messages/0/content/0", "/system/0"]);
        // In the next turn, the previous request ends after the results, so that its end needs no mark.
        let mut messages = calls(8);
        messages.extend([Message::assistant("Done."), Message::user("Thanks")]);
        assert_eq!(paths(&request("Help.", messages, None)), ["", "/system/0"]);
    }

    #[test]
    fn marks_the_last_block_itself_for_compatible_servers() {
        let body = |messages| body(SERVER, "Help.", messages, None);
        assert_eq!(
            paths(&body(calls(8))),
            [
                "/messages/0/content/0",
                "/messages/2/content/7",
                "/system/0"
            ]
        );
        // A thought cannot be marked.
        let kept = json!([{"type": "text"}, {"type": "thinking", "signature": "s"}]);
        let parts = [
            "Hm.".into(),
            Thinking::new("Anthropic", "?").into(),
            ProviderPart::new("Anthropic", kept).into(),
        ];
        let messages = vec![Message::user("Hi"), Message::assistant_parts(parts)];
        assert_eq!(
            paths(&body(messages)),
            ["/messages/1/content/0", "/system/0"]
        );
    }
}
