//! Text to syntax tree, with every error of the text in one run.
//!
//! One function a production, in files named for the parts of the grammar. Every production returns
//! a tree. What keeps one mistake at one error is the parser's `lost` flag: an error that leaves the
//! parser at an unsure place sets it, nothing is reported while it is set, and the next token that
//! is found where it belongs clears it.

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

/// How many errors are kept. A text with more mistakes than this is no gram at all, and an error
/// for each of ten million bytes would take gigabytes.
const MAX_ERRORS: usize = 200_000;

/// How long a text may be. The tree holds offsets of 32 bits, and up to three and a half parts for
/// a byte.
pub(crate) const MAX_BYTES: usize = 1 << 30;

/// What reading a text gives: always a tree, and the errors.
#[derive(Clone, Debug, Default)]
pub struct Parse<'a> {
    /// The tree. Where the text has errors, parts of it are missing or [`Invalid`].
    ///
    /// [`Invalid`]: crate::syntax::ValueKind::Invalid
    pub document: Document<'a>,
    /// All errors, in source order. Empty when the text is gram.
    pub errors: Vec<SyntaxError>,
}

/// How to read a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParseOptions {
    /// How many brackets, braces and parentheses may stand inside each other.
    max_depth: usize,
    /// How many bytes the text may have.
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
    /// Sets how many brackets, braces and parentheses may stand inside each other: at most
    /// [`MAX_DEPTH`], the default.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth.min(MAX_DEPTH);
        self
    }

    /// Sets how many bytes a text may have: at most 1 GiB, the default. A longer one is an error,
    /// and nothing of it is read.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes.min(MAX_BYTES);
        self
    }
}

/// Reads a text as gram.
#[must_use]
pub fn parse(source: &str) -> Parse<'_> {
    parse_with(source, ParseOptions::default())
}

/// Reads a text as gram, with options.
///
/// The time taken is linear in the length of the text, whatever the text. Beyond 200,000 errors
/// none are kept.
#[must_use]
pub fn parse_with(source: &str, options: ParseOptions) -> Parse<'_> {
    let mut parser = Parser::new(source, options);
    parser.tape.reserve_for_all();
    parser.opt_header();
    parser.items(|_| ());
    let comments = std::mem::take(&mut parser.comments);
    Parse {
        document: Document::new(std::mem::take(&mut parser.tape), comments),
        errors: parser.into_errors(),
    }
}

/// Reads a text and hands out the record at its beginning and each of its items as a tree of its
/// own, without keeping them. Returns the errors.
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

/// The place in the text, and what was found out so far.
struct Parser<'a> {
    source: &'a str,
    bytes: &'a [u8],
    /// The offset of the next byte to read.
    at: usize,
    /// Where the text begins: after a byte-order mark.
    start: usize,
    /// How many brackets, braces and parentheses are open.
    depth: usize,
    /// The deepest that `depth` was since this was last reset.
    deepest: usize,
    max_depth: usize,
    /// The same by kind, to know which closing one somebody waits for.
    open: OpenCounts,
    /// The innermost opening bracket, brace or parenthesis.
    opener: Option<usize>,
    /// Whether the last error left the parser at an unsure place; see the module's comment.
    recovering: bool,
    /// The closing token of a bracket that was taken to be unclosed because of how the lines are
    /// indented.
    assumed_closer: Option<u8>,
    tape: Tape<'a>,
    comments: Vec<Comment>,
    errors: Vec<SyntaxError>,
    /// How many errors there were before the item that is being read.
    errors_before_item: usize,
}

/// How many of each kind are open.
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

/// What [`Parser::open`] remembers until [`Parser::leave`].
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
            errors_before_item: 0,
        }
    }

    /// All errors, in source order.
    fn into_errors(self) -> Vec<SyntaxError> {
        let mut errors = self.errors;
        // They are found in that order, but for those about a token that was passed already, such
        // as the comma before a closing brace.
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

    /// Takes the bracket, brace or parenthesis at this place, unless it is one too many.
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

    /// Leaves what [`Parser::open`] entered, closed or not.
    fn leave(&mut self, opened: OpenBracket) {
        self.depth -= 1;
        self.opener = opened.outer;
        if let Some(byte) = self.bytes.get(opened.at) {
            *self.open.of(*byte) -= 1;
        }
    }

    /// Whether there is room for `levels` more; if not, this is the last error of the text.
    fn deeper(&mut self, levels: usize) -> bool {
        if self.depth + levels > self.max_depth {
            self.too_deep();
            return false;
        }
        self.deepest = self.deepest.max(self.depth + levels);
        true
    }
}
