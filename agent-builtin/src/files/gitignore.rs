//! The patterns of `.gitignore` files.
//!
//! The patterns are matched as they are written, and not compiled, because what they compile to can be a
//! hundred times as large. Each call has a budget of steps.

use super::folder_path::{FolderPath, open_options_nofollow};
use super::ignore_pattern::{Budget, Pattern};
use cap_std::fs::Dir;
use std::io::{self, Read as _};
use std::path::{Component, PathBuf};
use std::rc::Rc;

const FILE_NAME: &str = ".gitignore";
const REPOSITORY: &str = ".git";

/// The maximum size of a `.gitignore` file in bytes.
const MAX_FILE_SIZE: u64 = 128 * 1024;

/// The maximum length of a pattern in bytes, that of the longest path of most systems.
const MAX_LINE: usize = 4096;

/// The maximum size in bytes of all `.gitignore` files that apply to a folder.
const MAX_SIZE: usize = 512 * 1024;

/// The patterns of a folder and of the folders around it.
///
/// Paths start at the granted folder and have `/` between names.
pub(super) struct IgnoreRules {
    patterns: Vec<Pattern>,
    /// The text of the patterns.
    text: String,
    /// The size of this text and of those around it.
    size: usize,
    /// The length of the folder's path with the last `/`.
    prefix_length: usize,
    outer: Option<Rc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Reads the patterns of the granted folders around a path.
    pub(super) fn around(
        path: &FolderPath<'_>,
        budget: &mut Budget,
    ) -> io::Result<Option<Rc<Self>>> {
        let mut rules = None;
        let mut outer = PathBuf::from(".");
        let mut prefix_length = 0;
        for part in path.path().components() {
            if let Component::Normal(name) = part {
                let folder = path.folder().open_dir(&outer)?;
                rules = Some(Self::within(&folder, prefix_length, rules, budget)?);
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
        budget: &mut Budget,
    ) -> io::Result<Rc<Self>> {
        let is_repository = folder.symlink_metadata(REPOSITORY).is_ok();
        let outer = outer.filter(|_| !is_repository);
        let text = read_text(folder)?;
        budget.take(text.len());
        check_budget(budget)?;
        let size = text.len() + outer.as_ref().map_or(0, |outer| outer.size);
        if size > MAX_SIZE {
            return Err(io::Error::other(format!(
                "the files `{FILE_NAME}` around a folder have more than {MAX_SIZE} bytes; without \
                 `gitignore` they are not read"
            )));
        }
        Ok(Rc::new(Self {
            patterns: Pattern::parse_all(&text),
            text,
            size,
            prefix_length,
            outer,
        }))
    }

    /// Whether git ignores a path in the folder. The last matching pattern of the innermost folder that has one
    /// decides.
    ///
    /// # Errors
    /// Returns an error if the budget of steps is spent.
    pub(super) fn ignore(
        &self,
        path: &str,
        is_folder: bool,
        budget: &mut Budget,
    ) -> io::Result<bool> {
        if path.rsplit('/').next() == Some(REPOSITORY) {
            return Ok(true);
        }
        let mut next = Some(self);
        while let Some(rules) = next {
            let path = &path[rules.prefix_length..];
            let mut patterns = rules.patterns.iter().rev();
            let found =
                patterns.find(|pattern| pattern.matches(&rules.text, path, is_folder, budget));
            check_budget(budget)?;
            match found {
                Some(pattern) => return Ok(!pattern.is_negated()),
                None => next = rules.outer.as_deref(),
            }
        }
        Ok(false)
    }
}

/// Checks that there are steps left.
pub(super) fn check_budget(budget: &Budget) -> io::Result<()> {
    if budget.is_spent() {
        return Err(io::Error::other(format!(
            "the patterns of `{FILE_NAME}` take too many steps to match; without `gitignore` they are not read"
        )));
    }
    Ok(())
}

/// Reads the text of a folder's patterns. As in git, a `.gitignore` that is a link is not read.
fn read_text(folder: &Dir) -> io::Result<String> {
    let Ok(file) = folder.open_with(FILE_NAME, open_options_nofollow().read(true)) else {
        return Ok(String::new());
    };
    if !file.metadata()?.is_file() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(io::Error::other(format!(
            "a file `{FILE_NAME}` has more than {MAX_FILE_SIZE} bytes; without `gitignore` it is not read"
        )));
    }
    let is_long = |line: &[u8]| line.len() > MAX_LINE && !line.starts_with(b"#");
    if bytes.split(|byte| *byte == b'\n').any(is_long) {
        return Err(io::Error::other(format!(
            "a pattern of a file `{FILE_NAME}` has more than {MAX_LINE} bytes; without `gitignore` it is not read"
        )));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
