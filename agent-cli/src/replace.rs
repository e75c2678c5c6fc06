//! Writing files atomically: readers see the old or the new content, even after a crash.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The number of names of the temporary files beside a file. More runs than this at a time, or folders of these
/// names, leave the last name, which no other process has.
const NAMES: u32 = 8;

/// The maximum number of bytes of the file's name in that of its temporary file.
const MAX_NAME: usize = 200;

/// The reason why a file was not replaced. The file is unchanged.
#[derive(Debug)]
pub(crate) enum ReplaceError {
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
/// text; on Linux, its access control list and the extended attributes of users, too. If they cannot be kept otherwise, the text is written into the file itself, as editors do: the part that
/// needs space first, and the old text is put back after an error.
///
/// # Errors
/// Returns an error if the file cannot be replaced; it is then unchanged.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), ReplaceError> {
    let metadata = fs::metadata(path).map_err(ReplaceError::Io)?;
    if !metadata.is_file() {
        return Err(ReplaceError::NotAFile);
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let path = path.canonicalize().map_err(ReplaceError::Io)?;
    let mut temporary =
        TemporaryFile::create(&path, Access::Owner).map_err(ReplaceError::Temporary)?;
    let kept = keep_owner(&temporary.file, &metadata);
    if kept
        .and_then(|()| keep_attributes(&temporary.file, &path))
        .is_err()
    {
        return write_in_place(&path, text).map_err(ReplaceError::Io);
    }
    temporary
        .write_text(text, &metadata)
        .map_err(ReplaceError::Temporary)?;
    temporary.rename(&path).map_err(ReplaceError::Io)
}

/// Writes a new file. Another file or link of its name is replaced, in which case nothing of the old one is kept.
///
/// # Errors
/// Returns an error if the file cannot be written, or if a directory has its name. Another file is then unchanged.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_leftovers(path);
    let mut temporary = TemporaryFile::create(path, Access::Usual)?;
    temporary.file.write_all(bytes)?;
    temporary.rename(path)
}

/// Writes the text into the file itself.
fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut old = Vec::new();
    file.read_to_end(&mut old)?;
    overwrite(&mut file, &old, text.as_bytes())
}

/// A file that is written in place.
trait Overwritten: Write + Seek {
    fn set_length(&mut self, length: usize) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

impl Overwritten for File {
    fn set_length(&mut self, length: usize) -> io::Result<()> {
        self.set_len(length as u64)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// Replaces the old bytes of a file. After an error, they are put back.
fn overwrite(file: &mut dyn Overwritten, old: &[u8], new: &[u8]) -> io::Result<()> {
    let (start, end) = new.split_at(old.len().min(new.len()));
    // Only the end needs space, so that a full disk is found before the old bytes are touched.
    let mut written = write_at(file, old.len(), end).and_then(|()| file.sync());
    if written.is_ok() {
        written = write_at(file, 0, start)
            .and_then(|()| file.set_length(new.len()))
            .and_then(|()| file.sync());
        if written.is_err() {
            // The first error is reported.
            let _ = write_at(file, 0, old);
        }
    }
    if written.is_err() {
        let _ = file.set_length(old.len());
    }
    written
}

fn write_at(file: &mut dyn Overwritten, at: usize, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at as u64))?;
    file.write_all(bytes)
}

/// A temporary file in the folder of a file, because a rename works within one file system only.
///
/// It is locked until it is renamed or closed, and the system unlocks the file of a process that was killed: a file
/// without a lock was left, and nobody writes it.
struct TemporaryFile {
    file: File,
    /// The possible names.
    names: Vec<PathBuf>,
    /// The name, if the file has one. It is removed unless the file is renamed.
    name: Option<PathBuf>,
}

/// The users who may read a new file.
#[derive(Clone, Copy)]
enum Access {
    /// The owner alone.
    Owner,
    /// All users who may read the new files of this process.
    Usual,
}

impl Access {
    #[cfg(unix)]
    fn mode(self) -> u32 {
        match self {
            Self::Owner => 0o600,
            Self::Usual => 0o666,
        }
    }

    #[cfg(unix)]
    fn set(self, options: &mut OpenOptions) {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(self.mode());
    }

    #[cfg(not(unix))]
    fn set(self, _: &mut OpenOptions) {}
}

impl TemporaryFile {
    /// Creates the file, without a name where the system can: nothing is left of such a file if the process is
    /// killed.
    fn create(path: &Path, access: Access) -> io::Result<Self> {
        let names: Vec<PathBuf> = temporary_names(path).collect();
        if let Some(file) = unnamed_file(path, access) {
            // A new file has no other locks.
            let _ = file.try_lock();
            let name = None;
            return Ok(Self { file, names, name });
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        access.set(&mut options);
        let (file, name) = with_free_name(&names, |name| {
            let file = options.open(name)?;
            // Another process may have taken the new file for one that was left, before it was locked.
            let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            match !is_taken && is_file_of_name(&file, name) {
                true => Ok(file),
                false => Err(ErrorKind::AlreadyExists.into()),
            }
        })?;
        let name = Some(name);
        Ok(Self { file, names, name })
    }

    fn write_text(&mut self, text: &str, metadata: &Metadata) -> io::Result<()> {
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

/// Returns the hidden names of the temporary files of a file. All but the last are the same for each process, so
/// that a run finds what an earlier one left.
fn temporary_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name[..name.floor_char_boundary(MAX_NAME)].to_owned();
    let path = path.to_owned();
    let last = format!("p{}", std::process::id());
    let numbers = (0..NAMES).map(|at| at.to_string()).chain([last]);
    numbers.map(move |at| path.with_file_name(format!(".{name}.{at}.agent.tmp")))
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

/// Removes the temporary files of a process that was killed while it replaced a file.
pub(crate) fn remove_leftovers(path: &Path) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for name in temporary_names(&path) {
        // Opening a pipe of this name would block.
        if !fs::symlink_metadata(&name).is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        let Ok(file) = File::open(&name) else {
            continue;
        };
        if file.try_lock().is_ok() && is_file_of_name(&file, &name) {
            let _ = fs::remove_file(&name);
        }
    }
}

/// Whether a file still has its name.
#[cfg(unix)]
fn is_file_of_name(file: &File, name: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(file), Ok(named)) = (file.metadata(), fs::symlink_metadata(name)) else {
        return false;
    };
    (file.dev(), file.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_file_of_name(_: &File, _: &Path) -> bool {
    true
}

/// Creates a file without a name. Returns `None` if the system or the file system cannot.
#[cfg(target_os = "linux")]
fn unnamed_file(path: &Path, access: Access) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // A file gets its name through this folder.
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = open(path.parent()?, flags, Mode::from_raw_mode(access.mode())).ok()?;
    Some(File::from(file))
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Path, _: Access) -> Option<File> {
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

/// Gives a new file the access control list of the old one, and its extended attributes of users. Those of the system,
/// such as capabilities, were granted to the old text.
#[cfg(target_os = "linux")]
fn keep_attributes(file: &File, old: &Path) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};
    /// The maximum number of bytes of a list of names, and of a value.
    const MAX: usize = 64 << 10;
    let mut names = vec![0; MAX];
    // Many file systems have no attributes.
    let Ok(length) = listxattr(old, &mut names[..]) else {
        return Ok(());
    };
    let is_kept = |name: &&[u8]| name.starts_with(b"user.") || *name == b"system.posix_acl_access";
    for name in names[..length].split(|byte| *byte == 0).filter(is_kept) {
        let mut value = vec![0; MAX];
        let length = getxattr(old, name, &mut value[..])?;
        fsetxattr(file, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_new_file_replaces_whatever_has_its_name() {
        let name = format!("agent-write-new-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let (path, other) = (folder.join("new"), folder.join("other"));
        fs::write(folder.join(".new.0.agent.tmp"), "left by a killed process").expect("a file");
        fs::write(&other, "other").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        for bytes in [&b"first"[..], b"", b"second"] {
            write_new(&path, bytes).expect("it is written");
            assert_eq!(fs::read(&path).expect("a file"), bytes);
            assert!(path.symlink_metadata().expect("a file").is_file());
        }
        assert_eq!(fs::read(&other).expect("a file"), b"other");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
        let read_only = |path: &Path| path.metadata().expect("a file").permissions();
        assert_eq!(read_only(&path), read_only(&other));
        fs::remove_dir_all(folder).expect("the folder is removed");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn extended_attributes_of_users_are_kept() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let path = std::env::temp_dir().join(format!("agent-attributes-{}", std::process::id()));
        fs::write(&path, "old").expect("a file");
        // Not every file system has attributes.
        if setxattr(&path, "user.origin", b"a test", XattrFlags::empty()).is_ok() {
            replace(&path, "new").expect("it is replaced");
            assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
            let mut value = [0; 16];
            let length = getxattr(&path, "user.origin", &mut value[..]).expect("an attribute");
            assert_eq!(&value[..length], b"a test");
        }
        fs::remove_file(&path).expect("a file");
    }

    #[test]
    fn a_shorter_and_a_longer_text_are_written_into_the_file_itself() {
        let path = std::env::temp_dir().join(format!("agent-replace-{}", std::process::id()));
        for text in ["a longer text", "short", "", "again"] {
            fs::write(&path, "the old text").expect("a file");
            write_in_place(&path, text).expect("it is written");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        fs::remove_file(&path).expect("a file");
    }

    /// A file on a disk of limited size, of which some writes fail.
    struct SmallDisk {
        file: Cursor<Vec<u8>>,
        size: u64,
        writes_until_failure: Option<u32>,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.writes_until_failure.take();
            self.writes_until_failure = left.and_then(|left| left.checked_sub(1));
            let space = self.size.saturating_sub(self.file.position()) as usize;
            if left == Some(0) || space == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            // A disk writes what fits.
            self.file.write(&bytes[..bytes.len().min(space)])
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for SmallDisk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    impl Overwritten for SmallDisk {
        fn set_length(&mut self, length: usize) -> io::Result<()> {
            self.file.get_mut().truncate(length);
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_file_keeps_its_text_on_a_full_disk() {
        let old = b"the old text";
        let new = b"a new text that is longer";
        for (size, writes_until_failure) in [(12, None), (20, None), (100, Some(0)), (100, Some(1))]
        {
            let mut disk = SmallDisk {
                file: Cursor::new(old.to_vec()),
                size,
                writes_until_failure,
            };
            let error = overwrite(&mut disk, old, new).expect_err("a full disk");
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            assert_eq!(disk.file.get_ref(), old, "{size} {writes_until_failure:?}");
        }
    }
}
