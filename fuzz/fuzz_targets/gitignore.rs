//! The patterns of a `.gitignore`: both readers of them, that of `listDirectory` and that of projects, leave out the same
//! documents.
//!
//! The input is the file of a folder, a line `====`, and the file of a folder within it.

#![no_main]

use agent_fuzz::{block_on, sections};
use agent_project::find_documents::find_documents;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Grants, Permissions, Tool, ToolContext};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

const FILES: [&str; 8] = [
    "a.gram",
    "b.gram",
    "ab/a.gram",
    "ab/c d.gram",
    "ab/in/a.gram",
    "ab/in/#x.gram",
    "é/!y.gram",
    "{z}.gram",
];

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("agent-fuzz-gitignore-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for file in FILES {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "").expect("a file");
    }
    folder.canonicalize().expect("a path")
});

static LIST_DIRECTORY: LazyLock<Arc<dyn Tool>> = LazyLock::new(|| {
    let library = agent_builtin::library();
    Arc::clone(library.lookup("listDirectory").expect("a tool"))
});

static CONTEXT: LazyLock<ToolContext> = LazyLock::new(|| {
    let grants = Grants::new().read(FOLDER.to_string_lossy().into_owned());
    ToolContext::detached().with_permissions(Permissions::new(&grants).expect("grants"))
});

fuzz_target!(|input: &[u8]| {
    // `ignore` has braces as alternatives, and git has not; `listDirectory` escapes them. `ignore` also reads a file only up to
    // a line that is not UTF-8, and `listDirectory` reads on.
    if input.contains(&b'{') || input.contains(&b'}') || std::str::from_utf8(input).is_err() {
        return;
    }
    let mut files = sections(input).into_iter();
    for folder in ["", "ab"] {
        let file = FOLDER.join(folder).join(".gitignore");
        fs::write(file, files.next().unwrap_or_default()).expect("a file");
    }
    let found = find_documents(&FOLDER);
    let listed = listed();
    match (&listed, found.errors.is_empty()) {
        (Ok(listed), true) => {
            let found = found.files.iter().map(|file| {
                let file = file
                    .strip_prefix(&*FOLDER)
                    .expect("a file below the folder");
                file.to_str().expect("a name of ours").to_owned()
            });
            assert_eq!(&found.collect::<BTreeSet<_>>(), listed);
        }
        (Err(error), _) => assert!(!error.is_empty()),
        (Ok(_), false) => {}
    }
});

/// Returns the documents that `listDirectory` lists.
fn listed() -> Result<BTreeSet<String>, String> {
    let arguments = serde_json::json!({"path": *FOLDER, "recursive": true, "gitignore": true});
    let listing = block_on(invoke_tool(
        &**LIST_DIRECTORY,
        &arguments.to_string(),
        &CONTEXT,
    ));
    let listing = listing.map_err(|error| error.to_string())?;
    let entries = listing["entries"].as_array().expect("entries");
    let names = entries.iter().filter_map(|entry| entry["name"].as_str());
    Ok(names
        .filter(|name| name.ends_with(".gram"))
        .map(str::to_owned)
        .collect())
}
