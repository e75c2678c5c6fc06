//! Replacing a file at once.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How many names are tried for the file that is written first.
const NAMES: u32 = 100;

/// Why a file was not replaced. It is as it was.
#[derive(Debug)]
pub(super) enum ReplaceError {
    /// Its owner does not want it changed.
    ReadOnly,
    /// A pipe or device.
    NoFile,
    /// The text could not be written beside it.
    Beside(io::Error),
    /// Anything else.
    Io(io::Error),
}

/// Replaces what a file holds. The text is written to a file beside it, with the same permissions,
/// which then takes its name: whoever reads it sees one text or the other, also after a crash. When
/// the path is a symbolic link, the file that it leads to is replaced.
///
/// # Errors
/// When that cannot be done; the file is then as it was.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ReplaceError> {
    let metadata = fs::metadata(path).map_err(ReplaceError::Io)?;
    if !metadata.is_file() {
        return Err(ReplaceError::NoFile);
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let path = path.canonicalize().map_err(ReplaceError::Io)?;
    let (beside, mut file) = create_beside(&path).map_err(ReplaceError::Beside)?;
    let written = file
        .set_permissions(metadata.permissions())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all());
    drop(file);
    let replaced = match written {
        Ok(()) => fs::rename(&beside, &path).map_err(ReplaceError::Io),
        Err(error) => Err(ReplaceError::Beside(error)),
    };
    if replaced.is_err() {
        // What went wrong is told already.
        let _ = fs::remove_file(&beside);
    }
    replaced
}

/// Makes a hidden file in the same folder, since only there it can take the name of the other.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for at in 0..NAMES {
        let beside = path.with_file_name(format!(".{name}.{process}-{at}.tmp"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
        {
            Ok(file) => return Ok((beside, file)),
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
            Self::NoFile => out.write_str(
                "it is no regular file; give its text on standard input, with the name `-`",
            ),
            Self::Beside(error) => write!(
                out,
                "its new text, which is written to a file beside it first, could not be: {error}"
            ),
            Self::Io(error) => write!(out, "{error}"),
        }
    }
}
