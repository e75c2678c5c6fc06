//! What `.gitignore` leaves out.

use super::folder_path::Place;
use super::open::options_without_links;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::{self, Read as _};
use std::path::{Component, PathBuf};
use std::rc::Rc;

const PATTERNS: &str = ".gitignore";
const REPOSITORY: &str = ".git";

/// How large a file of patterns may be, in bytes. Making them ready takes memory and time.
const MAX_PATTERNS: u64 = 128 * 1024;

/// The patterns that count in a folder: its own, and those of the folders around it.
///
/// Paths are those from the granted folder on, with `/` between names.
pub(super) struct Rules {
    patterns: Gitignore,
    /// How long the path of the folder is, its last `/` included.
    start: usize,
    around: Option<Rc<Rules>>,
}

impl Rules {
    /// Those of the folders around a place.
    pub(super) fn around(place: &Place<'_>) -> io::Result<Option<Rc<Self>>> {
        let mut rules = None;
        let mut path = PathBuf::from(".");
        let mut start = 0;
        for part in place.inner().components() {
            if let Component::Normal(name) = part {
                let folder = place.folder.open_dir(&path)?;
                rules = Some(Self::within(&folder, start, rules)?);
                path.push(name);
                start += name.to_string_lossy().len() + 1;
            }
        }
        Ok(rules)
    }

    /// Those of a folder, and of what is around it. A repository knows nothing of what is around it.
    pub(super) fn within(
        folder: &Dir,
        start: usize,
        around: Option<Rc<Self>>,
    ) -> io::Result<Rc<Self>> {
        let is_repository = folder.symlink_metadata(REPOSITORY).is_ok();
        Ok(Rc::new(Self {
            patterns: patterns_of(folder)?,
            start,
            around: around.filter(|_| !is_repository),
        }))
    }

    /// Whether git ignores what lies in the folder. The innermost folder that says something of it
    /// decides.
    pub(super) fn ignore(&self, path: &str, is_folder: bool) -> bool {
        if path.rsplit('/').next() == Some(REPOSITORY) {
            return true;
        }
        let mut next = Some(self);
        while let Some(rules) = next {
            match rules.patterns.matched(&path[rules.start..], is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = rules.around.as_deref(),
            }
        }
        false
    }
}

/// The patterns of one folder. As with git, a link is none, and what is no pattern says nothing.
fn patterns_of(folder: &Dir) -> io::Result<Gitignore> {
    let Ok(file) = folder.open_with(PATTERNS, options_without_links().read(true)) else {
        return Ok(Gitignore::empty());
    };
    if !file.metadata()?.is_file() {
        return Ok(Gitignore::empty());
    }
    let mut bytes = Vec::new();
    file.take(MAX_PATTERNS + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_PATTERNS {
        return Err(io::Error::other(format!(
            "a file `{PATTERNS}` has more than {MAX_PATTERNS} bytes; without `gitignore` it is not read"
        )));
    }
    let text = String::from_utf8_lossy(&bytes);
    // Of the folder `.` nothing is taken off the paths.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(io::Error::other)
}
