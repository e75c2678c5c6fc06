//! Granted folders, and resolving the paths of requests to them.

use super::refusal;
use crate::error::Error;
use crate::tool_error::ToolError;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A granted folder.
#[derive(Clone)]
pub(super) struct Folder {
    location: Location,
    /// The folder that the host granted, which is this folder or contains it.
    handle: Arc<File>,
    /// The path of this folder beneath `handle`, without links: empty unless the grant was narrowed.
    beneath: PathBuf,
}

/// The paths of a folder.
#[derive(Clone)]
pub(super) struct Location {
    /// The absolute path without links.
    path: PathBuf,
    /// The path as the grant spells it; the absolute path when the grant contains `..`, because requests
    /// with `..` are refused.
    written: String,
}

impl Folder {
    /// Opens the folder of a grant.
    pub(super) fn open(written: &str) -> Result<Self, Error> {
        let location = Self::find(written)?;
        let handle =
            open_folder(&location.path).map_err(|error| cannot_be_granted(written, &error))?;
        Ok(Self {
            location,
            handle: Arc::new(handle),
            beneath: PathBuf::new(),
        })
    }

    /// Finds the folder of a grant without opening it.
    pub(super) fn find(written: &str) -> Result<Location, Error> {
        let given = Path::new(written);
        let path = given
            .canonicalize()
            .map_err(|error| cannot_be_granted(written, &error))?;
        if !path.is_dir() {
            return Err(cannot_be_granted(written, &"it is no folder"));
        }
        let has_parent = given.components().any(|part| part == Component::ParentDir);
        let written = match has_parent {
            true => path.display().to_string(),
            false => written.to_owned(),
        };
        Ok(Location { path, written })
    }

    /// The part of this folder that a grant at another location covers. It is opened through this folder's
    /// handle, so that a path that changes later never leads out of this folder.
    pub(super) fn narrowed(&self, other: &Location) -> Option<Self> {
        if self.path().starts_with(&other.path) {
            return Some(self.clone());
        }
        let inner = other.path.strip_prefix(self.path()).ok()?;
        Some(Self {
            location: other.clone(),
            handle: Arc::clone(&self.handle),
            beneath: self.beneath.join(inner),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.location.path
    }

    pub(super) fn written(&self) -> &str {
        &self.location.written
    }

    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    pub(super) fn beneath(&self) -> &Path {
        &self.beneath
    }
}

fn cannot_be_granted(written: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::configuration(format!(
        "the folder `{written}` cannot be granted: {reason}"
    ))
}

fn open_folder(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        /// Windows opens a folder only with this flag.
        const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
        options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    }
    options.open(path)
}

/// The maximum length of a path in bytes, as on Linux. A model can write a path of megabytes, which each refusal would
/// repeat.
const MAX_PATH: usize = 4096;

/// The kind of access to a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileAccess {
    /// Reading a file.
    Read,
    /// Listing a folder, which needs the grant for reading.
    List,
    /// Writing a file.
    Write,
}

impl FileAccess {
    const fn verb(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::List => "listing",
            Self::Write => "writing",
        }
    }

    const fn grant(self) -> &'static str {
        match self {
            Self::Read | Self::List => "reading",
            Self::Write => "writing",
        }
    }
}

/// A path that the permissions cover, from [`Permissions::check_path`](super::Permissions::check_path).
///
/// The path must be opened through [`handle`](Self::handle), with `openat2`, `cap_std` or the like:
/// first [`granted`](Self::granted) without following links, then [`path`](Self::path), whose links
/// must not lead out of the granted folder. A tool that opens a joined path by name can be led
/// anywhere by a link.
///
/// ```
/// use agent_runtime::permissions::FileAccess;
/// use agent_runtime::{Grants, Permissions};
///
/// let permissions = Permissions::new(&Grants::new().read("."))?;
/// let path = permissions.check_path("src/lib.rs", FileAccess::Read).unwrap();
/// assert_eq!(path.path(), std::path::Path::new("src/lib.rs"));
/// assert!(path.handle().metadata().unwrap().is_dir());
/// assert!(permissions.check_path("../README.md", FileAccess::Read).is_err());
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct GrantedPath<'a> {
    requested: &'a str,
    access: FileAccess,
    folders: &'a [Folder],
    folder: &'a Folder,
    path: PathBuf,
}

impl<'a> GrantedPath<'a> {
    pub(super) fn resolve(
        requested: &'a str,
        access: FileAccess,
        folders: &'a [Folder],
    ) -> Result<Self, ToolError> {
        check_text(requested)?;
        // If a folder of the path is a link, `..` is not the folder before it in the path.
        if has_parent(Path::new(requested)) {
            let reason = ", a path with `..`";
            return Err(path_refusal(requested, access, folders, reason));
        }
        let current = std::env::current_dir().unwrap_or_default();
        let absolute = normalized(&current.join(requested));
        // The narrowest folder determines the real path, because its own path may contain a link that must
        // not be followed from within a wider folder.
        let narrowest = folders
            .iter()
            .filter_map(|folder| Some((folder, beneath(folder, &current, &absolute)?)))
            .min_by_key(|(_, inner)| inner.components().count());
        let Some((folder, inner)) = narrowest else {
            return Err(path_refusal(requested, access, folders, ""));
        };
        // The widest folder that contains the real path is used, so that links may lead to everything that
        // is granted around it.
        let real = folder.path().join(inner);
        let widest = folders
            .iter()
            .filter_map(|folder| Some((folder, real.strip_prefix(folder.path()).ok()?)))
            .max_by_key(|(_, inner)| inner.components().count());
        let (folder, inner) = widest.unwrap_or((folder, inner));
        let path = match inner.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => inner.to_owned(),
        };
        Ok(Self {
            requested,
            access,
            folders,
            folder,
            path,
        })
    }

    /// The path as it was requested.
    #[must_use]
    pub fn requested(&self) -> &'a str {
        self.requested
    }

    /// The access that was checked.
    #[must_use]
    pub fn access(&self) -> FileAccess {
        self.access
    }

    /// The open folder that the host granted.
    #[must_use]
    pub fn handle(&self) -> &'a File {
        self.folder.handle()
    }

    /// The path of the granted folder beneath [`handle`](Self::handle): empty, or the folder to which the
    /// agent's own grants narrow it. A link in this path was created after the grant and must not be
    /// followed.
    #[must_use]
    pub fn granted(&self) -> &'a Path {
        self.folder.beneath()
    }

    /// The requested path beneath the granted folder, without `..`; `.` is the granted folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the Authorization error for this path, for a reason that shows only when it is opened, such
    /// as `", where a link leads elsewhere"`.
    #[must_use]
    pub fn refusal(&self, reason: &str) -> ToolError {
        path_refusal(self.requested, self.access, self.folders, reason)
    }
}

impl fmt::Debug for GrantedPath<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GrantedPath")
            .field("requested", &self.requested)
            .field("access", &self.access)
            .field("folder", &self.folder.path())
            .field("path", &self.path)
            .finish()
    }
}

fn path_refusal(path: &str, access: FileAccess, folders: &[Folder], reason: &str) -> ToolError {
    let request = format!("{} `{path}`{reason}", access.verb());
    let granted: Vec<&str> = folders.iter().map(Folder::written).collect();
    refusal(&request, access.grant(), &granted)
}

fn check_text(path: &str) -> Result<(), ToolError> {
    let reason = if path.is_empty() {
        "the path is empty; `.` is the current folder".to_owned()
    } else if path.contains('\0') {
        "a path has no NUL characters".to_owned()
    } else if path.len() > MAX_PATH {
        let length = path.len();
        format!("the path is {length} bytes long; at most {MAX_PATH} are possible")
    } else {
        return Ok(());
    };
    Err(ToolError::Validation(reason))
}

fn has_parent(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// The path without `.` and doubled separators.
fn normalized(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The part of an absolute path beneath a folder, by the real path of the folder or by the path of its
/// grant, whichever leaves the shorter part.
fn beneath<'p>(folder: &Folder, current: &Path, absolute: &'p Path) -> Option<&'p Path> {
    let written = normalized(&current.join(folder.written()));
    [folder.path(), &written]
        .into_iter()
        .filter_map(|around| absolute.strip_prefix(around).ok())
        .min_by_key(|inner| inner.components().count())
}
