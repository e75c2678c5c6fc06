//! `agent mcp check`: compares the document of a server with what the server has now.

use super::live::{Live, LockFile, print_changes, warn_about_refused};
use crate::async_runtime::async_runtime;
use crate::command::diff::{CallerChanges, ChangesDocument};
use crate::outcome::{CommandError, Outcome};
use crate::output::json_to_stdout;
use crate::output_format::Format;
use crate::session::SentVariables;
use crate::style::Style;
use agent_runtime::Environment;
use serde::Serialize;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Compare the documents of servers with the tools that the servers have now

Starts each server, or contacts it, and shows what changed since the document was written, as `agent diff --for caller`
does: a change is breaking if a call that the document accepts is refused now, if one of its arguments is dropped, or if
a result is possible that the document does not allow. Descriptions that changed are shown in full, because a model
obeys them. New tools are no harm: no agent has them until the document does.

With --format json, standard output has one document with an entry for each file:
  [{\"file\",\"server\",\"changes\":[…],\"breaking\":{…},\"versions\":[{\"what\",\"old\",\"new\"}],
    \"refused\":[{\"tool\",\"reason\"}]}]
`changes` and `breaking` are those of `agent diff --format json`.

Exit codes: 0 if no change is breaking, 1 if one is or a document has errors, 2 if a server cannot be reached.";

const AFTER_HELP: &str = "\
Examples:
  agent mcp check mcp/*.gram
  agent mcp check mcp/files.gram --format json";

/// Compare the documents of servers with the tools that the servers have now
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    sent_variables: SentVariables,
    /// The format of the changes
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Compares documents with their servers.
pub(crate) fn check(
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
    let (mut live, mut failed) = (Vec::new(), None::<CommandError>);
    for lock in &locks {
        match tokio.block_on(Live::ask(lock.lock(), &lock.login(), environment)) {
            Ok(now) => live.push((lock, now)),
            // The other servers are compared all the same.
            Err(error) => {
                failed = Some(match failed {
                    Some(before) => before.and(Some(error)),
                    None => error,
                });
            }
        }
    }
    let mut entries = Vec::new();
    let changes: Vec<(&LockFile, &Live, CallerChanges<'_>)> = live
        .iter()
        .map(|(lock, now)| (*lock, now, now.changes_since(lock)))
        .collect();
    let is_breaking = changes.iter().any(|(.., changes)| changes.is_breaking());
    for (lock, now, changes) in &changes {
        match args.format {
            Format::Human => {
                print_changes(lock, now, style)?;
                warn_about_refused(&lock.source.display_name(), &now.refused);
            }
            Format::Json => entries.push(Entry::of(lock, now, changes)),
        }
    }
    if args.format == Format::Json {
        json_to_stdout(&entries)?;
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(Outcome::of_errors(is_breaking)),
    }
}

/// A server as JSON.
#[derive(Serialize)]
struct Entry<'a> {
    file: &'a str,
    server: &'a str,
    #[serde(flatten)]
    changes: ChangesDocument<'a>,
    versions: Vec<VersionEntry>,
    refused: Vec<RefusedEntry<'a>>,
}

#[derive(Serialize)]
struct VersionEntry {
    what: &'static str,
    old: String,
    new: String,
}

#[derive(Serialize)]
struct RefusedEntry<'a> {
    tool: &'a str,
    reason: &'a str,
}

impl<'a> Entry<'a> {
    fn of(lock: &'a LockFile, now: &'a Live, changes: &'a CallerChanges<'a>) -> Self {
        let versions = now.versions_since(lock.lock()).into_iter();
        let refused = now.refused.iter();
        Self {
            file: &lock.source.name,
            server: now.lock.name(),
            changes: changes.document(),
            versions: versions
                .map(|(what, old, new)| VersionEntry { what, old, new })
                .collect(),
            refused: refused
                .map(|tool| RefusedEntry {
                    tool: &tool.remote,
                    reason: &tool.reason,
                })
                .collect(),
        }
    }
}
