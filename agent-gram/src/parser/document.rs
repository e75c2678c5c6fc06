//! Documents and the patterns at their top level.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Element, Item, Node, Path, Record};

/// The last thing at the top level that is no pattern.
#[derive(Default)]
struct Junk {
    end: Option<usize>,
    is_comma: bool,
}

const EXPECTED: &str = "a pattern: `(…)`, `[…]` or `@…`";

impl<'a> Parser<'a> {
    /// The record that a document begins with, if it does. It becomes a pattern, which adds one
    /// level.
    pub(super) fn opt_header(&mut self) -> Option<Record<'a>> {
        self.trivia();
        if self.peek() != Some(b'{') {
            return None;
        }
        self.depth += 1;
        let record = self.record();
        self.depth -= 1;
        Some(record)
    }

    /// `{ top }`, to the end of the text. The items are handed out one by one, so that a caller who
    /// needs no tree can do without the memory for it.
    pub(super) fn items(&mut self, mut take: impl FnMut(Item<'a>)) {
        let mut junk = Junk::default();
        loop {
            self.trivia();
            match self.peek() {
                None => return,
                Some(b'(' | b'[' | b'@') => {
                    self.lost = false;
                    // What stands after a pattern is a mistake of its own, even a second comma;
                    // words between patterns are one piece of prose.
                    if junk.is_comma {
                        junk.end = None;
                    }
                    self.errors_before_item = self.errors.len();
                    take(self.item());
                }
                Some(byte) => self.junk(byte, &mut junk),
            }
        }
    }

    /// `top = annotated | bracket | path`
    fn item(&mut self) -> Item<'a> {
        let start = self.at;
        let annotations = (self.peek() == Some(b'@')).then(|| {
            // The annotations become a pattern around the body, which adds one level to both.
            self.depth += 1;
            self.annotations()
        });
        let body = match self.peek() {
            Some(b'[') => Element::Bracket(self.bracket()),
            Some(b'(') => Element::Path(self.path()),
            _ => self.no_body(),
        };
        self.depth -= usize::from(annotations.is_some());
        let end = match &annotations {
            Some(annotations) => body.span().end.max(annotations.span.end),
            None => body.span().end,
        };
        Item {
            span: Span::new(start, end),
            annotations,
            body,
        }
    }

    /// Reports annotations without a pattern; an empty node stands for it.
    fn no_body(&mut self) -> Element<'a> {
        let start = self.at;
        let subject = if lexer::starts_identifier(self.bytes, start) {
            self.unexpected(
                "a pattern after the annotations",
                "put the name in parentheses",
            );
            self.opt_subject()
        } else {
            let help = match self.peek() {
                Some(b'{') => Some("write the properties as annotations, `@key(value)`"),
                _ => None,
            };
            self.unexpected("a pattern after the annotations", help);
            if self.peek() == Some(b'{') {
                self.record();
                self.trivia();
                if self.peek() == Some(b'(') {
                    return Element::Path(self.path());
                }
                if self.peek() == Some(b'[') {
                    return Element::Bracket(self.bracket());
                }
            }
            None
        };
        let span = match &subject {
            Some(subject) => subject.span,
            None => Span::at(start),
        };
        let nodes = vec![Node { span, subject }];
        let arrows = Vec::new();
        Element::Path(Path {
            span,
            nodes,
            arrows,
        })
    }

    /// Reports and passes one thing that is no pattern. One error a line is enough: the rest of the
    /// line most likely belongs to the same mistake.
    fn junk(&mut self, byte: u8, junk: &mut Junk) {
        let lost = self.lost;
        if self.guessed == Some(byte) {
            // The bracket that was taken to be closed earlier is closed here, so the error was
            // another one, but there was one.
            self.guessed = None;
            self.lost = true;
        } else {
            self.lost |= self.same_line(junk.end);
        }
        self.unexpected(EXPECTED, self.top_level_help(byte));
        if byte == b'{' {
            self.record();
        } else {
            self.skip_token(byte);
        }
        self.lost = lost;
        junk.end = Some(self.at);
        junk.is_comma = byte == b',';
    }

    /// Whether this line has had its error: something that is no pattern, or a bracket not closed.
    fn same_line(&self, junk_end: Option<usize>) -> bool {
        let unclosed = self
            .errors
            .last()
            .filter(|error| error.kind == SyntaxErrorKind::Unclosed)
            .map(|error| error.span.end);
        junk_end
            .max(unclosed)
            .and_then(|end| self.bytes.get(end..self.at))
            .is_some_and(|between| !between.contains(&b'\n'))
    }

    fn top_level_help(&self, byte: u8) -> Option<&'static str> {
        match byte {
            b',' => Some("patterns at the top level stand without commas between them"),
            b'{' => Some(
                "a record stands alone only at the very beginning of a document; elsewhere write `({…})`",
            ),
            b'-' | b'=' | b'~' | b'<' | b'>' => {
                Some("an arrow joins nodes in parentheses: `(a)-->(b)`")
            }
            b')' | b']' | b'}' => Some("remove it: nothing is open here"),
            b'`' => Some("a name stands in parentheses or brackets"),
            _ if lexer::starts_symbol(byte) => Some("a name stands in parentheses or brackets"),
            _ => None,
        }
    }
}
