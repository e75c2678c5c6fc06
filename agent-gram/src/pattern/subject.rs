//! The subject of a pattern.

use super::Labels;
use crate::value::{Record, Text};

/// The identity, labels and properties of a pattern, each of which can be missing.
///
/// Two subjects are equal in any order of the labels and of the properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The name; empty for an anonymous subject.
    pub identity: Text,
    /// The labels, in source order.
    pub labels: Labels,
    /// The properties, in source order.
    pub properties: Record,
}

impl Subject {
    /// Creates a subject with a name only. With an empty name, the subject is anonymous.
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

    /// Whether there is no name, no label and no property.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.identity.is_empty() && self.labels.is_empty() && self.properties.is_empty()
    }
}
