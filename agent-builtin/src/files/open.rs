//! Opening files and folders, and looking at what was opened before anything is done with it.

use super::folder_path::Place;
use super::kind::{MADE_UP, is_made_up, not_a_file};
use super::trouble::SAYS_FOLDER;
use agent_runtime::ToolError;
#[cfg(unix)]
use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
#[cfg(unix)]
use cap_std::fs::OpenOptionsExt as _;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

impl Place<'_> {
    /// Opens a regular file to read it.
    pub(super) fn open_file(&self) -> Result<(File, Metadata), ToolError> {
        let failed = |error: io::Error| self.failed(&error);
        if self.says_folder() {
            return Err(self.impossible(SAYS_FOLDER));
        }
        // Opening a device can already do something, so it is looked at first.
        let metadata = self.folder.metadata(self.inner()).map_err(failed)?;
        self.refuse_special(&metadata)?;
        let file = self
            .folder
            .open_with(self.inner(), options().read(true))
            .map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        // Something else may have come to its place.
        self.refuse_special(&metadata)?;
        self.refuse_made_up(is_made_up(&file))?;
        Ok((file, metadata))
    }

    /// Opens the folder to list it.
    pub(super) fn open_folder(&self) -> Result<Dir, ToolError> {
        let dir = self.folder.open_dir(self.inner());
        let dir = dir.map_err(|error| self.failed(&error))?;
        self.refuse_made_up(is_made_up(&dir))?;
        Ok(dir)
    }

    pub(super) fn refuse_special(&self, metadata: &Metadata) -> Result<(), ToolError> {
        match not_a_file(metadata) {
            Some(reason) => Err(self.impossible(reason)),
            None => Ok(()),
        }
    }

    pub(super) fn refuse_made_up(&self, is_made_up: io::Result<bool>) -> Result<(), ToolError> {
        match is_made_up {
            Ok(false) => Ok(()),
            Ok(true) => Err(self.impossible(MADE_UP)),
            Err(error) => Err(self.failed(&error)),
        }
    }
}

/// Options with which opening waits for nobody, such as the other end of a pipe, and makes no
/// terminal that of this process.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options
        .nonblock(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits() as i32);
    options
}

/// Those with which a link is not followed, besides.
pub(super) fn options_without_links() -> OpenOptions {
    let mut options = options();
    options.follow(FollowSymlinks::No);
    options
}

/// Opens a folder in another one, if it is no link.
pub(super) fn open_inner_folder(folder: &Dir, name: impl AsRef<Path>) -> io::Result<Dir> {
    cap_fs_ext::DirExt::open_dir_nofollow(folder, name)
}
