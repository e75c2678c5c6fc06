//! The packages of the workspace and their files.

use std::fs;
use std::path::{Path, PathBuf};

/// The root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The folders of the workspace's packages, relative to its root.
pub(crate) fn members() -> Vec<String> {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, after) = manifest
        .split_once("\nmembers = [")
        .expect("Cargo.toml lists the members");
    let (list, _) = after.split_once(']').expect("the list of members ends");
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The value of a key that all packages share, such as `version`.
pub(crate) fn package_value(key: &str) -> Option<String> {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, after) = manifest.split_once("\n[workspace.package]")?;
    let (shared, _) = after.split_once("\n[")?;
    let (_, after) = shared.split_once(&format!("\n{key} = \""))?;
    let (value, _) = after.split_once('"')?;
    Some(value.to_owned())
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The entries of a folder in the order of their names; none when there is no such folder.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .collect();
    paths.sort();
    paths
}

/// The files in a folder and below it that have one of these extensions.
pub(crate) fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(files_below(&path, extensions));
        } else if path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| extensions.contains(&extension))
        {
            found.push(path);
        }
    }
    found
}

/// A path relative to the root of the workspace, with `/` between its parts.
pub(crate) fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}
