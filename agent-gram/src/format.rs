//! Formats gram in one canonical layout. Only blanks and line ends change.
//!
//! The layout is that of [`print`](mod@crate::print). Records, arrays, maps and paths are on one
//! line if the line has at most a hundred columns and no fence. The same applies to brackets
//! without a record and without brackets inside. A part that does not fit is broken: one member a
//! line, two columns further in. [`print`](mod@crate::print) writes no annotations. Here, if
//! annotations and their pattern do not fit on one line together, each is on a line of its own.
//!
//! # Kept as written
//!
//! Formatting keeps the quotes and escapes of texts and names, fences, tags, the notation of
//! numbers, the form of arrows, `:` and `::`, the order of keys, doubled keys and labels,
//! annotations, brackets without elements, and references. So it does not change the meaning of a
//! document, and formatting a formatted document does not change it at all.
//!
//! One empty line in a row is kept between patterns, elements, members of a broken list, and
//! comments. A byte-order mark is removed. Line ends become LF, in fences, too.
//!
//! # Comments
//!
//! A comment stays between the same two tokens.
//! - At the end of a line, it stays at the end of the line of the token before it.
//! - On a line of its own, it keeps its line and is indented like the next token. A doc comment
//!   before a pattern, element or member that begins a line also gets a line of its own.
//! - Elsewhere, as in `(a /** x */ :L)`, a doc comment stays in its line. A comment that ends a
//!   line still does so, and the rest continues on the next line, two columns further in.
//!
//! A comment that ends its line breaks every list, path and bracket around it. If all lines of a
//! doc comment begin with `*`, they are indented with it; otherwise they stay as they are.

mod formatter;
mod layout;

use crate::error::SyntaxError;
use crate::parser;
use crate::syntax::Document;
use formatter::Formatter;

/// Formats a document, with a line end after it. An empty document gives `""`.
///
/// The document must have been parsed without errors, because the parts of a text that could not be
/// parsed are missing in the tree. [`format_source`] checks for errors.
#[must_use]
pub fn format(document: &Document<'_>) -> String {
    let mut formatter = Formatter::new(document.source(), document.comments());
    formatter.document(document);
    formatter.finish()
}

/// Parses a text and formats it in the canonical layout.
///
/// ```
/// let formatted = agent_gram::format_source("(a) --> (b) // why\n[ c|d ]").unwrap();
/// assert_eq!(formatted, "(a)-->(b) // why\n[c | d]\n");
/// ```
///
/// # Errors
/// All mistakes in the text. A text with errors is not formatted.
pub fn format_source(source: &str) -> Result<String, Vec<SyntaxError>> {
    let parse = parser::parse(source);
    if parse.errors.is_empty() {
        Ok(format(&parse.document))
    } else {
        Err(parse.errors)
    }
}
