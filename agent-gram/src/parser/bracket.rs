//! Brackets: a subject, a bar, elements.

use super::Parser;
use super::list::{ELEMENTS, Next};
use super::recovery::StrayCloser;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::Kind;

/// The tokens that can follow the subject of a bracket.
const AFTER_SUBJECT: &str = "`|` or `]`";

const ELEMENT_EXPECTED: &str = "an element: `(…)`, `[…]` or a name";

/// The part of a bracket that follows its subject.
enum Head {
    /// Elements follow, after a bar or in spite of a missing bar.
    Elements,
    /// The bracket ends.
    End,
}

impl Parser<'_> {
    /// `bracket = "[" [subject] [ "|" element {"," element} ] "]"`
    pub(super) fn bracket(&mut self) {
        let bracket = self.tape.open(Kind::Bracket, self.at);
        if let Some(opened) = self.open() {
            let has_subject = self.opt_subject().is_some();
            if let Head::Elements = self.head_end(has_subject) {
                self.elements();
            }
            self.leave(opened);
        }
        self.tape.close(bracket, self.at);
    }

    fn head_end(&mut self, has_subject: bool) -> Head {
        loop {
            self.trivia();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    self.recovering = false;
                    return Head::End;
                }
                Some(b'|') => {
                    let bar = Span::new(self.at, self.at + 1);
                    self.tape.leaf(Kind::Bar, 0, bar);
                    self.at += 1;
                    self.recovering = false;
                    return Head::Elements;
                }
                _ => {
                    if let Some(head) = self.recover_in_head(has_subject) {
                        return head;
                    }
                }
            }
        }
    }

    /// Recovers from a token that is neither the bar nor the end of the bracket. Returns `None` if
    /// the next token decides.
    #[cold]
    fn recover_in_head(&mut self, has_subject: bool) -> Option<Head> {
        let expected = if has_subject {
            AFTER_SUBJECT
        } else {
            "a name, `:`, `{`, `|` or `]`"
        };
        match self.peek() {
            None => {
                self.unclosed(expected, None);
                Some(Head::End)
            }
            Some(b'(' | b'[' | b'@') if self.dedented() => {
                self.unclosed(expected, None);
                Some(Head::End)
            }
            Some(b'(' | b'[') => {
                self.unexpected(expected, "put `|` before the elements");
                Some(Head::Elements)
            }
            Some(b',') => {
                self.unexpected(
                    expected,
                    "write the elements of a bracket after a bar: `[ | a, b]`",
                );
                self.at += 1;
                Some(Head::Elements)
            }
            Some(b')' | b'}') => match self.stray_closer(b']', expected, b"|") {
                StrayCloser::Extra => None,
                StrayCloser::Outer | StrayCloser::Ours => Some(Head::End),
            },
            Some(byte) => {
                let help = self.subject_help(byte);
                self.unexpected(expected, help);
                self.skip_to(b"|");
                None
            }
        }
    }

    /// Returns a help about a token that cannot be part of a subject.
    pub(super) fn subject_help(&self, byte: u8) -> Option<&'static str> {
        match byte {
            _ if self.property_begins() => Some(match self.last_byte() {
                Some(b'}') => "a subject has one record; move the property into it",
                _ => {
                    "properties stand in a record: put `{` before them, and `}` after the last one"
                }
            }),
            b'"' | b'\'' => Some("a name is a bare word, or is in backticks"),
            b'@' if self
                .bytes
                .get(self.at + 1)
                .is_some_and(|b| lexer::starts_symbol(*b)) =>
            {
                Some(
                    "annotations are allowed before patterns at the top level only; write a name with `@` in front in backticks",
                )
            }
            b'@' => Some("annotations are allowed before patterns at the top level only"),
            b':' => Some("write labels before the record"),
            b'{' => Some("a subject has one record"),
            b'`' => None,
            _ if lexer::continues_symbol(byte) => Some(
                "write a name of several words in backticks, and a label with a colon before it: `name:Label`",
            ),
            _ => None,
        }
    }

    /// Whether a key, a colon and a value are next, so that only the `{` of a record is missing. In `hello world:Label`, a
    /// label follows the colon.
    fn property_begins(&self) -> bool {
        let Some(colon) = self.colon_after_key() else {
            return false;
        };
        let colons = lexer::repeat_end(self.bytes, colon, b':');
        let value = lexer::trivia_end(self.source, colons);
        match self.bytes.get(value) {
            Some(b'"' | b'\'' | b'`' | b'[' | b'{' | b'-' | b'0'..=b'9') => true,
            Some(byte) if lexer::starts_symbol(*byte) => {
                let end = lexer::symbol_end(self.bytes, value);
                let next = lexer::trivia_end(self.source, end);
                matches!(self.slice(value, end), "true" | "false")
                    || matches!(self.bytes.get(next), Some(b',' | b'}'))
            }
            _ => false,
        }
    }

    fn elements(&mut self) {
        let mut next = self.before_member(&ELEMENTS, None);
        while next == Next::Member {
            self.element();
            next = self.after_member(&ELEMENTS).0;
        }
    }

    /// `element = bracket | path | reference`. An element of which nothing could be parsed is left out of the
    /// tree.
    pub(super) fn element(&mut self) {
        if self.peek() == Some(b'@') {
            self.unexpected(
                ELEMENT_EXPECTED,
                "annotations are allowed before patterns at the top level only",
            );
            // The annotation is parsed, so that the element after it can be parsed, too.
            let recovering = self.recovering;
            let annotations = self.annotations();
            self.tape.truncate(annotations);
            self.recovering |= recovering;
            self.trivia();
        }
        match self.peek() {
            Some(b'[') => self.bracket(),
            Some(b'(') => self.path(),
            Some(_) if lexer::starts_identifier(self.bytes, self.at) => self.reference(),
            Some(b',' | b']') if self.recovering => {}
            _ => {
                let help = match self.peek() {
                    Some(b'"' | b'\'') => Some("a name is a bare word, or is in backticks"),
                    Some(b'{') => Some("write a record in a node: `({…})`"),
                    Some(b':') => Some("write labels in a node: `(:Label)`"),
                    _ => None,
                };
                self.unexpected(ELEMENT_EXPECTED, help);
                self.skip_to(b",");
            }
        }
    }

    /// `reference = identifier`
    fn reference(&mut self) {
        // A reference stands for a node, so it counts as one level of nesting.
        if !self.deeper(1) {
            return;
        }
        let reference = self.tape.len();
        if self.opt_identifier().is_some() {
            self.tape.turn_into(reference, Kind::Reference);
        } else {
            self.unexpected(ELEMENT_EXPECTED, "write a name between single backticks");
            self.skip_to(b",");
        }
    }
}
