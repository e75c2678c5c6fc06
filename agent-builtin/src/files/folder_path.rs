//! Paths beneath open granted folders.

use agent_tool::permissions::{FileAccess, GrantedPath};
use agent_tool::{ToolContext, ToolError};
#[cfg(unix)]
use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::io::{self, ErrorKind};
use std::path::Path;

/// A path that a tool may access, and the open granted folder that contains it.
pub(super) struct FolderPath<'a> {
    granted: GrantedPath<'a>,
    folder: Dir,
}

impl<'a> FolderPath<'a> {
    /// Checks the path of a call, and opens the granted folder.
    ///
    /// # Errors
    /// The errors of [`Permissions::check_path`](agent_tool::Permissions::check_path), or an error when the
    /// folder cannot be opened.
    pub(super) fn open(
        path: &'a str,
        access: FileAccess,
        context: &'a ToolContext,
    ) -> Result<Self, ToolError> {
        let granted = context.permissions().check_path(path, access)?;
        match open_granted_folder(&granted) {
            Ok(folder) => Ok(Self { granted, folder }),
            Err(error) => Err(io_error(&granted, &error)),
        }
    }

    /// The granted folder.
    pub(super) fn folder(&self) -> &Dir {
        &self.folder
    }

    /// The path beneath the folder, without `..`; `.` is the folder itself.
    pub(super) fn path(&self) -> &Path {
        self.granted.path()
    }

    /// Whether the requested path can only be that of a folder.
    pub(super) fn names_folder(&self) -> bool {
        let path = self.granted.requested();
        path.ends_with(std::path::is_separator) || Path::new(path).file_name().is_none()
    }

    /// Opens a regular file for reading.
    pub(super) fn open_file(&self) -> Result<(File, Metadata), ToolError> {
        let failed = |error: io::Error| self.io_error(&error);
        if self.names_folder() {
            return Err(self.failure(NAMES_FOLDER));
        }
        // Checked before opening as well, because opening a device can have effects.
        let metadata = self.folder.metadata(self.path()).map_err(failed)?;
        self.check_regular(&metadata)?;
        let file = self
            .folder
            .open_with(self.path(), open_options().read(true))
            .map_err(failed)?;
        // Another file may have replaced the checked file before it was opened.
        let metadata = file.metadata().map_err(failed)?;
        self.check_regular(&metadata)?;
        self.check_not_virtual(&file)?;
        Ok((file, metadata))
    }

    /// Opens a folder for listing.
    pub(super) fn open_folder(&self) -> Result<Dir, ToolError> {
        let folder = self.folder.open_dir(self.path());
        let folder = folder.map_err(|error| self.io_error(&error))?;
        self.check_not_virtual(&folder)?;
        Ok(folder)
    }

    /// Checks that the metadata is that of a regular file.
    pub(super) fn check_regular(&self, metadata: &Metadata) -> Result<(), ToolError> {
        let kind = metadata.file_type();
        if kind.is_file() {
            Ok(())
        } else if kind.is_dir() {
            Err(self.failure(IS_FOLDER))
        } else if kind.is_symlink() {
            Err(self.failure("it is a link; name the file that it leads to"))
        } else {
            Err(self.failure(special_file(kind)))
        }
    }

    /// Checks that an open file or folder is not on a virtual file system.
    pub(super) fn check_not_virtual(&self, opened: &impl OpenFile) -> Result<(), ToolError> {
        match is_virtual(opened) {
            Ok(false) => Ok(()),
            Ok(true) => Err(self.failure("it is on a virtual file system such as /proc")),
            Err(error) => Err(self.io_error(&error)),
        }
    }

    /// Converts an error of the system into the error that the model reads.
    pub(super) fn io_error(&self, error: &io::Error) -> ToolError {
        io_error(&self.granted, error)
    }

    /// Returns the error for a permitted access that fails.
    pub(super) fn failure(&self, reason: &str) -> ToolError {
        failure(&self.granted, reason)
    }
}

/// The reason for a folder that is read or written as a file.
pub(super) const IS_FOLDER: &str = "it is a folder";

/// The reason for a path that ends with `/` and is read or written as a file.
pub(super) const NAMES_FOLDER: &str = "its path is that of a folder";

/// Opens the granted folder. No link is followed, because the path contained no links when it was granted.
fn open_granted_folder(path: &GrantedPath<'_>) -> io::Result<Dir> {
    let mut folder = Dir::from_std_file(path.handle().try_clone()?);
    for name in path.granted() {
        folder = open_folder_nofollow(&folder, name)?;
    }
    Ok(folder)
}

fn io_error(path: &GrantedPath<'_>, error: &io::Error) -> ToolError {
    let requested = path.requested();
    match error.kind() {
        ErrorKind::NotFound if path.access() == FileAccess::List => {
            ToolError::Execution(format!("Directory not found: {requested}"))
        }
        ErrorKind::NotFound => ToolError::Execution(format!("File not found: {requested}")),
        // Not an error of the system: cap-std found a link that leads out of the folder.
        ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            path.refusal(", where a link leads elsewhere")
        }
        ErrorKind::PermissionDenied => {
            ToolError::Execution(format!("Permission denied: {requested}"))
        }
        ErrorKind::NotADirectory if path.access() == FileAccess::List => {
            failure(path, "it is not a directory")
        }
        ErrorKind::NotADirectory => failure(path, "a part of its path is not a folder"),
        ErrorKind::IsADirectory => failure(path, IS_FOLDER),
        ErrorKind::InvalidFilename => failure(path, "a name in it is too long"),
        _ if is_loop(error) => failure(
            path,
            "its links form a cycle, or lead to a file that a process has open",
        ),
        _ => failure(path, &error.to_string()),
    }
}

fn failure(path: &GrantedPath<'_>, reason: &str) -> ToolError {
    let verb = match path.access() {
        FileAccess::List => "listed",
        FileAccess::Write => "written",
        _ => "read",
    };
    let requested = path.requested();
    ToolError::Execution(format!("`{requested}` cannot be {verb}: {reason}"))
}

/// Options with which opening does not block, for example on a pipe, and does not give the process a
/// controlling terminal.
pub(super) fn open_options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has these options"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options
        .nonblock(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits() as i32);
    options
}

/// The options of [`open_options`], without following a link.
pub(super) fn open_options_nofollow() -> OpenOptions {
    let mut options = open_options();
    options.follow(FollowSymlinks::No);
    options
}

/// Opens a folder in another folder, unless it is a link.
pub(super) fn open_folder_nofollow(folder: &Dir, name: impl AsRef<Path>) -> io::Result<Dir> {
    cap_fs_ext::DirExt::open_dir_nofollow(folder, name)
}

#[cfg(unix)]
fn special_file(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "it is a pipe and not a regular file"
    } else if kind.is_socket() {
        "it is a socket and not a regular file"
    } else if kind.is_block_device() || kind.is_char_device() {
        "it is a device and not a regular file"
    } else {
        "it is not a regular file"
    }
}

#[cfg(not(unix))]
fn special_file(_: FileType) -> &'static str {
    "it is not a regular file"
}

#[cfg(target_os = "linux")]
pub(super) use std::os::fd::AsFd as OpenFile;

/// Whether an open file is on a virtual file system, whose contents the system creates. Reading such a file
/// can reveal secrets of other processes or never end, and writing it can have any effect.
#[cfg(target_os = "linux")]
pub(super) fn is_virtual(opened: &impl OpenFile) -> io::Result<bool> {
    // From `include/uapi/linux/magic.h` of Linux.
    const VIRTUAL: [u32; 20] = [
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x7363_6673, // securityfs
        0x6265_6570, // configfs
        0x27_e0eb,   // cgroup
        0x6367_7270, // cgroup2
        0xcafe_4a11, // bpf
        0x1cd1,      // devpts
        0xde5e_81e4, // efivarfs
        0x6165_676c, // pstore
        0xf97c_ff8c, // selinux
        0x4341_5d53, // smack
        0x4249_4e4d, // binfmt_misc
        0x6e73_6673, // namespaces
        0x5049_5045, // pipes
        0x534f_434b, // sockets
        0x1980_0202, // message queues
        0x6573_5543, // control of fuse
    ];
    let magic = rustix::fs::fstatfs(opened)?.f_type;
    // The type of the field depends on the processor; its lower 32 bits are the number.
    Ok(VIRTUAL.contains(&(magic as u32)))
}

#[cfg(not(target_os = "linux"))]
pub(super) trait OpenFile {}

#[cfg(not(target_os = "linux"))]
impl<T> OpenFile for T {}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_virtual(_: &impl OpenFile) -> io::Result<bool> {
    Ok(false)
}

/// Whether a path has too many links, or a link in `/proc` that cannot be followed. `ErrorKind` has no
/// stable variant for this error.
#[cfg(unix)]
pub(super) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
pub(super) fn is_loop(_: &io::Error) -> bool {
    false
}
