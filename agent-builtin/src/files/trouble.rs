//! What the model is told when a file cannot be opened, read or written.

use super::folder_path::Place;
use agent_runtime::ToolError;
use agent_runtime::permissions::{FileAccess, GrantedPath};
use std::io::{Error, ErrorKind};

impl Place<'_> {
    /// What an error of the system means here.
    pub(super) fn failed(&self, error: &Error) -> ToolError {
        failed(&self.asked, error)
    }

    /// Why it is not done, though it is allowed.
    pub(super) fn impossible(&self, reason: &str) -> ToolError {
        impossible(&self.asked, reason)
    }
}

pub(super) fn failed(path: &GrantedPath<'_>, error: &Error) -> ToolError {
    let requested = path.requested();
    match error.kind() {
        ErrorKind::NotFound if path.access() == FileAccess::List => {
            ToolError::Execution(format!("Directory not found: {requested}"))
        }
        ErrorKind::NotFound => ToolError::Execution(format!("File not found: {requested}")),
        // A link that leads out of a folder is reported by cap-std, and not by the system.
        ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            path.refusal(", where a link leads elsewhere")
        }
        ErrorKind::PermissionDenied => {
            ToolError::Execution(format!("Permission denied: {requested}"))
        }
        ErrorKind::NotADirectory if path.access() == FileAccess::List => {
            impossible(path, "it is no directory")
        }
        ErrorKind::NotADirectory => impossible(path, "a part of its path is no folder"),
        ErrorKind::IsADirectory => impossible(path, IS_FOLDER),
        ErrorKind::InvalidFilename => impossible(path, "a name in it is too long"),
        _ if is_loop(error) => impossible(
            path,
            "its links lead in a circle, or to what a process has open",
        ),
        _ => impossible(path, &error.to_string()),
    }
}

fn impossible(path: &GrantedPath<'_>, reason: &str) -> ToolError {
    let done = match path.access() {
        FileAccess::List => "listed",
        FileAccess::Write => "written",
        _ => "read",
    };
    ToolError::Execution(format!("`{}` cannot be {done}: {reason}", path.requested()))
}

/// Why a folder is not read or written.
pub(super) const IS_FOLDER: &str = "it is a folder";

/// Why nothing is read or written at a path with `/` at the end.
pub(super) const SAYS_FOLDER: &str = "its path is that of a folder";

/// Whether there were too many links, or a link of `/proc` that is none; `ErrorKind` has no stable word
/// for it.
#[cfg(unix)]
pub(super) fn is_loop(error: &Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
pub(super) fn is_loop(_: &Error) -> bool {
    false
}
