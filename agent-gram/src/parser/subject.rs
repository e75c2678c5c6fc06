//! Subjects, labels and names.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Label, Name, NameForm, Separator, Subject};
use std::borrow::Cow;

impl<'a> Parser<'a> {
    /// `subject = identifier [labels] [record] | labels [record] | record`, if there is one.
    pub(super) fn opt_subject(&mut self) -> Option<Subject<'a>> {
        self.trivia();
        let start = self.at;
        let mut end = start;
        let identity = self.opt_identifier();
        if let Some(name) = &identity {
            end = name.span.end;
            self.trivia();
        }
        let labels = self.labels(&mut end);
        let record = if self.peek() == Some(b'{') {
            let record = self.record();
            end = record.span.end;
            Some(record)
        } else {
            None
        };
        (identity.is_some() || !labels.is_empty() || record.is_some()).then(|| Subject {
            span: Span::new(start, end),
            identity,
            labels,
            record,
        })
    }

    /// `labels = label {label}`, or none. Moves `end` to the end of the last.
    pub(super) fn labels(&mut self, end: &mut usize) -> Vec<Label<'a>> {
        let mut labels = Vec::new();
        while self.peek() == Some(b':') {
            if let Some(label) = self.label() {
                *end = label.span.end;
                if labels.is_empty() {
                    labels = Vec::with_capacity(1);
                }
                labels.push(label);
            }
            self.trivia();
        }
        labels
    }

    /// `label = (":" | "::") (symbol | quoted)`
    fn label(&mut self) -> Option<Label<'a>> {
        let start = self.at;
        let separator = self.colons(true);
        self.trivia();
        let name = match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => self.symbol_name(),
            Some(b'`') => self.opt_backticked_name()?,
            Some(b'"' | b'\'') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "a label",
                    "a label is a bare word, or stands in backticks",
                );
                self.quoted_name(NameForm::DoubleQuoted)
            }
            Some(b'0'..=b'9') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "a label",
                    "a label begins with a letter or `_`, or stands in backticks",
                );
                self.symbol_name()
            }
            Some(b':') => {
                // Two separators in a row: the second is passed by the caller's loop, quietly.
                self.unexpected("a label", "remove it");
                return None;
            }
            _ => {
                self.unexpected("a label", None);
                return None;
            }
        };
        Some(Label {
            span: Span::new(start, name.span.end),
            separator,
            name,
        })
    }

    /// `:` or `::`. More than two are an error; `double` says whether two are right.
    pub(super) fn colons(&mut self, double: bool) -> Separator {
        if self.peek_after(1) != Some(b':') {
            self.at += 1;
            return Separator::Single;
        }
        let end = lexer::repeat_end(self.bytes, self.at, b':');
        let span = Span::new(self.at, end);
        let separator = if span.len() == 1 {
            Separator::Single
        } else {
            Separator::Double
        };
        if span.len() > 2 && double {
            let found = self.found(span);
            self.report(
                SyntaxErrorKind::Unexpected,
                span,
                || format!("found {found}, expected `:` or `::`"),
                None,
            );
        } else if span.len() > 1 && !double {
            let found = self.found(span);
            self.report(
                SyntaxErrorKind::Unexpected,
                span,
                || format!("found {found}, expected `:`"),
                "`::` stands between the keys and values of a record, not in a map inside it",
            );
        }
        self.at = end;
        separator
    }

    /// `identifier = symbol | quoted name | integer`, if there is one.
    #[inline]
    pub(super) fn opt_identifier(&mut self) -> Option<Name<'a>> {
        let byte = self.peek()?;
        if lexer::starts_symbol(byte) {
            return Some(self.symbol_name());
        }
        if byte == b'`' {
            return self.opt_backticked_name();
        }
        let start = self.at;
        let end = lexer::integer_end(self.bytes, start)?;
        let whole = lexer::symbol_end(self.bytes, end);
        if whole > end {
            let text = self.slice(start, whole);
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(start, whole),
                || format!("found `{text}`, expected a name"),
                Some(
                    format!("a name begins with a letter or `_`, is a whole number, or stands in backticks: `` `{text}` ``")
                        .as_str(),
                ),
            );
        }
        self.at = whole;
        Some(Name {
            span: Span::new(start, whole),
            text: Cow::Borrowed(self.slice(start, whole)),
            form: NameForm::Integer,
        })
    }

    /// The symbol at this place. The caller has seen that one starts here.
    #[inline]
    pub(super) fn symbol_name(&mut self) -> Name<'a> {
        let start = self.at;
        self.at = lexer::symbol_end(self.bytes, start);
        Name {
            span: Span::new(start, self.at),
            text: Cow::Borrowed(self.slice(start, self.at)),
            form: NameForm::Symbol,
        }
    }

    /// The name in backticks at this place, unless what stands here is a fence.
    pub(super) fn opt_backticked_name(&mut self) -> Option<Name<'a>> {
        if lexer::repeat_end(self.bytes, self.at, b'`') - self.at > 2 {
            return None;
        }
        Some(self.quoted_name(NameForm::Backtick))
    }

    /// The name in quotes at this place.
    pub(super) fn quoted_name(&mut self, form: NameForm) -> Name<'a> {
        let start = self.at;
        let text = self.quoted();
        Name {
            span: Span::new(start, self.at),
            text,
            form,
        }
    }
}
