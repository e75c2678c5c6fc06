//! The documents in a folder and in the folders below it.
//!
//! The files with the patterns of git are ordinary files with few bytes, and matching them takes few steps: a folder
//! may come from anywhere. [`agent_gitignore`] has the bounds.

use crate::git_excludes::{self, UserConfiguration};
use agent_gitignore::{Budget, FILE_NAME, IgnoreError, IgnoreRules, MAX_FILE_SIZE, REPOSITORY};
use agent_spec::file::read_up_to;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::vec::IntoIter;

/// The extension of the documents that are found in folders.
pub const EXTENSION: &str = "gram";

/// The maximum number of errors that are kept.
const MAX_ERRORS: usize = 100;

/// The documents that were found, and the errors of folders and files that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundDocuments {
    /// The paths of the documents, which begin with the path of the folder. Those of a folder are in the order of
    /// their names.
    pub files: Vec<PathBuf>,
    /// The first errors, which name the folder or the file.
    pub errors: Vec<String>,
    /// The number of further errors.
    pub more_errors: usize,
}

impl FoundDocuments {
    fn add_error(&mut self, error: String) {
        match self.errors.len() {
            MAX_ERRORS => self.more_errors += 1,
            _ => self.errors.push(error),
        }
    }
}

/// Finds the documents in a folder and below it that are neither hidden nor ignored by git. Links below the folder
/// are not followed. `.gitignore` files also count outside of a repository, such as in an unpacked archive.
///
/// A folder whose patterns cannot be read has an error, and no document of it is found.
#[must_use]
pub fn find_documents(folder: &Path) -> FoundDocuments {
    let mut walk = Walk::new(Budget::default());
    if let Err(error) = walk.walk(folder) {
        walk.found.add_error(error);
    }
    walk.found
}

/// A walk through a folder and the folders below it.
struct Walk {
    budget: Budget,
    user: UserConfiguration,
    /// The last file of `core.excludesFile`, with its text. Most repositories have the same.
    excludes: Option<(PathBuf, Vec<u8>)>,
    found: FoundDocuments,
}

/// A folder, and its entries that the walk has not visited yet.
struct Level {
    folder: PathBuf,
    /// The absolute path, as patterns match it, with `/` at the end.
    path: String,
    rules: Rules,
    /// The names of folders, with `true`, and of documents.
    rest: IntoIter<(OsString, bool)>,
}

/// The patterns that apply to a folder.
type Rules = Option<Rc<IgnoreRules>>;

impl Walk {
    fn new(budget: Budget) -> Self {
        Self {
            budget,
            user: UserConfiguration::read(),
            excludes: None,
            found: FoundDocuments::default(),
        }
    }

    /// Finds the documents. The error is that of the outermost folder, or of the whole walk.
    fn walk(&mut self, folder: &Path) -> Result<(), String> {
        let (path, rules) = self.rules_around(folder)?;
        let mut levels = vec![self.enter(folder.to_owned(), path, rules)?];
        while let Some(level) = levels.last_mut() {
            let Some((name, is_folder)) = level.rest.next() else {
                levels.pop();
                continue;
            };
            let inner = level.folder.join(&name);
            if !is_folder {
                self.found.files.push(inner);
                continue;
            }
            let path = format!("{}{}/", level.path, name.to_string_lossy());
            let rules = level.rules.clone();
            match self.enter(inner, path, rules) {
                Ok(level) => levels.push(level),
                // No other folder could be read either.
                Err(error) if self.budget.is_spent() => return Err(error),
                Err(error) => self.found.add_error(error),
            }
        }
        Ok(())
    }

    /// Reads the patterns of a folder, and its folders and documents that are neither hidden nor ignored.
    fn enter(&mut self, folder: PathBuf, path: String, outer: Rules) -> Result<Level, String> {
        let rules = self.rules_within(&folder, path.len(), outer)?;
        let failed = |error: io::Error| cannot_read(&folder, error);
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
            let is_document = Path::new(&name).extension() == Some(OsStr::new(EXTENSION));
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if is_hidden || !(kind.is_dir() || kind.is_file() && is_document) {
                continue;
            }
            if let Some(rules) = &rules {
                let inner = format!("{path}{}", name.to_string_lossy());
                let ignores = rules.ignores(&inner, kind.is_dir(), &mut self.budget);
                if ignores.map_err(|error| cannot_read(&folder, error))? {
                    continue;
                }
            }
            entries.push((name, kind.is_dir()));
        }
        entries.sort_unstable();
        Ok(Level {
            folder,
            path,
            rules,
            rest: entries.into_iter(),
        })
    }

    /// Reads the patterns of the folders around a folder. Returns the folder's path for patterns, too.
    fn rules_around(&mut self, folder: &Path) -> Result<(String, Rules), String> {
        let real = folder.canonicalize();
        let real = real.map_err(|error| cannot_read(folder, error))?;
        let mut path = String::new();
        let mut outer = PathBuf::new();
        let mut rules = self.rules_of_user(&outer, None, 0, None)?;
        for part in real.components() {
            if let Component::Normal(name) = part {
                if outer.join(REPOSITORY).symlink_metadata().is_ok() {
                    // No folder outside of the repository is visited, so its rules are not kept.
                    rules = None;
                }
                rules = self.rules_within(&outer, path.len(), rules)?;
                path.push_str(&name.to_string_lossy());
                path.push('/');
            }
            outer.push(part);
        }
        Ok((path, rules))
    }

    /// Reads the patterns of a folder. In the root of a repository, those of the folders around it do not apply.
    fn rules_within(
        &mut self,
        folder: &Path,
        prefix_length: usize,
        outer: Rules,
    ) -> Result<Rules, String> {
        let mut rules = outer;
        let entry = folder.join(REPOSITORY);
        if let Ok(found) = entry.symlink_metadata() {
            let repository = match found.is_file() {
                true => linked_repository(folder, &entry),
                false => Some(entry),
            };
            let repository = repository.as_deref();
            let outer = rules.map(IgnoreRules::repository);
            rules = self.rules_of_user(folder, repository, prefix_length, outer)?;
            if let Some(repository) = repository {
                let exclude = repository.join("info/exclude");
                rules = self.rules_of_file(&exclude, prefix_length, rules)?;
            }
        }
        self.rules_of_file(&folder.join(FILE_NAME), prefix_length, rules)
    }

    /// Reads the patterns of the user for a repository, or for the folder where the paths begin.
    fn rules_of_user(
        &mut self,
        folder: &Path,
        repository: Option<&Path>,
        prefix_length: usize,
        outer: Rules,
    ) -> Result<Rules, String> {
        let configuration = repository.map(|repository| repository.join("config"));
        let text = configuration.as_deref().and_then(git_excludes::read);
        self.budget.take(text.as_ref().map_or(0, String::len));
        if self.budget.is_spent() {
            return Err(cannot_read(folder, IgnoreError::Steps));
        }
        let Some(file) = self.user.excludes_file(folder, text.as_deref()) else {
            return Ok(outer);
        };
        let kept = self.excludes.take().filter(|(kept, _)| *kept == file);
        let (file, patterns) = match kept {
            Some(kept) => kept,
            None => {
                let patterns = read_excludes(&file)?;
                (file, patterns)
            }
        };
        let parsed = match patterns.is_empty() {
            true => Ok(outer),
            false => IgnoreRules::parse(&patterns, prefix_length, outer, &mut self.budget)
                .map(Some)
                .map_err(|error| cannot_read_excludes(&file, error)),
        };
        self.excludes = Some((file, patterns));
        parsed
    }

    /// Reads the patterns of a file. Without the file, the outer ones apply.
    fn rules_of_file(
        &mut self,
        file: &Path,
        prefix_length: usize,
        outer: Rules,
    ) -> Result<Rules, String> {
        let patterns = match read_up_to(file, MAX_FILE_SIZE as u64) {
            Ok(patterns) => patterns,
            Err(error) if is_missing(&error) => return Ok(outer),
            Err(error) => return Err(cannot_read(file, error)),
        };
        IgnoreRules::parse(&patterns, prefix_length, outer, &mut self.budget)
            .map(Some)
            .map_err(|error| cannot_read(file, error))
    }
}

fn cannot_read(path: &Path, error: impl Display) -> String {
    format!("cannot read `{}`: {error}", path.display())
}

/// Whether git would do without a file.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::PermissionDenied
    )
}

/// Returns the repository of a work tree whose `.git` is a file: the tree of a submodule, or a further one of a
/// repository.
fn linked_repository(folder: &Path, file: &Path) -> Option<PathBuf> {
    let git = first_line(file)?;
    let git = folder.join(git.strip_prefix("gitdir:")?.trim());
    // Only a further work tree has this file.
    Some(match first_line(&git.join("commondir")) {
        Some(common) => git.join(common.trim()),
        None => git,
    })
}

fn first_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_up_to(file, MAX_FILE_SIZE as u64).ok()?).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Reads the file of `core.excludesFile`. Without it, the patterns are empty.
fn read_excludes(file: &Path) -> Result<Vec<u8>, String> {
    match read_up_to(file, MAX_FILE_SIZE as u64) {
        Ok(patterns) => Ok(patterns),
        // Users name `/dev/null` for no patterns.
        Err(error) if is_missing(&error) || error.kind() == ErrorKind::InvalidInput => {
            Ok(Vec::new())
        }
        Err(error) => Err(cannot_read_excludes(file, error)),
    }
}

fn cannot_read_excludes(file: &Path, error: impl Display) -> String {
    cannot_read(file, format!("{error} (it is git's `core.excludesFile`)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_stops_when_the_patterns_take_too_many_steps() {
        let name = format!("agent-lsp-folder-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("a/b")).expect("folders");
        fs::write(folder.join(FILE_NAME), "*a*a*a*b\n".repeat(1000)).expect("a file");
        fs::write(folder.join("a/x.gram"), "(a)").expect("a file");
        let walk = |budget: Budget| {
            let mut walk = Walk::new(budget);
            let ended = walk.walk(&folder);
            (ended, walk.found)
        };
        let (ended, found) = walk(Budget::default());
        assert_eq!(ended, Ok(()));
        assert_eq!(found.files, [folder.join("a/x.gram")]);
        // Enough for the patterns of the outermost folder, and not for those of all names.
        let (ended, found) = walk(Budget::with_steps(10_000));
        let error = ended.expect_err("no steps are left");
        assert!(
            error.ends_with("the patterns take too many steps to match"),
            "{error}"
        );
        assert_eq!(found, FoundDocuments::default());
        fs::remove_dir_all(folder).expect("the folder is removed");
    }
}
