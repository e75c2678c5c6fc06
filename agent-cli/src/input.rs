//! Standard input: among the files that a command is given, and as a terminal.

use crate::outcome::CommandError;
use agent_project::source::is_stdin;
use std::path::PathBuf;

/// Discards input that was typed before a question was asked, because it is not the answer.
pub(crate) fn discard_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // This fails if standard input is not a terminal; then there is nothing to discard.
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    }
}

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
