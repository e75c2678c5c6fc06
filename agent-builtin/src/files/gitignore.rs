//! The patterns of `.gitignore` files.

use super::folder_path::{FolderPath, open_options_nofollow};
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::{self, Read as _};
use std::path::{Component, PathBuf};
use std::rc::Rc;

const FILE_NAME: &str = ".gitignore";
const REPOSITORY: &str = ".git";

/// The maximum size of a `.gitignore` file in bytes, because compiling patterns takes memory and time.
const MAX_FILE_SIZE: u64 = 128 * 1024;

/// The patterns of a folder and of the folders around it.
///
/// Paths start at the granted folder and have `/` between names.
pub(super) struct IgnoreRules {
    patterns: Gitignore,
    /// The length of the folder's path with the last `/`.
    prefix_length: usize,
    outer: Option<Rc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Reads the patterns of the granted folders around a path.
    pub(super) fn around(path: &FolderPath<'_>) -> io::Result<Option<Rc<Self>>> {
        let mut rules = None;
        let mut outer = PathBuf::from(".");
        let mut prefix_length = 0;
        for part in path.path().components() {
            if let Component::Normal(name) = part {
                let folder = path.folder().open_dir(&outer)?;
                rules = Some(Self::within(&folder, prefix_length, rules)?);
                outer.push(name);
                prefix_length += name.to_string_lossy().len() + 1;
            }
        }
        Ok(rules)
    }

    /// Reads the patterns of a folder. The rules around it do not apply in the root of a repository.
    pub(super) fn within(
        folder: &Dir,
        prefix_length: usize,
        outer: Option<Rc<Self>>,
    ) -> io::Result<Rc<Self>> {
        let is_repository = folder.symlink_metadata(REPOSITORY).is_ok();
        Ok(Rc::new(Self {
            patterns: read_patterns(folder)?,
            prefix_length,
            outer: outer.filter(|_| !is_repository),
        }))
    }

    /// Whether git ignores a path in the folder. The innermost folder with a matching pattern decides.
    pub(super) fn ignore(&self, path: &str, is_folder: bool) -> bool {
        if path.rsplit('/').next() == Some(REPOSITORY) {
            return true;
        }
        let mut next = Some(self);
        while let Some(rules) = next {
            match rules
                .patterns
                .matched(&path[rules.prefix_length..], is_folder)
            {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = rules.outer.as_deref(),
            }
        }
        false
    }
}

/// Reads the patterns of one folder. As in git, a `.gitignore` that is a link is not read, and an invalid
/// pattern is skipped.
fn read_patterns(folder: &Dir) -> io::Result<Gitignore> {
    let Ok(file) = folder.open_with(FILE_NAME, open_options_nofollow().read(true)) else {
        return Ok(Gitignore::empty());
    };
    if !file.metadata()?.is_file() {
        return Ok(Gitignore::empty());
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(io::Error::other(format!(
            "a file `{FILE_NAME}` has more than {MAX_FILE_SIZE} bytes; without `gitignore` it is not read"
        )));
    }
    let text = String::from_utf8_lossy(&bytes);
    // The root `.` strips nothing from the paths that are matched.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(io::Error::other)
}
