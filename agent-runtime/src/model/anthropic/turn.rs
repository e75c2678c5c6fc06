//! The content blocks of a request.

use agent_spec::json::Ordered;

/// The role of the model's turns.
pub(super) const ASSISTANT: &str = "assistant";

/// Whether a block is of one of these kinds.
pub(super) fn has_kind(block: &Ordered, kinds: &[&str]) -> bool {
    kinds.contains(&text_at(block, "type"))
}

/// Whether a block is a thought, readable or not.
pub(super) fn is_thought(block: &Ordered) -> bool {
    has_kind(block, &["thinking", "redacted_thinking"])
}

/// Returns the text of a member; an empty one if there is none.
pub(super) fn text_at<'o>(json: &'o Ordered, key: &str) -> &'o str {
    let Ordered::Object(members) = json else {
        return "";
    };
    match members.iter().find(|(name, _)| &**name == key) {
        Some((_, Ordered::Text(text))) => text.as_str(),
        _ => "",
    }
}
