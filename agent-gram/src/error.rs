//! What can be wrong with a text or a value.

use crate::span::Span;
use std::fmt;

/// Why a value cannot be said in gram.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// An infinite number, or not a number.
    NotFinite,
    /// A unit that is not ASCII letters, or that would be read as part of a number.
    BadUnit(String),
    /// A symbol or tag of another form than letter, then letters, digits, `_`, `.`, `@`, `-`.
    BadSymbol(String),
    /// A range without ends.
    EmptyRange,
    /// Nested deeper than [`crate::MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for ValueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => out.write_str("gram has no infinite numbers and no NaN"),
            Self::BadUnit(unit) => {
                write!(
                    out,
                    "`{unit}` is not a unit; a unit is one or more ASCII letters, such as `s` or `kg`"
                )
            }
            Self::BadSymbol(text) => write!(
                out,
                "`{text}` is not a symbol; a symbol is a letter or `_`, then letters, digits, `_`, `.`, `@` or `-`"
            ),
            Self::EmptyRange => out.write_str("a range needs at least one end"),
            Self::TooDeep => write!(out, "nested more than {} deep", crate::MAX_DEPTH),
        }
    }
}

impl std::error::Error for ValueError {}

/// One thing wrong with a text: where, what was found, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub(crate) kind: SyntaxErrorKind,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) related: Option<(Span, String)>,
}

/// The kinds of syntax errors, for callers that treat some apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A token that cannot stand where it stands.
    Unexpected,
    /// A bracket, brace or parenthesis that is never closed, or closed by another one.
    Unclosed,
    /// A string, fence or comment without its end.
    Unterminated,
    /// A backslash before a character that needs none.
    BadEscape,
    /// Digits that are no number, or a number too large to hold.
    BadNumber,
    /// An arrow of a form that does not exist.
    BadArrow,
    /// A character that gram does not use.
    BadCharacter,
    /// Nested deeper than the bound. Nothing after it is read.
    TooDeep,
    /// Longer than the bound. Nothing of it is read.
    TooLong,
}

impl SyntaxError {
    pub(crate) fn too_long(source: &str, bound: usize) -> Self {
        Self {
            kind: SyntaxErrorKind::TooLong,
            span: Span::at(0),
            message: format!(
                "the text has {} bytes, expected at most {bound}",
                source.len()
            ),
            help: Some("nothing of it was read; divide it into several documents".to_owned()),
            related: None,
        }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> SyntaxErrorKind {
        self.kind
    }

    /// Where it is.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// What was found and what was expected, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to put it right, when more can be said than the message does.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Another place that has to do with it, such as the bracket that was never closed.
    #[must_use]
    pub fn related(&self) -> Option<(Span, &str)> {
        self.related
            .as_ref()
            .map(|(span, label)| (*span, label.as_str()))
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}
