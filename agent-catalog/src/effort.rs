//! How much a model thinks before it answers.

use std::fmt;

/// The effort of a model's reasoning before it answers, the least first.
///
/// Which efforts a model has differs: [`ModelRow::efforts`](crate::ModelRow::efforts).
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

    /// Returns the effort of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.as_str() == word)
    }

    /// Returns the effort among those of a model that comes nearest without being greater, else the least one. `None`
    /// for a model without efforts.
    ///
    /// ```
    /// use agent_catalog::ReasoningEffort::{High, Low, Max, Medium, Minimal};
    /// assert_eq!(Max.among(&[Low, Medium, High]), Some(High));
    /// assert_eq!(Minimal.among(&[Low, Medium, High]), Some(Low));
    /// assert_eq!(High.among(&[]), None);
    /// ```
    #[must_use]
    pub fn among(self, efforts: &[Self]) -> Option<Self> {
        let lower = efforts.iter().filter(|effort| **effort <= self).max();
        lower.or_else(|| efforts.iter().min()).copied()
    }
}

impl fmt::Display for ReasoningEffort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
