//! The rule that no folder holds a single file.

use crate::breach::Breach;
use crate::workspace::{entries, members, relative, root};
use std::path::Path;

/// Finds the folders below `src` and `tests` that hold a single file or folder.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = Vec::new();
    for member in members() {
        for folder in ["src", "tests"] {
            look_below(&root().join(&member).join(folder), &mut found);
        }
    }
    found
}

fn look_below(folder: &Path, found: &mut Vec<Breach>) {
    for path in entries(folder) {
        if !path.is_dir() {
            continue;
        }
        if let [only] = entries(&path).as_slice()
            && !has_no_other_place(only)
        {
            found.push(Breach {
                rule: "lone-file",
                key: relative(&path),
                place: relative(only),
            });
        }
        look_below(&path, found);
    }
}

/// Whether a file may be alone in a folder: the tests of the module beside it, the second program of a
/// package, and a file of data.
fn has_no_other_place(file: &Path) -> bool {
    let folder = file.parent().and_then(Path::file_name);
    file.file_name().is_some_and(|name| name == "tests.rs")
        || file.is_file() && file.extension().is_none_or(|extension| extension != "rs")
        || folder.is_some_and(|name| name == "bin")
}
