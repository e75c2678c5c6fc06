//! Which files are formatted.

use agent_lsp::source::is_stdin;
use ignore::WalkBuilder;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How files end that are looked for in directories.
const EXTENSION: &str = "gram";

/// One text to format.
pub(super) struct Input {
    /// The file, named as it was given or found; `-` for standard input.
    pub(super) path: PathBuf,
    pub(super) is_stdin: bool,
}

/// The inputs, and why some are missing.
#[derive(Default)]
pub(super) struct Found {
    pub(super) inputs: Vec<Input>,
    pub(super) troubles: Vec<String>,
}

/// Finds the files that these paths stand for, each once, in the order given, those of a directory
/// in the order of their names.
pub(super) fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in paths {
        if is_stdin(path) {
            found.inputs.push(Input {
                path: path.clone(),
                is_stdin: true,
            });
        } else if path.is_dir() {
            found.directory(path, &mut seen);
        } else {
            found.file(path.clone(), &mut seen);
        }
    }
    found
}

impl Found {
    /// Adds a file, unless it was named before, in whatever way.
    fn file(&mut self, path: PathBuf, seen: &mut HashSet<PathBuf>) {
        // What does not exist is found out when it is read.
        let known = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(known) {
            self.inputs.push(Input {
                path,
                is_stdin: false,
            });
        }
    }

    fn directory(&mut self, directory: &Path, seen: &mut HashSet<PathBuf>) {
        let walk = WalkBuilder::new(directory)
            // Git's rules hold also where a folder is no work tree, such as an unpacked archive;
            // those of other tools do not.
            .require_git(false)
            .ignore(false)
            .sort_by_file_name(OsStr::cmp)
            .build();
        let mut any = false;
        for entry in walk {
            match entry {
                Ok(entry) => {
                    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                    if is_file && entry.path().extension() == Some(OsStr::new(EXTENSION)) {
                        any = true;
                        self.file(entry.into_path(), seen);
                    }
                }
                Err(error) => {
                    any = true;
                    self.troubles.push(format!("cannot read {}", shown(&error)));
                }
            }
        }
        if !any {
            let name = directory.display();
            self.troubles.push(format!(
                "there is no `*.{EXTENSION}` file in `{name}` that is neither hidden nor ignored by git"
            ));
        }
    }
}

/// What went wrong while a directory was read, and where.
fn shown(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { path, err } => format!("`{}`: {err}", path.display()),
        ignore::Error::WithDepth { err, .. } => shown(err),
        other => other.to_string(),
    }
}
