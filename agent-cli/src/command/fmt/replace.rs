//! Replacing a file atomically.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum number of temporary files beside a file.
const MAX_NAMES: u32 = 8;

/// The age of a temporary file whose writer must have been killed.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The maximum number of bytes of the file's name in that of its temporary file.
const MAX_NAME: usize = 200;

/// The reason why a file was not replaced. The file is unchanged.
#[derive(Debug)]
pub(super) enum ReplaceError {
    /// The file is read-only.
    ReadOnly,
    /// The path is a pipe or device.
    NotAFile,
    /// The temporary file could not be written.
    Temporary(io::Error),
    /// Another input or output error.
    Io(io::Error),
}

/// Replaces the text of a file. The text is written to a temporary file, which is then renamed, so that readers
/// see the old or the new text, even after a crash. For a symbolic link, the target is replaced.
///
/// The file keeps its owner and its permissions, apart from setuid and the like, which were granted to the old
/// text. If the owner cannot be kept otherwise, the text is written into the file itself, as editors do.
///
/// # Errors
/// Returns an error if the file cannot be replaced; it is then unchanged.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ReplaceError> {
    let metadata = fs::metadata(path).map_err(ReplaceError::Io)?;
    if !metadata.is_file() {
        return Err(ReplaceError::NotAFile);
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let path = path.canonicalize().map_err(ReplaceError::Io)?;
    remove_leftovers(&path);
    let mut temporary = TemporaryFile::create(&path).map_err(ReplaceError::Temporary)?;
    if keep_owner(&temporary.file, &metadata).is_err() {
        return write_in_place(&path, text).map_err(ReplaceError::Io);
    }
    temporary
        .write(text, &metadata)
        .map_err(ReplaceError::Temporary)?;
    temporary.rename(&path).map_err(ReplaceError::Io)
}

/// Writes the text into the file itself.
fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A temporary file in the folder of a file, because a rename works within one file system only.
struct TemporaryFile {
    file: File,
    /// The possible names.
    names: Vec<PathBuf>,
    /// The name, if the file has one. It is removed unless the file is renamed.
    name: Option<PathBuf>,
}

impl TemporaryFile {
    /// Creates the file, without a name where the system can: nothing is left of such a file if the process is
    /// killed.
    fn create(path: &Path) -> io::Result<Self> {
        let names: Vec<PathBuf> = temporary_names(path).collect();
        if let Some(file) = unnamed_file(path) {
            let name = None;
            return Ok(Self { file, names, name });
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let (file, name) = with_free_name(&names, |name| options.open(name))?;
        let name = Some(name);
        Ok(Self { file, names, name })
    }

    fn write(&mut self, text: &str, metadata: &Metadata) -> io::Result<()> {
        self.file.set_permissions(permissions(metadata))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        if self.name.is_none() {
            let file = &self.file;
            let ((), name) = with_free_name(&self.names, |name| give_name(file, name))?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            fs::rename(name, path)?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The first error is reported.
            let _ = fs::remove_file(name);
        }
    }
}

/// Returns the hidden names of the temporary files of a file.
fn temporary_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name[..name.floor_char_boundary(MAX_NAME)].to_owned();
    let path = path.to_owned();
    (0..MAX_NAMES).map(move |at| path.with_file_name(format!(".{name}.{at}.agent-fmt.tmp")))
}

/// Makes something with the first name that no file has.
fn with_free_name<T>(
    names: &[PathBuf],
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, PathBuf)> {
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
fn remove_leftovers(path: &Path) {
    for name in temporary_names(path) {
        let is_old = |metadata: &Metadata| {
            let age = metadata
                .modified()
                .ok()
                .and_then(|time| time.elapsed().ok());
            metadata.is_file() && age.is_some_and(|age| age > MAX_AGE)
        };
        if fs::symlink_metadata(&name).is_ok_and(|metadata| is_old(&metadata)) {
            let _ = fs::remove_file(&name);
        }
    }
}

/// Creates a file without a name. Returns `None` if the system or the file system cannot.
#[cfg(target_os = "linux")]
fn unnamed_file(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // A file gets its name through this folder.
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = open(path.parent()?, flags, Mode::RUSR | Mode::WUSR).ok()?;
    Some(File::from(file))
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Path) -> Option<File> {
    None
}

/// Gives a name to a file without one.
#[cfg(target_os = "linux")]
fn give_name(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Gives a new file the owner and the group of the old one.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    let changed = |new: u32, old: u32| (new != old).then_some(old);
    let (owner, group) = (changed(new.uid(), old.uid()), changed(new.gid(), old.gid()));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(file, owner, group)
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns the permissions of the old file without setuid and the like.
#[cfg(unix)]
fn permissions(old: &Metadata) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(old.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn permissions(old: &Metadata) -> fs::Permissions {
    old.permissions()
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => out.write_str("it is read-only"),
            Self::NotAFile => out.write_str(
                "it is no regular file; give its text on standard input, with the name `-`",
            ),
            Self::Temporary(error) => write!(
                out,
                "its new text, which is written to a file beside it first, could not be: {error}"
            ),
            Self::Io(error) => write!(out, "{error}"),
        }
    }
}
