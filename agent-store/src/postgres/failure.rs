//! Failures of operations: which may be repeated, and their errors.

use super::address::Address;
use agent_core::conversation::StoreError;
use agent_http::certificate_problem;
use std::error::Error as StdError;
use std::io;
use std::time::Duration;
use tokio_postgres::error::{DbError, Severity, SqlState};

/// A failure of one attempt of an operation.
pub(super) enum Failure {
    /// The error of the operation.
    Store(StoreError),
    /// An error of the database or of the connection to it.
    Database(tokio_postgres::Error),
    /// The database did not answer for this time.
    Silent(Duration),
    /// Another transaction came first, so that the operation must begin again.
    Overtaken,
}

/// The time at which a failed operation may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Never.
    No,
    /// At once, unless the cause is another one than it seems.
    Soon,
    /// When the database is reachable again.
    Later,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl Failure {
    pub(super) fn again(&self) -> Again {
        match self {
            Self::Store(_) => Again::No,
            Self::Silent(_) => Again::Later,
            Self::Overtaken => Again::Soon,
            Self::Database(error) => match error.as_db_error() {
                Some(error) if is_crash(error) => Again::Later,
                Some(error) => again_after(error.code()),
                None if is_of_connection(error) => Again::Later,
                None => Again::No,
            },
        }
    }

    /// Whether the failure leaves open if a commit was made.
    pub(super) fn is_of_connection(&self) -> bool {
        match self {
            Self::Silent(_) => true,
            Self::Store(_) | Self::Overtaken => false,
            Self::Database(error) => match error.as_db_error() {
                Some(error) => is_crash(error) || is_shutdown(error.code()),
                None => is_of_connection(error),
            },
        }
    }

    /// Whether the database answered, so that another attempt may succeed where this one failed.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self, Self::Database(error) if error.as_db_error().is_some())
    }

    /// Returns the error for the caller of the operation.
    pub(super) fn into_error(self, address: &Address) -> StoreError {
        let place = &address.place;
        match self {
            Self::Store(error) => error,
            Self::Silent(time) => StoreError::unavailable(format!(
                "`{place}` did not answer for {} s; look whether the server is overloaded, and whether the network \
                 reaches it",
                time.as_secs()
            )),
            Self::Overtaken => StoreError::busy(format!(
                "others change the same rows of `{place}` again and again; try again later"
            )),
            Self::Database(error) => match error.as_db_error() {
                Some(known) => of_database(known, address).with_source(error),
                None => of_connection(&error, place).with_source(error),
            },
        }
    }
}

/// Whether the server ends all its processes because of the error, such as an error of its log. The server
/// starts again by itself, and may have kept data that it could not write for certain.
fn is_crash(error: &DbError) -> bool {
    error.parsed_severity() == Some(Severity::Panic)
}

fn is_shutdown(code: &SqlState) -> bool {
    let is_shutdown = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::IDLE_SESSION_TIMEOUT,
    ];
    is_shutdown.contains(code) || code.code().starts_with("08")
}

fn again_after(code: &SqlState) -> Again {
    let later = [
        SqlState::TOO_MANY_CONNECTIONS,
        // A replica, until it is made the primary.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    let soon = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // A text that several records share was deleted with the last of them, while a record that has it was added.
        SqlState::FOREIGN_KEY_VIOLATION,
        // Another exclusive run of a conversation began. The next attempt finds it.
        SqlState::UNIQUE_VIOLATION,
        // The tables were changed by a newer version, or a pooler took another connection.
        SqlState::FEATURE_NOT_SUPPORTED,
        SqlState::INVALID_SQL_STATEMENT_NAME,
    ];
    match code {
        code if is_shutdown(code) || later.contains(code) => Again::Later,
        code if soon.contains(code) => Again::Soon,
        _ => Again::No,
    }
}

/// Whether the connection failed, and not the operation that was sent over it.
fn is_of_connection(error: &tokio_postgres::Error) -> bool {
    if certificate_problem(error).is_some() {
        return false;
    }
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    let is_of_content = |cause: &io::Error| {
        matches!(
            cause.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        )
    };
    error.is_closed() || cause.is_some_and(|cause| !is_of_content(cause))
}

/// Returns the error of a connection that could not be made, or broke.
fn of_connection(error: &tokio_postgres::Error, place: &str) -> StoreError {
    if let Some(problem) = certificate_problem(error) {
        return StoreError::unavailable(format!("the server of `{place}` {problem}"));
    }
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    if cause == "server does not support TLS" {
        return StoreError::unavailable(format!(
            "the server of `{place}` offers no TLS; set `ssl = on` in its configuration or, in a network that you trust, \
             add `sslmode=disable` to the URL"
        ));
    }
    if cause == "password missing" {
        return StoreError::unavailable(format!(
            "the server of `{place}` asks for a password, and the URL has none"
        ));
    }
    if cause.contains("value too large to transmit") {
        return StoreError::invalid(format!(
            "`{place}` takes no text or file of more than 1 GB in one message"
        ));
    }
    if is_of_connection(error) {
        let cause = match cause.is_empty() {
            true => error.to_string(),
            false => cause,
        };
        return StoreError::unavailable(format!(
            "`{place}` cannot be reached: {cause}; look whether the server runs, and whether the host and the port are right"
        ));
    }
    let cause = match cause.is_empty() {
        true => error.to_string(),
        false => format!("{error}: {cause}"),
    };
    StoreError::unavailable(format!(
        "`{place}` answers otherwise than was expected: {cause}"
    ))
}

/// Returns the error that the database reported.
fn of_database(error: &DbError, address: &Address) -> StoreError {
    let (place, user) = (&address.place, &address.user);
    let code = error.code();
    let unavailable = |problem: &str| StoreError::unavailable(format!("{problem} (`{place}`)"));
    match code {
        code if *code == SqlState::INVALID_PASSWORD
            || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
        {
            unavailable(&format!(
                "the server rejects the role {user}, its password, or this machine; look at the URL, and at `pg_hba.conf` \
                 of the server: {}",
                error.message()
            ))
        }
        code if *code == SqlState::INVALID_CATALOG_NAME => unavailable(
            "the database does not exist; create it with `CREATE DATABASE`, or name another one in the URL",
        ),
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => unavailable(&format!(
            "the role {user} has not the rights: {}; tables of another role need `GRANT SELECT, INSERT, UPDATE, DELETE`, and a \
             schema of its own, which `search_path` in the URL names, `GRANT CREATE ON DATABASE`, or \
             `CREATE SCHEMA … AUTHORIZATION` by an administrator",
            error.message()
        )),
        code if *code == SqlState::DISK_FULL && !is_crash(error) => {
            unavailable("the disk of the server is full; nothing was written")
        }
        code if *code == SqlState::TOO_MANY_CONNECTIONS => unavailable(
            "the server has as many connections as it takes; raise its `max_connections`, or lower that of the URLs",
        ),
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => unavailable(
            "the server can only be read, as a replica can, or by a role with `default_transaction_read_only`; name the \
             primary, or all servers with commas between them",
        ),
        code if *code == SqlState::QUERY_CANCELED => StoreError::busy(format!(
            "`{place}` took too long for a statement; try again later"
        )),
        code if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::busy(format!(
            "others keep rows of `{place}` locked; try again later"
        )),
        code if again_after(code) == Again::Soon => StoreError::busy(format!(
            "others change the same rows of `{place}` again and again; try again later"
        )),
        code if *code == SqlState::UNDEFINED_TABLE
            || *code == SqlState::UNDEFINED_COLUMN
            || *code == SqlState::DATATYPE_MISMATCH =>
        {
            StoreError::format(format!(
                "the tables of `{place}` are not those that were made: {}; restore a backup, or name another schema by \
                 `search_path` in the URL",
                error.message()
            ))
        }
        code if *code == SqlState::DUPLICATE_TABLE || *code == SqlState::DUPLICATE_OBJECT => {
            StoreError::format(format!(
                "the schema in `{place}` has something of another program: {}; name another schema by `search_path` in the \
                 URL",
                error.message()
            ))
        }
        code if is_shutdown(code) => unavailable(&format!(
            "the server is stopping or starting: {}",
            error.message()
        )),
        // Data that the server does not accept, such as a text of more than 1 GB.
        code if code.code().starts_with("22") || code.code().starts_with("54") => {
            StoreError::invalid(format!(
                "`{place}` does not take what was to be stored: {}",
                error.message()
            ))
        }
        code => unavailable(&format!(
            "the database reports an error: {} ({})",
            error.message(),
            code.code()
        )),
    }
}
