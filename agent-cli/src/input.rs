//! Standard input among the files that a command is given.

use crate::outcome::CommandError;
use agent_project::source::is_stdin;
use std::path::PathBuf;

/// Refuses to read standard input twice, because the second time it would be empty.
///
/// # Errors
/// Returns an error if several of the paths are `-`.
pub(crate) fn refuse_stdin_twice<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), CommandError> {
    if paths.into_iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(CommandError::new(
            "`-`, standard input, can be read only once",
        ));
    }
    Ok(())
}
