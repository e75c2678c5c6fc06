//! Granted folders.

use crate::error::Error;
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
