//! The items of an answer, and those that the next request must repeat.
//!
//! An answer is a list of items: reasoning, messages, calls, and the items of the provider's own tools. An
//! answer with more than plain texts and calls keeps the list. In the place of each text, thought, image and
//! call the list has a mark, because the message has them already. All other items are kept unchanged.

use crate::model::wire::{base64_bytes, kept, kind, list, member, thoughts};
use agent_core::conversation::{Image, Message, Part};
use serde_json::Value;

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "OpenAIResponses";

// The types of items that are not kept unchanged.
pub(super) const MESSAGE: &str = "message";
pub(super) const REASONING: &str = "reasoning";
pub(super) const CALL: &str = "function_call";
const IMAGE: &str = "image_generation_call";

/// The type of a part of a message with a refusal.
pub(super) const REFUSAL: &str = "refusal";

// The lists of an item that hold texts.
pub(super) const CONTENT: &str = "content";
pub(super) const SUMMARY: &str = "summary";

/// The member of reasoning that only the server can read. A later request must repeat it.
pub(super) const ENCRYPTED: &str = "encrypted_content";

/// The member with the image of an image call, in base64.
pub(super) const RESULT: &str = "result";

/// The members of a call that a message has.
const OF_CALLS: [&str; 5] = ["id", "call_id", "name", "arguments", "status"];

/// Returns the key of the text in a part of a message's or reasoning's content.
pub(super) fn text_key(part: &Value) -> Option<&'static str> {
    match kind(part) {
        "output_text" | "summary_text" | "reasoning_text" | "text" => Some("text"),
        REFUSAL => Some("refusal"),
        _ => None,
    }
}

/// Returns the lists of an item whose texts are parts of the message, in order.
pub(super) fn lists_of_texts(item: &Value) -> &'static [&'static str] {
    match kind(item) {
        MESSAGE => &[CONTENT],
        REASONING => &[SUMMARY, CONTENT],
        _ => &[],
    }
}

/// Returns the image of an image call, unless it has a type that no message can hold.
pub(super) fn image(item: &Value) -> Option<Part> {
    if kind(item) != IMAGE {
        return None;
    }
    let image = Image::new(base64_bytes(member(item, RESULT))?);
    let is_taken = matches!(
        image.media_type(),
        Some("image/png" | "image/jpeg" | "image/webp" | "image/gif")
    );
    is_taken.then(|| Part::from(image))
}

/// Whether the next request needs more of an item than the message has. Plain texts and calls are in the message.
pub(super) fn is_needed(item: &Value) -> bool {
    let has = |key: &str| item.get(key).is_some_and(|value| !value.is_null());
    match kind(item) {
        MESSAGE => {
            let is_plain = |part: &Value| {
                text_key(part) == Some("text") && list(part, "annotations").is_empty()
            };
            has("phase") || !list(item, CONTENT).iter().all(is_plain)
        }
        REASONING => has(ENCRYPTED) || !list(item, CONTENT).is_empty(),
        CALL => has("namespace") || has("caller"),
        _ => true,
    }
}

/// Returns an item without the content that the message already has. `has_image` says that the message has
/// the image of the item.
pub(super) fn kept_item(mut item: Value, has_image: bool) -> Value {
    let lists = lists_of_texts(&item);
    let is_call = kind(&item) == CALL;
    let Value::Object(members) = &mut item else {
        return item;
    };
    for list in lists {
        let Some(Value::Array(parts)) = members.get_mut(*list) else {
            continue;
        };
        for part in parts {
            let key = text_key(part).filter(|key| !member(part, key).is_empty());
            if let (Some(key), Value::Object(part)) = (key, part) {
                part.remove(key);
                part.remove("logprobs");
            }
        }
    }
    if is_call {
        members.retain(|key, value| !OF_CALLS.contains(&key.as_str()) && !value.is_null());
    }
    if has_image {
        members.remove(RESULT);
    }
    item
}

/// Returns the kept items of a message, unless the number of its texts, thoughts, images or calls differs: the
/// history may have been edited, or come from another provider.
pub(super) fn items_of(message: &Message) -> Option<&[Value]> {
    let items = kept(message, PROVIDER)?.as_array()?;
    let marks = |of: &str| {
        let items = items.iter().filter(|item| kind(item) == of);
        let parts = items.flat_map(|item| {
            let lists = lists_of_texts(item).iter();
            lists.flat_map(|key| list(item, key))
        });
        parts.filter(|part| is_mark(part)).count()
    };
    let count = |of: &str| items.iter().filter(|item| kind(item) == of).count();
    let images = items.iter().filter(|item| is_image_mark(item)).count();
    // A call that was split leaves more calls than marks.
    let (calls, of_calls) = (message.tool_calls().len(), count(CALL));
    let texts = message.parts().iter().filter_map(Part::as_text);
    let is_unchanged = texts.count() == marks(MESSAGE)
        && thoughts(message, PROVIDER).count() == marks(REASONING)
        && message.media().count() == images
        && (calls == of_calls || of_calls > 0 && calls > of_calls);
    is_unchanged.then_some(items.as_slice())
}

/// The items by which a tool of the provider asks the program to do something, and to send an item with the outcome.
const OF_PROGRAM: [&str; 6] = [
    "apply_patch_call",
    "computer_call",
    "custom_tool_call",
    "local_shell_call",
    "mcp_approval_request",
    "shell_call",
];

/// Whether an item waits for the program, unless an item with the outcome follows it. The server runs other tools, and
/// shells in containers, itself.
pub(super) fn is_of_program(item: &Value) -> bool {
    match kind(item) {
        "tool_search_call" => member(item, "execution") == "client",
        "shell_call" if kind(&item["environment"]) == "container_reference" => false,
        other => OF_PROGRAM.contains(&other),
    }
}

/// Whether a part of a kept item is the mark of a text.
pub(super) fn is_mark(part: &Value) -> bool {
    text_key(part).is_some_and(|key| part.get(key).is_none())
}

/// Whether a kept item is an image call whose image is in the message.
pub(super) fn is_image_mark(item: &Value) -> bool {
    kind(item) == IMAGE && item.get(RESULT).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::{ProviderPart, Thinking, ToolCall};
    use serde_json::json;

    fn data_of(items: &[Value]) -> Option<Value> {
        let kept = |item: &Value| kept_item(item.clone(), image(item).is_some());
        let is_any = items.iter().any(is_needed);
        is_any.then(|| items.iter().map(kept).collect())
    }

    fn message_item() -> Value {
        let text = json!({"type": "output_text", "text": "Hm.", "annotations": [], "logprobs": []});
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [text]})
    }

    fn call_item() -> Value {
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "t",
               "arguments": "{}", "status": "completed"})
    }

    #[test]
    fn keeps_items_only_when_a_message_has_not_all_of_them() {
        assert_eq!(data_of(&[message_item(), call_item()]), None);
        let seen = json!({"type": "reasoning", "id": "rs_1", "summary": [
            {"type": "summary_text", "text": "Hm."}]});
        assert_eq!(data_of(&[seen.clone(), message_item()]), None);
        let mut encrypted = seen;
        encrypted[ENCRYPTED] = json!("x");
        let expected = json!([
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
             "summary": [{"type": "summary_text"}]},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "annotations": []}]},
            {"type": "function_call"},
        ]);
        assert_eq!(
            data_of(&[encrypted, message_item(), call_item()]),
            Some(expected)
        );
        let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
                            "action": {"type": "search", "query": "q"}, "more": null});
        assert_eq!(
            data_of(std::slice::from_ref(&search)),
            Some(json!([search]))
        );
    }

    #[test]
    fn keeps_the_phase_of_a_message_its_refusal_and_its_citations() {
        for change in [
            json!({"phase": "commentary"}),
            json!({"content": [{"type": "refusal", "refusal": "No."}]}),
            json!({"content": [{"type": "output_text", "text": "A", "annotations": [
                {"type": "url_citation", "url": "https://example.com", "title": "t",
                 "start_index": 0, "end_index": 1}]}]}),
            json!({"content": [{"type": "unheard_of", "x": 1}]}),
        ] {
            let mut item = message_item();
            for (key, value) in change.as_object().expect("members") {
                item[key] = value.clone();
            }
            assert!(data_of(&[item]).is_some(), "{change}");
        }
    }

    #[test]
    fn an_image_is_kept_once_and_an_unknown_one_as_it_came() {
        let call = |result: &str| {
            json!({"type": "image_generation_call", "id": "ig_1",
                                         "status": "completed", "result": result})
        };
        let png = call("iVBORw0KGgo=");
        assert!(image(&png).is_some());
        let mark = json!([{"type": "image_generation_call", "id": "ig_1", "status": "completed"}]);
        assert_eq!(data_of(std::slice::from_ref(&png)), Some(mark));
        for odd in ["PHN2Zy8+", "not base64!", ""] {
            assert_eq!(data_of(&[call(odd)]), Some(json!([call(odd)])), "{odd}");
        }
    }

    #[test]
    fn ignores_kept_items_of_an_edited_message() {
        let data = json!([
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
             "summary": [{"type": "summary_text"}]},
            {"type": "message", "content": [{"type": "output_text"}, {"type": "refusal"}]},
            {"type": "function_call"},
        ]);
        let kept = |provider: &str| Part::from(ProviderPart::new(provider, data.clone()));
        let thought = |provider: &str| Part::from(Thinking::new(provider, "?"));
        let message = |parts: Vec<Part>, calls: usize| {
            let calls = (0..calls).map(|_| ToolCall::new("a", "t", "{}"));
            Message::assistant_parts(parts).with_tool_calls(calls)
        };
        let said = |more: Vec<Part>| {
            let mut parts = vec!["A".into(), "B".into()];
            parts.extend(more);
            parts
        };
        let whole = || said(vec![thought(PROVIDER), kept(PROVIDER)]);
        assert!(items_of(&message(whole(), 1)).is_some());
        assert!(items_of(&message(whole(), 0)).is_none());
        let foreign = said(vec![thought("OpenAI"), kept(PROVIDER)]);
        assert!(items_of(&message(foreign, 1)).is_none());
        let foreign = said(vec![thought(PROVIDER), kept("OpenAI")]);
        assert!(items_of(&message(foreign, 1)).is_none());
        let mut longer = whole();
        longer.push("C".into());
        assert!(items_of(&message(longer, 1)).is_none());
    }
}
