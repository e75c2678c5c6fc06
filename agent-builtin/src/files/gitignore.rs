//! The `.gitignore` files of granted folders.

use super::folder_path::{FolderPath, open_options_nofollow};
use agent_gitignore::{
    Budget, FILE_NAME, IgnoreError, IgnoreRules, MAX_FILE_SIZE, MAX_PATTERN_SIZE, MAX_SIZE,
    REPOSITORY,
};
use cap_std::fs::Dir;
use std::io::{self, Read as _};
use std::path::{Component, PathBuf};
use std::rc::Rc;

/// Reads the patterns of the granted folders around a path. The paths of the patterns begin at the granted folder.
pub(super) fn around(
    path: &FolderPath<'_>,
    budget: &mut Budget,
) -> io::Result<Option<Rc<IgnoreRules>>> {
    let mut rules = None;
    let mut outer = PathBuf::from(".");
    let mut prefix_length = 0;
    for part in path.path().components() {
        if let Component::Normal(name) = part {
            let folder = path.folder().open_dir(&outer)?;
            rules = Some(within(&folder, prefix_length, rules, budget)?);
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
    outer: Option<Rc<IgnoreRules>>,
    budget: &mut Budget,
) -> io::Result<Rc<IgnoreRules>> {
    let is_repository = folder.symlink_metadata(REPOSITORY).is_ok();
    let outer = match is_repository {
        true => outer.map(IgnoreRules::repository),
        false => outer,
    };
    let patterns = read(folder)?;
    IgnoreRules::parse(&patterns, prefix_length, outer, budget).map_err(refused)
}

/// Returns the error of a call whose patterns exceed a bound.
pub(super) fn refused(error: IgnoreError) -> io::Error {
    io::Error::other(match error {
        IgnoreError::File => format!(
            "a file `{FILE_NAME}` has more than {MAX_FILE_SIZE} bytes; without `gitignore` it is not read"
        ),
        IgnoreError::Pattern => format!(
            "a pattern of a file `{FILE_NAME}` has more than {MAX_PATTERN_SIZE} bytes; without `gitignore` it is not \
             read"
        ),
        IgnoreError::Files => format!(
            "the files `{FILE_NAME}` around a folder have more than {MAX_SIZE} bytes; without `gitignore` they are \
             not read"
        ),
        IgnoreError::Steps => format!(
            "the patterns of `{FILE_NAME}` take too many steps to match; without `gitignore` they are not read"
        ),
    })
}

/// Reads the file with a folder's patterns, up to a byte more than it may have. As in git, a `.gitignore` that is a
/// link is not read.
fn read(folder: &Dir) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Ok(file) = folder.open_with(FILE_NAME, open_options_nofollow().read(true)) else {
        return Ok(bytes);
    };
    if file.metadata()?.is_file() {
        file.take(MAX_FILE_SIZE as u64 + 1)
            .read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
