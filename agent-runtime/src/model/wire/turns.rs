//! Turns whose roles alternate, for formats that reject two messages of one role after the other.

use super::Object;
use agent_spec::json::Ordered;

/// The user's first message, when the history begins with an answer.
const BEGINNING: &str = "(The conversation begins with your answer.)";

/// The role of the user's turns.
pub(in crate::model) const USER: &str = "user";

/// The parts of one or more messages of one role.
pub(in crate::model) struct Turn {
    pub(in crate::model) role: &'static str,
    pub(in crate::model) parts: Vec<Ordered>,
}

impl Turn {
    /// Returns the turn with its parts at a key.
    pub(in crate::model) fn into_value(self, key: &'static str) -> Ordered {
        let turn = Object::default().with_text("role", self.role);
        turn.with(key, Ordered::Array(self.parts)).into_value()
    }
}

/// Adds parts to the last turn if it has this role, else as a new turn. The first turn is the user's. `text`
/// writes a text.
pub(in crate::model) fn add_turn(
    turns: &mut Vec<Turn>,
    role: &'static str,
    parts: Vec<Ordered>,
    text: fn(&str) -> Option<Ordered>,
) {
    if parts.is_empty() {
        return;
    }
    if turns.is_empty() && role != USER {
        let parts = text(BEGINNING).into_iter().collect();
        turns.push(Turn { role: USER, parts });
    }
    match turns.last_mut() {
        Some(last) if last.role == role => last.parts.extend(parts),
        _ => turns.push(Turn { role, parts }),
    }
}
