//! The tokio runtime of a command.

use crate::outcome::CommandError;
use tokio::runtime::{Builder, Runtime};

/// Creates a runtime that runs everything on this thread, apart from tools that block.
///
/// # Errors
/// Returns an error if the operating system refuses the runtime.
pub(crate) fn async_runtime() -> Result<Runtime, CommandError> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(format!("cannot start: {error}")))
}
