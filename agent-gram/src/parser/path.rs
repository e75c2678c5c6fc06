//! Paths: nodes with arrows between them.

use super::Parser;
use super::recovery::StrayCloser;
use crate::MAX_DEPTH;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::syntax::Direction;
use crate::syntax::tape::Kind;

const AFTER_SUBJECT: &str = "`)`";

impl Parser<'_> {
    /// `path = node { arrow node }`, at a `(`.
    pub(super) fn path(&mut self) {
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let path = self.tape.open(Kind::Path, self.at);
        let mut end = self.node();
        let mut arrows = 0_usize;
        let mut reversed = false;
        loop {
            self.trivia();
            if !matches!(self.peek(), Some(b'-' | b'=' | b'~' | b'<')) {
                break;
            }
            arrows += 1;
            reversed |= self.arrow() == Direction::Left;
            self.trivia();
            end = self.node_after_arrow();
        }
        self.tape.close(path, end);
        // A path of several arrows of which some point to the left is not lowered to a path. When
        // its patterns are printed, they need brackets around them, which must keep to the limit,
        // too.
        if arrows > 1 && reversed && self.deepest + 1 > MAX_DEPTH {
            self.too_deep();
        }
        self.deepest = self.deepest.max(outer);
    }

    /// `node = "(" [subject] ")"`. Returns its end.
    fn node(&mut self) -> usize {
        let node = self.tape.open(Kind::Node, self.at);
        if let Some(opened) = self.open() {
            let has_subject = self.opt_subject().is_some();
            self.node_end(has_subject);
            self.leave(opened);
        }
        self.tape.close(node, self.at);
        self.at
    }

    fn node_end(&mut self, has_subject: bool) {
        loop {
            self.trivia();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    self.recovering = false;
                    return;
                }
                _ => {
                    if self.recover_in_node(has_subject) {
                        return;
                    }
                }
            }
        }
    }

    /// Recovers from a token that is not the end of the node. Returns whether the node ends.
    #[cold]
    fn recover_in_node(&mut self, has_subject: bool) -> bool {
        let expected = if has_subject {
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
                StrayCloser::Extra => false,
                StrayCloser::Outer | StrayCloser::Ours => true,
            },
            b'-' | b'=' | b'~' | b'<' if self.arrow_begins() => {
                self.unclosed(expected, "close the node before the arrow");
                true
            }
            b'>' if self.slice(self.at.saturating_sub(1), self.at) == "-" => {
                // In `(a-->(b)`, the name contains the dashes of the arrow.
                self.unclosed(
                    expected,
                    "close the node before the arrow; a name can hold `-`",
                );
                self.at += 1;
                true
            }
            b'[' | b'(' | b'|' if self.recovering => true,
            b',' if self.element_after_comma() => {
                self.unclosed(expected, None);
                true
            }
            _ => {
                let help = match byte {
                    b'|' => Some("only brackets have elements: `[a | b]`"),
                    b',' => Some(
                        "each node has its own parentheses, with an arrow between them: `(a)==>(b)`",
                    ),
                    _ => self.subject_help(byte),
                };
                self.unexpected(expected, help);
                self.skip_to(b"");
                // If the node is not closed here, an error has been reported already.
                self.peek() != Some(b')')
            }
        }
    }

    /// Whether an arrow is next, valid or not, rather than a single character.
    fn arrow_begins(&self) -> bool {
        matches!(self.peek_after(1), Some(b'-' | b'=' | b'~' | b'>' | b'['))
    }

    /// Whether an element follows the comma at this place, inside a bracket that can have elements.
    fn element_after_comma(&self) -> bool {
        let next = lexer::trivia_end(self.source, self.at + 1);
        self.open.brackets > 0 && matches!(self.bytes.get(next), Some(b'(' | b'['))
    }

    /// Parses the node after an arrow, or adds an empty one. Returns its end.
    fn node_after_arrow(&mut self) -> usize {
        const EXPECTED: &str = "a node, `(…)`, after the arrow";
        let start = self.at;
        match self.peek() {
            Some(b'(') => return self.node(),
            Some(b'[') if !self.dedented() => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    EXPECTED,
                    "an arrow joins nodes in parentheses, not brackets",
                );
                let bracket = self.tape.len();
                self.bracket();
                self.tape.turn_into(bracket, Kind::Node);
                return self.at;
            }
            Some(_) if lexer::starts_identifier(self.bytes, self.at) => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    EXPECTED,
                    "put the name in parentheses",
                );
                let node = self.tape.open(Kind::Node, start);
                self.opt_subject();
                self.tape.close(node, self.at);
                return self.at;
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
        let node = self.tape.open(Kind::Node, start);
        self.tape.close(node, start);
        start
    }
}
