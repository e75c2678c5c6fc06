//! Subjects, labels and names.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::{ContentIndex, Kind};
use crate::syntax::{NameForm, Separator};

impl Parser<'_> {
    /// `subject = identifier [labels] [record] | labels [record] | record`, if there is one.
    /// Returns its end.
    pub(super) fn opt_subject(&mut self) -> Option<usize> {
        self.trivia();
        let mut end = self.opt_identifier();
        if end.is_some() {
            self.trivia();
        }
        end = self.labels().or(end);
        if self.peek() == Some(b'{') {
            self.record();
            end = Some(self.at);
        }
        end
    }

    /// `labels = label {label}`, if there are any. Returns the end of the last.
    pub(super) fn labels(&mut self) -> Option<usize> {
        let mut end = None;
        while self.peek() == Some(b':') {
            end = self.label().or(end);
            self.trivia();
        }
        end
    }

    /// `label = (":" | "::") (symbol | quoted)`. Returns its end. A label without a name is left
    /// out of the tree.
    fn label(&mut self) -> Option<usize> {
        let label = self.tape.open(Kind::Label, self.at);
        let separator = self.colons(true);
        self.tape.set_form(label, separator.form());
        self.trivia();
        if !self.label_name() {
            self.tape.truncate(label);
            return None;
        }
        self.tape.close(label, self.at);
        Some(self.at)
    }

    /// Parses the name of a label. Returns whether there is one.
    fn label_name(&mut self) -> bool {
        match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => self.symbol_name(),
            Some(b'`') => return self.opt_backticked_name().is_some(),
            Some(b'"' | b'\'') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "a label",
                    "a label is a bare word, or is in backticks",
                );
                self.quoted_name(NameForm::DoubleQuoted);
            }
            Some(b'0'..=b'9') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    "a label",
                    "a label begins with a letter or `_`, or is in backticks",
                );
                self.symbol_name();
            }
            Some(b':') => {
                // For two separators in a row, one error is enough. The loop of the caller skips
                // the second.
                self.unexpected("a label", "remove it");
                return false;
            }
            _ => {
                self.unexpected("a label", None);
                return false;
            }
        }
        true
    }

    /// `:`, or `::` if `double` allows it. Reports more colons.
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
                "`::` is allowed between the keys and values of a record, not in a map inside it",
            );
        }
        self.at = end;
        separator
    }

    /// `identifier = symbol | quoted name | integer`, if there is one. Returns its end.
    #[inline]
    pub(super) fn opt_identifier(&mut self) -> Option<usize> {
        let byte = self.peek()?;
        if lexer::starts_symbol(byte) {
            self.symbol_name();
            return Some(self.at);
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
                    format!("a name begins with a letter or `_`, is a whole number, or is in backticks: `` `{text}` ``")
                        .as_str(),
                ),
            );
        }
        self.integer_name(whole)
    }

    /// Parses the identifier after `@@`. A whole number cannot contain `@`, so the `@` in
    /// `@@1@k(2)` begins the next annotation. A symbol can: `@@a@k(2)` has the name `a@k`.
    pub(super) fn opt_annotated_identifier(&mut self) -> Option<usize> {
        match lexer::integer_end(self.bytes, self.at) {
            Some(end) if self.bytes.get(end) == Some(&b'@') => self.integer_name(end),
            _ => self.opt_identifier(),
        }
    }

    fn integer_name(&mut self, end: usize) -> Option<usize> {
        let span = Span::new(self.at, end);
        self.tape.leaf(Kind::Name, NameForm::Integer.form(), span);
        self.at = end;
        Some(end)
    }

    /// Parses the symbol at this place. The caller has checked that a symbol starts here.
    #[inline]
    pub(super) fn symbol_name(&mut self) {
        let start = self.at;
        self.at = lexer::symbol_end(self.bytes, start);
        let span = Span::new(start, self.at);
        self.tape.leaf(Kind::Name, NameForm::Symbol.form(), span);
    }

    /// Parses the name in backticks at this place, unless it is a fence. Returns its end.
    pub(super) fn opt_backticked_name(&mut self) -> Option<usize> {
        if lexer::repeat_end(self.bytes, self.at, b'`') - self.at > 2 {
            return None;
        }
        self.quoted_name(NameForm::Backtick);
        Some(self.at)
    }

    /// Parses the quoted name at this place.
    pub(super) fn quoted_name(&mut self, form: NameForm) {
        let start = self.at;
        let content: ContentIndex = self.quoted();
        let span = Span::new(start, self.at);
        self.tape.text(Kind::Name, form.form(), span, content);
    }
}
