//! The `agent` command: checks, prints and runs agents declared in gram.
//!
//! The library serves two programs only: `agent`, and `gram-agent`, which is the same program under the name that
//! the command `gram` looks for.

mod async_runtime;
mod command;
mod command_line;
mod display;
mod docs;
mod document;
mod explanation;
mod input;
mod named_conversation;
mod outcome;
mod output;
mod output_format;
mod program_name;
mod project;
mod provider;
mod report;
mod session;
mod style;
mod user_data;

use agent_runtime::Environment;
use clap::FromArgMatches;
use command_line::{Cli, Command};
use outcome::CommandError;
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
            // Printing fails if the reader of a pipe has exited. Help and version are not errors.
            let _ = error.print();
            return if error.use_stderr() {
                CommandError::exit_code()
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
            CommandError::exit_code()
        }
    }
}
