//! Gram, a small notation for graph-shaped data: text to syntax tree to pattern, and back.
//!
//! # Phases
//!
//! - [`parse`] reads a text into a syntax tree ([`syntax`]), which keeps all details of the text:
//!   spans, comments, the form of each arrow. It always returns a tree, with all errors of the text.
//! - [`lower`](fn@lower) turns the tree into [`Pattern`]s, which keep the meaning of the text only.
//!   [`parse_patterns`] does both.
//! - [`print`](fn@print) writes patterns in one canonical layout. Its output reads back as the same
//!   patterns.
//! - [`format`](fn@format) writes the syntax tree in the same layout. It keeps the details that a
//!   pattern does not hold, such as comments, quotes and the form of arrows.
//!
//! ```
//! use agent_gram::{lower, parse, print};
//!
//! let parse = parse("[greet:Tool {description: 'Says hello'} | (name:Text)-->(:String)]");
//! assert!(parse.errors.is_empty());
//!
//! let patterns = lower(&parse.document);
//! assert_eq!(patterns[0].subject().identity, "greet");
//! assert!(patterns[0].subject().has_label("Tool"));
//! let signature = &patterns[0].elements()[0];
//! assert_eq!(signature.elements().len(), 2);
//!
//! assert_eq!(
//!     print(&patterns),
//!     "[greet:Tool {description: \"Says hello\"} |\n  (name::Text)==>(::String)\n]\n"
//! );
//! ```
//!
//! Each mistake gives one error, with its span, the text found, the text expected, and often a help:
//!
//! ```
//! let parse = agent_gram::parse("(a) -> (b), (c)");
//! let errors: Vec<_> = parse.errors.iter().map(|error| error.message()).collect();
//! assert_eq!(errors.len(), 2);
//! assert_eq!(errors[0], "found `->`, expected an arrow");
//! assert_eq!(parse.errors[0].help(), Some("write `-->`"));
//! ```
//!
//! # What is wider than the official grammar
//!
//! A text that `tree-sitter-gram` 0.6 accepts has the same meaning here, apart from the limits below.
//! This crate accepts more:
//! - arrays hold any value and may be empty; maps hold any value, at any depth;
//! - measurements may have a fraction, `1.50usd`;
//! - `//` inside quotes is text;
//! - `true` and `false` may be tags.
//!
//! # Limits
//!
//! - Brackets, braces and parentheses nest at most [`MAX_DEPTH`] deep. The patterns that a text is
//!   lowered to must keep to the limit, too. So a reference counts like a node. The annotations of a
//!   pattern, the braces of a leading record, and a path of several arrows of which some point to the
//!   left each count like one more pair of brackets.
//! - Whole numbers have at most 128 bits, and decimals must fit a 64-bit float.
//! - The line end before the closing backticks of a fence is not part of its text. Lines of the text end with LF, also
//!   where the document has CRLF, so that a text is the same on every system.
//! - A quoted text has no line end before its closing quote, and `/**/` is not a comment. The official
//!   parser accepts both in some places, against its own documentation.
//! - A text of more than 1 GiB is an error, and none of it is read.
//! - At most 10,000 errors of a text are kept, and the others are counted.
//!
//! # Not in this crate
//!
//! This crate reads no files and starts no threads. It has one rule for agents: the elements of a pattern
//! with the label `Agent` are printed as a list. The crate does not resolve references or look for duplicate
//! definitions. The tree does not attach comments to its parts; the formatter keeps each comment between the
//! same two tokens.

pub mod error;
pub mod format;
mod lexer;
pub mod lower;
pub mod parser;
pub mod pattern;
pub mod print;
pub mod span;
pub mod syntax;
pub mod value;

pub use error::{SyntaxError, SyntaxErrorKind, ValueError};
pub use format::{format, format_source};
pub use lower::{
    lower, lower_element, lower_header, lower_items, lower_record, lower_value, parse_patterns,
};
pub use parser::{Parse, ParseOptions, parse, parse_with};
pub use pattern::{Pattern, Subject, Walk};
pub use print::{print, print_pattern};
pub use span::{LineIndex, Position, Span};
pub use value::Value;

/// The maximum number of brackets, braces and parentheses inside each other.
///
/// The limit holds for texts that are read and for patterns that are constructed, so that every
/// pattern can be printed and read again, and no input can exhaust the stack.
pub const MAX_DEPTH: usize = 128;
