//! Records and maps: keys, separators, values.

use super::Parser;
use super::list::{Next, RECORD};
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Name, NameForm, Property, Record, Separator, Value, ValueKind};
use std::borrow::Cow;

/// What a key can be.
const KEY: &str = "a key";

impl<'a> Parser<'a> {
    /// `record = "{" [ prop {"," prop} ] "}"`
    pub(super) fn record(&mut self) -> Record<'a> {
        self.properties(true)
    }

    /// `map = "{" [ entry {"," entry} ] "}"`
    pub(super) fn map(&mut self) -> Record<'a> {
        self.properties(false)
    }

    fn properties(&mut self, double: bool) -> Record<'a> {
        let start = self.at;
        let mut properties = Vec::new();
        if let Some(opened) = self.open() {
            let mut next = self.before_member(&RECORD, None);
            while next == Next::Member {
                if let Some(property) = self.property(double) {
                    if properties.is_empty() {
                        properties = Vec::with_capacity(2);
                    }
                    properties.push(property);
                }
                next = self.after_member(&RECORD).0;
            }
            self.leave(opened);
        }
        Record {
            span: Span::new(start, self.at),
            properties,
        }
    }

    /// `prop = key (":" | "::") value`, `entry = key ":" value`
    fn property(&mut self, double: bool) -> Option<Property<'a>> {
        let key = self.key()?;
        let end = self.at;
        self.trivia();
        let (separator, value) = match self.opt_separator(double) {
            Some(separator) => {
                self.trivia();
                (separator, self.value())
            }
            None => {
                let kind = ValueKind::Invalid;
                let span = Span::at(end);
                (Separator::Single, Value { span, kind })
            }
        };
        Some(Property {
            span: Span::new(key.span.start, value.span.end.max(key.span.end)),
            key,
            separator,
            value,
        })
    }

    /// `key = symbol | quoted name | double-quoted name`
    fn key(&mut self) -> Option<Name<'a>> {
        match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => Some(self.symbol_name()),
            Some(b'"') => Some(self.quoted_name(NameForm::DoubleQuoted)),
            Some(b'`') => match self.opt_backticked_name() {
                Some(name) => Some(name),
                None => self.no_key(None),
            },
            Some(b'\'') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    KEY,
                    "a key is a bare word, or stands in double quotes or backticks",
                );
                Some(self.quoted_name(NameForm::DoubleQuoted))
            }
            Some(b'0'..=b'9') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    KEY,
                    "a key that begins with a digit stands in double quotes or backticks",
                );
                Some(self.symbol_name())
            }
            Some(b':') => {
                self.unexpected(KEY, None);
                Some(Name {
                    span: Span::at(self.at),
                    text: Cow::Borrowed(""),
                    form: NameForm::Backtick,
                })
            }
            Some(b'@') => self.no_key(Some(
                "a key with other characters than those of a word stands in quotes",
            )),
            _ => self.no_key(None),
        }
    }

    fn no_key(&mut self, help: Option<&str>) -> Option<Name<'a>> {
        self.unexpected(KEY, help);
        self.skip_to(b",");
        None
    }

    /// The separator, or what stands in its place. `None` when no value follows.
    fn opt_separator(&mut self, double: bool) -> Option<Separator> {
        const EXPECTED: &str = "`:` and a value";
        match self.peek() {
            Some(b':') => {
                let separator = self.colons(double);
                self.lost = false;
                Some(separator)
            }
            Some(b'=') => {
                self.unexpected("`:`", "write `:` between a key and its value");
                self.at = lexer::arrow_end(self.bytes, self.at);
                self.lost = false;
                Some(Separator::Single)
            }
            Some(b'"' | b'\'' | b'`' | b'[' | b'{' | b'0'..=b'9') if !self.dedented() => {
                self.unexpected("`:`", "write `:` between a key and its value");
                Some(Separator::Single)
            }
            Some(byte) if lexer::starts_symbol(byte) => {
                self.unexpected("`:`", "write `:` between a key and its value");
                Some(Separator::Single)
            }
            Some(b',' | b'}' | b']' | b')' | b'|') | None => {
                self.unexpected(EXPECTED, None);
                None
            }
            Some(_) => {
                self.unexpected(EXPECTED, "write `:` between a key and its value");
                self.skip_to(b",");
                None
            }
        }
    }
}
