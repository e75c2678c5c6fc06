//! Atomic replacement of a file.

use super::folder_path::open_options_nofollow;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
#[cfg(unix)]
use cap_std::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::ffi::OsStr;
use std::fs::TryLockError;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};

/// The number of names of the temporary files of a file. More writers than this at a time, or folders of these
/// names, leave the last name, which no other process has.
const NAMES: u32 = 8;

/// Writes a temporary file in the folder and renames it to `name`, so that readers see either the old or the
/// new content. The new file gets the owner and the permissions of the `old` one. Returns `false`, with nothing
/// changed, if the call was cancelled before.
pub(super) fn replace(
    folder: &Dir,
    name: &OsStr,
    content: &str,
    old: Option<&Metadata>,
    is_cancelled: impl Fn() -> bool,
) -> io::Result<bool> {
    remove_leftovers(folder, name);
    let mut temporary = TemporaryFile::create(folder, name, old.is_some())?;
    temporary.file.write_all(content.as_bytes())?;
    if let Some(old) = old {
        let keeps_group = keep_owner(&temporary.file, old);
        let permissions = new_permissions(old.permissions(), keeps_group);
        temporary.file.set_permissions(permissions)?;
    }
    temporary.file.sync_all()?;
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

/// A temporary file. It is locked until it is renamed or closed, and the system unlocks the file of a process that
/// was killed: a file without a lock was left, and nobody writes it.
struct TemporaryFile<'a> {
    folder: &'a Dir,
    file: File,
    /// The possible names.
    names: Vec<String>,
    /// The name, if the file has one. It is removed unless the file is renamed.
    name: Option<String>,
}

impl<'a> TemporaryFile<'a> {
    /// Creates the file, without a name where the system can: nothing is left of such a file if the process is
    /// killed. With `is_private`, only the owner can read it until its permissions are set.
    fn create(folder: &'a Dir, name: &OsStr, is_private: bool) -> io::Result<Self> {
        let names: Vec<String> = temporary_names(name).collect();
        if let Some(file) = unnamed_file(folder, is_private) {
            // A new file has no other locks.
            let _ = try_lock(&file);
            return Ok(Self {
                folder,
                file,
                names,
                name: None,
            });
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if is_private {
            options.mode(0o600);
        }
        let (file, name) = with_free_name(&names, |name| {
            let file = folder.open_with(name, &options)?;
            // Another process may have taken the new file for one that was left, before it was locked.
            let is_taken = matches!(try_lock(&file), Err(TryLockError::WouldBlock));
            match !is_taken && is_file_of_name(&file, folder, name) {
                true => Ok(file),
                false => Err(ErrorKind::AlreadyExists.into()),
            }
        })?;
        Ok(Self {
            folder,
            file,
            names,
            name: Some(name),
        })
    }

    fn rename(mut self, to: &OsStr) -> io::Result<()> {
        if self.name.is_none() {
            let (folder, file) = (self.folder, &self.file);
            let ((), name) = with_free_name(&self.names, |name| give_name(folder, file, name))?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            self.folder.rename(name, self.folder, to)?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Best effort: the error that led here is the one to report.
            let _ = self.folder.remove_file(name);
        }
    }
}

/// Returns the names of the temporary files of a file. All but the last are the same for each process, so that a
/// call finds what an earlier one left.
fn temporary_names(name: &OsStr) -> impl Iterator<Item = String> {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let hash = hasher.finish();
    let name = move |at: String| format!(".{hash:016x}-{at}.part");
    let last = format!("p{}", std::process::id());
    (0..NAMES).map(|at| at.to_string()).chain([last]).map(name)
}

/// Makes something with the first name that no file has.
fn with_free_name<T>(
    names: &[String],
    make: impl Fn(&str) -> io::Result<T>,
) -> io::Result<(T, String)> {
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for name in names {
        match make(name) {
            Ok(made) => return Ok((made, name.clone())),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Removes the temporary files of a process that was killed.
fn remove_leftovers(folder: &Dir, name: &OsStr) {
    for name in temporary_names(name) {
        // Opening a pipe of this name would block.
        let metadata = folder.symlink_metadata(&name);
        if !metadata.is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        let Ok(file) = folder.open_with(&name, open_options_nofollow().read(true)) else {
            continue;
        };
        if try_lock(&file).is_ok() && is_file_of_name(&file, folder, &name) {
            let _ = folder.remove_file(&name);
        }
    }
}

fn try_lock(file: &File) -> Result<(), TryLockError> {
    // The copy shares the lock, which lasts until both are closed.
    let copy = file.try_clone().map_err(TryLockError::Error)?;
    copy.into_std().try_lock()
}

/// Whether a file still has its name.
#[cfg(unix)]
fn is_file_of_name(file: &File, folder: &Dir, name: &str) -> bool {
    let (Ok(file), Ok(named)) = (file.metadata(), folder.symlink_metadata(name)) else {
        return false;
    };
    (file.dev(), file.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_file_of_name(_: &File, _: &Dir, _: &str) -> bool {
    true
}

/// Creates a file without a name. Returns `None` if the system or the file system cannot.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Dir, is_private: bool) -> Option<File> {
    use rustix::fs::{Mode, OFlags, openat};
    // A file gets its name through this folder.
    if !std::path::Path::new("/proc/self/fd").exists() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = if is_private { 0o600 } else { 0o666 };
    let file = openat(folder, ".", flags, Mode::from_raw_mode(mode)).ok()?;
    Some(File::from_std(file.into()))
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Dir, _: bool) -> Option<File> {
    None
}

/// Gives a name to a file without one.
#[cfg(target_os = "linux")]
fn give_name(folder: &Dir, file: &File, name: &str) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, open, folder, name, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &Dir, _: &File, _: &str) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Gives a new file the owner and the group of the old one, as far as the process may. Returns whether the new
/// file has the group of the old one.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> bool {
    use std::os::unix::fs::fchown;
    let Ok(new) = file.metadata() else {
        return false;
    };
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
    new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok()
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> bool {
    true
}

/// Returns the permissions without setuid and the like, which were granted to the old content. Another group gets
/// no more than everybody.
#[cfg(unix)]
fn new_permissions(old: Permissions, keeps_group: bool) -> Permissions {
    let mode = old.mode() & 0o777;
    let everybody = mode & 0o007;
    Permissions::from_mode(match keeps_group {
        true => mode,
        false => mode & 0o707 | mode & (everybody << 3),
    })
}

#[cfg(not(unix))]
fn new_permissions(old: Permissions, _: bool) -> Permissions {
    old
}
