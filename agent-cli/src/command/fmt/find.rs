//! The files to format.

use agent_project::find_documents::{EXTENSION, find_documents};
use agent_project::source::is_stdin;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A text to format.
pub(super) struct Input {
    /// The path of the file, as it was given or found; `-` for standard input.
    pub(super) path: PathBuf,
    pub(super) is_stdin: bool,
}

/// The inputs, and the errors for paths without input.
#[derive(Default)]
pub(super) struct FoundFiles {
    pub(super) inputs: Vec<Input>,
    pub(super) errors: Vec<String>,
    /// The number of further errors.
    pub(super) more_errors: usize,
}

/// Finds the files of these paths, each once, in the given order; those of a directory in the order of
/// their names.
pub(super) fn find(paths: &[PathBuf]) -> FoundFiles {
    let mut found = FoundFiles::default();
    let mut seen = HashSet::new();
    for path in paths {
        if is_stdin(path) {
            found.inputs.push(Input {
                path: path.clone(),
                is_stdin: true,
            });
        } else if path.is_dir() {
            found.add_directory(path, &mut seen);
        } else {
            found.add_file(path.clone(), &mut seen);
        }
    }
    found
}

impl FoundFiles {
    /// Adds a file, unless it was added before, under this path or another.
    fn add_file(&mut self, path: PathBuf, seen: &mut HashSet<PathBuf>) {
        // A missing file is reported when it is read.
        let known = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(known) {
            self.inputs.push(Input {
                path,
                is_stdin: false,
            });
        }
    }

    /// Adds the files of a directory that git does not ignore, unless the directory was added before.
    fn add_directory(&mut self, directory: &Path, seen: &mut HashSet<PathBuf>) {
        let known = directory.canonicalize();
        if known.is_ok_and(|known| !seen.insert(known)) {
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
        self.more_errors += found.more_errors;
        for file in found.files {
            self.add_file(file, seen);
        }
    }
}
