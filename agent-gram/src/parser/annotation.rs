//! Annotations: a name, labels and properties before a pattern, which become a pattern around it.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::NameForm;
use crate::syntax::tape::Kind;

impl Parser<'_> {
    /// `annotations = idann {propann} | propann {propann}`, at an `@`. Returns the index of the
    /// annotations in the tree.
    pub(super) fn annotations(&mut self) -> usize {
        let annotations = self.tape.open(Kind::Annotations, self.at);
        let mut end = self.at;
        let mut first = true;
        while self.peek() == Some(b'@') {
            if self.peek_after(1) == Some(b'@') {
                self.identified(first);
            } else {
                self.annotated_property();
            }
            first = false;
            end = self.at;
            self.trivia();
        }
        self.tape.close(annotations, end);
        annotations
    }

    /// `idann = "@@" ( identifier [labels] | labels )`. Only the first annotation is kept in the
    /// tree.
    fn identified(&mut self, first: bool) {
        const EXPECTED: &str = "a name or a label after `@@`";
        if !first {
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(self.at, self.at + 2),
                || "found `@@`, expected `@` or a pattern".to_owned(),
                "write `@@` once, before all other annotations",
            );
        }
        self.at += 2;
        self.trivia();
        let subject = self.tape.len();
        let mut end = self.opt_annotated_identifier();
        // Blanks after the name may be the end of the annotation, so they are skipped only if a
        // label follows.
        let next = lexer::trivia_end(self.source, self.at);
        if self.bytes.get(next) == Some(&b':') {
            self.trivia();
            end = self.labels().or(end);
        }
        if end.is_none() {
            let help = match self.peek() {
                Some(b'"' | b'\'') => Some("a name is a bare word, or is in backticks"),
                _ => None,
            };
            self.unexpected(EXPECTED, help);
            if let Some(byte @ (b'"' | b'\'')) = self.peek() {
                self.skip_token(byte);
            }
        } else if end == Some(self.at) {
            self.recovering = false;
        }
        if !first {
            self.tape.truncate(subject);
        }
    }

    /// `propann = "@" symbol "(" value ")"`. An annotation without a key is left out of the tree.
    fn annotated_property(&mut self) {
        let property = self.tape.open(Kind::Property, self.at);
        self.at += 1;
        self.trivia();
        match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => self.symbol_name(),
            Some(b'"' | b'\'' | b'`') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "the key of an annotation",
                    "the key of an annotation is a bare word",
                );
                self.quoted_name(NameForm::DoubleQuoted);
            }
            _ => {
                self.unexpected(
                    "the key of an annotation, as in `@key(value)`",
                    "the key of an annotation is a bare word",
                );
                self.tape.truncate(property);
                return;
            }
        }
        self.trivia();
        match self.peek() {
            Some(b'(') => self.annotation_value(),
            _ => self.missing_parenthesis(),
        }
        self.tape.close(property, self.at);
    }

    /// `"(" value ")"`
    fn annotation_value(&mut self) {
        let Some(opened) = self.open() else {
            return self.invalid(self.at);
        };
        self.trivia();
        self.value();
        self.trivia();
        match self.peek() {
            Some(b')') => {}
            None => self.unclosed("`)`", None),
            Some(b'(' | b'[' | b'@') if self.dedented() => self.unclosed("`)`", None),
            Some(_) => {
                self.unexpected("`)`", "an annotation has one value");
                self.skip_to(b"");
            }
        }
        if self.peek() == Some(b')') {
            self.at += 1;
            self.recovering = false;
        }
        self.leave(opened);
    }

    /// Reports an annotation without parentheses, and skips a value in their place.
    fn missing_parenthesis(&mut self) {
        self.unexpected(
            "`(`",
            "write the value of an annotation in parentheses: `@key(value)`",
        );
        if matches!(self.peek(), Some(b':' | b'=')) {
            self.at += 1;
            self.trivia();
        }
        match self.peek() {
            Some(b'"' | b'\'' | b'`' | b'0'..=b'9') => self.value(),
            Some(byte) if lexer::starts_symbol(byte) => self.value(),
            _ => self.invalid(self.at),
        }
    }
}
