//! `agent new-tools`: the tools of a document as Rust functions to be filled in.

mod attribute;
mod choose;
mod describe;
mod field;
mod function;
mod identifier;
mod item;
mod literal;
mod module;
mod parameter;
mod rename;
#[cfg(test)]
mod tests;
mod type_name;
mod types;
mod wide;
mod width;
mod words;

use crate::outcome::{Outcome, Trouble};
use crate::output::{to_stderr, to_stdout};
use crate::style::Style;
use crate::tools::ToolFiles;
use std::io::Write as _;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Print the tools of a document as Rust functions to be filled in

For each tool there is a function with #[tool], and for each record and each list of words in its
signature a struct or an enum, so that `agent!` accepts the functions for the document as they are.
Tools that an agent only names are printed too, when they are built in or come from --tools.

A function that is not written yet gives an error that says so, and no panic: an agent can be run
while only some of its tools are written. Put your code in the place of the last lines of each;
a function may be made async, and may return its value alone or an error of yours.

What a document can say and Rust attributes cannot, such as a record as a default, is left to the
document, which is checked before a function is called.";

const AFTER_HELP: &str = "\
Examples:
  agent new-tools agents/hello.gram > src/tools.rs
  agent new-tools agents/hello.gram --tool sayHello
  agent new-tools agents/all.gram --agent greeter";

/// Print the tools of a document as Rust functions to be filled in
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// Print the tools of this agent only
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Print this tool only; may be given several times
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    #[command(flatten)]
    tools: ToolFiles,
}

/// Prints skeletons.
pub(crate) fn new_tools(args: Args, style: &Style) -> Result<Outcome, Trouble> {
    let Some((source, checked)) = args.tools.read_document(&args.file, style)? else {
        return Ok(Outcome::Failed);
    };
    let chosen = choose::choose(&checked, args.agent.as_deref(), &args.tool, &source)?;
    let module = module::module_of(&chosen);
    for warning in &module.warnings {
        to_stderr(&format!("warning: {warning}\n"));
    }
    to_stdout(|out| out.write_all(module.text.as_bytes()))?;
    Ok(Outcome::Fine)
}
