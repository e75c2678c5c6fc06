//! The documents in a folder and in the folders below it.
//!
//! The files with the patterns of git are ordinary files with few bytes, and matching them takes few steps: a folder
//! may come from anywhere. [`gitignore`](agent_spec::gitignore) has the bounds.

use agent_spec::file::read_up_to;
use agent_spec::gitignore::{Budget, FILE_NAME, IgnoreRules, MAX_FILE_SIZE, REPOSITORY};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::vec::IntoIter;

/// The extension of the documents that are found in folders.
pub const EXTENSION: &str = "gram";

/// The documents that were found, and the errors of folders and files that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundDocuments {
    /// The paths of the documents, which begin with the path of the folder. Those of a folder are in the order of
    /// their names.
    pub files: Vec<PathBuf>,
    /// The errors, which name the folder or the file.
    pub errors: Vec<String>,
}

/// Finds the documents in a folder and below it that are neither hidden nor ignored by git. Links below the folder
/// are not followed. `.gitignore` files also count outside of a repository, such as in an unpacked archive.
///
/// A folder whose patterns cannot be read has an error, and no document of it is found.
#[must_use]
pub fn find_documents(folder: &Path) -> FoundDocuments {
    let mut walk = Walk {
        budget: Budget::default(),
        excludes: Vec::new(),
        found: FoundDocuments::default(),
    };
    if let Err(error) = walk.walk(folder) {
        walk.found.errors.push(error);
    }
    walk.found
}

/// A walk through a folder and the folders below it.
struct Walk {
    budget: Budget,
    /// The patterns of the user, which apply in all repositories.
    excludes: Vec<u8>,
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
    /// Finds the documents. The error is that of the outermost folder, or of the whole walk.
    fn walk(&mut self, folder: &Path) -> Result<(), String> {
        self.excludes = read_excludes()?;
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
                Err(error) => self.found.errors.push(error),
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
        let mut rules = self.rules_of_user(0)?;
        let mut outer = PathBuf::new();
        for part in real.components() {
            if let Component::Normal(name) = part {
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
            rules = self.rules_of_user(prefix_length)?;
            let repository = match found.is_file() {
                true => linked_repository(folder, &entry),
                false => Some(entry),
            };
            if let Some(repository) = repository {
                let exclude = repository.join("info/exclude");
                rules = self.rules_of_file(&exclude, prefix_length, rules)?;
            }
        }
        self.rules_of_file(&folder.join(FILE_NAME), prefix_length, rules)
    }

    /// Parses the patterns of the user for a repository, or for the folder where the paths begin.
    fn rules_of_user(&mut self, prefix_length: usize) -> Result<Rules, String> {
        if self.excludes.is_empty() {
            return Ok(None);
        }
        IgnoreRules::parse(&self.excludes, prefix_length, None, &mut self.budget)
            .map(Some)
            .map_err(|error| format!("cannot read the file of git's `core.excludesFile`: {error}"))
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

/// Reads the patterns of the user, which apply in all repositories. Without such a file, they are empty.
fn read_excludes() -> Result<Vec<u8>, String> {
    let Some(file) = excludes_file() else {
        return Ok(Vec::new());
    };
    match read_up_to(&file, MAX_FILE_SIZE as u64) {
        Ok(patterns) => Ok(patterns),
        // Users name `/dev/null` for no patterns.
        Err(error) if is_missing(&error) || error.kind() == ErrorKind::InvalidInput => {
            Ok(Vec::new())
        }
        Err(error) => Err(format!(
            "cannot read `{}`, git's `core.excludesFile`: {error}",
            file.display()
        )),
    }
}

/// Returns the file that `core.excludesFile` names in the configuration of git, or its usual file.
fn excludes_file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let folder = match variable("XDG_CONFIG_HOME") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => home.as_ref().map(|home| home.join(".config")),
    };
    let folder = folder.map(|folder| folder.join("git"));
    let of_user = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![PathBuf::from(file)],
        None => {
            let files = [
                home.as_ref().map(|home| home.join(".gitconfig")),
                folder.as_ref().map(|folder| folder.join("config")),
            ];
            files.into_iter().flatten().collect()
        }
    };
    let of_system = variable("GIT_CONFIG_SYSTEM").map_or("/etc/gitconfig".into(), PathBuf::from);
    let mut files = of_user.into_iter().chain([of_system]);
    let named = files.find_map(|file| {
        let text = String::from_utf8(read_up_to(&file, MAX_CONFIGURATION).ok()?).ok()?;
        let name = excludes_file_in(&text)?;
        match name.strip_prefix("~/") {
            Some(rest) => Some(home.as_ref()?.join(rest)),
            None => Some(PathBuf::from(name)),
        }
    });
    named.or_else(|| Some(folder?.join("ignore")))
}

/// The maximum number of bytes of a file with the configuration of git. A larger one is not read.
const MAX_CONFIGURATION: u64 = 1 << 20;

/// Returns the last value of `excludesFile` in the section `core`.
fn excludes_file_in(configuration: &str) -> Option<&str> {
    let mut is_core = false;
    let mut found = None;
    for line in configuration.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if is_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("excludesfile")
        {
            let value = value.trim();
            let quoted = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'));
            found = Some(quoted.unwrap_or(value));
        }
    }
    found
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
            let mut walk = Walk {
                budget,
                excludes: Vec::new(),
                found: FoundDocuments::default(),
            };
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

    #[test]
    fn finds_the_file_with_the_patterns_of_the_user() {
        for (configuration, expected) in [
            ("[core]\n\texcludesFile = ~/.ignored\n", Some("~/.ignored")),
            ("[Core]\nexcludesfile=\"/a b\"\r\n", Some("/a b")),
            (
                "[core]\nexcludesfile = a\n[user]\n[core]\nexcludesfile = b",
                Some("b"),
            ),
            ("[user]\nexcludesfile = a", None),
            ("[core]\neditor = a", None),
            ("", None),
        ] {
            assert_eq!(excludes_file_in(configuration), expected, "{configuration}");
        }
    }
}
