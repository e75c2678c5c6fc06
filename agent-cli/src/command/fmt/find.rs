//! The files that are given to a command, and the files in the given directories.

use agent_project::find_documents::{EXTENSION, find_documents};
use agent_project::source::is_stdin;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The files that were found, and the errors for paths without files.
#[derive(Default)]
pub(crate) struct FoundFiles {
    /// The paths as they were given or found; `-` for standard input.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) errors: Vec<String>,
    /// The real paths of the files and directories that were added.
    seen: HashSet<PathBuf>,
}

impl FoundFiles {
    /// Finds the files of these paths, each once, in the given order. The files of a directory are sorted by
    /// name.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            if is_stdin(path) {
                found.files.push(path.clone());
            } else if path.is_dir() {
                found.add_directory(path);
            } else {
                found.add_file(path.clone());
            }
        }
        found
    }

    /// Adds a file, unless it was added before, under this path or another.
    fn add_file(&mut self, path: PathBuf) {
        // A missing file is reported when it is read.
        let known = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.seen.insert(known) {
            self.files.push(path);
        }
    }

    /// Adds the files of a directory that git does not ignore, unless the directory was added before.
    fn add_directory(&mut self, directory: &Path) {
        let known = directory.canonicalize();
        if known.is_ok_and(|known| !self.seen.insert(known)) {
            return;
        }
        let found = find_documents(directory);
        if found.files.is_empty() && found.errors.is_empty() {
            let name = directory.display();
            self.errors.push(format!(
                "there is no `*.{EXTENSION}` file in `{name}` that is neither hidden nor ignored by git"
            ));
        }
        self.errors.extend(found.errors);
        for file in found.files {
            self.add_file(file);
        }
    }
}
