//! Where a path of the model's leads: a granted folder, and a path beneath it.

use super::open::open_inner_folder;
use agent_runtime::permissions::{FileAccess, GrantedPath};
use agent_runtime::{ToolContext, ToolError};
use cap_std::fs::Dir;
use std::io;
use std::path::Path;

/// A path beneath a granted folder.
pub(super) struct Place<'a> {
    pub(super) asked: GrantedPath<'a>,
    /// The granted folder.
    pub(super) folder: Dir,
}

impl<'a> Place<'a> {
    /// Finds it. A relative path begins at the current folder of the process.
    ///
    /// # Errors
    /// Validation when the path is none, Authorization when it is outside of what is granted.
    pub(super) fn find(
        path: &'a str,
        access: FileAccess,
        context: &'a ToolContext,
    ) -> Result<Self, ToolError> {
        let asked = context.permissions().check_path(path, access)?;
        match open_granted(&asked) {
            Ok(folder) => Ok(Self { asked, folder }),
            Err(error) => Err(super::trouble::failed(&asked, &error)),
        }
    }

    /// The path beneath the folder, without `..`; `.` is the folder itself.
    pub(super) fn inner(&self) -> &Path {
        self.asked.path()
    }

    /// Whether the path can only be that of a folder.
    pub(super) fn says_folder(&self) -> bool {
        let path = self.asked.requested();
        path.ends_with(std::path::is_separator) || Path::new(path).file_name().is_none()
    }
}

/// Opens the granted folder. The path to it had no links when it was granted, so none is followed.
fn open_granted(path: &GrantedPath<'_>) -> io::Result<Dir> {
    let mut folder = Dir::from_std_file(path.handle().try_clone()?);
    for name in path.granted() {
        folder = open_inner_folder(&folder, name)?;
    }
    Ok(folder)
}
