//! Whether a file has what was made in it.

use super::file::{failed, is_surprised};
use agent_runtime::StoreError;
use rusqlite::Transaction;
use std::path::Path;

/// The tables, with the columns that are asked for.
const COLUMNS: [(&str, &str); 4] = [
    ("revision", "last"),
    ("conversation", "id, name, revision, updated"),
    ("message", "conversation, position, json"),
    ("tool_call", "conversation, id"),
];

/// Refuses a file that lacks something. Found out later, an answer that was paid for could not be stored.
pub(super) fn check(path: &Path, transaction: &Transaction<'_>) -> Result<(), StoreError> {
    for (table, columns) in COLUMNS {
        let asked = transaction.prepare(&format!("SELECT {columns} FROM {table}"));
        match asked {
            Ok(_) => {}
            Err(error) if is_surprised(&error) => {
                let text = format!("its table `{table}` is not there, or is another one");
                return Err(damaged(path, &text).with_source(error));
            }
            Err(error) => return Err(failed(path, error)),
        }
    }
    let counters = transaction.query_row("SELECT count(*) FROM revision", [], |row| row.get(0));
    match counters.map_err(|error| failed(path, error))? {
        1_i64 => Ok(()),
        count => {
            let text =
                format!("its table `revision` has {count} rows, and not the one it must have");
            Err(damaged(path, &text))
        }
    }
}

/// What to say of a file of ours that something was done to.
pub(super) fn damaged(path: &Path, what: &str) -> StoreError {
    let path = path.display();
    StoreError::format(format!(
        "`{path}` is damaged: {what}; restore an earlier copy of it, or move it away to begin anew"
    ))
}
