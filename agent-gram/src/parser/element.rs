//! Elements of a bracket, and references.

use super::Parser;
use crate::lexer;
use crate::syntax::tape::Kind;

const EXPECTED: &str = "an element: `(…)`, `[…]` or a name";

impl Parser<'_> {
    /// `element = bracket | path | reference`. It is left out when nothing of it could be read.
    pub(super) fn element(&mut self) {
        if self.peek() == Some(b'@') {
            self.unexpected(
                EXPECTED,
                "annotations stand before patterns at the top level only",
            );
            // The annotation is read so that the element after it is, too.
            let lost = self.lost;
            let annotations = self.annotations();
            self.tape.truncate(annotations);
            self.lost |= lost;
            self.trivia();
        }
        match self.peek() {
            Some(b'[') => self.bracket(),
            Some(b'(') => self.path(),
            Some(_) if lexer::starts_identifier(self.bytes, self.at) => self.reference(),
            Some(b',' | b']') if self.lost => {}
            _ => {
                let help = match self.peek() {
                    Some(b'"' | b'\'') => Some("a name is a bare word, or stands in backticks"),
                    Some(b'{') => Some("a record stands in a node: `({…})`"),
                    Some(b':') => Some("labels stand in a node: `(:Label)`"),
                    _ => None,
                };
                self.unexpected(EXPECTED, help);
                self.skip_to(b",");
            }
        }
    }

    /// `reference = identifier`
    fn reference(&mut self) {
        // A reference stands for a node, and nests as deep as one.
        if !self.deeper(1) {
            return;
        }
        let reference = self.tape.len();
        if self.opt_identifier().is_some() {
            self.tape.turn_into(reference, Kind::Reference);
        } else {
            self.unexpected(EXPECTED, "a name in backticks stands between single ones");
            self.skip_to(b",");
        }
    }
}
