//! `agent man`: writes the pages for the command `man`.

use crate::outcome::{CommandError, Outcome};
use std::fs;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Write the pages for `man` into a folder: `agent.1`, and a page for each command, such as `agent-check.1`

The folder is made if it does not exist. Pages of the same names are replaced.";

const AFTER_HELP: &str = "\
Examples:
  agent man ~/.local/share/man/man1 && man agent-check";

/// Write the pages for `man` into a folder
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The folder
    folder: PathBuf,
}

/// Writes the pages.
pub(crate) fn man(args: &Args, command_line: clap::Command) -> Result<Outcome, CommandError> {
    fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(command_line, &args.folder))
        .map_err(|error| {
            CommandError::new(format!("cannot write {}: {error}", args.folder.display()))
        })?;
    Ok(Outcome::Fine)
}
