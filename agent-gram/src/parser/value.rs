//! Values: everything that can stand after the colon of a property.

use super::Parser;
use super::list::{ARRAY, Next};
use crate::lexer;
use crate::span::Span;
use crate::syntax::{StringForm, Value, ValueKind};

const EXPECTED: &str = "a value: text in quotes, a number, a word, `[…]` or `{…}`";

impl<'a> Parser<'a> {
    /// `value = scalar | array | map`
    pub(super) fn value(&mut self) -> Value<'a> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => self.string(StringForm::Double),
            Some(b'\'') => self.string(StringForm::Single),
            Some(b'`') => match lexer::repeat_end(self.bytes, start, b'`') - start {
                1 | 2 => self.string(StringForm::Backtick),
                _ => self.fence(),
            },
            Some(b'0'..=b'9' | b'-' | b'.' | b'+') => return self.number_or_range(),
            Some(b'[') => self.array(),
            Some(b'{') => ValueKind::Map(self.map()),
            Some(byte) if lexer::starts_symbol(byte) => return self.word(),
            _ => return self.no_value(None),
        };
        Value {
            span: Span::new(start, self.at),
            kind,
        }
    }

    fn string(&mut self, form: StringForm) -> ValueKind<'a> {
        ValueKind::String {
            text: self.quoted(),
            form,
        }
    }

    /// `true`, `false`, a symbol, or a tag and its text.
    fn word(&mut self) -> Value<'a> {
        let name = self.symbol_name();
        let mut span = name.span;
        let word = span.text(self.source);
        self.trivia();
        let kind = if self.peek() == Some(b'`') && !self.at_fence() {
            let form = StringForm::Backtick;
            let text = self.quoted();
            span.end = self.at;
            ValueKind::Tagged {
                tag: name,
                text,
                form,
            }
        } else {
            match word {
                "true" => ValueKind::Boolean(true),
                "false" => ValueKind::Boolean(false),
                _ => ValueKind::Symbol(word),
            }
        };
        Value { span, kind }
    }

    fn at_fence(&self) -> bool {
        lexer::repeat_end(self.bytes, self.at, b'`') - self.at > 2
    }

    /// `array = "[" [value {"," value}] "]"`
    fn array(&mut self) -> ValueKind<'a> {
        let mut values = Vec::new();
        if let Some(opened) = self.open() {
            let mut next = self.before_member(&ARRAY, None);
            while next == Next::Member {
                values.push(self.value());
                next = self.after_member(&ARRAY).0;
            }
            self.leave(opened);
        }
        ValueKind::Array(values)
    }

    /// Reports what stands in the place of a value, and passes it.
    pub(super) fn no_value(&mut self, help: Option<&str>) -> Value<'a> {
        let start = self.at;
        self.unexpected(EXPECTED, help);
        if !matches!(self.peek(), Some(b',' | b'}' | b']' | b')' | b'|')) {
            self.skip_to(b",");
        }
        Value {
            span: Span::at(start),
            kind: ValueKind::Invalid,
        }
    }
}
