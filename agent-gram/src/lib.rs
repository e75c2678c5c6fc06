//! Gram, a small notation for graph-shaped data: text to syntax tree to pattern, and back.
pub mod error;
mod lexer;
pub mod lower;
pub mod parser;
pub mod pattern;
pub mod print;
pub mod span;
pub mod syntax;
pub mod value;

pub use error::{SyntaxError, SyntaxErrorKind, ValueError};
pub use lower::{
    lower, lower_element, lower_header, lower_items, lower_record, lower_value, parse_patterns,
};
pub use parser::{Parse, ParseOptions, parse, parse_with};
pub use pattern::{Pattern, Subject};
pub use print::{print, print_pattern};
pub use span::{LineIndex, Position, Span};
pub use value::Value;

/// How many brackets, braces and parentheses may stand inside each other.
///
/// It holds for texts that are read and for patterns that are made, so that whatever exists can be
/// printed and read again, and no input can exhaust the stack.
pub const MAX_DEPTH: usize = 128;
