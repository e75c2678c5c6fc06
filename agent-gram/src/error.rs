//! Errors about a text or a value.

use crate::span::Span;
use std::fmt;

/// The reason why gram cannot express a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// The number is infinite or not a number.
    NotFinite,
    /// The unit is not ASCII letters, or it would be read as part of a number.
    BadUnit(String),
    /// The symbol or tag is not a letter or `_` followed by letters, digits, `_`, `.`, `@`, `-`.
    BadSymbol(String),
    /// The range has no end.
    EmptyRange,
    /// The value nests deeper than [`crate::MAX_DEPTH`].
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

/// A mistake in a text: its span, the text found, and the text expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub(crate) kind: SyntaxErrorKind,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) related: Option<(Span, String)>,
}

/// The kind of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A token that is not allowed in its place.
    Unexpected,
    /// A bracket, brace or parenthesis that is never closed, or closed by another one.
    Unclosed,
    /// A string, fence or comment without its end.
    Unterminated,
    /// A backslash before a character that has no escape.
    BadEscape,
    /// Digits that do not form a number, or a number that is too large.
    BadNumber,
    /// An arrow of a form that does not exist.
    BadArrow,
    /// A character that gram does not use.
    BadCharacter,
    /// The text nests deeper than the limit. Nothing after this place is read.
    TooDeep,
    /// The text is longer than the limit. Nothing of it is read.
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

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> SyntaxErrorKind {
        self.kind
    }

    /// Returns the span of the mistake.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the text found and the text expected, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns advice on how to mend the mistake, if there is more to say than in the message.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns another span that belongs to the mistake, such as the bracket that is never closed,
    /// with a label.
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
