//! Writes gram in a `const` as well as at run time.
//!
//! A `const` cannot allocate, so a text is written twice: into an empty buffer, to count its bytes,
//! then into a buffer of that length. At run time, [`to_string`] uses the same writer, so that the texts
//! are equal.

pub use super::trail::Trail;

use super::trail::Follower;
use crate::value::{Number, Record, Value, is_symbol};

/// Writes into a buffer, and counts the bytes that do not fit.
#[derive(Debug)]
pub struct Writer<'b> {
    buffer: &'b mut [u8],
    len: usize,
    columns: usize,
    wants_fence: bool,
    follower: Follower,
    visible: Option<(usize, usize)>,
}

impl<'b> Writer<'b> {
    /// Creates a writer. An empty buffer makes it count only.
    #[must_use]
    pub const fn new(buffer: &'b mut [u8]) -> Self {
        Self {
            buffer,
            len: 0,
            columns: 0,
            wants_fence: false,
            follower: Follower::IDLE,
            visible: None,
        }
    }

    /// Returns the number of bytes written, including those that did not fit.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of characters written, which is the number of columns if they are on one
    /// line.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Whether a text was written that a layout of several lines would write as a fence.
    #[must_use]
    pub const fn wants_fence(&self) -> bool {
        self.wants_fence
    }

    /// Whether nothing was written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Panics with the text that was written. A message of a `const` needs this method, because a `const`
    /// cannot allocate and a panic accepts one text. Text that did not fit into the buffer is cut off.
    ///
    /// # Panics
    /// Always.
    #[track_caller]
    pub const fn panic(&self) -> ! {
        let mut end = if self.len < self.buffer.len() {
            self.len
        } else {
            self.buffer.len()
        };
        // Nothing is written after the first text that did not fit, so the rest of the buffer is 0.
        while end > 0 && self.buffer[end - 1] == 0 {
            end -= 1;
        }
        match std::str::from_utf8(self.buffer.split_at(end).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a message that is no UTF-8"),
        }
    }

    /// Writes a text without quotes or escapes.
    pub const fn text(&mut self, text: &str) {
        if let Some(visible) = self.visible {
            return self.visible_text(text, visible);
        }
        self.put(text);
        self.columns += characters(text);
    }

    const fn put(&mut self, text: &str) {
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

    /// Writes several texts without quotes or escapes.
    pub const fn texts(&mut self, texts: &[&str]) {
        let mut at = 0;
        while at < texts.len() {
            self.text(texts[at]);
            at += 1;
        }
    }

    /// Writes one ASCII character.
    pub const fn byte(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii());
        if let Some((from, to)) = self.visible
            && (self.columns < from || self.columns >= to)
        {
            self.columns += 1;
            return;
        }
        if self.len < self.buffer.len() {
            self.buffer[self.len] = byte;
        }
        self.len += 1;
        self.columns += 1;
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

    /// Writes a label or key: as a symbol if it is one, otherwise in backticks.
    pub const fn name(&mut self, name: &str) {
        if is_symbol(name) {
            self.text(name)
        } else {
            self.escaped(name, b'`')
        }
    }

    /// Writes an identity or reference: without quotes if it is a symbol or a whole number,
    /// otherwise in backticks.
    pub const fn identity(&mut self, name: &str) {
        if is_integer(name) {
            self.text(name)
        } else {
            self.name(name)
        }
    }

    /// Writes a text in quotes. `quote` is `"` or a backtick.
    pub const fn quoted(&mut self, text: &str, quote: u8) {
        self.wants_fence = self.wants_fence || is_fence_text(text);
        self.escaped(text, quote);
    }

    /// Writes a text in quotes, with escapes.
    const fn escaped(&mut self, text: &str, quote: u8) {
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
            Value::String(text) => self.quoted(text.as_str(), b'"'),
            Value::Symbol(symbol) => self.text(symbol.as_str()),
            Value::Tagged(tagged) => {
                let tagged = tagged.get();
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
            Value::Map(record) => self.record(record),
            Value::Range(range) => {
                let range = range.get();
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
                let measurement = measurement.get();
                self.text(measurement.number_text());
                self.text(measurement.unit());
            }
        }
    }

    /// Writes a record in braces on one line.
    pub const fn record(&mut self, record: &Record) {
        self.byte(b'{');
        let entries = record.entries();
        let mut at = 0;
        while at < entries.len() {
            if at > 0 {
                self.text(", ");
            }
            self.name(entries[at].0.as_str());
            self.text(": ");
            self.value(&entries[at].1);
            at += 1;
        }
        self.byte(b'}');
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

    /// Ends the line and indents the next one.
    pub const fn line(&mut self, indent: usize) {
        self.byte(b'\n');
        self.blanks(indent);
    }

    /// Writes a text: as a fence if [`is_fence_text`] returns `true`, otherwise in double quotes.
    pub const fn text_in_lines(&mut self, text: &str) {
        if is_fence_text(text) {
            self.fence("", text)
        } else {
            self.quoted(text, b'"')
        }
    }

    /// Writes a fence. Its content begins at the start of the line, because blanks would be part of
    /// it.
    pub const fn fence(&mut self, tag: &str, text: &str) {
        self.text("```");
        self.text(tag);
        self.byte(b'\n');
        self.text(text);
        self.text("\n```");
    }

    /// Writes a value at `column` of a line that is indented by `indent`, followed by `tail` more
    /// columns. It is on one line if it fits and has no fence. Otherwise each item or entry is on a
    /// line of its own.
    pub const fn value_in_lines(
        &mut self,
        value: &Value,
        indent: usize,
        column: usize,
        tail: usize,
    ) {
        match value {
            Value::String(text) => self.text_in_lines(text.as_str()),
            Value::Tagged(tagged) if is_fence_text(tagged.get().content()) => {
                let tagged = tagged.get();
                self.fence(tagged.tag(), tagged.content());
            }
            Value::Array(array) if !array.as_slice().is_empty() => {
                let mut measure = Writer::new(&mut []);
                measure.value(value);
                if measure.fits(column, tail) {
                    self.value(value);
                } else {
                    self.broken_array(array.as_slice(), indent);
                }
            }
            Value::Map(record) => self.record_in_lines(record, indent, column, tail),
            _ => self.value(value),
        }
    }

    /// Writes a record in braces, as [`value_in_lines`](Self::value_in_lines) writes a value.
    pub const fn record_in_lines(
        &mut self,
        record: &Record,
        indent: usize,
        column: usize,
        tail: usize,
    ) {
        let mut measure = Writer::new(&mut []);
        measure.record(record);
        if measure.fits(column, tail) {
            self.record(record);
        } else {
            self.broken_record(record, indent);
        }
    }

    /// Writes a record with one property a line, each further in than `indent`, and the closing brace at
    /// `indent`. A record without properties is on one line.
    pub const fn broken_record(&mut self, record: &Record, indent: usize) {
        self.byte(b'{');
        let entries = record.entries();
        let inside = indent + INDENT;
        let mut at = 0;
        while at < entries.len() {
            self.line(inside);
            let before = self.columns();
            self.name(entries[at].0.as_str());
            self.text(": ");
            let column = inside + (self.columns() - before);
            self.value_in_lines(&entries[at].1, inside, column, COMMA);
            at += 1;
            if at < entries.len() {
                self.byte(b',');
            }
        }
        if !entries.is_empty() {
            self.line(indent);
        }
        self.byte(b'}');
    }

    const fn broken_array(&mut self, items: &[Value], indent: usize) {
        self.byte(b'[');
        let inside = indent + INDENT;
        let mut at = 0;
        while at < items.len() {
            self.line(inside);
            self.value_in_lines(&items[at], inside, inside, COMMA);
            at += 1;
            if at < items.len() {
                self.byte(b',');
            }
        }
        self.line(indent);
        self.byte(b']');
    }

    /// Whether the text that was written fits on one line, at `column` and followed by `tail` more columns.
    const fn fits(&self, column: usize, tail: usize) -> bool {
        column + self.columns + tail <= MAX_COLUMNS && !self.wants_fence
    }

    /// Starts the search for the part that `trail` leads to.
    pub const fn follow(&mut self, trail: Trail) {
        self.follower = Follower::new(trail);
    }

    /// Returns the first column of the part that the trail leads to and the column after its end,
    /// and ends the search. If there is no such part, returns the innermost part around its place, or `None`
    /// if no part matches.
    pub const fn followed(&mut self) -> Option<(usize, usize)> {
        let found = self.follower.found();
        self.follower = Follower::IDLE;
        found
    }

    /// Begins a part with this number, which [`leave`](Self::leave) ends.
    pub const fn enter(&mut self, step: u16) {
        self.follower.enter(step, self.columns);
    }

    /// Ends the part that was entered last.
    pub const fn leave(&mut self) {
        self.follower.leave(self.columns);
    }

    /// Writes only the characters in these columns, counted like [`columns`](Self::columns), and
    /// counts the others. `None` writes everything again.
    pub const fn show_only(&mut self, columns: Option<(usize, usize)>) {
        self.visible = columns;
    }

    /// Writes the visible part of a text.
    pub(super) const fn visible_text(&mut self, text: &str, visible: (usize, usize)) {
        let bytes = text.as_bytes();
        let (mut start, mut end) = (None, bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            // Bytes of the form 10xxxxxx continue a character.
            if bytes[at] & 0xC0 != 0x80 {
                if self.columns >= visible.1 && end == bytes.len() {
                    end = at;
                }
                if self.columns >= visible.0 && start.is_none() {
                    start = Some(at);
                }
                self.columns += 1;
            }
            at += 1;
        }
        if let Some(start) = start
            && start < end
        {
            self.put(text.split_at(end).0.split_at(start).1);
        }
    }
}

/// The length of a buffer for [`Writer::panic`], in bytes.
pub const PANIC_TEXT: usize = 65_536;

/// The maximum number of columns of a line, counted in characters.
pub const MAX_COLUMNS: usize = 100;

/// The number of columns that each level is indented further.
pub const INDENT: usize = 2;

/// The columns reserved for a comma after a member. The last member has them, too, so that its
/// layout does not change when a member is added after it.
pub(crate) const COMMA: usize = 1;

/// The maximum number of characters of a text that is written in quotes where several lines are
/// allowed.
pub const LONGEST_QUOTED: usize = 120;

/// Whether a text is written as a fence where several lines are allowed: it has a line end or is
/// long, and it does not contain three backticks in a row, which would end the fence.
#[must_use]
pub const fn is_fence_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    // A CR before a line end, such as the closing one, would be read as part of that line end.
    if let [.., b'\r'] = bytes {
        return false;
    }
    let (mut has_line_end, mut backticks) = (false, 0);
    let mut at = 0;
    while at < bytes.len() {
        has_line_end |= bytes[at] == b'\n';
        if bytes[at] == b'\n' && at > 0 && bytes[at - 1] == b'\r' {
            return false;
        }
        backticks = if bytes[at] == b'`' { backticks + 1 } else { 0 };
        if backticks == 3 {
            return false;
        }
        at += 1;
    }
    has_line_end || characters(text) > LONGEST_QUOTED
}

const fn characters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        // Bytes of the form 10xxxxxx continue a character.
        if bytes[at] & 0xC0 != 0x80 {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Panics with these texts, one after the other, in a `const` as well as at run time.
///
/// # Panics
/// Always.
#[track_caller]
pub const fn panic_with(texts: &[&str]) -> ! {
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    writer.texts(texts);
    writer.panic()
}

/// Whether the text that `write` writes fits on one line, at `column` and followed by `tail` more columns.
pub(super) fn fits(column: usize, tail: usize, write: impl Fn(&mut Writer<'_>)) -> bool {
    let mut measure = Writer::new(&mut []);
    write(&mut measure);
    measure.fits(column, tail)
}

/// Returns the text that `write` writes.
///
/// A text that does not fit into the first buffer is written again into a buffer of its length, so `write` must
/// write the same text both times.
#[must_use]
pub fn to_string(write: impl Fn(&mut Writer<'_>)) -> String {
    let mut buffer = vec![0; 1024];
    let mut writer = Writer::new(&mut buffer);
    write(&mut writer);
    let len = writer.len();
    if len > buffer.len() {
        buffer.resize(len, 0);
        write(&mut Writer::new(&mut buffer));
    }
    buffer.truncate(len);
    // Only whole texts and ASCII characters are written, so the result is UTF-8.
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
