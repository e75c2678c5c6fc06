//! The crate works without files, environment and threads.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn sources_use_no_system_modules_of_std() {
    let mut found = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert!(found.len() > 30, "{} files", found.len());
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a source");
        for module in ["fs", "env", "thread", "net", "process", "time", "io"] {
            let named = text.contains(&format!("std::{module}"));
            assert!(!named, "{} names `std::{module}`", path.display());
        }
    }
}
