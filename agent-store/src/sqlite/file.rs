//! The file: what is in it, and whose it is.

use super::intact::{self, damaged};
use agent_runtime::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long somebody waits who finds the file locked.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks at whether the file is still locked, where SQLite does not wait itself.
const PAUSE: Duration = Duration::from_millis(10);

/// What SQLite files of ours are marked with: `agnt`.
const APPLICATION: i64 = 0x6167_6e74;

/// The version of the tables. A file of a later one is left alone.
const VERSION: i64 = 1;

/// A conversation's revision is taken from one counter for all, so that it does not come again
/// after a conversation was deleted. The ids of calls have a table so that a turn can be added
/// without reading what was said before.
const TABLES: &str = "
CREATE TABLE revision (last INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (0);
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE TABLE message (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (conversation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE tool_call (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (conversation, id)
) STRICT, WITHOUT ROWID;
";

/// Opens the file, makes what is missing, and makes sure that it is ours.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    if path.as_os_str().is_empty() {
        return Err(StoreError::unavailable(
            "the path of the store is empty; it is that of a file, such as `conversations.db`",
        ));
    }
    let failed = |error| failed(path, error);
    make(path).map_err(|error| {
        StoreError::unavailable(format!("`{}` cannot be opened", path.display())).with_source(error)
    })?;
    // An absolute path, since SQLite has names that mean something else than a file.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(absolute, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    let ours = is_ours(path, &connection.transaction().map_err(failed)?)?;
    if !ours {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = transaction.map_err(failed)?;
        // Somebody else may have made it meanwhile.
        if !is_ours(path, &transaction)? {
            make_tables(&transaction).map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
    }
    set_up(&connection).map_err(failed)?;
    Ok(connection)
}

/// Makes an empty file that only its owner can read, unless there is one.
fn make(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => drop(made?),
    }
    if path.is_dir() {
        return Err(io::Error::other("it is a folder; name a file in it"));
    }
    Ok(())
}

/// Whether the file has our tables; an empty one has none yet. All is read in a transaction, since
/// somebody else may be making the tables.
fn is_ours(path: &Path, transaction: &Transaction<'_>) -> Result<bool, StoreError> {
    let number = |sql: &str| -> Result<i64, StoreError> {
        let read = transaction.query_row(sql, [], |row| row.get(0));
        read.map_err(|error| failed(path, error))
    };
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let shown = path.display();
    if application == APPLICATION {
        if version > VERSION {
            return Err(StoreError::format(format!(
                "`{shown}` was written by a newer version of this program: its format is {version}, \
                 and this one knows up to {VERSION}"
            )));
        }
        intact::check(path, transaction)?;
        return Ok(true);
    }
    if application != 0 || version != 0 || tables > 0 {
        return Err(StoreError::format(format!(
            "`{shown}` is a database of another program, and holds no conversations"
        )));
    }
    Ok(false)
}

fn make_tables(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)
}

/// Readers and a writer do not wait for each other, and what was written is on the disk.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let begun = Instant::now();
    // SQLite does not wait for others here.
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match mode {
            Err(error) if is_busy(&error) && begun.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            mode => return mode,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether a table or a row is not what our statements, which never change, ask for.
pub(super) fn is_surprised(error: &rusqlite::Error) -> bool {
    let is_of_statement = error.sqlite_error_code() == Some(ErrorCode::Unknown);
    let is_of_content = matches!(
        error,
        rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
    );
    is_of_statement || is_of_content
}

/// What SQLite says, as an error of ours.
pub(super) fn failed(path: &Path, error: rusqlite::Error) -> StoreError {
    let shown = path.display();
    let made = match error.sqlite_error_code() {
        _ if is_busy(&error) => StoreError::busy(format!(
            "others have kept `{shown}` locked for {PATIENCE:?}; try again later"
        )),
        Some(ErrorCode::NotADatabase) => StoreError::format(format!(
            "`{shown}` is no database, and holds no conversations"
        )),
        Some(ErrorCode::DatabaseCorrupt) => damaged(path, "its parts do not fit together"),
        _ if is_surprised(&error) => damaged(path, "its tables have something else than was made"),
        _ => StoreError::unavailable(format!("`{shown}` cannot be read or written")),
    };
    made.with_source(error)
}
