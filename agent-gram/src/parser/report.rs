//! Syntax errors: the text found, the text expected, and help.

use super::{MAX_ERRORS, Parser};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer;
use crate::span::Span;

/// The maximum number of characters of a token that a message shows.
const LONGEST_FOUND: usize = 40;

impl Parser<'_> {
    /// Adds an error, unless the parser is recovering.
    #[cold]
    pub(super) fn report<'h>(
        &mut self,
        kind: SyntaxErrorKind,
        span: Span,
        message: impl FnOnce() -> String,
        help: impl Into<Option<&'h str>>,
    ) {
        if self.recovering {
            return;
        }
        if self.errors.len() >= MAX_ERRORS {
            self.more_errors += 1;
            return;
        }
        self.errors.push(SyntaxError {
            kind,
            span,
            message: message(),
            help: help.into().map(str::to_owned),
            related: None,
        });
    }

    /// Reports that the next token is not the expected one, and begins to recover.
    ///
    /// At the end of the text, reports an open bracket instead, if there is one.
    #[cold]
    pub(super) fn unexpected<'h>(&mut self, expected: &str, help: impl Into<Option<&'h str>>) {
        if self.at >= self.bytes.len() && self.opener.is_some() {
            self.unclosed(expected, help);
            return;
        }
        let kind = match self.peek() {
            Some(byte) if !is_token_byte(byte) => SyntaxErrorKind::BadCharacter,
            _ => SyntaxErrorKind::Unexpected,
        };
        self.fail(kind, expected, help);
    }

    /// Reports that the innermost open bracket should have been closed before the next token, and
    /// begins to recover.
    #[cold]
    pub(super) fn unclosed<'h>(&mut self, expected: &str, help: impl Into<Option<&'h str>>) {
        let count = self.errors.len();
        let opener = self.opener;
        if let (Some(at), Some(b'(' | b'[' | b'@')) = (opener, self.peek()) {
            self.assumed_closer = match self.bytes.get(at) {
                Some(b'[') => Some(b']'),
                Some(b'(') => Some(b')'),
                _ => Some(b'}'),
            };
        }
        self.fail(SyntaxErrorKind::Unclosed, expected, help);
        if self.errors.len() > count
            && let Some(at) = opener
            && let Some(error) = self.errors.last_mut()
        {
            let what = match self.bytes.get(at) {
                Some(b'[') => "this `[` is not closed",
                Some(b'(') => "this `(` is not closed",
                _ => "this `{` is not closed",
            };
            error.related = Some((Span::new(at, at + 1), what.to_owned()));
        }
    }

    /// Reports an error at the next token and begins to recover.
    #[cold]
    pub(super) fn fail<'h>(
        &mut self,
        kind: SyntaxErrorKind,
        expected: &str,
        help: impl Into<Option<&'h str>>,
    ) {
        if !self.recovering {
            let span = self.token_span();
            let found = self.found(span);
            let help = help.into().or_else(|| self.character_help());
            self.report(
                kind,
                span,
                || format!("found {found}, expected {expected}"),
                help,
            );
        }
        self.recovering = true;
    }

    /// Reports that the text nests too deep, and stops parsing.
    #[cold]
    pub(super) fn too_deep(&mut self) {
        // This error stops parsing, so it is always reported. The errors found earlier in the same
        // item are dropped, because they belong to the same brackets.
        self.recovering = false;
        self.errors.truncate(self.errors_before_item);
        let span = self.token_span();
        let bound = self.max_depth;
        self.report(
            SyntaxErrorKind::TooDeep,
            span,
            || format!("nested too deep: more than {bound} brackets, braces and parentheses inside each other"),
            "nothing after this place was read",
        );
        self.recovering = true;
        self.at = self.bytes.len();
    }

    /// Returns the span of the token at this place, as a reader sees it.
    pub(super) fn token_span(&self) -> Span {
        let (bytes, at) = (self.bytes, self.at);
        let Some(byte) = self.peek() else {
            return Span::at(bytes.len());
        };
        let end = match byte {
            b'"' | b'\'' | b'`' => lexer::quoted_end(bytes, at)
                .filter(|end| *end > at + 2)
                .unwrap_or_else(|| lexer::repeat_end(bytes, at, byte)),
            b':' | b'.' | b'@' => lexer::repeat_end(bytes, at, byte),
            b'-' if self.peek_after(1).is_some_and(|b| b.is_ascii_digit()) => {
                lexer::symbol_end(bytes, at + 1)
            }
            b'-' | b'=' | b'~' | b'<' | b'>' => lexer::arrow_end(bytes, at),
            _ if lexer::continues_symbol(byte) => lexer::symbol_end(bytes, at),
            _ => at + self.character().map_or(1, char::len_utf8),
        };
        Span::new(at, end)
    }

    fn character(&self) -> Option<char> {
        self.source.get(self.at..)?.chars().next()
    }

    /// Returns the token at `span` in the form that messages use.
    pub(super) fn found(&self, span: Span) -> String {
        let text = span.text(self.source);
        let Some(first) = text.chars().next() else {
            return "the end of the text".to_owned();
        };
        if first.is_control() || (first.is_whitespace() && !first.is_ascii()) || is_invisible(first)
        {
            return format!("the character U+{:04X}", u32::from(first));
        }
        let mut excerpt: String = text
            .chars()
            .take(LONGEST_FOUND)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if excerpt.len() < text.len() {
            excerpt.push('…');
        }
        code(&excerpt)
    }

    /// Returns a help about a character that gram does not have: typographic characters that word
    /// processors insert, and letters of other alphabets.
    fn character_help(&self) -> Option<&'static str> {
        match self.character()? {
            '“' | '”' | '„' | '‘' | '’' | '«' | '»' => {
                Some("gram's quotes are the straight ones: `\"` and `'`")
            }
            '→' | '⇒' | '–' | '—' | '←' | '⇐' => {
                Some("an arrow is written in plain characters, such as `-->` or `==>`")
            }
            c if c.is_whitespace() && !c.is_ascii() => {
                Some("gram's blanks are the ordinary ones: space, tab and line end")
            }
            ';' => Some("gram has no `;`"),
            '?' => Some("remove it; gram has `?` in quotes and in backticks only"),
            '#' => Some("a comment begins with `//`"),
            c if c.is_alphabetic() && !c.is_ascii() => {
                Some("write letters other than A to Z in quotes, and in a name in backticks")
            }
            _ => None,
        }
    }
}

/// Returns a piece of gram in backticks, as a message contains it.
pub(super) fn code(text: &str) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// Whether a token of gram can begin with this byte.
fn is_token_byte(byte: u8) -> bool {
    lexer::continues_symbol(byte)
        || matches!(
            byte,
            b'(' | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b','
                | b':'
                | b'|'
                | b'='
                | b'~'
                | b'<'
                | b'>'
        )
        || matches!(byte, b'"' | b'\'' | b'`')
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
