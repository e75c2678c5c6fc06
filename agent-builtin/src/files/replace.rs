//! Atomic replacement of a file.

use cap_std::fs::{Dir, File, Metadata};
use cap_tempfile::TempFile;
use std::ffi::OsStr;
use std::io::{self, Write as _};

/// Writes a temporary file in the folder and renames it to `name`, so that readers see either the old or the
/// new content. The new file gets the owner and the permissions of the `old` one. Returns `false`, with
/// nothing changed, if the call is cancelled before the rename.
pub(super) fn replace(
    folder: &Dir,
    name: &OsStr,
    content: &str,
    old: Option<&Metadata>,
    is_cancelled: impl Fn() -> bool,
) -> io::Result<bool> {
    let mut temporary = TempFile::new(folder)?;
    if let Some(old) = old {
        keep_access(temporary.as_file(), old)?;
    }
    temporary.write_all(content.as_bytes())?;
    temporary.as_file().sync_all()?;
    if is_cancelled() {
        return Ok(false);
    }
    temporary.replace(name)?;
    // Synced, so that the new name survives a loss of power, on file systems that support it.
    if let Ok(folder) = folder.open(".") {
        let _ = folder.sync_all();
    }
    Ok(true)
}

/// Gives a new file the permissions of the old one, and its owner and its group as far as the process may. Setuid and
/// setgid are left out, because they were granted to the old content. If the group cannot be kept, no group may access
/// the file, because the permissions of the old group would hold for the group of the process.
#[cfg(unix)]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    use cap_std::fs::{MetadataExt as _, Permissions, PermissionsExt as _};
    use std::os::unix::fs::fchown;
    let _ = fchown(file, Some(old.uid()), None);
    let kept = match fchown(file, None, Some(old.gid())) {
        Ok(()) => 0o777,
        Err(_) => 0o707,
    };
    file.set_permissions(Permissions::from_mode(old.mode() & kept))
}

#[cfg(not(unix))]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
