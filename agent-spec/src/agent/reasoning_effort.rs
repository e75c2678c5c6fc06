//! How much a model thinks before it answers.

use std::fmt;

/// How much the model thinks before it answers: `reasoningEffort` of an agent.
///
/// These are the words that all vendors have, or have something near. What one of them has besides
/// goes into `extra`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReasoningEffort {
    /// As little as the model can.
    Minimal,
    /// Little.
    Low,
    /// Neither little nor much.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// All of them, from the least to the most.
    pub const ALL: [ReasoningEffort; 4] = [Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// The effort that a word says.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.as_str() == word)
    }

    /// The word that says it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for ReasoningEffort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
