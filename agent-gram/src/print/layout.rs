//! The layout of records, arrays and maps over several lines.
//!
//! A value without fences that fits on a line of [`MAX_COLUMNS`] is on one line. Otherwise it is
//! broken: each property, entry or item is on a line of its own, two columns further in, and is
//! broken in turn if it does not fit.

pub use super::writer::MAX_COLUMNS;

use super::writer::{COMMA, Writer, is_fence_text, to_string};
use crate::value::{Record, Value};

/// The number of columns that each level is indented further.
pub const INDENT: usize = 2;

/// Writes a record in braces: on one line if it fits after `column` columns and with `trailing`
/// columns after it, otherwise broken, with its closing brace at `indent`.
pub fn record(out: &mut String, record: &Record, indent: usize, column: usize, trailing: usize) {
    let columns = room(column, trailing);
    let fits = record_may_fit(record, &mut budget(columns))
        && on_line(out, columns, |line| line.record(record));
    if !fits {
        broken_record(out, record, indent);
    }
}

/// Writes a record with one property a line, each two columns further in than `indent`, and the
/// closing brace at `indent`. A record without properties is on one line.
pub fn broken_record(out: &mut String, record: &Record, indent: usize) {
    if record.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{\n");
    let mut entries = record.iter().peekable();
    while let Some((key, held)) = entries.next() {
        blanks(out, indent + INDENT);
        let name = on_this_line(out, |line| line.name(key));
        out.push_str(": ");
        let column = indent + INDENT + name + 2;
        value(out, held, indent + INDENT, column, COMMA);
        end_member(out, entries.peek().is_none());
    }
    blanks(out, indent);
    out.push('}');
}

/// Writes a value: on one line if it cannot be broken, or fits after `column` columns and with
/// `trailing` columns after it; otherwise as a fence, or broken with its end at `indent`.
pub fn value(out: &mut String, value: &Value, indent: usize, column: usize, trailing: usize) {
    if let Some((tag, text)) = fenced(value) {
        out.push_str("```");
        out.push_str(tag);
        out.push('\n');
        out.push_str(text);
        out.push_str("\n```");
        return;
    }
    let fits = |out: &mut String| {
        let columns = room(column, trailing);
        may_fit(value, &mut budget(columns)) && on_line(out, columns, |line| line.value(value))
    };
    match value {
        Value::Array(array) if !array.as_slice().is_empty() => {
            if !fits(out) {
                broken_array(out, array.as_slice(), indent);
            }
        }
        Value::Map(record) if !record.is_empty() => {
            if !fits(out) {
                broken_record(out, record, indent);
            }
        }
        _ => {
            on_this_line(out, |line| line.value(value));
        }
    }
}

fn broken_array(out: &mut String, items: &[Value], indent: usize) {
    out.push_str("[\n");
    for (at, item) in items.iter().enumerate() {
        blanks(out, indent + INDENT);
        value(out, item, indent + INDENT, indent + INDENT, COMMA);
        end_member(out, at + 1 == items.len());
    }
    blanks(out, indent);
    out.push(']');
}

fn end_member(out: &mut String, is_last: bool) {
    out.push_str(if is_last { "\n" } else { ",\n" });
}

/// Returns the number of columns left on a line.
fn room(column: usize, trailing: usize) -> usize {
    MAX_COLUMNS.saturating_sub(column + trailing)
}

/// The maximum number of bytes of a line of [`MAX_COLUMNS`] characters.
const LONGEST_LINE: usize = MAX_COLUMNS * '\u{10ffff}'.len_utf8();

/// Writes a line of at most `columns` columns, or nothing if it is longer. Returns whether it was
/// written.
pub(super) fn on_line(out: &mut String, columns: usize, write: impl Fn(&mut Writer<'_>)) -> bool {
    let mut buffer = [0; LONGEST_LINE];
    let mut line = Writer::new(&mut buffer);
    write(&mut line);
    let (len, taken) = (line.len(), line.columns());
    if taken > columns {
        return false;
    }
    // Only whole texts and ASCII characters are written, so the result is UTF-8.
    let written = buffer.get(..len).and_then(|line| str::from_utf8(line).ok());
    out.push_str(written.expect("at most a hundred characters"));
    true
}

/// Writes a text that cannot be broken, of any length. Returns the number of its columns.
pub(super) fn on_this_line(out: &mut String, write: impl Fn(&mut Writer<'_>)) -> usize {
    let mut buffer = [0; LONGEST_LINE];
    let mut line = Writer::new(&mut buffer);
    write(&mut line);
    let (len, columns) = (line.len(), line.columns());
    match buffer.get(..len).map(str::from_utf8) {
        Some(Ok(line)) => out.push_str(line),
        _ => out.push_str(&to_string(write)),
    }
    columns
}

/// Returns the number of bytes that may fit into so many columns.
pub(super) fn budget(columns: usize) -> usize {
    columns.saturating_mul('\u{10ffff}'.len_utf8())
}

/// Whether a value has no fence and may fit into `left` bytes. The time depends on those bytes
/// only, so that asking again at each level of a deep value costs little.
fn may_fit(value: &Value, left: &mut usize) -> bool {
    if fenced(value).is_some() {
        return false;
    }
    match value {
        Value::String(text) => spend(left, text.len() + 2),
        Value::Tagged(tagged) => spend(left, tagged.content().len() + 3),
        Value::Array(array) => {
            spend(left, 2) && array.as_slice().iter().all(|item| may_fit(item, left))
        }
        Value::Map(record) => record_may_fit(record, left),
        _ => spend(left, 1),
    }
}

/// Whether a record has no fence and may fit into `left` bytes.
pub(super) fn record_may_fit(record: &Record, left: &mut usize) -> bool {
    spend(left, 2)
        && record
            .iter()
            .all(|(key, value)| spend(left, key.len() + 2) && may_fit(value, left))
}

fn spend(left: &mut usize, bytes: usize) -> bool {
    match left.checked_sub(bytes) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

pub(super) fn blanks(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Returns the tag and the text of a value that is written as a fence. Without a tag, it is empty.
fn fenced(value: &Value) -> Option<(&str, &str)> {
    let (tag, text) = match value {
        Value::String(text) => ("", text.as_str()),
        Value::Tagged(tagged) => (tagged.tag(), tagged.content()),
        _ => return None,
    };
    is_fence_text(text).then_some((tag, text))
}
