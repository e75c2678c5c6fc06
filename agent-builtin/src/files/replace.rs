//! Atomic replacement of a file.

use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
#[cfg(unix)]
use cap_std::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};
use std::time::Duration;

/// The maximum number of temporary files of a file.
const MAX_NAMES: u32 = 8;

/// The age of a temporary file whose writer must have been killed.
const MAX_AGE: Duration = Duration::from_secs(600);

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

/// A temporary file.
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
        let (file, name) = with_free_name(&names, |name| folder.open_with(name, &options))?;
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

/// Returns the names of the temporary files of a file. They are the same for each call, so that a call finds
/// what an earlier one left.
fn temporary_names(name: &OsStr) -> impl Iterator<Item = String> {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let hash = hasher.finish();
    (0..MAX_NAMES).map(move |at| format!(".{hash:016x}-{at}.part"))
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
        let is_old = |metadata: &Metadata| {
            let time = metadata.modified().ok();
            let age = time.and_then(|time| time.into_std().elapsed().ok());
            metadata.is_file() && age.is_some_and(|age| age > MAX_AGE)
        };
        if folder
            .symlink_metadata(&name)
            .is_ok_and(|metadata| is_old(&metadata))
        {
            let _ = folder.remove_file(&name);
        }
    }
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
