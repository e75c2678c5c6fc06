//! The journal in which a command keeps its runs.

use crate::old_runs::delete_old;
use crate::outcome::{CommandError, with_causes};
use crate::output::to_stderr;
use agent_runtime::journal::Journal;
use agent_runtime::{Error, Runtime};
use agent_store::SqliteJournal;
use std::path::Path;

/// A journal, and how `agent runs` is told of it.
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
            false => format!(" --journal {}", path.display()),
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

    /// Whether the journal has the run and not its end. A journal that cannot be read counts as one that has it.
    async fn has_unended(&self, run: &str) -> bool {
        let stored = self.journal.read(run).await;
        stored.map_or(true, |stored| {
            stored.is_some_and(|stored| !stored.info.state.is_over())
        })
    }

    /// Prints what can be done about the run of an error, if the journal has the run and not its end.
    pub(crate) async fn print_remedies(&self, error: &Error) {
        if let Some(run) = error.unended_run()
            && self.has_unended(run).await
        {
            let remedies = self.remedies(run);
            to_stderr(&format!(
                "nothing more was called; the journal has the run up to its last record: {remedies}\n"
            ));
        }
    }

    /// Ends a run that the journal could not record to its end, unless somebody ended it meanwhile.
    ///
    /// # Errors
    /// Returns an error if the journal still cannot be written.
    pub(crate) async fn end(&self, runtime: &Runtime, run: &str) -> Result<(), CommandError> {
        if !self.has_unended(run).await {
            return Ok(());
        }
        let ended = runtime.cancel_run(run).await;
        ended.map(drop).map_err(|error| {
            let (causes, remedies) = (with_causes(&error), self.remedies(run));
            CommandError::new(format!(
                "the message is not sent, because the run of an earlier one has not ended: {remedies}\n  caused by: {causes}"
            ))
        })
    }
}
