//! Places in JSON values, and values as messages show them.

use agent_gram::value::is_symbol;
use serde_json::Value;
use std::{fmt, io};

/// A path in a JSON value, printed like `$.user.tags[2]`. It lives on the stack of the code that walks
/// the value, so that a path without a mistake costs no memory.
#[derive(Clone, Copy)]
pub enum Path<'a> {
    /// The whole value.
    Root,
    /// A member of an object.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The place of a member of the object at this place.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The place of an item of the list at this place.
    #[must_use]
    pub fn index(&'a self, at: usize) -> Path<'a> {
        Path::Index(self, at)
    }

    /// The number of steps from the whole value.
    pub(crate) fn depth(&self) -> usize {
        let (mut depth, mut here) = (0, self);
        while let Path::Key(parent, _) | Path::Index(parent, _) = here {
            depth += 1;
            here = parent;
        }
        depth
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => out.write_str("$"),
            Path::Key(parent, key) if is_plain(key) => write!(out, "{parent}.{key}"),
            Path::Key(parent, key) => write!(out, "{parent}[{}]", shorten(key)),
            Path::Index(parent, at) => write!(out, "{parent}[{at}]"),
        }
    }
}

/// Whether a key needs no quotes. A dot in a key would look like two steps.
fn is_plain(key: &str) -> bool {
    // The keywords of JSON Schema may start with `$`.
    let word = key.strip_prefix('$').unwrap_or(key);
    key.len() <= 60 && is_symbol(word) && !key.contains(['.', '@'])
}

/// The maximum number of characters of a value in a message.
const SHOWN: usize = 60;

/// A value in words, such as `the text "x"`.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", shorten(text)),
        Value::Array(_) => format!("the list {}", json_start(value)),
        Value::Object(_) => format!("the object {}", json_start(value)),
    }
}

/// A text in quotes, cut when it is long.
pub(crate) fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Value::String(shown).to_string()
}

/// The start of a value's JSON text. Writing stops when there is enough to show, so neither a huge
/// nor a deeply nested value costs anything.
fn json_start(value: &Value) -> String {
    let mut start = Start(Vec::new());
    let complete = serde_json::to_writer(&mut start, value).is_ok();
    let text = match std::str::from_utf8(&start.0) {
        Ok(text) => text,
        // The cut may have fallen inside a character.
        Err(error) => std::str::from_utf8(&start.0[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut shown: String = text.chars().take(SHOWN).collect();
    if !complete || shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Collects as many bytes as a message shows, then returns an error.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// A character has at most four bytes.
        const ROOM: usize = 4 * SHOWN + 4;
        let taken = bytes.len().min(ROOM - self.0.len());
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
