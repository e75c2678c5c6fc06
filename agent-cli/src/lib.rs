//! The `agent` command: checks, prints and runs agents declared in gram.
//!
//! The library serves two programs only: `agent`, and `gram-agent`, the same program under the name by which
//! the command `gram` finds it.

mod command;
mod command_line;
mod display;
mod docs;
mod document;
mod explanation;
mod input;
mod outcome;
mod output;
mod output_format;
mod program_name;
mod provider;
mod report;
mod session;
mod stored_conversation;
mod style;

use agent_runtime::Environment;
use clap::FromArgMatches;
use command_line::{Cli, Command};
use outcome::Trouble;
use std::process::ExitCode;
use style::Style;

/// Runs the command that the command line names.
#[must_use]
pub fn main() -> ExitCode {
    let mut command_line = program_name::command_line();
    let parsed = command_line
        .try_get_matches_from_mut(std::env::args_os())
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // Printing may fail because the reader has gone away. Help and version are no errors.
            let _ = error.print();
            return if error.use_stderr() {
                Trouble::exit_code()
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let environment = Environment::process();
    let style = Style::new(cli.color, &environment);
    let ended = match cli.command {
        Command::Chat(args) => command::chat::chat(args, &environment, &style),
        Command::Check(args) => command::check::check(args, &style),
        Command::Conversations(args) => command::conversations::conversations(args, &environment),
        Command::Diff(args) => command::diff::diff(args, &style),
        Command::Explain(args) => command::explain::explain(args),
        Command::Fmt(args) => command::fmt::fmt(args, &style),
        Command::Lsp(args) => command::lsp::lsp(args, &environment),
        Command::NewTools(args) => command::new_tools::new_tools(args, &style),
        Command::Parse(args) => command::parse::parse(args, &style),
        Command::Schema(args) => command::schema::schema(args, &style),
        Command::Run(args) => command::run::run(args, &environment, &style),
        Command::Tools(args) => command::tools::tools(&args),
    };
    match ended {
        Ok(outcome) => outcome.exit_code(),
        Err(trouble) => {
            for message in trouble.messages() {
                output::error_to_stderr(message);
            }
            Trouble::exit_code()
        }
    }
}
