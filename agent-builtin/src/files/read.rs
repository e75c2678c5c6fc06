//! `readFile`.

use super::folder_path::Place;
use super::limits::FileLimits;
use super::lines::{NoLines, Range, read_lines};
use agent_runtime::ToolContext;
use agent_runtime::ToolError;
use agent_runtime::ToolOutput;
use agent_runtime::permissions::FileAccess;
use agent_runtime::{GramType, tool};
use cap_std::fs::File;
use serde_json::{Map, Value};
use std::io::Read as _;

/// What `readFile` gives.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
pub struct FileContent {
    #[serde(default)]
    content: String,
    #[serde(default)]
    size: u64,
}

impl FileContent {
    /// The text that was read.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// How large the whole file is, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

// Files are large, and serde would copy the text.
#[diagnostic::do_not_recommend]
impl ToolOutput for FileContent {
    fn into_json(self) -> Result<Value, ToolError> {
        let mut members = Map::new();
        members.insert("content".to_owned(), self.content.into());
        members.insert("size".to_owned(), self.size.into());
        Ok(members.into())
    }
}

/// Reads a file that is UTF-8 text: all of it, or `limit` lines from line `offset` on, which is
/// counted from 1. Lines keep their ends.
///
/// # Errors
/// Execution with `File not found: <path>` or `Permission denied: <path>`, or when there is something
/// other than a file of text, when it is larger than [`MAX_FILE_SIZE`](super::MAX_FILE_SIZE), or has
/// no line `offset`. Authorization outside of the folders that are granted for reading.
#[tool(read_only, idempotent, description = "Reads file content as text.")]
pub fn read_file(
    #[tool(description = "File path to read")] path: &str,
    #[tool(
        minimum = 1,
        description = "Number of the first line to read, counted from 1; all lines when left out"
    )]
    offset: Option<u64>,
    #[tool(minimum = 1, description = "Number of lines to read at most")] limit: Option<u64>,
    context: &ToolContext,
) -> Result<FileContent, ToolError> {
    let place = Place::find(path, FileAccess::Read, context)?;
    let (file, metadata) = place.open_file()?;
    let bound = FileLimits::of(context).file_size;
    if offset.is_none() && limit.is_none() {
        return read_all(&place, file, metadata.len(), bound);
    }
    let range = Range {
        first: offset.unwrap_or(1).max(1),
        most: limit,
    };
    let lines = read_lines(file, range, bound, || context.is_cancelled())
        .map_err(|reason| without_lines(&place, reason, range, bound))?;
    Ok(FileContent {
        content: text(&place, lines)?,
        size: metadata.len(),
    })
}

fn read_all(
    place: &Place<'_>,
    file: File,
    size: u64,
    bound: usize,
) -> Result<FileContent, ToolError> {
    let too_large = |size: u64| {
        place.impossible(&format!(
            "it is {size} bytes large, and at most {bound} are read at once; read some of its lines, \
             with `offset` and `limit`"
        ))
    };
    let most = bound as u64;
    if size > most {
        return Err(too_large(size));
    }
    // One more than there is, so that its end is seen without more room.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    // It may grow while it is read.
    // As one of std's, which does not fill the room with zeros first.
    let file = file.into_std();
    let read = file.take(most + 1).read_to_end(&mut bytes);
    let read = read.map_err(|error| place.failed(&error))? as u64;
    if read > most {
        return Err(too_large(read));
    }
    Ok(FileContent {
        content: text(place, bytes)?,
        size: read,
    })
}

fn text(place: &Place<'_>, bytes: Vec<u8>) -> Result<String, ToolError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[at];
        place.impossible(&format!(
            "it is not UTF-8 text (after {at} bytes of text comes the byte 0x{byte:02x})"
        ))
    })
}

fn without_lines(place: &Place<'_>, reason: NoLines, range: Range, bound: usize) -> ToolError {
    let first = range.first;
    match reason {
        NoLines::PastTheEnd(lines) => {
            place.impossible(&format!("`offset` is {first}, and it has {lines} lines"))
        }
        NoLines::TooLong => place.impossible(&format!(
            "the lines from {first} on that were asked for are more than {bound} bytes, and no more \
             are read at once; a smaller `limit` asks for fewer lines"
        )),
        NoLines::FirstTooLong => place.impossible(&format!(
            "line {first} alone is more than {bound} bytes, and no more are read at once, so that this \
             line cannot be read"
        )),
        NoLines::Stopped => ToolError::Timeout,
        NoLines::Io(error) => place.failed(&error),
    }
}
