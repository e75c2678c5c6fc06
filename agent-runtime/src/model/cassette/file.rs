//! The file of a cassette.

use super::exchange::Exchange;
use crate::conversation::ReadError;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What tells a cassette from other JSON.
const FORMAT: &str = "agent-cassette";

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Why there is nothing to replay.
pub(super) enum LoadError {
    Missing,
    Io(io::Error),
    Form(ReadError),
}

pub(super) fn load(path: &Path) -> Result<Vec<Exchange>, LoadError> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::Missing,
        _ => LoadError::Io(error),
    })?;
    read(&text).map_err(LoadError::Form)
}

fn read(text: &str) -> Result<Vec<Exchange>, ReadError> {
    let json: Value = serde_json::from_str(text)
        .map_err(|error| ReadError::new(format!("it is not JSON: {error}")))?;
    if json.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(ReadError::new(format!(
            "it does not say `\"format\": \"{FORMAT}\"`"
        )));
    }
    match json.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        other => {
            return Err(ReadError::new(format!(
                "its version is {}, and this program reads {VERSION}",
                other.map_or_else(|| "missing".to_owned(), Value::to_string)
            )));
        }
    }
    let exchanges = json.get("exchanges").and_then(Value::as_array);
    let exchanges = exchanges.ok_or_else(|| ReadError::new("`exchanges` is an array"))?;
    (1..)
        .zip(exchanges)
        .map(|(number, json)| {
            Exchange::from_json(json)
                .map_err(|error| ReadError::new(format!("exchange {number}: {error}")))
        })
        .collect()
}

/// Writes a file that appears under its name when it is whole.
pub(super) fn save<'a>(path: &Path, exchanges: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let exchanges: Vec<&str> = exchanges.collect();
    // What was recorded before stays until there is something in its place.
    if exchanges.is_empty() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = part_of(path);
    let text = document(FORMAT, VERSION, &exchanges);
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// A name beside the file that nobody else writes to.
fn part_of(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}.part", std::process::id()));
    name.into()
}

/// The most columns of a line that holds more than one thing.
const WIDTH: usize = 100;

/// The members in the order in which they are written; others come after them, sorted.
const ORDER: [&str; 30] = [
    "request",
    "parts",
    "reply",
    "error",
    "role",
    "callId",
    "name",
    "model",
    "instruction",
    "description",
    "typeSignature",
    "content",
    "isError",
    "messages",
    "tools",
    "settings",
    "toolCalls",
    "finishReason",
    "usage",
    "id",
    "call",
    "tool",
    "args",
    "argsText",
    "kind",
    "text",
    "unavailable",
    "providerData",
    "inputTokens",
    "outputTokens",
];

/// The whole file.
pub(super) fn document(format: &str, version: u64, exchanges: &[&str]) -> String {
    let exchanges = exchanges.join(",\n");
    format!(
        "{{\n  \"format\": \"{format}\",\n  \"version\": {version},\n  \"exchanges\": [\n\
         {exchanges}\n  ]\n}}\n"
    )
}

/// One exchange, at its place in the file.
pub(super) fn exchange(json: &Value) -> String {
    let mut out = "    ".to_owned();
    write(&mut out, json, 4, 4);
    out
}

/// The members of an object in the order in which they are written.
pub(super) fn in_order(object: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by_key(|(key, _)| {
        let place = ORDER.iter().position(|known| known == key);
        (place.unwrap_or(ORDER.len()), key.as_str())
    });
    members
}

/// A value on one line.
pub(super) fn line(value: &Value) -> String {
    let mut out = String::new();
    write_line(&mut out, value);
    out
}

fn write_line(out: &mut String, value: &Value) {
    match value {
        Value::Object(object) => {
            out.push('{');
            for (number, (key, value)) in in_order(object).into_iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                out.push_str(&format!("{}: ", quoted(key)));
                write_line(out, value);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                write_line(out, item);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// Writes a value whose line already has so many columns.
fn write(out: &mut String, value: &Value, indent: usize, column: usize) {
    let line = line(value);
    // One column is for the comma.
    if column + line.chars().count() < WIDTH {
        out.push_str(&line);
        return;
    }
    let inner = indent + 2;
    let next = |out: &mut String, number: usize| {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(inner));
    };
    match value {
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (number, (key, value)) in in_order(object).into_iter().enumerate() {
                next(out, number);
                let key = format!("{}: ", quoted(key));
                out.push_str(&key);
                write(out, value, inner, inner + key.chars().count());
            }
            out.push_str(&format!("\n{}}}", " ".repeat(indent)));
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                next(out, number);
                write(out, item, inner, inner);
            }
            out.push_str(&format!("\n{}]", " ".repeat(indent)));
        }
        _ => out.push_str(&line),
    }
}

fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn short_things_stand_on_one_line_and_long_ones_do_not() {
        let long = "x".repeat(90);
        let json = json!({"reply": {"content": long}, "request": {"tools": [], "model": "a/b"}});
        let written = exchange(&json);
        let expected = format!(
            "    {{\n      \"request\": {{\"model\": \"a/b\", \"tools\": []}},\n      \"reply\": {{\n        \
             \"content\": \"{long}\"\n      }}\n    }}"
        );
        assert_eq!(written, expected);
        let read: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(read, json);
    }
}
