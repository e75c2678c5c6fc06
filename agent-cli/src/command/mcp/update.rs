//! `agent mcp update`: writes the tools that servers have now into their documents.

use super::live::{Live, LockFile, print_changes, warn_about_hidden, warn_about_refused};
use crate::async_runtime::async_runtime;
use crate::outcome::{CommandError, Outcome};
use crate::output::line_to_stdout;
use crate::replace::replace;
use crate::session::SentVariables;
use crate::style::Style;
use agent_runtime::Environment;
use agent_spec::mcp::McpLock;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Write the tools that servers have now into their documents

Shows what changed, as `agent mcp check` does, and writes the document anew. `timeout` and `requiresApproval` of a tool
that is still there are kept, and so are other properties that somebody gave it. Comments are not kept.

A change that breaks callers is written, too: `agent check --mcp FILE` and the compiler then find the agents that have to
change.";

const AFTER_HELP: &str = "\
Examples:
  agent mcp update mcp/files.gram
  agent mcp update mcp/*.gram && git diff mcp";

/// Write the tools that servers have now into their documents
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    sent_variables: SentVariables,
}

/// Updates documents.
pub(crate) fn update(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let Some(locks) = LockFile::read_all(&args.files, style)? else {
        return Ok(Outcome::Failed);
    };
    let all = locks.iter().map(LockFile::lock);
    args.sent_variables.check(all, true)?;
    let tokio = async_runtime()?;
    for lock in &locks {
        let now = tokio.block_on(Live::ask(lock.lock(), &lock.login(), environment))?;
        let file = lock.source.display_name();
        print_changes(lock, &now, style)?;
        warn_about_refused(&file, &now.refused);
        if now.lock == *lock.lock() {
            continue;
        }
        let text = now.lock.to_gram();
        warn_about_hidden(&file, &text);
        replace(Path::new(&lock.source.name), &text)
            .map_err(|error| CommandError::new(format!("cannot write `{file}`: {error}")))?;
        line_to_stdout(&format!("{file}: written"))?;
        let new = new_tools(lock.lock(), &now.lock);
        if !new.is_empty() {
            let new = new.join(", ");
            line_to_stdout(&format!(
                "  new: {new}; an agent can call a tool that it names"
            ))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Returns the names of the tools that only the second document has.
fn new_tools<'a>(before: &McpLock, now: &'a McpLock) -> Vec<&'a str> {
    let known: HashSet<&str> = before
        .tools()
        .iter()
        .map(|tool| tool.spec().name())
        .collect();
    let names = now.tools().iter().map(|tool| tool.spec().name());
    names.filter(|name| !known.contains(name)).collect()
}
