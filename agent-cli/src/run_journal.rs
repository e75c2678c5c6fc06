//! The journal in which a command keeps its runs.

use crate::old_runs::delete_old;
use crate::outcome::{CommandError, with_causes};
use crate::output::to_stderr;
use agent_runtime::journal::Journal;
use agent_runtime::{Error, Message, Runtime};
use agent_store::SqliteJournal;
use std::path::Path;

/// A journal, and the option with which `agent runs` opens it.
#[derive(Clone)]
pub(crate) struct RunJournal {
    journal: SqliteJournal,
    /// ` --journal FILE`, or nothing for the usual file.
    option: String,
}

impl RunJournal {
    /// Opens the journal in a file that the user named, or in the usual one, and deletes its old runs.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or created.
    pub(crate) async fn open(path: &Path, is_usual: bool) -> Result<Self, CommandError> {
        let journal = SqliteJournal::open(path).await?;
        delete_old(&journal).await;
        let option = match is_usual {
            true => String::new(),
            false => format!(" --journal {}", shell_word(&path.display().to_string())),
        };
        Ok(Self { journal, option })
    }

    /// Returns the journal for a runtime.
    pub(crate) fn journal(&self) -> &SqliteJournal {
        &self.journal
    }

    /// Returns the commands that continue or end a run that was interrupted.
    pub(crate) fn remedies(&self, run: &str) -> String {
        let option = &self.option;
        format!(
            "`agent runs resume {run}{option}` continues it, and `agent runs cancel {run}{option}` ends it"
        )
    }

    /// Prints the ways to continue or end the run of an error, if the end of the run could not be recorded in
    /// the journal. `next` describes the next action of this program.
    pub(crate) async fn print_remedies(&self, error: &Error, next: &str) {
        let Some(run) = error.unended_run() else {
            return;
        };
        to_stderr(&match self.journal.read(run).await {
            Ok(None) => "nothing was sent or called; send the message again\n".to_owned(),
            _ => {
                let remedies = self.remedies(run);
                format!(
                    "nothing more was called, and the journal has the run up to its last record; {next}{remedies}\n"
                )
            }
        });
    }

    /// Ends a run whose end could not be recorded in the journal, and stores the messages that the run added
    /// to the conversation.
    ///
    /// # Errors
    /// Returns an error if the journal still cannot be written, or if another program drives the run.
    pub(crate) async fn end(
        &self,
        runtime: &Runtime,
        run: &str,
        messages: &[Message],
    ) -> Result<Ended, CommandError> {
        let failed = |error: &dyn std::error::Error| {
            let (causes, remedies) = (with_causes(error), self.remedies(run));
            CommandError::new(format!(
                "the run of an earlier message cannot be ended: {causes}\n  {remedies}"
            ))
        };
        match self.journal.read(run).await {
            // The first record of the run was not written, so the run did nothing.
            Ok(None) => Ok(Ended::Here),
            Ok(Some(stored)) if stored.info.state.is_over() => Ok(Ended::Elsewhere),
            Ok(Some(_)) => {
                let ended = runtime.cancel_run_with(run, messages).await;
                ended.map(|_| Ended::Here).map_err(|error| failed(&error))
            }
            Err(error) => Err(failed(&error)),
        }
    }
}

/// The program that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// This program.
    Here,
    /// Another program, which may have continued the run before.
    Elsewhere,
}

/// Writes a word of a command that a person may paste into a shell.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+@:,~".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
