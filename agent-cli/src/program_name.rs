//! The command line in the words in which the program was called.

use crate::command_line::Cli;
use clap::builder::{Resettable, StyledStr};
use clap::{Command, CommandFactory};
use std::env;
use std::path::Path;

/// The program that the command `gram` runs for `gram agent …`. It passes its arguments on, and runs the
/// program by its path.
const EXTENSION: &str = "gram-agent";

/// The command line, whose help names the program as whoever asks for it does: `gram agent` when it runs
/// under the name of an extension, else `agent`.
pub(crate) fn command_line() -> Command {
    let called = env::args_os().next();
    let extension = called
        .as_deref()
        .and_then(|path| Path::new(path).file_stem())
        .is_some_and(|name| name == EXTENSION);
    if extension {
        in_words_of_gram(Cli::command())
            .bin_name("gram agent")
            .display_name(EXTENSION)
    } else {
        Cli::command().bin_name("agent")
    }
}

/// A command whose help says `gram agent` where it says `agent`. Usage lines are none of its business:
/// clap makes them of the name.
fn in_words_of_gram(command: Command) -> Command {
    let about = renamed(command.get_about());
    let long_about = renamed(command.get_long_about());
    let after_help = renamed(command.get_after_help());
    let after_long_help = renamed(command.get_after_long_help());
    command
        .about(about)
        .long_about(long_about)
        .after_help(after_help)
        .after_long_help(after_long_help)
        .mut_args(|arg| {
            let help = renamed(arg.get_help());
            let long_help = renamed(arg.get_long_help());
            arg.help(help).long_help(long_help)
        })
        .mut_subcommands(in_words_of_gram)
}

/// A text with `gram` before each call of the command, in quotes, or as an example on a line or
/// behind a pipe.
fn renamed(text: Option<&StyledStr>) -> Resettable<StyledStr> {
    let renamed = text.map(|text| {
        text.to_string()
            .replace("`agent ", "`gram agent ")
            .replace("\n  agent ", "\n  gram agent ")
            .replace("| agent ", "| gram agent ")
            .into()
    });
    renamed.into()
}
