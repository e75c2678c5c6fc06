//! Writing values that do not fit on their line, in a `const` as well as at run time.

use super::layout::{COMMA, MAX_COLUMNS};
use super::writer::{Writer, is_fence_text};
use crate::value::Value;

impl Writer<'_> {
    /// Ends the line and indents the next one.
    pub const fn line(&mut self, indent: usize) {
        self.byte(b'\n');
        self.blanks(indent);
    }

    /// Writes a text: as a fence when it wants one, else in double quotes.
    pub const fn text_in_lines(&mut self, text: &str) {
        if is_fence_text(text) {
            self.fence("", text)
        } else {
            self.quoted(text, b'"')
        }
    }

    /// Writes a fence. Its content stands at the start of the line, since blanks would belong to it.
    pub const fn fence(&mut self, tag: &str, text: &str) {
        self.text("```");
        self.text(tag);
        self.byte(b'\n');
        self.text(text);
        self.text("\n```");
    }

    /// Writes a value that stands on a line of this `indent` from `column` on, followed by `tail`
    /// more columns: on that line when it fits and holds no fence, else an item or entry a line.
    pub const fn value_in_lines(
        &mut self,
        value: &Value,
        indent: usize,
        column: usize,
        tail: usize,
    ) {
        let mut measure = Writer::new(&mut []);
        measure.value(value);
        let fits = column + measure.columns() + tail <= MAX_COLUMNS && !measure.wants_fence();
        match value {
            Value::String(text) => self.text_in_lines(text.as_str()),
            Value::Tagged(tagged) if is_fence_text(tagged.get().content()) => {
                let tagged = tagged.get();
                self.fence(tagged.tag(), tagged.content());
            }
            Value::Array(array) if !fits && !array.as_slice().is_empty() => {
                self.byte(b'[');
                let items = array.as_slice();
                let mut at = 0;
                while at < items.len() {
                    self.line(indent + 2);
                    self.value_in_lines(&items[at], indent + 2, indent + 2, COMMA);
                    at += 1;
                    if at < items.len() {
                        self.byte(b',');
                    }
                }
                self.line(indent);
                self.byte(b']');
            }
            Value::Map(record) if !fits && !record.is_empty() => {
                self.byte(b'{');
                let entries = record.entries();
                let mut at = 0;
                while at < entries.len() {
                    let key = entries[at].0.as_str();
                    self.line(indent + 2);
                    let before = self.columns();
                    self.name(key);
                    self.text(": ");
                    let column = indent + 2 + (self.columns() - before);
                    self.value_in_lines(&entries[at].1, indent + 2, column, COMMA);
                    at += 1;
                    if at < entries.len() {
                        self.byte(b',');
                    }
                }
                self.line(indent);
                self.byte(b'}');
            }
            _ => self.value(value),
        }
    }
}
