//! The command line with the program's name as it was called: `agent`, or `gram agent`.

use crate::command_line::Cli;
use clap::builder::{Resettable, StyledStr};
use clap::{Command, CommandFactory};
use std::env;
use std::path::Path;

/// The name of the program that the command `gram` runs for `gram agent …`.
const EXTENSION: &str = "gram-agent";

/// Returns the command line. Its help names the program `gram agent` if it was started as [`EXTENSION`],
/// and `agent` otherwise.
pub(crate) fn command_line() -> Command {
    let called = env::args_os().next();
    let extension = called
        .as_deref()
        .and_then(|path| Path::new(path).file_stem())
        .is_some_and(|name| name == EXTENSION);
    if extension {
        as_gram_agent(Cli::command())
            .bin_name("gram agent")
            .display_name(EXTENSION)
    } else {
        Cli::command().bin_name("agent")
    }
}

/// Replaces `agent` by `gram agent` in the help of a command. clap makes the usage lines from the name.
fn as_gram_agent(command: Command) -> Command {
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
        .mut_subcommands(as_gram_agent)
}

/// Puts `gram` before each call of the command: in backticks, at the beginning of an example, and after a
/// pipe.
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
