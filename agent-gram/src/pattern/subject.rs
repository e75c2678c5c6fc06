//! What a pattern says about itself.

use super::Labels;
use crate::value::{Record, Text};

/// What a pattern says about itself: an identity, labels and properties, each of which may be
/// missing.
///
/// Labels are a set and properties a map: subjects are equal whatever the order of either.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The name; empty for an anonymous subject.
    pub identity: Text,
    /// The labels: a set that keeps source order.
    pub labels: Labels,
    /// The properties, in source order.
    pub properties: Record,
}

impl Subject {
    /// A subject with a name only. An empty name is an anonymous subject.
    #[must_use]
    pub fn new(identity: impl Into<Text>) -> Self {
        Self {
            identity: identity.into(),
            ..Self::default()
        }
    }

    /// Adds a label, unless the subject has it.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<Text>) -> Self {
        self.labels.insert(label);
        self
    }

    /// Whether the subject has this label.
    #[must_use]
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.contains(label)
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.identity.is_empty() && self.labels.is_empty() && self.properties.is_empty()
    }
}
