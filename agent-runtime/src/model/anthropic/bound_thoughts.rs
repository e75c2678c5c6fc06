//! Thoughts that are bound to the conversation before them.
//!
//! Newer models of Anthropic refuse a thought if the instruction, the tools or an earlier message has changed
//! since the model wrote the thought. This is so after a conversation was cut at its beginning, summarised,
//! or given to another agent. Anthropic accepts a conversation whose first thoughts are missing, but not one
//! with a gap in the middle. Therefore all thoughts up to the last thought that no longer fits are left out.

use super::turn::{ASSISTANT, has_kind, is_thought, text_at};
use crate::model::wire::{Turn, kind, member};
use agent_core::conversation::Part;
use agent_core::model::ModelReply;
use agent_spec::json::Ordered;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// The maximum number of answers that are remembered, because the answers of a server that runs for months would fill
/// its memory. The thoughts of other answers are sent, and left out after a refusal.
const MAX_REMEMBERED: usize = 10_000;

/// A hash of the conversation before each answer with a thought, by the hash of its first thought. The hashes are kept in
/// memory, so the thoughts of a conversation from a store are sent unchecked.
#[derive(Debug, Default)]
pub(super) struct BoundThoughts(Mutex<HashMap<u64, u64>>);

impl BoundThoughts {
    /// Removes the thoughts that do not fit the conversation before them, and returns the hash of the whole conversation and
    /// whether a thought was removed.
    pub(super) fn fit(
        &self,
        instruction: &str,
        tools: &[Ordered],
        turns: &mut [Turn],
    ) -> (u64, bool) {
        let mut hasher = DefaultHasher::new();
        instruction.hash(&mut hasher);
        for tool in tools {
            tool.to_string().hash(&mut hasher);
        }
        let mut last_unfit = None;
        {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for (at, turn) in turns.iter().enumerate() {
                let thought = turn.parts.iter().find_map(thought);
                let before = thought.and_then(|thought| known.get(&thought));
                if turn.role == ASSISTANT && before.is_some_and(|before| *before != hasher.finish())
                {
                    last_unfit = Some(at);
                }
                turn.role.hash(&mut hasher);
                for block in turn.parts.iter().filter(|block| !is_thought(block)) {
                    block.to_string().hash(&mut hasher);
                }
            }
        }
        let unfit = last_unfit.map_or(0, |last| last + 1);
        for turn in &mut turns[..unfit] {
            turn.parts.retain(|block| !is_thought(block));
        }
        (hasher.finish(), unfit > 0)
    }

    /// Remembers the conversation before an answer.
    pub(super) fn remember(&self, conversation: u64, reply: &ModelReply) {
        let blocks = reply.parts.iter().find_map(|part| match part {
            Part::Provider(part) => part.data().as_array(),
            _ => None,
        });
        let thought = blocks.into_iter().flatten().find_map(|block| {
            let signed = match kind(block) {
                "thinking" => member(block, "signature"),
                "redacted_thinking" => member(block, "data"),
                _ => "",
            };
            (!signed.is_empty()).then(|| hash(signed))
        });
        let Some(thought) = thought else {
            return;
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(thought, conversation);
    }
}

/// Returns the hash of a thought's signature.
fn thought(block: &Ordered) -> Option<u64> {
    let key = match is_thought(block) {
        true if has_kind(block, &["thinking"]) => "signature",
        true => "data",
        false => return None,
    };
    let signed = text_at(block, key);
    (!signed.is_empty()).then(|| hash(signed))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
