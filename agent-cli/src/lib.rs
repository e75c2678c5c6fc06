//! The `agent` command: checks, prints and runs agents declared in gram.
//!
//! The library serves the program `agent` only. The command `gram` looks for `gram-agent`, which runs `agent`.

mod async_runtime;
mod attachment;
mod batch_input;
mod browser;
mod command;
mod command_line;
mod display;
mod document;
mod echo;
mod explanation;
mod gram_value;
mod help;
mod input;
mod listen;
mod mcp_server;
mod models;
mod named_conversation;
mod old_runs;
mod outcome;
mod output;
mod output_format;
mod projects;
mod provider;
mod replace;
mod report;
mod rows;
mod run_journal;
mod saved_media;
mod served;
mod session;
mod style;
mod template;
mod text_diff;
mod transcript;
mod user_data;

use agent_runtime::Environment;
use agent_spec::terminal;
use clap::{CommandFactory, FromArgMatches};
use command_line::{Cli, Command};
use outcome::CommandError;
use std::process::ExitCode;
use style::Style;

/// Runs the command that the command line names.
#[must_use]
pub fn main() -> ExitCode {
    let mut command_line = help::with_help(Cli::command());
    let parsed = command_line
        .try_get_matches_from_mut(std::env::args_os())
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            print_usage_error(&error, command_line);
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
        Command::Audit(args) => command::audit::audit(args, &environment, &style),
        Command::Chat(args) => command::chat::chat(args, &environment, &style),
        Command::Check(args) => command::check::check(args, &environment, &style),
        Command::Completions(args) => command::completions::completions(&args, command_line),
        Command::Conversations(args) => command::conversations::conversations(args, &environment),
        Command::Diff(args) => command::diff::diff(args, &style),
        Command::Eval(args) => command::eval::eval(&args, &environment, &style),
        Command::Explain(args) => command::explain::explain(args),
        Command::Fmt(args) => command::fmt::fmt(args, &style),
        Command::Graph(args) => command::graph::graph(args, &style),
        Command::Help(args) => command::help::help(&args, command_line),
        Command::Init(args) => command::init::init(&args),
        Command::Lsp(args) => command::lsp::lsp(args, &environment),
        Command::Man(args) => command::man::man(&args, command_line),
        Command::Mcp(args) => command::mcp::mcp(args, &environment, &style),
        Command::Models(args) => command::models::models(args, &environment, &style),
        Command::New(args) => command::new::new(&args),
        Command::NewTools(args) => command::new_tools::new_tools(args, &style),
        Command::Parse(args) => command::parse::parse(args, &style),
        Command::Schema(args) => command::schema::schema(args, &style),
        Command::Replay(args) => command::replay::replay(args, &environment, &style),
        Command::Run(args) => command::run::run(args, &environment, &style),
        Command::Runs(args) => command::runs::runs(args, &environment),
        Command::Dev(args) => command::dev::dev(&args, &environment, &style),
        Command::Serve(args) => command::serve::serve(&args, &environment, &style),
        Command::Tools(args) => command::tools::tools(&args),
    };
    match ended {
        Ok(outcome) => outcome.exit_code(),
        Err(trouble) => {
            trouble.print();
            CommandError::exit_code()
        }
    }
}

/// Prints help, a version, or an error about the command line. An error quotes arguments, which may be the names
/// of files, so it is made again for the arguments in the form for a terminal.
fn print_usage_error(error: &clap::Error, mut command_line: clap::Command) {
    let given: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let shown: Vec<String> = given
        .iter()
        .map(|argument| terminal::line(argument, usize::MAX))
        .collect();
    // Printing fails if the reader of a pipe has exited.
    if !error.use_stderr() || shown == given {
        let _ = error.print();
        return;
    }
    match command_line.try_get_matches_from_mut(shown) {
        Err(error) => drop(error.print()),
        // Only the control characters are wrong.
        Ok(_) => output::to_stderr(&format!(
            "{}\n",
            terminal::line(error.render().to_string().trim_end(), usize::MAX)
        )),
    }
}
