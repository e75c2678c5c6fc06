//! A file whose content changes as a whole.

use cap_std::fs::{Dir, File, OpenOptions, Permissions};
#[cfg(unix)]
use cap_std::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};

/// How often another name is tried for the file beside.
const TRIES: usize = 8;

/// Writes a file beside, and puts it in the place of the one of this name, if there is one. Whoever
/// opens it reads the old or the new content, and nothing in between. Gives `false` when the call was
/// stopped before, and then nothing has changed.
pub(super) fn replace(
    folder: &Dir,
    name: &OsStr,
    content: &str,
    permissions: Option<Permissions>,
    is_stopped: impl Fn() -> bool,
) -> io::Result<bool> {
    let (beside, mut file) = Beside::create(folder, permissions.is_some())?;
    file.write_all(content.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(plain(permissions))?;
    }
    file.sync_all()?;
    drop(file);
    if is_stopped() {
        return Ok(false);
    }
    beside.rename(name)?;
    // So that the new name outlives a loss of power. Not every file system can, and then the file is
    // as safe as it gets.
    if let Ok(folder) = folder.open(".") {
        let _ = folder.sync_all();
    }
    Ok(true)
}

/// A file beside the one that is replaced: removed again, unless it comes to its place.
struct Beside<'a> {
    folder: &'a Dir,
    name: String,
    is_there: bool,
}

impl<'a> Beside<'a> {
    /// `is_private` as long as nobody knows who may read it.
    fn create(folder: &'a Dir, is_private: bool) -> io::Result<(Self, File)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if is_private {
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = is_private;
        let mut tries = 0;
        loop {
            tries += 1;
            let name = format!(".{:016x}.part", random());
            match folder.open_with(&name, &options) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < TRIES => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    let is_there = true;
                    let beside = Self {
                        folder,
                        name,
                        is_there,
                    };
                    return Ok((beside, file));
                }
            }
        }
    }

    fn rename(mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, self.folder, name)?;
        self.is_there = false;
        Ok(())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if self.is_there {
            // Best effort: the error that matters is the first one.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// A number that nobody can guess and no other thread has.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Who may read, write and execute it. That it runs as its owner is said of the old content alone.
#[cfg(unix)]
fn plain(permissions: Permissions) -> Permissions {
    Permissions::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn plain(permissions: Permissions) -> Permissions {
    permissions
}
