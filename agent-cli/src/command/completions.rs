//! `agent completions`: prints the script by which a shell completes the command line.

use crate::outcome::{CommandError, Outcome};
use crate::output::document_to_stdout;
use clap_complete::Shell;

const LONG_ABOUT: &str = "\
Print the script by which a shell completes `agent` and its arguments

Write the script to the folder from which the shell reads completions. A new shell uses it.";

const AFTER_HELP: &str = "\
Examples:
  agent completions bash > ~/.local/share/bash-completion/completions/agent
  agent completions fish > ~/.config/fish/completions/agent.fish
  agent completions zsh > ~/.zfunc/_agent
  agent completions powershell >> $PROFILE";

/// Print the script by which a shell completes `agent` and its arguments
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the completions of a shell.
pub(crate) fn completions(
    args: &Args,
    mut command_line: clap::Command,
) -> Result<Outcome, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line, "agent", &mut script);
    document_to_stdout(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
