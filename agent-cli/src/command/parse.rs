//! `agent parse`: prints a document as JSON.

use crate::outcome::{CommandError, Outcome};
use crate::output::json_to_stdout;
use crate::report::Printer;
use crate::style::Style;
use agent_project::report::Report;
use agent_project::source;
use agent_spec::Diagnostic;
use agent_spec::json::PatternJson;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Print a document as a JSON array of patterns

Each pattern is {\"subject\":{\"identity\",\"labels\",\"properties\"},\"elements\":[…]}. A record at
the beginning of the document is a pattern of its own. Only the notation is checked, so a document
without agents and tools is valid.";

/// Print a document as a JSON array of patterns
#[derive(Debug, clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  agent parse agents/hello.gram\n  echo '(a)-->(b)' | agent parse -"
)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
}

/// Prints the patterns of a document.
pub(crate) fn parse(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    let source = source::read(&args.file)?;
    match agent_gram::parse_patterns(&source.text) {
        Ok(patterns) => {
            let document: Vec<PatternJson<'_>> = patterns.iter().map(PatternJson).collect();
            json_to_stdout(&document)?;
            Ok(Outcome::Fine)
        }
        Err(errors) => {
            let diagnostics = errors.iter().map(Diagnostic::from).collect();
            let mut printer = Printer::new(style);
            printer.print_with_counts(&Report::new(source, diagnostics));
            printer.finish();
            Ok(Outcome::Failed)
        }
    }
}
