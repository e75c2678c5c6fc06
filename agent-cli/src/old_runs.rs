//! Deleting the old runs of a journal, so that it does not grow without end.

use crate::outcome::with_causes;
use crate::output::warning_to_stderr;
use agent_store::SqliteJournal;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time after which a run that has ended is deleted.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The maximum size of the runs of a journal in bytes. Above this size, the oldest ended runs are deleted.
const KEPT_BYTES: u64 = 1_000_000_000;

/// Deletes the runs that ended long ago, and the oldest ended runs of a very large journal. A failure is a
/// warning, because the command can do its work without the deletion.
pub(crate) async fn delete_old(journal: &SqliteJournal) {
    let before = SystemTime::now().checked_sub(KEPT).unwrap_or(UNIX_EPOCH);
    if let Err(error) = journal.delete_ended(before, KEPT_BYTES).await {
        let causes = with_causes(&error);
        warning_to_stderr(&format!("old runs cannot be deleted: {causes}"));
    }
}
