//! Thoughts of earlier answers that a provider refuses.
//!
//! A provider signs or encrypts the thoughts of its models, and refuses them later if another key, organization or
//! endpoint made them. The conversation goes on without them.

use super::ModelRequest;
use super::wire::{kept, stable_hash};
use agent_core::conversation::Message;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The maximum number of answers that are remembered, because the answers of a server that runs for months would fill
/// its memory. Beyond the limit, a refusal costs one more request.
const MAX_REMEMBERED: usize = 10_000;

/// The answers whose thoughts were refused, by hash. They are remembered so that later requests leave the same
/// thoughts out, and begin with the same messages.
#[derive(Default)]
pub(super) struct RefusedThoughts(Mutex<HashSet<u64>>);

impl RefusedThoughts {
    /// Returns the request without the thoughts that were refused before; `None` when it has none of them.
    pub(super) fn without_known(
        &self,
        request: &ModelRequest,
        provider: &str,
    ) -> Option<ModelRequest> {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_empty() {
            return None;
        }
        without(request, |message| {
            hash(message, provider).is_some_and(|hash| refused.contains(&hash))
        })
    }

    /// Remembers the thoughts of a refused request, and returns the request without them; `None` when it has none.
    pub(super) fn refuse(&self, request: &ModelRequest, provider: &str) -> Option<ModelRequest> {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= MAX_REMEMBERED {
            refused.clear();
        }
        let messages = request.messages.iter();
        refused.extend(messages.filter_map(|message| hash(message, provider)));
        without(request, |message| hash(message, provider).is_some())
    }
}

/// Returns the request without the thoughts of the refused messages; `None` when no message is refused.
fn without(request: &ModelRequest, is_refused: impl Fn(&Message) -> bool) -> Option<ModelRequest> {
    let mut changed = None;
    for (at, message) in request.messages.iter().enumerate() {
        if is_refused(message) {
            let request = changed.get_or_insert_with(|| request.clone());
            request.messages[at] = message.without_thoughts();
        }
    }
    changed
}

/// Returns a hash of the data that the provider gets back with a message; `None` without such data.
fn hash(message: &Message, provider: &str) -> Option<u64> {
    kept(message, provider).map(|data| stable_hash(&[&data.to_string()]))
}
