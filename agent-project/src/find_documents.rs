//! The documents in a folder and in the folders below it.

use agent_spec::file;
use ignore::{DirEntry, WalkBuilder};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

/// The extension of the documents that are found in folders.
pub const EXTENSION: &str = "gram";

/// The files of a folder that can contain patterns of git.
const PATTERNS: [&str; 2] = [".gitignore", ".git/info/exclude"];

/// The documents that were found, and the errors of folders and files that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundDocuments {
    /// The paths of the documents, which begin with the path of the folder. The documents of a folder are
    /// sorted by name.
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
    let mut found = FoundDocuments::default();
    let real = folder
        .canonicalize()
        .map_err(|error| cannot_read(folder, error))
        .and_then(|real| real.ancestors().try_for_each(check_patterns).map(|()| real));
    let real = match real {
        Ok(real) => real,
        Err(error) => {
            found.errors.push(error);
            return found;
        }
    };
    let (errors, unreadable) = mpsc::channel();
    let is_visited = move |entry: &DirEntry| {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            return false;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let checked = if is_folder {
            check_patterns(entry.path())
        } else {
            Ok(())
        };
        checked.map_err(|error| errors.send(error)).is_ok()
    };
    let repository = real
        .ancestors()
        .find(|outer| outer.join(".git").symlink_metadata().is_ok());
    let walk = WalkBuilder::new(&real)
        // Patterns can include hidden files again, so `is_visited` leaves them out.
        .hidden(false)
        .ignore(false)
        // The patterns around a repository do not apply to the files in it.
        .require_git(repository.is_some())
        // The user's own patterns begin at the root of the repository.
        .current_dir(repository.unwrap_or(&real))
        .sort_by_file_name(OsStr::cmp)
        .filter_entry(is_visited)
        .build();
    for entry in walk {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if is_file && path.extension() == Some(OsStr::new(EXTENSION)) {
                    let below = path.strip_prefix(&real).unwrap_or(path);
                    found.files.push(folder.join(below));
                }
            }
            Err(ignore::Error::WithPath { path, err }) => {
                let error = err.io_error().map(|error| error.kind().to_string());
                found
                    .errors
                    .push(cannot_read(&path, error.unwrap_or(err.to_string())));
            }
            Err(error) => found.errors.push(error.to_string()),
        }
    }
    found.errors.extend(unreadable.try_iter());
    found
}

/// Checks that the files with a folder's patterns are ordinary files. The walk opens them without a check, and would wait
/// for a pipe in somebody else's folder without end.
fn check_patterns(folder: &Path) -> Result<(), String> {
    for name in PATTERNS {
        let path = folder.join(name);
        match file::read(&path) {
            Err(error) if !is_missing(error.kind()) => return Err(cannot_read(&path, error)),
            _ => {}
        }
    }
    Ok(())
}

fn cannot_read(path: &Path, error: impl Display) -> String {
    format!("cannot read `{}`: {error}", path.display())
}

/// Whether git continues without a file that has this error.
fn is_missing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::PermissionDenied
    )
}
