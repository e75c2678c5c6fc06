//! Replacing a file atomically.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The maximum number of names that are tried for the temporary file.
const MAX_NAMES: u32 = 100;

/// The reason why a file was not replaced. The file is unchanged.
#[derive(Debug)]
pub(super) enum ReplaceError {
    /// The file is read-only.
    ReadOnly,
    /// The path is a pipe or device.
    NotAFile,
    /// The temporary file could not be written.
    Temporary(io::Error),
    /// Another input or output error.
    Io(io::Error),
}

/// Replaces the text of a file. The text is written to a temporary file with the same permissions, which
/// is then renamed, so that readers see the old or the new text, even after a crash. For a symbolic link,
/// the target is replaced.
///
/// # Errors
/// Returns an error if the file cannot be replaced; it is then unchanged.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ReplaceError> {
    let metadata = fs::metadata(path).map_err(ReplaceError::Io)?;
    if !metadata.is_file() {
        return Err(ReplaceError::NotAFile);
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let path = path.canonicalize().map_err(ReplaceError::Io)?;
    let (temporary, mut file) = create_temporary(&path).map_err(ReplaceError::Temporary)?;
    let written = file
        .set_permissions(metadata.permissions())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all());
    drop(file);
    let replaced = match written {
        Ok(()) => fs::rename(&temporary, &path).map_err(ReplaceError::Io),
        Err(error) => Err(ReplaceError::Temporary(error)),
    };
    if replaced.is_err() {
        // The first error is reported.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

/// Creates a hidden temporary file in the same folder, because a rename works within one file system
/// only.
fn create_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for at in 0..MAX_NAMES {
        let temporary = path.with_file_name(format!(".{name}.{process}-{at}.tmp"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => out.write_str("it is read-only"),
            Self::NotAFile => out.write_str(
                "it is no regular file; give its text on standard input, with the name `-`",
            ),
            Self::Temporary(error) => write!(
                out,
                "its new text, which is written to a file beside it first, could not be: {error}"
            ),
            Self::Io(error) => write!(out, "{error}"),
        }
    }
}
