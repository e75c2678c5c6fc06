//! The texts of long enumerations.

use super::constraints::text_of;
use agent_gram::Value;
use std::collections::{BTreeMap, HashSet};

/// From how many values on an enumeration is indexed.
const MANY: usize = 32;

/// The enumerations of one validation, each indexed once: one may stand at the element of a long
/// list, and comparing every item with every value allowed takes quadratic time.
#[derive(Default)]
pub(super) struct Choices<'t> {
    /// By where the enumeration is in memory, where it stays as long as the types are borrowed.
    /// A tree, since most types have none: an empty one takes nothing.
    texts: BTreeMap<*const Value, HashSet<&'t str>>,
}

impl<'t> Choices<'t> {
    /// Whether a text is among the values of an enumeration; `None` when that is looked up faster
    /// than indexed.
    pub(super) fn opt_has_text(&mut self, allowed: &'t [Value], text: &str) -> Option<bool> {
        if allowed.len() < MANY {
            return None;
        }
        let texts = self.texts.entry(allowed.as_ptr());
        let texts = texts.or_insert_with(|| allowed.iter().filter_map(text_of).collect());
        Some(texts.contains(text))
    }
}
