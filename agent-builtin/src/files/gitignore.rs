//! The `.gitignore` files of granted folders.
//!
//! The crate `ignore` matches the patterns. Its walk is not used, because it opens files by their paths, where a link
//! can lead out of the granted folder.

use super::folder_path::{FolderPath, open_options_nofollow};
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::{self, Read as _};
use std::path::{Component, PathBuf};
use std::rc::Rc;

const FILE_NAME: &str = ".gitignore";

/// The name of a repository in its root. Git ignores the entry itself.
const REPOSITORY: &str = ".git";

/// The maximum size in bytes of the files with patterns in a folder and the folders around it. Anybody, also a model, may
/// have written the files. A walk keeps the compiled patterns of all of them, which take many times their size in memory.
const MAX_SIZE: usize = 512 * 1024;

/// The patterns that apply to a folder.
pub(super) struct Rules {
    patterns: Gitignore,
    /// The patterns of the parent folder; `None` in the root of a repository.
    outer: Option<Rc<Rules>>,
    /// The total size of the `.gitignore` files of this folder and of the folders around it.
    size: usize,
}

impl Rules {
    /// Reads the patterns of the granted folders around a path.
    pub(super) fn around(path: &FolderPath<'_>) -> io::Result<Option<Rc<Self>>> {
        let mut rules = None;
        let mut outer = PathBuf::from(".");
        let mut prefix = String::new();
        for part in path.path().components() {
            if let Component::Normal(name) = part {
                let folder = path.folder().open_dir(&outer)?;
                rules = Some(Self::within(&folder, &prefix, rules)?);
                outer.push(name);
                prefix.push_str(&name.to_string_lossy());
                prefix.push('/');
            }
        }
        Ok(rules)
    }

    /// Reads the patterns of a folder, whose path begins at the granted folder.
    pub(super) fn within(
        folder: &Dir,
        path: &str,
        outer: Option<Rc<Self>>,
    ) -> io::Result<Rc<Self>> {
        let bytes = read(folder)?;
        let size = bytes.len() + outer.as_ref().map_or(0, |outer| outer.size);
        if size > MAX_SIZE {
            return Err(io::Error::other(format!(
                "the files `{FILE_NAME}` around a folder have more than {MAX_SIZE} bytes; without `gitignore` they \
                 are not read"
            )));
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut patterns = GitignoreBuilder::new(path);
        for line in text.lines() {
            // As in git, a pattern that cannot be parsed matches nothing.
            let _ = patterns.add_line(None, &with_literal_braces(line));
        }
        let patterns = patterns.build().map_err(|error| {
            io::Error::other(format!(
                "the patterns of a file `{FILE_NAME}` cannot be matched: {error}; without `gitignore` it is not read"
            ))
        })?;
        let is_repository = folder.symlink_metadata(REPOSITORY).is_ok();
        Ok(Rc::new(Self {
            patterns,
            outer: outer.filter(|_| !is_repository),
            size,
        }))
    }

    /// Whether git ignores an entry of the folder or of a folder below it. The innermost folder with a matching
    /// pattern decides.
    pub(super) fn ignores(&self, path: &str, is_folder: bool) -> bool {
        if path.rsplit('/').next() == Some(REPOSITORY) {
            return true;
        }
        let mut rules = Some(self);
        while let Some(found) = rules {
            match found.patterns.matched(path, is_folder) {
                Match::None => rules = found.outer.as_deref(),
                decided => return decided.is_ignore(),
            }
        }
        false
    }
}

/// Escapes the braces of a pattern, which are ordinary characters for git and alternatives for `ignore`.
fn with_literal_braces(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    for c in pattern.chars() {
        if matches!(c, '{' | '}') && !is_escaped {
            escaped.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        escaped.push(c);
    }
    escaped
}

/// Reads the `.gitignore` of a folder, up to one byte more than [`MAX_SIZE`]. As in git, a `.gitignore`
/// that is a link is not read.
fn read(folder: &Dir) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Ok(file) = folder.open_with(FILE_NAME, open_options_nofollow().read(true)) else {
        return Ok(bytes);
    };
    if file.metadata()?.is_file() {
        file.take(MAX_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
