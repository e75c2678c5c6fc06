//! Replacing the text of a document.

use agent_runtime::__private::replace_file;
use std::io;
use std::path::Path;

/// Replaces the text of a file as a whole. For a symbolic link, the target is replaced.
///
/// # Errors
/// Returns an error if the file is no regular file, is read-only, or cannot be replaced. It is then unchanged.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other(
            "it is no regular file; give its text on standard input, with the name `-`",
        ));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::other("it is read-only"));
    }
    replace_file(path, text.as_bytes()).map_err(|error| {
        io::Error::other(format!(
            "its new text, which is written to a file beside it first, could not be: {error}"
        ))
    })
}
