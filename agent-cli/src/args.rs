//! The command line.

use crate::command::{check, parse, run, schema};
use clap::{Parser, Subcommand, ValueEnum};

const ABOUT: &str = "Checks, prints and runs agents declared in gram";

const AFTER_HELP: &str = "\
Examples:
  agent check agents/*.gram
  agent parse agents/hello.gram
  agent schema agents/hello.gram --tool sayHello
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline

A FILE named `-` is standard input.

Exit codes:
  0  fine, warnings included
  1  the input has errors, or the run failed
  2  wrong usage, unreadable input, or configuration such as a missing key";

/// The `agent` command.
#[derive(Debug, Parser)]
#[command(name = "agent", version, about = ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What it can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Args),
    Parse(parse::Args),
    Schema(schema::Args),
    Run(run::Args),
}

/// For whom output is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there.
    Json,
}
