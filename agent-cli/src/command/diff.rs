//! `agent diff`: prints the changes between two versions of a document, and the sides that they break.

mod comparison;
mod human;
mod json;

use crate::document::{Blank, ToolFiles, print_errors};
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, text_to_stdout};
use crate::output_format::Format;
use crate::report::DiagnosticsDocument;
use crate::style::Style;
use agent_diff::{Change, compare};
use agent_project::report::Report;
use agent_project::source::Source;
use agent_spec::check::Checked;
use comparison::{Comparison, ContractSide};
use human::Human;
pub(crate) use json::ChangesDocument;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Show the changes between two versions of a document, and the sides that they break

Compares the tools of OLD and NEW by their names, including those that agents only name, and the tools
that each agent offers. Each change is compatible or breaking for two sides:
  implementation  a tool that implements OLD and is used with NEW: breaking if binding refuses it
  caller          a caller that follows OLD and calls NEW: breaking if a call that OLD accepts is
                  refused, if one of its arguments is dropped, or if a result is possible that OLD
                  does not allow
A breaking change has a witness: a call that one of the documents accepts and the other refuses.
The page \"Changes of contracts\" of the book describes for each rule the sides that it breaks, and why.

Instructions, models and settings of agents are not part of a contract and are not compared, but for
what they open: a leak, a message without a bound, or a destructive tool without approval, as `agent
audit` finds them, is a change that breaks no side. A blank
document has no contracts: with one as OLD, every declaration of NEW is added.

With --format json the changes are one document on standard output:
  {\"changes\":[{\"rule\",\"agent\",\"tool\",\"parameter\",\"renamedTo\",\"old\",\"new\",\"implementation\",\"caller\",
               \"note\"}],
   \"breaking\":{\"implementation\",\"caller\"}}
  old, new                {\"text\",\"file\",\"line\",\"column\"}; null if the document has no such part
  implementation, caller  {\"verdict\",\"witness\",\"remark\"}; null if --for names the other side;
                          verdict is \"compatible\" or \"breaking\"; remark is the reason for a
                          missing witness
  witness                 {\"tool\",\"args\",\"acceptedBy\",\"refusedBy\",\"refusedAt\",\"refusal\"}, and \"result\"
                          if the result is refused; acceptedBy and refusedBy are \"old\" or \"new\";
                          refusedAt is \"arguments\", \"result\", \"lookup\" (the tool is not offered, or
                          the agent does not exist) or \"binding\" (before any call)
  breaking                the number of changes that break each side; null for a side not judged
agent, tool, parameter, renamedTo and note are null where they do not apply; tool and parameter are
the old names, renamedTo is the new name of a renamed part. Keys are redacted as [key]. If a document
has errors, the output is {\"diagnostics\":[…]} as for `agent check`.

Exit codes: 0 if no change is breaking (with --for, for that side), 1 if one is or a document has
errors, 2 for wrong usage or unreadable input.";

const AFTER_HELP: &str = "\
Examples:
  agent diff old.gram new.gram
  git show main:agents/a.gram | agent diff - agents/a.gram
  git show main:new.gram 2>/dev/null | agent diff - new.gram --for caller
  agent diff old.gram new.gram --for caller --breaking
  agent diff old.gram new.gram --format json";

/// Show the changes between two versions of a document, and the sides that they break
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
    /// The format of the changes
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The changes of a document for the callers of its tools.
pub(crate) struct CallerChanges<'a> {
    old: &'a Source,
    new: &'a Source,
    changes: Vec<Change>,
}

impl<'a> CallerChanges<'a> {
    /// Compares two documents without errors.
    pub(crate) fn new(old: (&'a Source, &Checked), new: (&'a Source, &Checked)) -> Self {
        Self {
            old: old.0,
            new: new.0,
            changes: compare(old.1, new.1),
        }
    }

    /// Whether a change breaks a caller.
    pub(crate) fn is_breaking(&self) -> bool {
        ContractSide::Caller.broken_by(&self.changes) > 0
    }

    /// Formats the changes for people.
    pub(crate) fn text(&self, has_colour: bool) -> String {
        Human::new(&self.comparison(), has_colour).to_string()
    }

    /// Returns the changes for programs.
    pub(crate) fn document(&self) -> ChangesDocument<'_> {
        ChangesDocument::of(&self.comparison())
    }

    fn comparison(&self) -> Comparison<'_> {
        Comparison {
            old: self.old,
            new: self.new,
            changes: &self.changes,
            hidden: 0,
            side: Some(ContractSide::Caller),
        }
    }
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
            text_to_stdout(&Human::new(&comparison, has_colour).to_string())?;
        }
        Format::Json => json_to_stdout(&ChangesDocument::of(&comparison))?,
    }
    Ok(Outcome::of_errors(breaking))
}

fn show_errors(reports: &[Report], format: Format, style: &Style) -> Result<Outcome, CommandError> {
    match format {
        Format::Json => json_to_stdout(&DiagnosticsDocument::new(reports))?,
        Format::Human => print_errors(reports, style),
    }
    Ok(Outcome::Failed)
}
