//! The turns of a request and their content blocks.

use crate::model::wire::Object;
use agent_spec::json::Ordered;

/// The role of the user's turns.
pub(super) const USER: &str = "user";

/// The role of the model's turns.
pub(super) const ASSISTANT: &str = "assistant";

/// The blocks of one or more messages of one role.
pub(super) struct Turn {
    pub(super) role: &'static str,
    pub(super) blocks: Vec<Ordered>,
}

impl Turn {
    pub(super) fn into_value(self) -> Ordered {
        let turn = Object::default().with_text("role", self.role);
        turn.with("content", Ordered::Array(self.blocks))
            .into_value()
    }
}

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
