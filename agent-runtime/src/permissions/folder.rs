//! A folder that was granted.

use crate::error::Error;
#[cfg(feature = "builtin-files")]
use cap_std::{ambient_authority, fs::Dir};
#[cfg(feature = "builtin-files")]
use std::path::Component;
use std::path::{Path, PathBuf};
#[cfg(feature = "builtin-files")]
use std::sync::Arc;

/// A folder that was granted: what its path led to when it was.
#[derive(Clone)]
pub(crate) struct Folder {
    /// Absolute and without links.
    path: PathBuf,
    /// As it was granted, if that can be asked for: paths with `..` are refused, so that a folder
    /// that was granted by one is known by its absolute path alone.
    #[cfg(feature = "builtin-files")]
    written: String,
    #[cfg(feature = "builtin-files")]
    dir: Arc<Dir>,
}

impl Folder {
    pub(super) fn open(written: &str) -> Result<Self, Error> {
        let wrong = |reason: String| {
            Error::configuration(format!(
                "the folder `{written}` cannot be granted: {reason}"
            ))
        };
        let path = Path::new(written)
            .canonicalize()
            .map_err(|error| wrong(error.to_string()))?;
        if !path.is_dir() {
            return Err(wrong("it is no folder".to_owned()));
        }
        Ok(Self {
            #[cfg(feature = "builtin-files")]
            dir: Dir::open_ambient_dir(&path, ambient_authority())
                .map_err(|error| wrong(error.to_string()))?
                .into(),
            #[cfg(feature = "builtin-files")]
            written: if Path::new(written)
                .components()
                .any(|part| part == Component::ParentDir)
            {
                path.display().to_string()
            } else {
                written.to_owned()
            },
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What lies in both this folder and another.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        if self.path.starts_with(&other.path) {
            return Some(self.clone());
        }
        let inner = other.path.strip_prefix(&self.path).ok()?;
        self.inner(inner, other)
    }

    #[cfg(not(feature = "builtin-files"))]
    fn inner(&self, _: &Path, other: &Self) -> Option<Self> {
        Some(other.clone())
    }

    /// Opened from this folder, which is the one that was granted.
    #[cfg(feature = "builtin-files")]
    fn inner(&self, inner: &Path, other: &Self) -> Option<Self> {
        Some(Self {
            dir: Arc::new(self.dir.open_dir(inner).ok()?),
            ..other.clone()
        })
    }

    #[cfg(feature = "builtin-files")]
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    #[cfg(feature = "builtin-files")]
    pub(crate) fn dir(&self) -> &Arc<Dir> {
        &self.dir
    }
}
