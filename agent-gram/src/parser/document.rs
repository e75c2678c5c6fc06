//! Documents and the patterns at their top level.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::syntax::tape::{Kind, Tape};

/// The last tokens at the top level that are not part of a pattern.
#[derive(Default)]
struct StrayTokens {
    end: Option<usize>,
    is_comma: bool,
}

const EXPECTED: &str = "a pattern: `(…)`, `[…]` or `@…`";

impl<'a> Parser<'a> {
    /// Parses the record at the beginning of the document, if there is one. The record becomes a
    /// pattern, which adds one level of nesting.
    pub(super) fn opt_header(&mut self) {
        self.trivia();
        if self.peek() == Some(b'{') {
            self.depth += 1;
            self.record();
            self.depth -= 1;
        }
    }

    /// `{ top }`, to the end of the text. Calls `each` after each item, so that a caller that needs
    /// one item at a time does not keep the tree of the whole document.
    pub(super) fn items(&mut self, mut each: impl FnMut(&mut Tape<'a>)) {
        let mut stray = StrayTokens::default();
        loop {
            self.trivia();
            match self.peek() {
                None => return,
                Some(b'(' | b'[' | b'@') => {
                    self.recovering = false;
                    // A token after a pattern is a mistake of its own, even a second comma. Words
                    // between patterns are one mistake.
                    if stray.is_comma {
                        stray.end = None;
                    }
                    self.errors_before_item = self.errors.len();
                    self.item();
                    each(&mut self.tape);
                }
                Some(byte) => self.stray_token(byte, &mut stray),
            }
        }
    }

    /// `top = annotated | bracket | path`
    fn item(&mut self) {
        let start = self.at;
        let item = self.tape.open(Kind::Item, start);
        let annotated = self.peek() == Some(b'@');
        let mut end = start;
        if annotated {
            // The annotations become a pattern around the body, which adds one level of nesting to
            // both.
            self.depth += 1;
            let annotations = self.annotations();
            end = self.tape.end_of(annotations);
        }
        let body = self.tape.len();
        match self.peek() {
            Some(b'[') => self.bracket(),
            Some(b'(') => self.path(),
            _ => self.missing_body(),
        }
        self.depth -= usize::from(annotated);
        let end = end.max(self.tape.end_of(body));
        self.tape.close(item, end);
    }

    /// Reports annotations without a pattern; an empty node takes its place.
    fn missing_body(&mut self) {
        let start = self.at;
        let path = self.tape.open(Kind::Path, start);
        let node = self.tape.open(Kind::Node, start);
        let mut end = start;
        if lexer::starts_identifier(self.bytes, start) {
            self.unexpected(
                "a pattern after the annotations",
                "put the name in parentheses",
            );
            end = self.opt_subject().unwrap_or(start);
        } else {
            let help = match self.peek() {
                Some(b'{') => Some("write the properties as annotations, `@key(value)`"),
                _ => None,
            };
            self.unexpected("a pattern after the annotations", help);
            if self.peek() == Some(b'{') {
                self.tape.truncate(path);
                self.record();
                self.tape.truncate(path);
                self.trivia();
                match self.peek() {
                    Some(b'(') => return self.path(),
                    Some(b'[') => return self.bracket(),
                    _ => {
                        self.tape.open(Kind::Path, start);
                        self.tape.open(Kind::Node, start);
                    }
                }
            }
        }
        self.tape.close(node, end);
        self.tape.close(path, end);
    }

    /// Reports and skips a token that is not part of a pattern. Each line has at most one such
    /// error, because the rest of the line is probably part of the same mistake.
    fn stray_token(&mut self, byte: u8, stray: &mut StrayTokens) {
        let recovering = self.recovering;
        if self.assumed_closer == Some(byte) {
            // This token closes the bracket that was assumed to be unclosed. So the mistake was
            // another one, and an error about it was reported already.
            self.assumed_closer = None;
            self.recovering = true;
        } else {
            self.recovering |= self.same_line(stray.end);
        }
        self.unexpected(EXPECTED, self.top_level_help(byte));
        if byte == b'{' {
            let before = self.tape.len();
            self.record();
            self.tape.truncate(before);
        } else {
            self.skip_token(byte);
        }
        self.recovering = recovering;
        stray.end = Some(self.at);
        stray.is_comma = byte == b',';
    }

    /// Whether this line has an error already: a stray token, or a bracket that is not closed.
    fn same_line(&self, stray_end: Option<usize>) -> bool {
        let unclosed = self
            .errors
            .last()
            .filter(|error| error.kind == SyntaxErrorKind::Unclosed)
            .map(|error| error.span.end);
        stray_end
            .max(unclosed)
            .and_then(|end| self.bytes.get(end..self.at))
            .is_some_and(|between| !between.contains(&b'\n'))
    }

    fn top_level_help(&self, byte: u8) -> Option<&'static str> {
        match byte {
            b',' => Some("patterns at the top level have no commas between them"),
            b'{' => Some(
                "a record without a node is allowed only at the very beginning of a document; elsewhere write `({…})`",
            ),
            b'-' => {
                Some("a comment begins with `//`; an arrow joins nodes in parentheses: `(a)-->(b)`")
            }
            b'=' | b'~' | b'<' | b'>' => Some("an arrow joins nodes in parentheses: `(a)-->(b)`"),
            b')' | b']' | b'}' => Some("remove it: nothing is open here"),
            b'`' => Some("write a name in parentheses or brackets"),
            _ if lexer::starts_symbol(byte) => Some("write a name in parentheses or brackets"),
            _ => None,
        }
    }
}
