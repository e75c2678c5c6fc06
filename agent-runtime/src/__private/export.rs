//! Writing the gram of tools and agents to files, in the tests that `export` adds.

use agent_spec::binding::ToolSet;
use std::path::Path;

/// Writes `<folder>/<name>.gram` below the folder of the user's package, or compares it.
///
/// # Panics
/// When the file is out of date in check mode, or cannot be read or written.
pub fn export_gram(package: &str, folder: &str, name: &str, gram: &str) {
    let path = Path::new(package).join(folder).join(format!("{name}.gram"));
    if let Err(error) = write(&path, gram) {
        panic!("cannot write `{}`: {error}", path.display());
    }
}

/// Does what [`export_gram`] does, for each tool.
///
/// # Panics
/// When a file is out of date in check mode, or cannot be read or written.
pub fn export_tools(package: &str, folder: &str, tools: ToolSet) {
    for tool in tools.iter() {
        if let Some(gram) = tool.to_gram() {
            export_gram(package, folder, tool.name(), &format!("{gram}\n"));
        }
    }
}

fn write(path: &Path, gram: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, gram)
}
