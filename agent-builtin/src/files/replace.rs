//! Atomic replacement of a file.

use cap_std::fs::{Dir, File, OpenOptions, Permissions};
#[cfg(unix)]
use cap_std::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};

/// The number of names that are tried for the temporary file.
const TRIES: usize = 8;

/// Writes a temporary file in the folder and renames it to `name`, so that readers see either the old or the
/// new content. Returns `false`, with nothing changed, if the call was cancelled before.
pub(super) fn replace(
    folder: &Dir,
    name: &OsStr,
    content: &str,
    permissions: Option<Permissions>,
    is_cancelled: impl Fn() -> bool,
) -> io::Result<bool> {
    let (temporary, mut file) = TemporaryFile::create(folder, permissions.is_some())?;
    file.write_all(content.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(without_special_bits(permissions))?;
    }
    file.sync_all()?;
    drop(file);
    if is_cancelled() {
        return Ok(false);
    }
    temporary.rename(name)?;
    // So that the new name survives a loss of power, on file systems that support it.
    if let Ok(folder) = folder.open(".") {
        let _ = folder.sync_all();
    }
    Ok(true)
}

/// A temporary file, which is removed unless it is renamed.
struct TemporaryFile<'a> {
    folder: &'a Dir,
    name: String,
    exists: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Creates the file. With `is_private`, only the owner can read it until its permissions are set.
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
                    let temporary = Self {
                        folder,
                        name,
                        exists: true,
                    };
                    return Ok((temporary, file));
                }
            }
        }
    }

    fn rename(mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, self.folder, name)?;
        self.exists = false;
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if self.exists {
            // Best effort: the error that led here is the one to report.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// Returns a random number, so that names do not collide.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns the permissions without setuid and the like, which were granted to the old content.
#[cfg(unix)]
fn without_special_bits(permissions: Permissions) -> Permissions {
    Permissions::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn without_special_bits(permissions: Permissions) -> Permissions {
    permissions
}
