//! Values: everything that can follow the colon of a property.

use super::Parser;
use super::list::{ARRAY, Next};
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::Kind;
use crate::syntax::{NameForm, StringForm};

const EXPECTED: &str = "a value: text in quotes, a number, a word, `[…]` or `{…}`";

impl Parser<'_> {
    /// `value = scalar | array | map`
    pub(super) fn value(&mut self) {
        match self.peek() {
            Some(b'"') => self.string(StringForm::Double),
            Some(b'\'') => self.string(StringForm::Single),
            Some(b'`') => match lexer::repeat_end(self.bytes, self.at, b'`') - self.at {
                1 | 2 => self.string(StringForm::Backtick),
                _ => self.fence(),
            },
            Some(b'0'..=b'9' | b'-' | b'.' | b'+') => self.number_or_range(),
            Some(b'[') => self.array(),
            Some(b'{') => self.map(),
            Some(byte) if lexer::starts_symbol(byte) => self.word(),
            _ => self.missing_value(None),
        }
    }

    fn string(&mut self, form: StringForm) {
        let start = self.at;
        let content = self.quoted();
        let span = Span::new(start, self.at);
        self.tape.text(Kind::String, form as u8, span, content);
    }

    /// `true`, `false`, a symbol, or a tag and its text.
    fn word(&mut self) {
        let start = self.at;
        let end = lexer::symbol_end(self.bytes, start);
        let span = Span::new(start, end);
        self.at = end;
        self.trivia();
        if self.peek() == Some(b'`') && !self.at_fence() {
            let tagged = self.tape.open(Kind::Tagged, start);
            self.tape.leaf(Kind::Name, NameForm::Symbol.form(), span);
            self.string(StringForm::Backtick);
            self.tape.close(tagged, self.at);
            return;
        }
        match span.text(self.source) {
            "true" => self.tape.leaf(Kind::Boolean, 1, span),
            "false" => self.tape.leaf(Kind::Boolean, 0, span),
            _ => self.tape.leaf(Kind::Symbol, 0, span),
        }
    }

    fn at_fence(&self) -> bool {
        lexer::repeat_end(self.bytes, self.at, b'`') - self.at > 2
    }

    /// `array = "[" [value {"," value}] "]"`
    fn array(&mut self) {
        let array = self.tape.open(Kind::Array, self.at);
        if let Some(opened) = self.open() {
            let mut next = self.before_member(&ARRAY, None);
            while next == Next::Member {
                self.value();
                next = self.after_member(&ARRAY).0;
            }
            self.leave(opened);
        }
        self.tape.close(array, self.at);
    }

    /// Reports the token in the place of a value, and skips it.
    pub(super) fn missing_value(&mut self, help: Option<&str>) {
        let start = self.at;
        self.unexpected(EXPECTED, help);
        if !matches!(self.peek(), Some(b',' | b'}' | b']' | b')' | b'|')) {
            self.skip_to(b",");
        }
        self.tape.leaf(Kind::Invalid, 0, Span::at(start));
    }
}
