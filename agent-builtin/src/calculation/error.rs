//! Why an expression has no result.

use super::number::Reason;
use std::fmt;

/// How many characters of an expression a message shows.
const SHOWN: usize = 24;

/// Why an expression has no result, and where in it the reason is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculationError {
    reason: String,
    position: usize,
    excerpt: String,
}

impl CalculationError {
    /// The character of the expression, counted from 1, that the reason is about: one more than the
    /// expression has when it ends too early.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for CalculationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.excerpt.as_str() {
            "" => write!(out, "{} (at the end)", self.reason),
            excerpt => write!(
                out,
                "{} (at character {}: `{excerpt}`)",
                self.reason, self.position
            ),
        }
    }
}

impl std::error::Error for CalculationError {}

/// A reason and its place in bytes.
#[derive(Debug)]
pub(super) struct Fault {
    at: usize,
    reason: Reason,
}

impl Fault {
    pub(super) fn new(at: usize, reason: impl Into<Reason>) -> Self {
        Self {
            at,
            reason: reason.into(),
        }
    }

    /// The error, for who wrote the expression.
    pub(super) fn within(self, expression: &str) -> CalculationError {
        let (before, after) = expression.split_at(self.at);
        CalculationError {
            reason: self.reason.into_owned(),
            position: before.chars().count() + 1,
            excerpt: clipped(after.trim_end()),
        }
    }
}

/// The beginning of a text, without control characters.
pub(super) fn clipped(text: &str) -> String {
    let mut characters = text.chars();
    let beginning: String = characters
        .by_ref()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    match characters.next() {
        Some(_) => format!("{beginning}…"),
        None => beginning,
    }
}
