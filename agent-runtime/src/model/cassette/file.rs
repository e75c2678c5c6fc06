//! The file of a cassette.

use super::exchange::Exchange;
use super::layout;
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
    let text = layout::document(FORMAT, VERSION, &exchanges);
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
