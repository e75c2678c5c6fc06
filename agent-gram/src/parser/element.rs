//! Elements of a bracket, and references.

use super::Parser;
use crate::lexer;
use crate::syntax::Element;

const EXPECTED: &str = "an element: `(…)`, `[…]` or a name";

impl<'a> Parser<'a> {
    /// `element = bracket | path | reference`. `None` when nothing of it could be read.
    pub(super) fn element(&mut self) -> Option<Element<'a>> {
        if self.peek() == Some(b'@') {
            self.unexpected(
                EXPECTED,
                "annotations stand before patterns at the top level only",
            );
            // The annotation is read so that the element after it is, too.
            let lost = self.lost;
            self.annotations();
            self.lost |= lost;
            self.trivia();
        }
        match self.peek() {
            Some(b'[') => Some(Element::Bracket(self.bracket())),
            Some(b'(') => Some(Element::Path(self.path())),
            Some(_) if lexer::starts_identifier(self.bytes, self.at) => self.opt_reference(),
            Some(b',' | b']') if self.lost => None,
            _ => {
                let help = match self.peek() {
                    Some(b'"' | b'\'') => Some("a name is a bare word, or stands in backticks"),
                    Some(b'{') => Some("a record stands in a node: `({…})`"),
                    Some(b':') => Some("labels stand in a node: `(:Label)`"),
                    _ => None,
                };
                self.unexpected(EXPECTED, help);
                self.skip_to(b",");
                None
            }
        }
    }

    /// `reference = identifier`
    fn opt_reference(&mut self) -> Option<Element<'a>> {
        // A reference stands for a node, and nests as deep as one.
        if !self.deeper(1) {
            return None;
        }
        match self.opt_identifier() {
            Some(name) => Some(Element::Reference(name)),
            None => {
                self.unexpected(EXPECTED, "a name in backticks stands between single ones");
                self.skip_to(b",");
                None
            }
        }
    }
}
