//! Where a path of the model's leads: a granted folder, and a path beneath it.

use crate::context::ToolContext;
use crate::granted::{Folder, refused};
use crate::tool::ToolError;
use cap_std::fs::Dir;
use std::path::{Component, Path, PathBuf};

/// How long a path may be, in bytes: what Linux takes.
const MAX_PATH: usize = 4096;

/// What is done at a place. Each counts as reading or as writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Read,
    List,
    Write,
}

impl Action {
    const fn doing(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::List => "listing",
            Self::Write => "writing",
        }
    }

    const fn granted_for(self) -> &'static str {
        match self {
            Self::Read | Self::List => "reading",
            Self::Write => "writing",
        }
    }

    /// What was not done, in a sentence about the place.
    pub(super) const fn done(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "listed",
            Self::Write => "written",
        }
    }
}

/// Where a path of the model's leads.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// As the model wrote it.
    pub(super) path: &'a str,
    pub(super) action: Action,
    granted: &'a [Folder],
}

/// A path beneath a granted folder.
pub(super) struct Place<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) folder: &'a Dir,
    /// Without `..`; `.` is the folder itself.
    pub(super) inner: PathBuf,
}

impl<'a> Place<'a> {
    /// Finds it. A relative path begins at the current folder of the process.
    ///
    /// # Errors
    /// Validation when the path is none, Authorization when it is outside of what is granted.
    pub(super) fn find(
        path: &'a str,
        action: Action,
        context: &'a ToolContext,
    ) -> Result<Self, ToolError> {
        check_text(path)?;
        let granted = match action {
            Action::Read | Action::List => context.granted().readable(),
            Action::Write => context.granted().writable(),
        };
        let asked = Asked {
            path,
            action,
            granted,
        };
        // A path through `..` means something else as soon as a folder on the way is a link.
        if has_parent(Path::new(path)) {
            return Err(asked.refused(", a path with `..`"));
        }
        let here = std::env::current_dir().unwrap_or_default();
        let absolute = plain(&here.join(path));
        // The narrowest that covers it knows best where the path leads: what was granted may be a link
        // that another folder holds and must not follow.
        let found = granted
            .iter()
            .filter_map(|folder| Some((folder, beneath(folder, &here, &absolute)?)))
            .min_by_key(|(_, inner)| inner.components().count());
        let Some((folder, inner)) = found else {
            return Err(asked.refused(""));
        };
        // The widest around that: a link may then lead to all that is granted around it.
        let led = folder.path().join(inner);
        let widest = granted
            .iter()
            .filter_map(|folder| Some((folder, led.strip_prefix(folder.path()).ok()?)))
            .max_by_key(|(_, inner)| inner.components().count());
        let (folder, inner) = widest.unwrap_or((folder, inner));
        let inner = if inner.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            inner.to_owned()
        };
        let folder = folder.dir();
        Ok(Self {
            asked,
            folder,
            inner,
        })
    }

    /// Whether the path can only be that of a folder.
    pub(super) fn says_folder(&self) -> bool {
        let path = self.asked.path;
        path.ends_with(std::path::is_separator) || Path::new(path).file_name().is_none()
    }
}

impl Asked<'_> {
    /// That it is not allowed, `because` of something besides what is granted.
    pub(super) fn refused(&self, because: &str) -> ToolError {
        let asked = format!("{} `{}`{because}", self.action.doing(), self.path);
        let granted: Vec<&str> = self.granted.iter().map(Folder::written).collect();
        refused(&asked, self.action.granted_for(), &granted)
    }
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
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The path within a folder, which is known by what it is and by how it was granted: the shorter, when
/// it is within both.
fn beneath<'p>(folder: &Folder, here: &Path, absolute: &'p Path) -> Option<&'p Path> {
    let written = plain(&here.join(folder.written()));
    [folder.path(), &written]
        .into_iter()
        .filter_map(|around| absolute.strip_prefix(around).ok())
        .min_by_key(|inner| inner.components().count())
}
