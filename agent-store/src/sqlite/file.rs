//! The file of a store: its format, how it is opened, and the errors of SQLite.

use agent_core::conversation::StoreError;
use agent_tool::spec::file::is_virtual;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, ffi};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time that a locked file is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two attempts, where SQLite itself does not wait for a lock.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The `application_id` of a store's file: `agnt`.
const APPLICATION_ID: i64 = 0x6167_6e74;

/// The version of the tables. A file of a later version is refused and left unchanged.
const VERSION: i64 = 1;

/// The tables. All conversations share one counter of revisions, so that a revision does not repeat
/// after a conversation was deleted.
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
";

/// The tables for images, documents and audio. The bytes are kept once for all conversations that have them.
const MEDIA_TABLES: &str = "
CREATE TABLE media (
    sha256 BLOB NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE conversation_media (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    sha256 BLOB NOT NULL REFERENCES media (sha256),
    PRIMARY KEY (conversation, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_media_by_sha256 ON conversation_media (sha256);
";

/// The tables for the records of runs. `process` names the process that holds a run. Runs and their records
/// are kept in the order in which the runs begin, so that the commits of concurrent runs change few pages:
/// the number of a record is the number of its run times [`RECORDS_OF_RUN`] plus its position.
/// `record_payload` has the large texts of records, each of which is stored once in `payload`: `place` is the
/// number of bytes of the record before the text. `mail` has the mail that no holder of its run took yet, and
/// `last_mail` is the number of the last mail of a run, so that no number is given twice.
const RUN_TABLES: &str = "
CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    state TEXT NOT NULL,
    started INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    cost REAL,
    records INTEGER NOT NULL,
    checksum BLOB NOT NULL,
    holder INTEGER NOT NULL,
    process TEXT,
    renewed INTEGER NOT NULL,
    conversation TEXT,
    owner TEXT,
    exclusive INTEGER NOT NULL,
    last_mail INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX run_by_conversation ON run (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX run_by_owner ON run (owner) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX run_by_exclusive_conversation ON run (conversation)
    WHERE exclusive = 1 AND state IN ('running', 'waiting');
CREATE TABLE mail (
    run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE record (
    number INTEGER PRIMARY KEY,
    json TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT;
CREATE TABLE payload (
    sha256 BLOB NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE record_payload (
    record INTEGER NOT NULL REFERENCES record (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    sha256 BLOB NOT NULL REFERENCES payload (sha256),
    PRIMARY KEY (record, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_payload_by_sha256 ON record_payload (sha256);
CREATE TABLE conversation_run (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    run TEXT NOT NULL,
    PRIMARY KEY (conversation, run)
) STRICT, WITHOUT ROWID;
";

/// The maximum number of records of a run.
pub(super) const RECORDS_OF_RUN: i64 = 1 << 24;

/// Opens the file and checks that it is a store. A missing or empty file becomes a store.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    if path.as_os_str().is_empty() {
        return Err(StoreError::unavailable(
            "the path is empty; name a file, such as `conversations.db` or `runs.db`",
        ));
    }
    let to_error = |error| store_error(path, error);
    create(path).map_err(|error| not_opened(path, error))?;
    // An absolute path, because SQLite gives names such as `:memory:` a meaning of their own.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(absolute, flags).map_err(to_error)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(to_error)?;
    overwrite_deleted(&connection).map_err(to_error)?;
    if !has_tables(path, &connection.transaction().map_err(to_error)?)? {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = transaction.map_err(to_error)?;
        // Another program may have created the tables meanwhile.
        if !has_tables(path, &transaction)? {
            create_tables(&transaction).map_err(to_error)?;
        }
        transaction.commit().map_err(to_error)?;
    }
    configure(&connection).map_err(to_error)?;
    Ok(connection)
}

/// Opens a file for reading only. A missing file is not created. Without the right to write into the folder,
/// SQLite cannot coordinate with other programs. The file is then read as one that nobody changes, if there
/// is no write-ahead log of a program beside it.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    check_ordinary(path).map_err(|error| not_opened(path, error))?;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = check_current(path, Connection::open_with_flags(&absolute, flags));
    opened.or_else(|error| match unchanging_uri(&absolute) {
        Some(uri) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            check_current(path, Connection::open_with_flags(uri, flags)).map_err(|_| error)
        }
        None => Err(error),
    })
}

/// Returns the URI of a file that SQLite reads without locks; `None` if it has a write-ahead log, or is not named in
/// UTF-8.
fn unchanging_uri(absolute: &Path) -> Option<String> {
    let has_log = std::fs::metadata(log_of(absolute)).is_ok_and(|log| log.len() > 0);
    let path = absolute.to_str().filter(|_| cfg!(unix) && !has_log)?;
    let path = path.replace('%', "%25").replace('?', "%3f");
    let path = path.replace('#', "%23");
    Some(format!("file:{path}?immutable=1"))
}

/// Checks that a connection for reading is a connection to a store of this version.
fn check_current(
    path: &Path,
    opened: rusqlite::Result<Connection>,
) -> Result<Connection, StoreError> {
    let to_error = |error| store_error(path, error);
    let mut connection = opened.map_err(to_error)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(to_error)?;
    if !has_tables(path, &connection.transaction().map_err(to_error)?)? {
        let path = path.display();
        return Err(StoreError::format(format!(
            "`{path}` is empty; it can be read once it was opened for writing"
        )));
    }
    Ok(connection)
}

pub(super) fn not_opened(path: &Path, error: io::Error) -> StoreError {
    let path = path.display();
    StoreError::unavailable(format!("`{path}` cannot be opened")).with_source(error)
}

/// Returns the path of the write-ahead log of a file.
fn log_of(path: &Path) -> OsString {
    let mut log = OsString::from(path);
    log.push("-wal");
    log
}

/// A file of the system, by its device and its inode. Elsewhere than on Unix, a file that is open cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

impl FileId {
    /// Returns the file that the path of a connection names now.
    pub(super) fn of(connection: &Connection, path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(connection.path().map_or(path, Path::new))?;
        #[cfg(unix)]
        let id = {
            use std::os::unix::fs::MetadataExt;
            Self(metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let id = {
            let _ = metadata;
            Self(0, 0)
        };
        Ok(id)
    }
}

/// Checks that the path still names the file that was opened. SQLite would continue to write into a file that nobody can
/// open, and whoever reads there would wait forever for what nobody writes.
///
/// # Errors
/// When there is no file at the path, or another one.
pub(super) fn check_not_removed(
    connection: &Connection,
    path: &Path,
    opened: FileId,
) -> Result<(), StoreError> {
    let is_gone = match FileId::of(connection, path) {
        Ok(now) => now != opened,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if !is_gone {
        return Ok(());
    }
    let path = path.display();
    Err(StoreError::unavailable(format!(
        "`{path}` was removed or replaced while it was open, and cannot be used any more"
    )))
}

/// Creates an empty file that only its owner can read, unless there is a file.
fn create(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => drop(created?),
    }
    check_ordinary(path)
}

fn check_ordinary(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::other("it is a folder; name a file in it"));
    }
    if !path.is_file() || is_virtual(path) {
        // Reading a device or a pipe might never end, and neither might reading `/proc/kmsg`.
        return Err(io::Error::other("it is no ordinary file"));
    }
    Ok(())
}

/// Whether the file has the tables of a store; an empty file has none. A file with other tables is an error.
/// Everything is read in one transaction, because another program may be creating the tables.
fn has_tables(path: &Path, transaction: &Transaction<'_>) -> Result<bool, StoreError> {
    let number = |sql: &str| -> Result<i64, StoreError> {
        let read = transaction.query_row(sql, [], |row| row.get(0));
        read.map_err(|error| store_error(path, error))
    };
    let has_any = number("SELECT EXISTS (SELECT 1 FROM sqlite_schema)")? == 1;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let file = path.display();
    if application == APPLICATION_ID {
        if version > VERSION {
            return Err(StoreError::format(format!(
                "`{file}` was written by a newer version of this program: its format is {version}, \
                 and this one knows up to {VERSION}"
            )));
        }
        check_schema(path, transaction)?;
        // Without the row of `revision`, each write would fail, after the answer that it should store was
        // paid for.
        if number("SELECT count(*) FROM revision")? != 1 {
            let problem = "its table `revision` must have one row";
            return Err(damaged(path, problem));
        }
        return Ok(true);
    }
    if application != 0 || version != 0 || has_any {
        return Err(StoreError::format(format!(
            "`{file}` is a database of another program, and holds no conversations or runs"
        )));
    }
    Ok(false)
}

/// Checks that the file has the tables that this module creates. Otherwise a missing column would be found only when an
/// answer that was paid for is stored.
fn check_schema(path: &Path, transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let to_error = |error| store_error(path, error);
    let statement = transaction.prepare("SELECT sql FROM sqlite_schema WHERE sql NOT NULL");
    let mut statement = statement.map_err(to_error)?;
    let found = statement
        .query_map([], |row| row.get(0))
        .map_err(to_error)?;
    let found: Vec<String> = found.collect::<Result<_, _>>().map_err(to_error)?;
    let found: Vec<String> = found.iter().map(|sql| without_blanks(sql)).collect();
    let mut expected = [TABLES, MEDIA_TABLES, RUN_TABLES]
        .into_iter()
        .flat_map(statements);
    match expected.find(|(_, sql)| !found.contains(sql)) {
        Some((name, _)) => {
            let problem = format!("its table or index `{name}` is not there, or is another one");
            Err(damaged(path, &problem))
        }
        None => Ok(()),
    }
}

/// Returns the statements of a text that create something, each with the name of what it creates and without blanks.
fn statements(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for statement in text.split(';').map(str::trim) {
        if statement.starts_with("CREATE ") {
            let words = statement.split_whitespace();
            let name = words
                .skip_while(|word| !["TABLE", "INDEX"].contains(word))
                .nth(1);
            found.push((name.unwrap_or_default(), without_blanks(statement)));
        }
    }
    found
}

fn without_blanks(sql: &str) -> String {
    sql.split_whitespace().collect()
}

fn create_tables(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for tables in [TABLES, MEDIA_TABLES, RUN_TABLES] {
        transaction.execute_batch(tables)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)
}

/// Makes SQLite overwrite deleted content with zeros.
fn overwrite_deleted(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))
}

/// Moves all commits from the write-ahead log into the file, and empties the log, which has the pages as they
/// were before a deletion. If others keep the file locked, or the disk is full, the next call empties the
/// log. Neither is an error, because the deletion is committed already.
pub(super) fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    match connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        Err(error) if is_busy(&error) || is_full(&error) => Ok(()),
        done => done,
    }
}

/// Lets readers and a writer work without waiting for each other, and makes commits durable.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let started = Instant::now();
    // SQLite's busy timeout does not apply to a change of the journal mode.
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match mode {
            Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(RETRY_PAUSE);
            }
            mode => return mode,
        }
    }
}

/// Whether a file could not grow. A quota or a limit of the process is an error of writing for SQLite.
fn is_full(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    let extended = error.sqlite_error().map(|error| error.extended_code);
    code == Some(ErrorCode::DiskFull) || extended == Some(ffi::SQLITE_IOERR_WRITE)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether a table or a row differs from those that this module creates. The statements never change,
/// so only the content of the file can cause such an error.
fn is_unexpected_content(error: &rusqlite::Error) -> bool {
    let is_of_statement = error.sqlite_error_code() == Some(ErrorCode::Unknown);
    let is_of_row = matches!(
        error,
        rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
    );
    is_of_statement || is_of_row
}

/// Converts an error of SQLite into a store's error.
pub(super) fn store_error(path: &Path, error: rusqlite::Error) -> StoreError {
    let file = path.display();
    let converted = match error.sqlite_error_code() {
        _ if is_busy(&error) => StoreError::busy(format!(
            "others have kept `{file}` locked for {BUSY_TIMEOUT:?}; try again later"
        )),
        Some(ErrorCode::NotADatabase) => StoreError::format(format!(
            "`{file}` is no database, and holds no conversations or runs"
        )),
        Some(ErrorCode::DatabaseCorrupt) => damaged(path, "its parts do not fit together"),
        _ if is_unexpected_content(&error) => {
            damaged(path, "its tables have something else than was made")
        }
        _ => StoreError::unavailable(format!("`{file}` cannot be read or written")),
    };
    converted.with_source(error)
}

/// Returns the error of a store's file that another program or a fault changed.
fn damaged(path: &Path, problem: &str) -> StoreError {
    let path = path.display();
    StoreError::format(format!(
        "`{path}` is damaged: {problem}; restore an earlier copy of it, or move it away to begin anew"
    ))
}
