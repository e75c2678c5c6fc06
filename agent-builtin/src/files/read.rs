//! The tool `readFile`.

use super::folder_path::FolderPath;
use super::limits::FileLimits;
use super::lines::{LineRange, LinesError, read_lines};
use super::under_way::wait_to_read;
use agent_tool::permissions::FileAccess;
use agent_tool::tool::ToolOutput;
use agent_tool::{GramType, ToolContext, ToolError, tool};
use cap_std::fs::File;
use serde_json::{Map, Value};
use std::io::Read as _;

/// The result of `readFile`.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
pub struct FileContent {
    #[serde(default)]
    content: String,
    #[serde(default)]
    size: u64,
}

impl FileContent {
    /// Returns the text that was read.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the size of the whole file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

// Implemented without serde, because files can be large and serde would copy the text.
#[diagnostic::do_not_recommend]
impl ToolOutput for FileContent {
    fn into_json(self) -> Result<Value, ToolError> {
        let mut members = Map::new();
        members.insert("content".to_owned(), self.content.into());
        members.insert("size".to_owned(), self.size.into());
        Ok(members.into())
    }
}

/// Reads a file of UTF-8 text: the whole file, or `limit` lines from line `offset` on, which is counted
/// from 1. Lines keep their line ends.
///
/// # Errors
/// Execution with `File not found: <path>` or `Permission denied: <path>`, or when the path is not that of
/// a regular file of text, the file is larger than [`MAX_FILE_SIZE`](super::MAX_FILE_SIZE), or it has no
/// line `offset`. Authorization outside of the folders that are granted for reading.
#[tool(
    read_only,
    idempotent,
    reads = "private",
    untrusted,
    description = "Reads file content as text."
)]
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
    let path = FolderPath::open(path, FileAccess::Read, context)?;
    let (file, metadata) = path.open_file()?;
    let max_size = FileLimits::of(context).file_size;
    let wait = || wait_to_read(metadata.len().min(max_size as u64), context);
    if offset.is_none() && limit.is_none() {
        wait()?;
        return read_all(&path, file, metadata.len(), max_size);
    }
    let range = LineRange {
        first: offset.unwrap_or(1).max(1),
        max_count: limit,
    };
    let is_cancelled = || context.is_cancelled();
    let begin = || wait().map_err(|_| LinesError::Cancelled);
    let lines = read_lines(file, range, max_size, is_cancelled, begin)
        .map_err(|error| lines_error(&path, error, range, max_size))?;
    Ok(FileContent {
        content: decode(&path, lines)?,
        size: metadata.len(),
    })
}

fn read_all(
    path: &FolderPath<'_>,
    file: File,
    size: u64,
    max_size: usize,
) -> Result<FileContent, ToolError> {
    let too_large = |size: u64| {
        path.failure(&format!(
            "it has {size} bytes, and the maximum is {max_size}; read some of its lines with `offset` \
            and `limit`"
        ))
    };
    let limit = max_size as u64;
    if size > limit {
        return Err(too_large(size));
    }
    // One byte more than the size, so that reading finds the end without growing the buffer.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    // Read as a `std::fs::File`, because the file of cap-std fills the buffer with zeros first.
    let file = file.into_std();
    // Limited, because the file can grow while it is read.
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    let read = read.map_err(|error| path.io_error(&error))? as u64;
    if read > limit {
        return Err(too_large(read));
    }
    Ok(FileContent {
        content: decode(path, bytes)?,
        size: read,
    })
}

fn decode(path: &FolderPath<'_>, bytes: Vec<u8>) -> Result<String, ToolError> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[offset];
        path.failure(&format!(
            "it is not UTF-8 text (after {offset} bytes of text comes the byte 0x{byte:02x})"
        ))
    })
}

fn lines_error(
    path: &FolderPath<'_>,
    error: LinesError,
    range: LineRange,
    max_size: usize,
) -> ToolError {
    let first = range.first;
    match error {
        LinesError::PastEnd(lines) => {
            path.failure(&format!("`offset` is {first}, and it has {lines} lines"))
        }
        LinesError::TooLong => path.failure(&format!(
            "the lines from {first} on have more than {max_size} bytes, the maximum of a call; set a \
            smaller `limit`"
        )),
        LinesError::FirstTooLong => path.failure(&format!(
            "line {first} alone has more than {max_size} bytes, the maximum of a call"
        )),
        LinesError::Cancelled => ToolError::Timeout,
        LinesError::Io(error) => path.io_error(&error),
    }
}
