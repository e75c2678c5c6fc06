//! The file of a cassette: loading, saving, and a layout that reads well.

use super::exchange::Exchange;
use crate::replace_file::replace_file;
use agent_core::conversation::ReadError;
pub(super) use agent_spec::file::MAX_BYTES;
use agent_spec::json::{MAX_VALUES, has_more_values_than, parse_json, too_many_values};
use agent_spec::terminal;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The name of the format, which distinguishes a cassette from other JSON.
const FORMAT: &str = "agent-cassette";

/// The version that is written, and the only one that can be read.
const VERSION: u64 = 1;

/// The error of a file that cannot be replayed.
pub(super) enum LoadError {
    Missing,
    Io(io::Error),
    Form(ReadError),
}

pub(super) fn load(path: &Path) -> Result<Vec<Exchange>, LoadError> {
    let bytes = agent_spec::file::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::Missing,
        _ => LoadError::Io(error),
    })?;
    read(&bytes).map_err(|error| {
        let shown = terminal::line(&error.to_string(), usize::MAX);
        LoadError::Form(ReadError::new(shown))
    })
}

fn read(bytes: &[u8]) -> Result<Vec<Exchange>, ReadError> {
    let text = str::from_utf8(bytes).map_err(|_| ReadError::new("it is not UTF-8"))?;
    // Editors on Windows write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let json =
        parse_json(text).map_err(|error| ReadError::new(format!("it is not JSON: {error}")))?;
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

/// Writes a file as a whole. Only its owner can read a new file, because it has the texts of a conversation.
pub(super) fn save<'a>(path: &Path, exchanges: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let exchanges: Vec<&str> = exchanges.collect();
    // An earlier recording stays until there is a new one.
    if exchanges.is_empty() {
        return Ok(());
    }
    let text = document(FORMAT, VERSION, &exchanges);
    check_size(&text)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    replace_file(path, text.as_bytes())
}

/// Checks that [`load`] will read a text.
fn check_size(text: &str) -> io::Result<()> {
    let problem = if text.len() as u64 > MAX_BYTES {
        format!("more than {} MiB", MAX_BYTES >> 20)
    } else if has_more_values_than(text.as_bytes(), MAX_VALUES) {
        too_many_values(MAX_VALUES)
    } else {
        return Ok(());
    };
    let problem = format!("it would have {problem}; record less in one cassette");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, problem))
}

/// The maximum number of columns of a line with several members or items.
const WIDTH: usize = 100;

/// The order in which members are written. Others follow them, sorted.
const ORDER: [&str; 32] = [
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
    "deferredTools",
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
    "cause",
    "waitMs",
    "inputTokens",
    "outputTokens",
];

/// Writes the text of a file.
fn document(format: &str, version: u64, exchanges: &[&str]) -> String {
    let exchanges = exchanges.join(",\n");
    format!(
        "{{\n  \"format\": \"{format}\",\n  \"version\": {version},\n  \"exchanges\": [\n\
         {exchanges}\n  ]\n}}\n"
    )
}

/// Writes an exchange with the indentation that it has in the file. Characters that control a terminal are escaped,
/// because people read the file there.
pub(super) fn exchange(json: &Value) -> String {
    let mut out = "    ".to_owned();
    write(&mut out, json, 4, 4);
    terminal::json(&out)
}

/// Returns members in the order in which they are written.
pub(super) fn in_order<'a>(
    members: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> Vec<(&'a String, &'a Value)> {
    let mut members: Vec<_> = members.into_iter().collect();
    members.sort_by_key(|(key, _)| {
        let position = ORDER.iter().position(|known| known == key);
        (position.unwrap_or(ORDER.len()), key.as_str())
    });
    members
}

/// Writes a value on one line.
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

/// Writes a value into a line that has `column` columns so far.
fn write(out: &mut String, value: &Value, indent: usize, column: usize) {
    let line = line(value);
    // `<`, because a comma may follow.
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
    fn reads_a_bounded_number_of_values_and_records_no_more() {
        let list = format!("{{\"a\": [{}1]}}", "1,".repeat(MAX_VALUES));
        let text = document(FORMAT, VERSION, &[&list]);
        let error = read(text.as_bytes()).expect_err("too many values");
        let expected = "it has more than 1000000 JSON values";
        assert!(error.to_string().contains(expected), "{error}");
        let error = save(Path::new("/nowhere/a.json"), [&*list].into_iter()).unwrap_err();
        let expected = "record less in one cassette";
        assert!(error.to_string().contains(expected), "{error}");

        let long = "x".repeat(MAX_BYTES as usize);
        let error = check_size(&long).and_then(|()| check_size(&(long + "x")));
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("it would have more than 32 MiB"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_private_and_a_replaced_one_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = std::env::temp_dir().join(format!("agent-cassettes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (path, link) = (folder.join("a.json"), folder.join("link.json"));
        let mode = || {
            let metadata = std::fs::metadata(&path).expect("a file");
            metadata.permissions().mode() & 0o777
        };
        save(&path, ["1"].into_iter()).expect("it is written");
        assert_eq!(mode(), 0o600);
        let shared = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&path, shared).expect("it is ours");
        symlink(&path, &link).expect("a link");
        save(&link, ["2"].into_iter()).expect("it is written");
        assert_eq!(mode(), 0o644);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains('2'), "{text}");
        assert!(link.is_symlink());
        let entries = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(entries, 2);
        std::fs::remove_dir_all(&folder).expect("it is there");
    }

    #[test]
    fn errors_have_no_control_characters_of_the_file() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("agent-cassette-{}.json", std::process::id()));
        let version = "\u{9b}2J\u{202e}".repeat(1000);
        let text = json!({"format": FORMAT, "version": version, "exchanges": []}).to_string();
        std::fs::write(&path, text).expect("a file");
        let Err(LoadError::Form(error)) = load(&path) else {
            panic!("no error of the form");
        };
        std::fs::remove_file(&path).expect("it is there");
        let error = error.to_string();
        assert!(
            error.starts_with("its version is \"\\u{9b}2J\\u{202e}"),
            "{error}"
        );
        assert!(!error.contains('\u{9b}'));
    }

    #[test]
    fn escapes_characters_that_control_a_terminal() {
        let json = json!({"reply": {"content": "a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{3164}é"}});
        let written = exchange(&json);
        let shown = "\"a\\u001b[2J\\u007f\\u009b\\u202e\\u3164é\"";
        assert!(written.contains(shown), "{written}");
        let read: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(read, json);
    }

    #[test]
    fn writes_short_values_on_one_line_and_long_ones_on_several() {
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
