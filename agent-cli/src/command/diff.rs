//! `agent diff`: what changed between two versions of a document, and whom it breaks.

mod comparison;
mod human;
mod json;

use crate::document::{Blank, ToolFiles, print_errors};
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, to_stdout};
use crate::output_format::Format;
use crate::report::DiagnosticsDocument;
use crate::style::Style;
use agent_diff::{Change, compare};
use agent_lsp::report::Report;
use comparison::{Comparison, ContractSide};
use human::Human;
use json::ChangesDocument;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Tell what changed between two versions of a document, and whom it breaks

Compares the tools of OLD and NEW by their names, those that agents only name included, and which
of them the agents offer. Each change is compatible or breaking for two sides:
  implementation  a tool written for OLD that must serve NEW: breaking when binding refuses it
  caller          who calls as OLD says and meets NEW: breaking when a call that OLD takes is
                  refused, or an argument of it dropped, or a result may come that OLD does not allow
A breaking change comes with a witness: a call that one of the documents takes and the other refuses.
docs/contract-diff.md says of each rule whom it breaks, and why.

What an agent is told, its model and its settings are no part of a contract, and are not compared.
A blank document has no contracts: with one as OLD, all that a new file declares is added.

With --format json the changes are one document on standard output:
  {\"changes\":[{\"rule\",\"agent\",\"tool\",\"parameter\",\"renamedTo\",\"old\",\"new\",\"implementation\",\"caller\",
               \"note\"}],
   \"breaking\":{\"implementation\",\"caller\"}}
  old, new                {\"text\",\"file\",\"line\",\"column\"}, or null when the document has none
  implementation, caller  {\"verdict\",\"witness\",\"remark\"}, or null when --for asks for the other one;
                          verdict is \"compatible\" or \"breaking\"; remark says why there is no witness
  witness                 {\"tool\",\"args\",\"acceptedBy\",\"refusedBy\",\"refusedAt\",\"refusal\"}, and \"result\"
                          when that is what is refused; acceptedBy and refusedBy are \"old\" or \"new\";
                          refusedAt is \"arguments\", \"result\", \"lookup\" (the tool is not offered, or
                          the agent is not there) or \"binding\" (before any call)
  breaking                how many of these changes break each side; null for one that is not judged
agent, tool, parameter, renamedTo and note are null where they do not apply; tool and parameter are
the older names, renamedTo is the newer one of what was renamed. Texts that look like keys are covered
by stars. When a document has errors, it is {\"diagnostics\":[…]} as of `agent check`.

Exit codes: 0 when no change is breaking (with --for, for that side), 1 when one is or a document
has errors, 2 for wrong usage or unreadable input.";

const AFTER_HELP: &str = "\
Examples:
  agent diff old.gram new.gram
  git show main:agents/a.gram | agent diff - agents/a.gram
  git show main:new.gram 2>/dev/null | agent diff - new.gram --for caller
  agent diff old.gram new.gram --for caller --breaking
  agent diff old.gram new.gram --format json";

/// Tell what changed between two versions of a document, and whom it breaks
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The older version; `-` is standard input
    old: PathBuf,
    /// The newer version; `-` is standard input
    new: PathBuf,
    /// Judge for this side only
    #[arg(long = "for", value_enum, value_name = "SIDE")]
    side: Option<ContractSide>,
    /// Show breaking changes only
    #[arg(long)]
    breaking: bool,
    #[command(flatten)]
    tools: ToolFiles,
    /// How changes are shown
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Compares documents.
pub(crate) fn diff(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    let [(old, old_checked), (new, new_checked)] = match args
        .tools
        .read_documents([&args.old, &args.new], Blank::DeclaresNothing)?
    {
        Ok(documents) => documents,
        Err(reports) => return show_errors(&reports, args.format, style),
    };
    let mut changes = compare(&old_checked, &new_checked);
    let breaks = |change: &Change| {
        ContractSide::judged(args.side).any(|side| side.verdict(change).is_breaking())
    };
    let breaking = changes.iter().any(breaks);
    let all = changes.len();
    if args.breaking {
        changes.retain(breaks);
    }
    let comparison = Comparison {
        old: &old,
        new: &new,
        hidden: all - changes.len(),
        changes: &changes,
        side: args.side,
    };
    match args.format {
        Format::Human => {
            let has_colour = style.has_colour_on(io::stdout().is_terminal());
            to_stdout(|out| Human::new(&comparison, has_colour).write(out))?;
        }
        Format::Json => json_to_stdout(&ChangesDocument::of(&comparison))?,
    }
    Ok(Outcome::of_errors(breaking))
}

fn show_errors(reports: &[Report], format: Format, style: &Style) -> Result<Outcome, CommandError> {
    match format {
        Format::Json => json_to_stdout(&DiagnosticsDocument(reports))?,
        Format::Human => print_errors(reports, style),
    }
    Ok(Outcome::Failed)
}
