//! Text to text, in one canonical layout: what a document says stays as it was written, only blanks
//! and line ends change.
//!
//! The layout is that of [`print`](mod@crate::print): records, arrays and maps, paths, and brackets
//! without record and without brackets in them stand on one line when it has at most a hundred
//! columns and no fence; else each is broken, a member a line, two columns further in. Of
//! annotations and their pattern, which print has no form for, each stands on a line of its own when
//! they do not fit on one together.
//!
//! # What stays as it was written
//!
//! The quotes and escapes of texts and names, fences, tags, the spelling of numbers, the form of
//! arrows, `:` and `::`, the order of keys, doubled keys and labels, annotations, brackets without
//! elements, references. So formatting changes nothing of what the document means, and formatting
//! what was formatted changes nothing at all.
//!
//! Of blank lines one in a row stays between patterns, elements, members of a broken list, and
//! comments. A byte-order mark goes. Line ends become LF; inside fences, where they are text, they
//! stay.
//!
//! # Comments
//!
//! A comment stays between the two tokens that it stood between.
//! - At the end of a line it stays at the end of the line of the token before it.
//! - On a line of its own it stays there, indented like what follows it. So does a doc comment before
//!   a pattern, element or member that begins a line.
//! - Elsewhere, as in `(a /** x */ :L)`, a doc comment stays in its line, and a comment that ends a
//!   line still does: the rest stands on the next one, two columns further in.
//!
//! A comment that ends its line breaks everything around it. Lines of a doc comment that all begin
//! with `*` are indented with it; other lines stay as they are.

mod formatter;
mod tree;

use crate::error::SyntaxError;
use crate::parser;
use crate::syntax::Document;
use formatter::Formatter;

/// The text of a document in the canonical layout, with a line end after it; `""` when there is
/// nothing in it.
///
/// The document must have been read without errors: what could not be read is in no tree, and would
/// be missing. [`format_source`] sees to that.
#[must_use]
pub fn format(document: &Document<'_>) -> String {
    let mut writer = Formatter::new(document.source(), document.comments());
    writer.document(document);
    writer.finish()
}

/// Reads a text and gives it in the canonical layout.
///
/// ```
/// let formatted = agent_gram::format_source("(a) --> (b) // why\n[ c|d ]").unwrap();
/// assert_eq!(formatted, "(a)-->(b) // why\n[c | d]\n");
/// ```
///
/// # Errors
/// All that is wrong with the text. A text with errors is not formatted.
pub fn format_source(source: &str) -> Result<String, Vec<SyntaxError>> {
    let parse = parser::parse(source);
    if parse.errors.is_empty() {
        Ok(format(&parse.document))
    } else {
        Err(parse.errors)
    }
}
