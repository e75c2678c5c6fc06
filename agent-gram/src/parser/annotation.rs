//! Annotations: what stands before a pattern and makes a pattern around it.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Annotations, NameForm, Property, Separator, Subject, Value, ValueKind};

impl<'a> Parser<'a> {
    /// `annotations = idann {propann} | propann {propann}`, where an `@` stands.
    pub(super) fn annotations(&mut self) -> Annotations<'a> {
        let start = self.at;
        let mut annotations = Annotations {
            span: Span::at(start),
            subject: None,
            properties: Vec::new(),
        };
        let mut first = true;
        while self.peek() == Some(b'@') {
            if self.peek_after(1) == Some(b'@') {
                if !first {
                    self.report(
                        SyntaxErrorKind::Unexpected,
                        Span::new(self.at, self.at + 2),
                        || "found `@@`, expected `@` or a pattern".to_owned(),
                        "`@@` stands once, before all other annotations",
                    );
                }
                let subject = self.identified();
                if first {
                    annotations.subject = subject;
                }
            } else {
                annotations.properties.extend(self.annotated_property());
            }
            first = false;
            annotations.span.end = self.at;
            self.trivia();
        }
        annotations
    }

    /// `idann = "@@" ( identifier [labels] | labels )`
    fn identified(&mut self) -> Option<Subject<'a>> {
        const EXPECTED: &str = "a name or a label after `@@`";
        self.at += 2;
        self.trivia();
        let start = self.at;
        let mut end = start;
        let identity = self.opt_identifier();
        if let Some(name) = &identity {
            end = name.span.end;
        }
        // Blanks after the name may be the last of the annotation, so they are passed only when a
        // label follows.
        let next = lexer::trivia_end(self.source, self.at);
        let labels = if self.bytes.get(next) == Some(&b':') {
            self.trivia();
            self.labels(&mut end)
        } else {
            Vec::new()
        };
        if identity.is_none() && labels.is_empty() {
            let help = match self.peek() {
                Some(b'"' | b'\'') => Some("a name is a bare word, or stands in backticks"),
                _ => None,
            };
            self.unexpected(EXPECTED, help);
            if let Some(byte @ (b'"' | b'\'')) = self.peek() {
                self.skip_token(byte);
            }
            return None;
        }
        if self.at == end {
            self.lost = false;
        }
        Some(Subject {
            span: Span::new(start, end),
            identity,
            labels,
            record: None,
        })
    }

    /// `propann = "@" symbol "(" value ")"`
    fn annotated_property(&mut self) -> Option<Property<'a>> {
        let start = self.at;
        self.at += 1;
        self.trivia();
        let key = match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => self.symbol_name(),
            Some(b'"' | b'\'' | b'`') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "the key of an annotation",
                    "the key of an annotation is a bare word",
                );
                self.quoted_name(NameForm::DoubleQuoted)
            }
            _ => {
                self.unexpected("the key of an annotation, as in `@key(value)`", None);
                return None;
            }
        };
        self.trivia();
        let value = match self.peek() {
            Some(b'(') => self.annotation_value(),
            _ => self.no_parenthesis(),
        };
        Some(Property {
            span: Span::new(start, self.at),
            key,
            separator: Separator::Single,
            value,
        })
    }

    /// `"(" value ")"`
    fn annotation_value(&mut self) -> Value<'a> {
        let Some(opened) = self.open() else {
            return invalid(self.at);
        };
        self.trivia();
        let value = self.value();
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
            self.lost = false;
        }
        self.leave(opened);
        value
    }

    /// Reports an annotation without parentheses, and passes the value that it may have instead.
    fn no_parenthesis(&mut self) -> Value<'a> {
        self.unexpected(
            "`(`",
            "the value of an annotation stands in parentheses: `@key(value)`",
        );
        if matches!(self.peek(), Some(b':' | b'=')) {
            self.at += 1;
            self.trivia();
        }
        match self.peek() {
            Some(b'"' | b'\'' | b'`' | b'0'..=b'9') => self.value(),
            Some(byte) if lexer::starts_symbol(byte) => self.value(),
            _ => invalid(self.at),
        }
    }
}

fn invalid<'a>(at: usize) -> Value<'a> {
    Value {
        span: Span::at(at),
        kind: ValueKind::Invalid,
    }
}
