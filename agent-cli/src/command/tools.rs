//! `agent tools`: prints the built-in tools as gram.

use crate::document::known_instead;
use crate::outcome::{CommandError, Outcome};
use crate::output::line_to_stdout;

const LONG_ABOUT: &str = "\
Print the built-in tools as gram

An agent can name these tools without defining them:
  [reader:Agent {instruction: \"Answer from the files.\", model: \"OpenAI/gpt-6-luna\"} | readFile]

With NAMEs, only these tools are printed. Access to files, hosts and variables is granted where an agent is
run: see --allow-read and similar options in `agent run --help`. The page \"Built-in tools\" of the book describes each tool.";

const AFTER_HELP: &str = "\
Examples:
  agent tools
  agent tools readFile listDirectory > tools.gram";

/// Print the built-in tools as gram
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The tools to print; without names, all of them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Prints the built-in tools.
pub(crate) fn tools(args: &Args) -> Result<Outcome, CommandError> {
    let library = agent_builtin::library();
    let known: Vec<&str> = library.names().collect();
    let names = args.names.iter().map(String::as_str);
    let mut chosen = Vec::new();
    for name in if args.names.is_empty() {
        known.clone()
    } else {
        names.collect()
    } {
        let tool = library.lookup(name).ok_or_else(|| {
            let instead = known_instead(name, &known);
            CommandError::new(format!("there is no built-in tool `{name}`; {instead}"))
        })?;
        let gram = tool.descriptor().to_gram();
        chosen.extend(gram.filter(|gram| !chosen.contains(gram)));
    }
    line_to_stdout(&chosen.join("\n\n"))?;
    Ok(Outcome::Fine)
}
