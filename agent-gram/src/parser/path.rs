//! Paths: nodes with arrows between them.

use super::Parser;
use super::recover::Stray;
use crate::MAX_DEPTH;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Direction, Node, Path, Subject};

const AFTER_SUBJECT: &str = "`)`";

impl<'a> Parser<'a> {
    /// `path = node { arrow node }`, where a `(` stands.
    pub(super) fn path(&mut self) -> Path<'a> {
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let first = self.node();
        let mut span = first.span;
        let mut path = Path {
            span,
            nodes: Vec::with_capacity(2),
            arrows: Vec::new(),
        };
        path.nodes.push(first);
        loop {
            self.trivia();
            if !matches!(self.peek(), Some(b'-' | b'=' | b'~' | b'<')) {
                break;
            }
            let arrow = self.arrow();
            if path.arrows.is_empty() {
                path.arrows = Vec::with_capacity(1);
            }
            path.arrows.push(arrow);
            self.trivia();
            let node = self.node_after_arrow();
            span.end = node.span.end;
            path.nodes.push(node);
        }
        path.span = span;
        self.bound_reversed(&path);
        self.deepest = self.deepest.max(outer);
        path
    }

    /// A path of several arrows, some of them to the left, is no path any more once it has been
    /// lowered: printed, it stands in brackets of its own. Those must fit within the bound, too.
    fn bound_reversed(&mut self, path: &Path<'_>) {
        let reversed = |direction| direction == Direction::Left;
        if path.arrows.len() > 1
            && path.arrows.iter().any(|arrow| reversed(arrow.direction))
            && self.deepest + 1 > MAX_DEPTH
        {
            self.too_deep();
        }
    }

    /// `node = "(" [subject] ")"`
    fn node(&mut self) -> Node<'a> {
        let start = self.at;
        let mut subject = None;
        if let Some(opened) = self.open() {
            subject = self.opt_subject();
            self.node_end(subject.as_ref());
            self.leave(opened);
        }
        Node {
            span: Span::new(start, self.at),
            subject,
        }
    }

    fn node_end(&mut self, subject: Option<&Subject<'a>>) {
        loop {
            self.trivia();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    self.lost = false;
                    return;
                }
                _ => {
                    if self.node_trouble(subject) {
                        return;
                    }
                }
            }
        }
    }

    /// Deals with whatever stands where a node should end, and says whether it does.
    #[cold]
    fn node_trouble(&mut self, subject: Option<&Subject<'a>>) -> bool {
        let expected = if subject.is_some() {
            AFTER_SUBJECT
        } else {
            "a name, `:`, `{` or `)`"
        };
        let Some(byte) = self.peek() else {
            self.unclosed(expected, None);
            return true;
        };
        match byte {
            b'(' | b'[' | b'@' if self.dedented() => {
                self.unclosed(expected, None);
                true
            }
            b']' | b'}' => match self.stray_closer(b')', expected, b"") {
                Stray::Extra => false,
                Stray::Outer | Stray::Ours => true,
            },
            b'-' | b'=' | b'~' | b'<' if self.arrow_begins() => {
                self.unclosed(expected, "close the node before the arrow");
                true
            }
            b'>' if self.slice(self.at.saturating_sub(1), self.at) == "-" => {
                // `(a-->(b)`: the name took the arrow's dashes.
                self.unclosed(
                    expected,
                    "close the node before the arrow; a name can hold `-`",
                );
                self.at += 1;
                true
            }
            b'[' | b'(' | b'|' if self.lost => true,
            b',' if self.element_after_comma() => {
                self.unclosed(expected, None);
                true
            }
            _ => {
                let help = match byte {
                    b'|' => Some("only brackets have elements: `[a | b]`"),
                    _ => self.subject_help(byte),
                };
                self.unexpected(expected, help);
                self.skip_to(b"");
                // Still not closed, and reported already.
                self.peek() != Some(b')')
            }
        }
    }

    /// Whether an arrow stands here, right or wrong, rather than a lone character.
    fn arrow_begins(&self) -> bool {
        matches!(self.peek_after(1), Some(b'-' | b'=' | b'~' | b'>' | b'['))
    }

    /// Whether the comma at this place is followed by an element, in a bracket that can have more.
    fn element_after_comma(&self) -> bool {
        let next = lexer::trivia_end(self.source, self.at + 1);
        self.open.brackets > 0 && matches!(self.bytes.get(next), Some(b'(' | b'['))
    }

    /// The node that an arrow points to; an empty one when there is none.
    fn node_after_arrow(&mut self) -> Node<'a> {
        const EXPECTED: &str = "a node, `(…)`, after the arrow";
        let mut node = Node {
            span: Span::at(self.at),
            subject: None,
        };
        match self.peek() {
            Some(b'(') => return self.node(),
            Some(b'[') if !self.dedented() => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    EXPECTED,
                    "an arrow joins nodes in parentheses, not brackets",
                );
                let bracket = self.bracket();
                node.span = bracket.span;
                node.subject = bracket.subject;
            }
            Some(_) if lexer::starts_identifier(self.bytes, self.at) => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    EXPECTED,
                    "put the name in parentheses",
                );
                node.subject = self.opt_subject();
                node.span.end = self.at;
            }
            Some(b'-' | b'=' | b'~' | b'<' | b'>') => {
                self.fail(SyntaxErrorKind::BadArrow, EXPECTED, None);
                self.at = lexer::arrow_end(self.bytes, self.at);
                self.trivia();
                if self.peek() == Some(b'(') {
                    return self.node();
                }
            }
            _ => self.unexpected(EXPECTED, None),
        }
        node
    }
}
