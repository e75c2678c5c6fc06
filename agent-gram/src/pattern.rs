//! The canonical form of everything serialisable: a subject, and elements that are patterns too.

mod labels;

pub use labels::Labels;

use crate::MAX_DEPTH;
use crate::error::ValueError;
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

/// A subject and its elements. Every pattern that exists can be printed as gram and read back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    subject: Subject,
    elements: Vec<Pattern>,
}

impl Pattern {
    /// A pattern of a subject and elements.
    ///
    /// # Errors
    /// When it would nest deeper than [`MAX_DEPTH`].
    pub fn new(subject: Subject, elements: Vec<Pattern>) -> Result<Self, ValueError> {
        let pattern = Self { subject, elements };
        if pattern.depth() > MAX_DEPTH {
            Err(ValueError::TooDeep)
        } else {
            Ok(pattern)
        }
    }

    /// A pattern whose depth is known to be within bounds, as that of a text that was parsed is.
    pub(crate) fn from_parts(subject: Subject, elements: Vec<Pattern>) -> Self {
        Self { subject, elements }
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The elements, in order.
    #[must_use]
    pub fn elements(&self) -> &[Pattern] {
        &self.elements
    }

    /// How many brackets, braces and parentheses stand inside each other when it is printed.
    pub(crate) fn depth(&self) -> usize {
        let elements = self.elements.iter().map(Pattern::depth).max().unwrap_or(0);
        let record = if self.subject.properties.is_empty() {
            0
        } else {
            self.subject.properties.depth()
        };
        1 + record.max(elements)
    }

    /// The subject and the elements, owned.
    #[must_use]
    pub fn into_parts(self) -> (Subject, Vec<Pattern>) {
        (self.subject, self.elements)
    }
}
