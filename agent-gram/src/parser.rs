//! Parses a text to a syntax tree and reports every error of the text in one run.
//!
//! Each production of the grammar is one function, in files named for the parts of the grammar.
//! Every production returns a tree. The flag `recovering` makes one mistake give one error: an
//! error after which the place of the parser is uncertain sets it, no error is reported while it is
//! set, and the next token that is found in its right place clears it.

mod annotation;
mod arrow;
mod bracket;
mod document;
mod list;
mod number;
mod path;
mod record;
mod recovery;
mod report;
mod string;
mod subject;
mod trivia;
mod value;

use crate::MAX_DEPTH;
use crate::error::SyntaxError;
use crate::syntax::tape::Tape;
use crate::syntax::{Comment, Document};

/// The maximum number of errors that are kept. A file of somebody else with more mistakes is not gram, and an error for
/// each of ten million bytes would take gigabytes.
const MAX_ERRORS: usize = 10_000;

/// The maximum length of a text in bytes. The tree has 32-bit indices, and up to three and a half
/// parts for a byte.
pub(crate) const MAX_BYTES: usize = 1 << 30;

/// The result of parsing a text: a syntax tree, and the errors.
#[derive(Clone, Debug, Default)]
pub struct Parse<'a> {
    /// The syntax tree. If the text has errors, parts of it are missing or [`Invalid`].
    ///
    /// [`Invalid`]: crate::syntax::ValueKind::Invalid
    pub document: Document<'a>,
    /// The errors, in source order. Empty if the text is gram.
    pub errors: Vec<SyntaxError>,
    /// The number of errors that are not kept, because there are more than 10,000.
    pub more_errors: usize,
}

/// The limits of parsing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParseOptions {
    /// The maximum number of brackets, braces and parentheses inside each other.
    max_depth: usize,
    /// The maximum length of the text in bytes.
    max_bytes: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            max_depth: MAX_DEPTH,
            max_bytes: MAX_BYTES,
        }
    }
}

impl ParseOptions {
    /// Sets the maximum number of brackets, braces and parentheses inside each other: at most
    /// [`MAX_DEPTH`], which is the default.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth.min(MAX_DEPTH);
        self
    }

    /// Sets the maximum length of a text in bytes: at most 1 GiB, which is the default. A longer
    /// text is an error, and nothing of it is read.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes.min(MAX_BYTES);
        self
    }
}

/// Parses a text as gram.
#[must_use]
pub fn parse(source: &str) -> Parse<'_> {
    parse_with(source, ParseOptions::default())
}

/// Parses a text as gram within the given limits.
///
/// The time is linear in the length of the text, whatever the text. At most 10,000 errors are
/// kept.
#[must_use]
pub fn parse_with(source: &str, options: ParseOptions) -> Parse<'_> {
    let mut parser = Parser::new(source, options);
    parser.tape.reserve_for_all();
    parser.opt_header();
    parser.items(|_| ());
    let comments = std::mem::take(&mut parser.comments);
    Parse {
        document: Document::new(std::mem::take(&mut parser.tape), comments),
        more_errors: parser.more_errors,
        errors: parser.into_errors(),
    }
}

/// Parses a text and calls `take` with the leading record and with each item as a tree of its own,
/// which is dropped afterwards. Returns the errors.
pub(crate) fn parse_piecewise(source: &str, mut take: impl FnMut(&Tape<'_>)) -> Vec<SyntaxError> {
    let mut parser = Parser::new(source, ParseOptions::default());
    parser.opt_header();
    let mut hand_out = |tape: &mut Tape<'_>| {
        take(tape);
        tape.clear();
    };
    hand_out(&mut parser.tape);
    parser.items(hand_out);
    parser.into_errors()
}

/// The state of the parser.
struct Parser<'a> {
    source: &'a str,
    bytes: &'a [u8],
    /// The offset of the next byte to read.
    at: usize,
    /// The offset at which the text begins: after a byte-order mark.
    start: usize,
    /// The number of open brackets, braces and parentheses.
    depth: usize,
    /// The maximum of `depth` since `deepest` was last reset.
    deepest: usize,
    max_depth: usize,
    /// The number of open brackets, braces and parentheses of each kind, so that a closing token
    /// that belongs to one of them is recognized.
    open: OpenCounts,
    /// The offset of the innermost open bracket, brace or parenthesis.
    opener: Option<usize>,
    /// Whether no errors are reported, because the place of the parser is uncertain; see the
    /// module's comment.
    recovering: bool,
    /// The closing token of a bracket that was assumed to be unclosed because of the indentation of
    /// the lines.
    assumed_closer: Option<u8>,
    tape: Tape<'a>,
    comments: Vec<Comment>,
    errors: Vec<SyntaxError>,
    /// The number of errors that are not kept.
    more_errors: usize,
    /// The number of errors before the current item.
    errors_before_item: usize,
}

/// The number of open brackets, parentheses and braces.
#[derive(Clone, Copy, Default)]
struct OpenCounts {
    brackets: usize,
    parentheses: usize,
    braces: usize,
}

impl OpenCounts {
    fn of(&mut self, byte: u8) -> &mut usize {
        match byte {
            b'[' | b']' => &mut self.brackets,
            b'(' | b')' => &mut self.parentheses,
            _ => &mut self.braces,
        }
    }
}

/// The state that [`Parser::open`] saves for [`Parser::leave`].
#[derive(Clone, Copy)]
struct OpenBracket {
    at: usize,
    outer: Option<usize>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, options: ParseOptions) -> Self {
        let start = if source.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let too_long = source.len() > options.max_bytes;
        Self {
            source,
            bytes: source.as_bytes(),
            at: if too_long { source.len() } else { start },
            start,
            depth: 0,
            deepest: 0,
            max_depth: options.max_depth,
            open: OpenCounts::default(),
            opener: None,
            recovering: false,
            assumed_closer: None,
            tape: Tape::new(source),
            comments: Vec::new(),
            errors: if too_long {
                vec![SyntaxError::too_long(source, options.max_bytes)]
            } else {
                Vec::new()
            },
            more_errors: 0,
            errors_before_item: 0,
        }
    }

    /// Returns all errors, in source order.
    fn into_errors(self) -> Vec<SyntaxError> {
        let mut errors = self.errors;
        // Errors are found in that order, apart from those about an earlier token, such as the
        // comma before a closing brace.
        if !errors.is_sorted_by_key(|error| error.span.start) {
            errors.sort_by_key(|error| error.span.start);
        }
        errors
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_after(&self, distance: usize) -> Option<u8> {
        self.bytes.get(self.at + distance).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    /// Enters the bracket, brace or parenthesis at this place. Reports an error if the text nests
    /// too deep.
    fn open(&mut self) -> Option<OpenBracket> {
        if !self.deeper(1) {
            return None;
        }
        self.depth += 1;
        let opened = OpenBracket {
            at: self.at,
            outer: self.opener,
        };
        if let Some(byte) = self.peek() {
            *self.open.of(byte) += 1;
        }
        self.opener = Some(self.at);
        self.at += 1;
        Some(opened)
    }

    /// Leaves the brackets that [`Parser::open`] entered, closed or not.
    fn leave(&mut self, opened: OpenBracket) {
        self.depth -= 1;
        self.opener = opened.outer;
        if let Some(byte) = self.bytes.get(opened.at) {
            *self.open.of(*byte) -= 1;
        }
    }

    /// Whether the text may nest `levels` deeper. If not, reports an error and stops parsing.
    fn deeper(&mut self, levels: usize) -> bool {
        if self.depth + levels > self.max_depth {
            self.too_deep();
            return false;
        }
        self.deepest = self.deepest.max(self.depth + levels);
        true
    }
}
