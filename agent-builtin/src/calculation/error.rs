//! Errors of expressions.

use super::number::Reason;
use std::fmt;

/// The number of characters of an expression in a message.
const EXCERPT: usize = 24;

/// The reason why an expression has no result, and its position in the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculationError {
    reason: String,
    position: usize,
    excerpt: String,
}

impl CalculationError {
    /// The position of the error in characters, counted from 1. It is one past the last character when the
    /// expression ends too early.
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

/// An error with its position as a byte offset.
#[derive(Debug)]
pub(super) struct Fault {
    offset: usize,
    reason: Reason,
}

impl Fault {
    pub(super) fn new(offset: usize, reason: impl Into<Reason>) -> Self {
        Self {
            offset,
            reason: reason.into(),
        }
    }

    /// Converts the offset into the position and the excerpt of the public error.
    pub(super) fn in_expression(self, expression: &str) -> CalculationError {
        let (before, after) = expression.split_at(self.offset);
        CalculationError {
            reason: self.reason.into_owned(),
            position: before.chars().count() + 1,
            excerpt: clipped(after.trim_end()),
        }
    }
}

/// Returns the beginning of a text with control characters escaped.
pub(super) fn clipped(text: &str) -> String {
    let mut characters = text.chars();
    let beginning: String = characters
        .by_ref()
        .take(EXCERPT)
        .flat_map(char::escape_debug)
        .collect();
    match characters.next() {
        Some(_) => format!("{beginning}…"),
        None => beginning,
    }
}
