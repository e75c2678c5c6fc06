//! Records and maps: keys, separators, values.

use super::Parser;
use super::list::{Next, RECORD};
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::{ContentIndex, Kind};
use crate::syntax::{NameForm, Separator};

/// The expected token in messages about keys.
const KEY: &str = "a key";

impl Parser<'_> {
    /// `record = "{" [ prop {"," prop} ] "}"`
    pub(super) fn record(&mut self) {
        self.properties(true);
    }

    /// `map = "{" [ entry {"," entry} ] "}"`
    pub(super) fn map(&mut self) {
        self.properties(false);
    }

    fn properties(&mut self, double: bool) {
        let record = self.tape.open(Kind::Record, self.at);
        if let Some(opened) = self.open() {
            let mut next = self.before_member(&RECORD, None);
            while next == Next::Member {
                self.property(double);
                next = self.after_member(&RECORD).0;
            }
            self.leave(opened);
        }
        self.tape.close(record, self.at);
    }

    /// `prop = key (":" | "::") value`, `entry = key ":" value`. A property without a key is left
    /// out of the tree.
    fn property(&mut self, double: bool) {
        let property = self.tape.open(Kind::Property, self.at);
        if !self.key() {
            self.tape.truncate(property);
            return;
        }
        let key_end = self.at;
        self.trivia();
        let value = self.tape.len();
        match self.opt_separator(double) {
            Some(separator) => {
                self.tape.set_form(property, separator.form());
                self.trivia();
                self.value();
            }
            None => self.tape.leaf(Kind::Invalid, 0, Span::at(key_end)),
        }
        let end = self.tape.end_of(value).max(key_end);
        self.tape.close(property, end);
    }

    /// `key = symbol | quoted name | double-quoted name`. Returns whether there is one.
    fn key(&mut self) -> bool {
        match self.peek() {
            Some(byte) if lexer::starts_symbol(byte) => self.symbol_name(),
            Some(b'"') => self.quoted_name(NameForm::DoubleQuoted),
            Some(b'`') => {
                if self.opt_backticked_name().is_none() {
                    return self.missing_key(None);
                }
            }
            Some(b'\'') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    KEY,
                    "a key is a bare word, or is in double quotes or backticks",
                );
                self.quoted_name(NameForm::DoubleQuoted);
            }
            Some(b'0'..=b'9') => {
                self.fail(
                    SyntaxErrorKind::Unexpected,
                    KEY,
                    "write a key that begins with a digit in double quotes or backticks",
                );
                self.symbol_name();
            }
            Some(b':') => {
                self.unexpected(KEY, None);
                let (form, span) = (NameForm::Backtick.form(), Span::at(self.at));
                self.tape.text(Kind::Name, form, span, ContentIndex::PLAIN);
            }
            Some(b'@') => {
                return self.missing_key(Some(
                    "write a key with other characters than those of a word in quotes",
                ));
            }
            _ => return self.missing_key(None),
        }
        true
    }

    fn missing_key(&mut self, help: Option<&str>) -> bool {
        self.unexpected(KEY, help);
        self.skip_to(b",");
        false
    }

    /// Parses the separator, or reports the token in its place. Returns `None` if no value follows.
    fn opt_separator(&mut self, double: bool) -> Option<Separator> {
        const EXPECTED: &str = "`:` and a value";
        match self.peek() {
            Some(b':') => {
                let separator = self.colons(double);
                self.recovering = false;
                Some(separator)
            }
            Some(b'=') => {
                self.unexpected("`:`", "write `:` between a key and its value");
                self.at = lexer::arrow_end(self.bytes, self.at);
                self.recovering = false;
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
