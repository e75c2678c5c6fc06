//! Writing gram on one line, in a `const` as well as at run time.
//!
//! A `const` cannot allocate, so text is made in two passes: one over an empty buffer, which only
//! counts, and one over a buffer of the length found. [`to_string`] does the same at run time; one
//! writer serves both, so their texts cannot differ.

use crate::value::{Number, Value, is_symbol};

/// Writes into a buffer and counts what no longer fits.
#[derive(Debug)]
pub struct Writer<'b> {
    buffer: &'b mut [u8],
    len: usize,
}

impl<'b> Writer<'b> {
    /// A writer over a buffer, which may be empty to count only.
    #[must_use]
    pub const fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, len: 0 }
    }

    /// The number of bytes written so far, those without room included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was written yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes a text as it is.
    pub const fn text(&mut self, text: &str) {
        let end = self.len + text.len();
        if end <= self.buffer.len() {
            self.buffer
                .split_at_mut(self.len)
                .1
                .split_at_mut(text.len())
                .0
                .copy_from_slice(text.as_bytes());
        }
        self.len = end;
    }

    /// Writes one ASCII character.
    pub const fn byte(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii());
        if self.len < self.buffer.len() {
            self.buffer[self.len] = byte;
        }
        self.len += 1;
    }

    /// Writes `count` blanks.
    pub const fn blanks(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            self.byte(b' ');
            left -= 1;
        }
    }

    /// Writes a whole number.
    pub const fn integer(&mut self, value: i128) {
        if value < 0 {
            self.byte(b'-');
        }
        let mut rest = value.unsigned_abs();
        let mut digits = [0_u8; 39];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        while at < digits.len() {
            self.byte(digits[at]);
            at += 1;
        }
    }

    /// Writes a label or key: bare when it is a symbol, else in backticks.
    pub const fn name(&mut self, name: &str) {
        if is_symbol(name) {
            self.text(name)
        } else {
            self.quoted(name, b'`')
        }
    }

    /// Writes an identity or reference: bare when it is a symbol or a whole number, else in
    /// backticks.
    pub const fn identity(&mut self, name: &str) {
        if is_integer(name) {
            self.text(name)
        } else {
            self.name(name)
        }
    }

    /// Writes text between quotes, `quote` being `"` or a backtick.
    pub const fn quoted(&mut self, text: &str, quote: u8) {
        self.byte(quote);
        let bytes = text.as_bytes();
        let mut rest = text;
        let mut plain = 0;
        let mut at = 0;
        while at < bytes.len() {
            let escape = match bytes[at] {
                b'\\' => b'\\',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                byte if byte == quote => quote,
                _ => {
                    at += 1;
                    continue;
                }
            };
            let (before, after) = rest.split_at(at - plain);
            self.text(before);
            self.byte(b'\\');
            self.byte(escape);
            rest = after.split_at(1).1;
            at += 1;
            plain = at;
        }
        self.text(rest);
        self.byte(quote);
    }

    /// Writes a value on one line.
    pub const fn value(&mut self, value: &Value) {
        match value {
            Value::Integer(value) => self.integer(*value),
            Value::Decimal(value) => self.text(value.text()),
            Value::Boolean(true) => self.text("true"),
            Value::Boolean(false) => self.text("false"),
            Value::String(text) => self.quoted(crate::value::as_str(text), b'"'),
            Value::Symbol(symbol) => self.text(symbol.as_str()),
            Value::Tagged(tagged) => {
                self.text(tagged.tag());
                self.quoted(tagged.content(), b'`');
            }
            Value::Array(array) => {
                self.byte(b'[');
                let items = array.as_slice();
                let mut at = 0;
                while at < items.len() {
                    if at > 0 {
                        self.text(", ");
                    }
                    self.value(&items[at]);
                    at += 1;
                }
                self.byte(b']');
            }
            Value::Map(record) => {
                self.byte(b'{');
                let entries = record.entries();
                let mut at = 0;
                while at < entries.len() {
                    if at > 0 {
                        self.text(", ");
                    }
                    self.name(crate::value::as_str(&entries[at].0));
                    self.text(": ");
                    self.value(&entries[at].1);
                    at += 1;
                }
                self.byte(b'}');
            }
            Value::Range(range) => {
                if let Some(lower) = range.lower() {
                    self.number(lower);
                }
                match (range.lower(), range.upper()) {
                    (Some(_), Some(_)) => self.text(".."),
                    _ => self.text("..."),
                }
                if let Some(upper) = range.upper() {
                    self.number(upper);
                }
            }
            Value::Measurement(measurement) => {
                self.text(measurement.number_text());
                self.text(measurement.unit());
            }
        }
    }

    /// Writes a number.
    pub const fn number(&mut self, number: &Number) {
        match number {
            Number::Integer(value) => self.integer(*value),
            Number::Decimal(value) => self.text(value.text()),
            Number::Measurement(measurement) => {
                self.text(measurement.number_text());
                self.text(measurement.unit());
            }
        }
    }
}

/// Runs a writing function twice, to count and to write, and returns the text.
///
/// The function must write the same both times.
#[must_use]
pub fn to_string(write: impl Fn(&mut Writer<'_>)) -> String {
    let mut counter = Writer::new(&mut []);
    write(&mut counter);
    let mut buffer = vec![0; counter.len()];
    write(&mut Writer::new(&mut buffer));
    // Only whole texts and ASCII characters are written, so what they make is UTF-8.
    String::from_utf8(buffer).expect("a writer that writes the same text twice")
}

const fn is_integer(name: &str) -> bool {
    let bytes = name.as_bytes();
    let digits = match bytes {
        [b'-', rest @ ..] => rest,
        all => all,
    };
    match digits {
        [] => false,
        [b'0'] => true,
        [b'0', ..] => false,
        _ => {
            let mut at = 0;
            while at < digits.len() {
                if !digits[at].is_ascii_digit() {
                    return false;
                }
                at += 1;
            }
            true
        }
    }
}
