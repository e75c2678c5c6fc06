//! The common part of records, arrays and the elements of a bracket: members, commas, an end.

use super::Parser;
use super::recovery::StrayCloser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;

/// A kind of list.
pub(super) struct List {
    kind: Kind,
    closer: u8,
    /// The name of a member in messages.
    member: &'static str,
    /// The tokens that can follow a member.
    after: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Record,
    Array,
    Elements,
}

pub(super) const RECORD: List = List {
    kind: Kind::Record,
    closer: b'}',
    member: "a key",
    after: "`,` or `}`",
};

pub(super) const ARRAY: List = List {
    kind: Kind::Array,
    closer: b']',
    member: "a value",
    after: "`,` or `]`",
};

pub(super) const ELEMENTS: List = List {
    kind: Kind::Elements,
    closer: b']',
    member: "an element: `(…)`, `[…]` or a name",
    after: "`,` or `]`",
};

/// The next part of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A member.
    Member,
    /// The end of the list, or of the part of the list that can be parsed.
    End,
}

impl Parser<'_> {
    /// Skips to the next member. `comma` is the offset of the comma before it.
    #[inline]
    pub(super) fn before_member(&mut self, list: &List, comma: Option<usize>) -> Next {
        loop {
            self.trivia();
            let Some(byte) = self.peek() else {
                self.unclosed(list.member, None);
                return Next::End;
            };
            match byte {
                _ if byte == list.closer => {
                    self.missing_member(list, comma);
                    self.at += 1;
                    self.recovering = false;
                    return Next::End;
                }
                b',' => {
                    self.unexpected(list.member, "remove the comma");
                    self.at += 1;
                }
                b')' | b']' | b'}' => match self.stray_closer(list.closer, list.member, b",") {
                    StrayCloser::Extra => {}
                    StrayCloser::Outer | StrayCloser::Ours => return Next::End,
                },
                b'(' | b'[' | b'@' if list.kind == Kind::Record && self.dedented() => {
                    self.unclosed(list.member, None);
                    return Next::End;
                }
                _ if list.kind == Kind::Array && self.next_property() => {
                    self.unclosed("a value or `]`", None);
                    return Next::End;
                }
                _ => return Next::Member,
            }
        }
    }

    /// Reports a list that ends after a comma or a bar.
    fn missing_member(&mut self, list: &List, comma: Option<usize>) {
        let closer = char::from(list.closer);
        if let Some(comma) = comma {
            if self.errors.last().is_some_and(|e| e.span.start == comma) {
                // The missing value before the comma was reported already.
                return;
            }
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(comma, comma + 1),
                || {
                    format!(
                        "found `,` before `{closer}`, expected {} after it",
                        list.member
                    )
                },
                "remove the comma",
            );
        } else if list.kind == Kind::Elements {
            self.unexpected(list.member, "remove the bar, or write an element after it");
        }
    }

    /// Skips from a member to the next. Returns the offset of the comma between them, if there is
    /// one.
    #[inline]
    pub(super) fn after_member(&mut self, list: &List) -> (Next, Option<usize>) {
        loop {
            self.trivia();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.recovering = false;
                    let comma = self.at - 1;
                    return (self.before_member(list, Some(comma)), Some(comma));
                }
                Some(byte) if byte == list.closer => {
                    self.at += 1;
                    self.recovering = false;
                    return (Next::End, None);
                }
                _ => {
                    if let Some(next) = self.recover_after_member(list) {
                        return (next, None);
                    }
                }
            }
        }
    }

    /// Recovers from a token that is neither a comma nor the end of the list. Returns `None` if the
    /// next token decides.
    #[cold]
    fn recover_after_member(&mut self, list: &List) -> Option<Next> {
        let Some(byte) = self.peek() else {
            self.unclosed(list.after, None);
            return Some(Next::End);
        };
        match byte {
            b')' | b']' | b'}' => match self.stray_closer(list.closer, list.after, b",") {
                StrayCloser::Extra => None,
                StrayCloser::Outer | StrayCloser::Ours => Some(Next::End),
            },
            b'(' | b'[' | b'@' if self.dedented() => {
                self.unclosed(list.after, None);
                Some(Next::End)
            }
            b'|' if list.kind != Kind::Elements && self.bar_begins_elements() => {
                self.unclosed(list.after, None);
                Some(Next::End)
            }
            b'(' | b'[' if list.kind == Kind::Record && self.recovering => Some(Next::End),
            _ if list.kind == Kind::Array && self.next_property() => {
                self.unclosed(list.after, None);
                Some(Next::End)
            }
            b';' => {
                self.unexpected(list.after, "write `,`");
                self.at += 1;
                Some(self.before_member(list, None))
            }
            _ if self.member_begins(list) => {
                self.unexpected(list.after, Some(self.missing_comma_help(list)));
                Some(Next::Member)
            }
            b'|' if list.kind == Kind::Elements => {
                self.unexpected(list.after, "write one bar before all elements");
                self.at += 1;
                Some(self.before_member(list, None))
            }
            _ => {
                self.unexpected(list.after, self.stray_token_help(list, byte));
                self.skip_to(b",");
                None
            }
        }
    }

    /// Whether a member begins here, so that only a comma is missing.
    fn member_begins(&self, list: &List) -> bool {
        match list.kind {
            Kind::Record => self.colon_after_key().is_some(),
            Kind::Array => {
                matches!(
                    self.peek(),
                    Some(b'"' | b'\'' | b'`' | b'[' | b'{' | b'0'..=b'9')
                ) || self.peek().is_some_and(lexer::starts_symbol)
            }
            Kind::Elements => {
                matches!(self.peek(), Some(b'(' | b'['))
                    || lexer::starts_identifier(self.bytes, self.at)
            }
        }
    }

    /// Returns the offset of the colon, if a key and a colon are next.
    pub(super) fn colon_after_key(&self) -> Option<usize> {
        let end = match self.peek()? {
            b'"' | b'`' | b'\'' => lexer::quoted_end(self.bytes, self.at)?,
            byte if lexer::starts_symbol(byte) => lexer::symbol_end(self.bytes, self.at),
            _ => return None,
        };
        // The scheme of an address without quotes, as in `{url: see https://…}`, is not a key.
        let colon = lexer::trivia_end(self.source, end);
        let is_key =
            self.bytes.get(colon) == Some(&b':') && self.bytes.get(colon + 1) != Some(&b'/');
        is_key.then_some(colon)
    }

    /// Whether a property begins on this line, because an array in a record is not closed.
    fn next_property(&self) -> bool {
        self.peek().is_some_and(lexer::starts_symbol)
            && self.open.braces > 0
            && self.indent_before(self.at).is_some()
            && self.colon_after_key().is_some()
    }

    /// Whether the bar at this place belongs to a bracket whose subject is not closed.
    fn bar_begins_elements(&self) -> bool {
        if self.open.brackets == 0 {
            return false;
        }
        let next = lexer::trivia_end(self.source, self.at + 1);
        self.recovering || matches!(self.bytes.get(next), None | Some(b'(' | b'[' | b']'))
    }

    fn missing_comma_help(&self, list: &List) -> &'static str {
        match list.kind {
            Kind::Record => "put a comma between the properties",
            Kind::Array if self.follows_bare_word() => {
                "put a comma between values; write text of several words in quotes"
            }
            Kind::Array => "put a comma between the values",
            Kind::Elements if self.peek() == Some(b'(') => {
                "put a comma between the elements, or an arrow between the nodes of one element: `(a)==>(b)`"
            }
            Kind::Elements => "put a comma between the elements",
        }
    }

    /// Whether the last token was a bare word or a number.
    fn follows_bare_word(&self) -> bool {
        self.last_byte().is_some_and(lexer::continues_symbol)
    }

    /// Whether the word before this place begins with a digit.
    fn follows_number(&self) -> bool {
        let before = self.slice(0, self.at).trim_ascii_end();
        let word =
            before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        self.follows_bare_word() && before[word.len()..].starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns the last byte before this place that is no blank, if there are few blanks.
    pub(super) fn last_byte(&self) -> Option<u8> {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let before = before.get(before.len().saturating_sub(16)..);
        before.unwrap_or_default().trim_ascii_end().last().copied()
    }

    /// Whether a quote is next, or directly before.
    fn touches_quote(&self, byte: u8, quote: u8) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        before == Some(&quote) || (byte == quote && !self.follows_bare_word())
    }

    fn stray_token_help(&self, list: &List, byte: u8) -> Option<&'static str> {
        match list.kind {
            Kind::Elements => match byte {
                b':' | b'{' => Some(
                    "a bare name is a reference; write labels and properties in `(…)` or `[…]`",
                ),
                b'-' | b'=' | b'~' | b'<' | b'>' => {
                    Some("an arrow joins nodes; write nodes in parentheses: `(a)-->(b)`")
                }
                b'@' => Some("annotations are allowed before patterns at the top level only"),
                _ => None,
            },
            _ if byte == b'`' => Some("write the tag of a fence after its three backticks"),
            _ if self.slice(0, self.at).ends_with("\"\"") => Some(
                "a text of several lines stands in a fence: three backticks on a line before it, and after it",
            ),
            _ if self.touches_quote(byte, b'\'') => Some("a `'` inside '…' is written `\\'`"),
            _ if self.touches_quote(byte, b'"') => Some("a `\"` inside \"…\" is written `\\\"`"),
            _ if byte == b':' || byte == b'/' => {
                Some("write text with other characters than those of a word in quotes")
            }
            _ if self.follows_number() && lexer::starts_symbol(byte) => {
                Some("a number and its unit have no blank between them: `10s`")
            }
            _ if self.follows_bare_word() && byte != b'|' => {
                Some("write text of several words in quotes")
            }
            _ => None,
        }
    }
}
