//! `agent explain`: prints the explanations of diagnostic codes.

mod json;
mod page;
mod text;

use crate::outcome::{Outcome, Trouble};
use crate::output::{json_to_stdout, to_stdout};
use agent_spec::Code;
use agent_spec::diagnostic::UnknownCode;
use clap::ValueEnum;
use json::Entry;
use std::io::Write as _;

const LONG_ABOUT: &str = "\
Explain a finding

Findings have codes, such as agent::unknown-type. For each there is a longer text: what the rule is,
why there is one and how to keep it, with an example of the mistake and one that is right. The name
alone will do, unknown-type; one that stands for two codes is taken for the one about agents. Without
CODE all codes are listed.

With --format json it is an object, or without CODE an array of such objects:
  {\"code\",\"severity\",\"meaning\",\"text\",\"examples\",\"wrong\",\"right\"}
examples is what wrong and right are: \"documents\", \"gram\" and \"signatures\", as `agent check` and its
option --as take them; \"portable\", documents for `agent fmt --style portable`; or, which only programs
can check, \"patterns\", and \"short-gram\", any gram where texts may be 40 bytes long. --format markdown
is the page docs/diagnostics.md, or with CODE its part of it.";

const AFTER_HELP: &str = "\
Examples:
  agent explain unknown-type
  agent explain gram::duplicate-key
  agent explain
  agent explain --format markdown > docs/diagnostics.md";

/// Explain a finding
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The code of the finding, with or without `agent::` or `gram::`
    code: Option<String>,
    /// How it is explained
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The form in which explanations are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on standard output
    Json,
    /// For the documentation: a page in Markdown
    Markdown,
}

/// Prints the explanation of one code, or a list of all codes.
pub(crate) fn explain(args: Args) -> Result<Outcome, Trouble> {
    let code = args.code.as_deref().map(read_code).transpose()?;
    match (args.format, code) {
        (Format::Human, Some(code)) => write(&text::explanation(code))?,
        (Format::Human, None) => write(&text::list())?,
        (Format::Json, Some(code)) => json_to_stdout(&Entry::new(code))?,
        (Format::Json, None) => {
            let all: Vec<Entry> = Code::ALL.iter().copied().map(Entry::new).collect();
            json_to_stdout(&all)?;
        }
        (Format::Markdown, Some(code)) => write(&page::section(code))?,
        (Format::Markdown, None) => write(&page::page())?,
    }
    Ok(Outcome::Fine)
}

fn read_code(text: &str) -> Result<Code, Trouble> {
    text.parse().map_err(|error: UnknownCode| {
        let more = match error.nearest() {
            Some(_) => "",
            None => "; `agent explain` lists them all",
        };
        Trouble::new(format!("{error}{more}"))
    })
}

fn write(text: &str) -> std::io::Result<()> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}
