//! Prints patterns as gram, in one canonical layout.
//!
//! The printed text reads back as the same patterns, and printing those again gives the same text.
//! [`writer`] writes values and breaks what does not fit on a line.

mod pattern;
mod trail;
pub mod writer;

use crate::pattern::Pattern;
use std::fmt;
use writer::to_string;

/// Prints a document: the patterns one after another, with a line end after each.
#[must_use]
pub fn print(patterns: &[Pattern]) -> String {
    let mut out = String::new();
    for one in patterns {
        out.push_str(&print_pattern(one));
        out.push('\n');
    }
    out
}

/// Prints one pattern, without a line end after it.
#[must_use]
pub fn print_pattern(pattern: &Pattern) -> String {
    to_string(|writer| pattern::write(writer, pattern))
}

/// Prints one pattern in brackets, without a line end after it. Its elements that are only an identity are
/// printed as references, `[agent | tool]`. A pattern without elements is printed as a node.
///
/// [`print_pattern`] prints a pattern with two elements that are only an identity as a relationship, unless
/// the pattern has the label `Agent`. Both forms mean the same.
#[must_use]
pub fn print_with_references(pattern: &Pattern) -> String {
    if pattern.elements().is_empty() {
        return print_pattern(pattern);
    }
    to_string(|writer| pattern::write_with_references(writer, pattern))
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&print_pattern(self))
    }
}
