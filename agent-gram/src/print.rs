//! Prints patterns as gram, in one canonical layout.
//!
//! The printed text reads back as the same patterns, and printing those again gives the same text.
//! [`writer`] writes on one line; [`layout`] breaks what does not fit.

pub mod layout;
mod pattern;
mod scan;
mod trail;
pub mod writer;

use crate::pattern::Pattern;
use std::fmt;

/// Prints a document: the patterns one after another, with a line end after each.
#[must_use]
pub fn print(patterns: &[Pattern]) -> String {
    let mut out = String::new();
    for one in patterns {
        pattern::write(&mut out, one);
        out.push('\n');
    }
    out
}

/// Prints one pattern, without a line end after it.
#[must_use]
pub fn print_pattern(pattern: &Pattern) -> String {
    let mut out = String::new();
    pattern::write(&mut out, pattern);
    out
}

/// Prints one pattern in brackets, without a line end after it. Its elements that are only an identity are
/// printed as references, `[agent | tool]`. A pattern without elements is printed as a node.
///
/// [`print_pattern`] prints a pattern with two such elements as a relationship, which means the same.
#[must_use]
pub fn print_with_references(pattern: &Pattern) -> String {
    if pattern.elements().is_empty() {
        return print_pattern(pattern);
    }
    let mut out = String::new();
    pattern::write_with_references(&mut out, pattern);
    out
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&print_pattern(self))
    }
}
