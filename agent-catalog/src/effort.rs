//! How much a model thinks before it answers.

use std::fmt;

/// The effort of a model's reasoning before it answers, the least first.
///
/// Models accept different efforts; see [`ModelRow::efforts`](crate::ModelRow::efforts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReasoningEffort {
    /// The model does not think.
    None,
    /// The model hardly thinks.
    Minimal,
    /// The model thinks briefly.
    Low,
    /// The model thinks for a while.
    Medium,
    /// The model thinks thoroughly.
    High,
    /// The model thinks more than thoroughly.
    XHigh,
    /// The model thinks as much as it can.
    Max,
}

impl ReasoningEffort {
    /// All efforts, the least first.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::XHigh,
        Self::Max,
    ];

    /// Returns the word for the effort.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// Returns the effort of a model that is nearest to this one: the greatest that is not above it, else the
    /// lowest. Returns `None` if the model accepts no effort.
    #[must_use]
    pub fn nearest(self, of_model: &[Self]) -> Option<Self> {
        let lower = of_model.iter().filter(|effort| **effort <= self).max();
        lower.or(of_model.iter().min()).copied()
    }

    /// Returns the effort for a word; the inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.as_str() == word)
    }
}

impl fmt::Display for ReasoningEffort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
