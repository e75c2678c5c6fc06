//! What the model is told when a file cannot be opened, read or written.

use super::place::{Action, Asked};
use crate::tool::ToolError;
use std::io::{Error, ErrorKind};

impl Asked<'_> {
    /// What an error of the system means here.
    pub(super) fn failed(&self, error: &Error) -> ToolError {
        let path = self.path;
        match error.kind() {
            ErrorKind::NotFound if self.action == Action::List => {
                ToolError::Execution(format!("Directory not found: {path}"))
            }
            ErrorKind::NotFound => ToolError::Execution(format!("File not found: {path}")),
            // A link that leads out of a folder is reported by cap-std, and not by the system.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                self.refused(", where a link leads elsewhere")
            }
            ErrorKind::PermissionDenied => {
                ToolError::Execution(format!("Permission denied: {path}"))
            }
            ErrorKind::NotADirectory if self.action == Action::List => {
                self.impossible("it is no directory")
            }
            ErrorKind::NotADirectory => self.impossible("a part of its path is no folder"),
            ErrorKind::IsADirectory => self.impossible(IS_FOLDER),
            ErrorKind::InvalidFilename => self.impossible("a name in it is too long"),
            _ if is_loop(error) => {
                self.impossible("its links lead in a circle, or to what a process has open")
            }
            _ => self.impossible(&error.to_string()),
        }
    }

    /// Why it is not done, though it is allowed.
    pub(super) fn impossible(&self, reason: &str) -> ToolError {
        let done = self.action.done();
        ToolError::Execution(format!("`{}` cannot be {done}: {reason}", self.path))
    }
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
