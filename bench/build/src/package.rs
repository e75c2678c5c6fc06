//! The packages that are built: a workspace for each subject, with a member for each number of tools,
//! so that what they depend on is built once.

use crate::subject::Subject;
use std::path::{Path, PathBuf};

/// The name of the member with so many tools.
pub(crate) fn name(tools: usize) -> String {
    format!("tools-{tools}")
}

/// The file with the tools of a member.
pub(crate) fn main_file(root: &Path, tools: usize) -> PathBuf {
    root.join(name(tools)).join("src/main.rs")
}

/// Writes the workspace of a subject, and gives back its folder.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write(dir: &Path, subject: &Subject, tools: &[usize]) -> Result<PathBuf, String> {
    let root = dir.join("packages").join(subject.key);
    let members: Vec<String> = tools
        .iter()
        .map(|tools| format!("{:?}", name(*tools)))
        .collect();
    write_file(
        &root.join("Cargo.toml"),
        &format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n",
            members.join(", ")
        ),
    )?;
    for &tools in tools {
        let manifest = format!(
            "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}",
            name(tools),
            (subject.dependencies)()
        );
        write_file(&root.join(name(tools)).join("Cargo.toml"), &manifest)?;
        write_file(&main_file(&root, tools), &(subject.source)(tools))?;
    }
    Ok(root)
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
