//! Gram, a small notation for graph-shaped data: text to syntax tree to pattern, and back.
//!
//! # Phases
//!
//! - [`parse`] reads a text into a syntax tree ([`syntax`]), which keeps what the text said: places,
//!   comments, arrows as they were drawn. It always returns a tree, with all errors of the text.
//! - [`lower`](fn@lower) turns the tree into [`Pattern`]s: what the text means. [`parse_patterns`] does both.
//! - [`print`](fn@print) writes patterns in one canonical layout. What it writes reads back as the
//!   same patterns.
//! - [`format`](fn@format) writes the syntax tree in the same layout: comments, quotes, arrows and all
//!   else that patterns do not hold stay as they were written.
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
//! A mistake is one error, with its place, what was found, what was expected, and often what to do:
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
//! Whatever `tree-sitter-gram` 0.6 accepts means the same here, but for the limits below. Beyond it:
//! - arrays hold any value and may be empty; maps hold any value, at any depth;
//! - measurements may have a fraction, `1.50usd`;
//! - `//` inside quotes is text;
//! - `true` and `false` may be tags.
//!
//! # Limits
//!
//! - [`MAX_DEPTH`] brackets, braces and parentheses inside each other. What a text means must fit,
//!   too: a reference counts like a node, the annotations of a pattern and the braces of a leading
//!   record like one more pair of brackets, and so does a path of several arrows of which some point
//!   to the left.
//! - Whole numbers of 128 bits; decimals that a 64-bit float can hold.
//! - The line end before the closing backticks of a fence is not part of its text.
//! - Line ends stand neither in quotes nor before a closing quote, and `/**/` is no comment: the
//!   official parser takes both in some places, against its own documentation.
//! - Texts of 1 GiB: a longer one is an error, and nothing of it is read. Beyond 200,000 errors in a
//!   text none are kept.
//!
//! # Features
//!
//! `relateby`, off by default, converts between [`Pattern`] and the pattern of the crate
//! `relateby-pattern`; see the module of that name. Without it this crate has no dependencies.
//!
//! # What it does not do
//!
//! It reads no files and starts no threads, and it knows nothing of agents. References are not
//! resolved, duplicate definitions not looked for. The tree attaches comments to nothing; the
//! formatter keeps them between the tokens that they stood between.
pub mod error;
pub mod format;
mod lexer;
pub mod lower;
pub mod parser;
pub mod pattern;
pub mod print;
#[cfg(feature = "relateby")]
pub mod relateby;
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

/// How many brackets, braces and parentheses may stand inside each other.
///
/// It holds for texts that are read and for patterns that are made, so that whatever exists can be
/// printed and read again, and no input can exhaust the stack.
pub const MAX_DEPTH: usize = 128;
