//! Error recovery: skipping tokens up to a place from which parsing can continue.
//!
//! Each function moves forward only, or looks back over a bounded distance, so that a text full of
//! errors is still parsed in linear time.

use super::Parser;
use crate::lexer;

/// The maximum number of bytes to look back for the indentation of a line.
const INDENT_SEARCH: usize = 256;

/// The meaning of a closing token that does not belong to the innermost brackets.
pub(super) enum StrayCloser {
    /// The token closes brackets further out; the innermost brackets end before it.
    Outer,
    /// The token is superfluous and was skipped.
    Extra,
    /// The token was meant to close the innermost brackets, and closed them.
    Ours,
}

impl Parser<'_> {
    /// Skips tokens and groups in brackets up to one of `stops`. Stops before a closing token that
    /// belongs to open brackets, and before a token that probably begins the next top-level
    /// pattern.
    pub(super) fn skip_to(&mut self, stops: &[u8]) {
        self.recovering = true;
        let mut depth = 0_usize;
        loop {
            self.trivia();
            let Some(byte) = self.peek() else { return };
            match byte {
                b'(' | b'[' | b'@' if self.starts_line(self.at) => return,
                _ if depth == 0 && stops.contains(&byte) => return,
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' | b']' | b'}' => {
                    if depth == 0 && self.awaited(byte) {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.skip_token(byte),
            }
        }
    }

    /// Skips one token of any kind, valid or not. A bracket is skipped alone, without its content.
    pub(super) fn skip_token(&mut self, byte: u8) {
        self.at = match byte {
            b'"' | b'\'' => self.skip_quoted(),
            b'`' => match lexer::repeat_end(self.bytes, self.at, b'`') - self.at {
                1 => self.skip_quoted(),
                3 => self
                    .source
                    .get(self.at + 3..)
                    .and_then(|rest| rest.find("```"))
                    .map_or(self.bytes.len(), |length| self.at + 3 + length + 3),
                count => self.at + count,
            },
            b'-' | b'=' | b'~' | b'<' | b'>' => lexer::arrow_end(self.bytes, self.at),
            _ if lexer::continues_symbol(byte) => lexer::symbol_end(self.bytes, self.at),
            _ => {
                // The other bytes of a character belong to its first.
                let rest = |b: u8| (0x80..0xc0).contains(&b);
                lexer::while_end(self.bytes, self.at + 1, rest)
            }
        };
    }

    /// Returns the end of the quoted text at this place, or of the line if the text has no closing
    /// quote.
    fn skip_quoted(&self) -> usize {
        // A `'` after a letter is an apostrophe, in words that should be quoted.
        let after_word = self
            .at
            .checked_sub(1)
            .and_then(|before| self.bytes.get(before))
            .is_some_and(u8::is_ascii_alphanumeric);
        if self.peek() == Some(b'\'') && after_word {
            return self.at + 1;
        }
        lexer::quoted_end(self.bytes, self.at)
            .unwrap_or_else(|| lexer::line_end(self.source, self.at))
    }

    /// Whether a bracket is open that `closer` closes.
    pub(super) fn awaited(&self, closer: u8) -> bool {
        let mut open = self.open;
        *open.of(closer) > 0
    }

    /// Handles a closing token that does not close the innermost brackets, whose closing token is
    /// `closer`. `expected` describes the expected token, and `more` has the tokens that can follow
    /// it inside the brackets.
    pub(super) fn stray_closer(&mut self, closer: u8, expected: &str, more: &[u8]) -> StrayCloser {
        let Some(found) = self.peek() else {
            return StrayCloser::Outer;
        };
        if self.awaited(found) {
            self.unclosed(expected, None);
            return StrayCloser::Outer;
        }
        let next = lexer::trivia_end(self.source, self.at + 1);
        match self.bytes.get(next) {
            Some(byte) if *byte == closer || more.contains(byte) => {
                self.unexpected(expected, "remove it");
                self.at += 1;
                self.recovering = false;
                StrayCloser::Extra
            }
            _ => {
                self.unclosed(expected, None);
                self.at += 1;
                self.recovering = false;
                StrayCloser::Ours
            }
        }
    }

    /// Whether a line, or the text, begins at this offset.
    pub(super) fn starts_line(&self, at: usize) -> bool {
        at == self.start || self.bytes.get(at.wrapping_sub(1)) == Some(&b'\n')
    }

    /// Whether the next token is the first of its line and is not indented further than the line of
    /// the innermost open bracket. If so, the bracket was probably meant to be closed before the
    /// token.
    pub(super) fn dedented(&self) -> bool {
        let Some(opener) = self.opener else {
            return false;
        };
        let Some(indent) = self.indent_before(self.at) else {
            return false;
        };
        if indent == 0 {
            return true;
        }
        self.line_indent(opener)
            .is_some_and(|(line, outer)| line + indent < self.at && indent <= outer)
    }

    /// Returns the number of blanks before `at` on its line, if nothing else is there.
    pub(super) fn indent_before(&self, at: usize) -> Option<usize> {
        let mut begin = at;
        while begin > self.start && at - begin < INDENT_SEARCH {
            match self.bytes.get(begin - 1) {
                Some(b' ' | b'\t') => begin -= 1,
                Some(b'\n') => return Some(at - begin),
                _ => return None,
            }
        }
        (begin == self.start).then_some(at - begin)
    }

    /// Returns the offset of the line of `at`, and the number of blanks it begins with.
    fn line_indent(&self, at: usize) -> Option<(usize, usize)> {
        let floor = at.saturating_sub(INDENT_SEARCH).max(self.start);
        let before = self.bytes.get(floor..at)?;
        let line = match before.iter().rposition(|b| *b == b'\n') {
            Some(length) => floor + length + 1,
            None if floor == self.start => self.start,
            None => return None,
        };
        let end = lexer::while_end(self.bytes, line, |b| matches!(b, b' ' | b'\t'));
        Some((line, end - line))
    }
}
