//! Records, arrays and maps over several lines.
//!
//! What fits on a line of [`MAX_COLUMNS`] and holds no fence stands on one line. Else it is broken:
//! one property, entry or item a line, two columns further in, and those that still do not fit are
//! broken in turn.

use super::writer::{Writer, is_fence_text, to_string};
use crate::value::{Record, Value};

/// How many columns a line may have, counted in characters.
pub const MAX_COLUMNS: usize = 100;

/// The room kept for a comma after a member, also after the last one, so that a member added after
/// it does not change its layout.
pub(crate) const COMMA: usize = 1;

/// How many columns each level stands further in.
pub const INDENT: usize = 2;

/// Writes a record in braces: on one line if it fits after `column` columns and with `trailing`
/// columns after it, else broken, its closing brace at `indent`.
pub fn record(out: &mut String, record: &Record, indent: usize, column: usize, trailing: usize) {
    let columns = room(column, trailing);
    let fits = record_may_fit(record, &mut budget(columns))
        && on_line(out, columns, |line| line.record(record));
    if !fits {
        broken_record(out, record, indent);
    }
}

/// Writes a record with one property a line, each two columns further in than `indent`, and the
/// closing brace at `indent`. A record without properties stands on one line.
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

/// Writes a value: on one line if it fits after `column` columns and with `trailing` columns after
/// it, or if it cannot be broken; else as a fence, or broken with its end at `indent`.
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

/// The columns left on a line.
fn room(column: usize, trailing: usize) -> usize {
    MAX_COLUMNS.saturating_sub(column + trailing)
}

/// How many bytes a line can have that is tried: of [`MAX_COLUMNS`] characters.
const LONGEST_LINE: usize = MAX_COLUMNS * '\u{10ffff}'.len_utf8();

/// Writes what takes at most so many columns, or nothing. Says which.
pub(super) fn on_line(out: &mut String, columns: usize, write: impl Fn(&mut Writer<'_>)) -> bool {
    let mut buffer = [0; LONGEST_LINE];
    let mut line = Writer::new(&mut buffer);
    write(&mut line);
    let (len, taken) = (line.len(), line.columns());
    if taken > columns {
        return false;
    }
    // Only whole texts and ASCII characters are written, so what they make is UTF-8.
    let written = buffer.get(..len).and_then(|line| str::from_utf8(line).ok());
    out.push_str(written.expect("at most a hundred characters"));
    true
}

/// Writes something that cannot be broken, however long it is. Gives the columns it took.
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

/// How many bytes may fit into so many columns.
pub(super) fn budget(columns: usize) -> usize {
    columns.saturating_mul('\u{10ffff}'.len_utf8())
}

/// Whether a value has no fence and may fit into so many bytes. The answer takes time for those
/// bytes only, so that asking again at each level of a deep value costs little.
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

/// The same for a record.
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

/// The tag, if any, and the text of a value that is to be written as a fence.
fn fenced(value: &Value) -> Option<(&str, &str)> {
    let (tag, text) = match value {
        Value::String(text) => ("", text.as_str()),
        Value::Tagged(tagged) => (tagged.tag(), tagged.content()),
        _ => return None,
    };
    is_fence_text(text).then_some((tag, text))
}
