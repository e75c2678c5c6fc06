//! A connection to the file of a store, and transactions on it.

use super::file::{self, FileId};
use agent_core::conversation::StoreError;
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A connection to the file of a store.
pub(super) struct Database {
    path: PathBuf,
    connection: Mutex<Connection>,
    opened: FileId,
    is_read_only: bool,
}

impl Database {
    /// Opens the file. A missing file is created.
    ///
    /// # Errors
    /// When the file cannot be opened or written, or is no store.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, file::open(path)?, false)
    }

    /// Opens the file for reading only, which needs no right to write.
    ///
    /// # Errors
    /// When the file is missing or cannot be read, or is no store.
    pub(super) fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, file::open_read_only(path)?, true)
    }

    fn new(path: &Path, connection: Connection, is_read_only: bool) -> Result<Self, StoreError> {
        let opened =
            FileId::of(&connection, path).map_err(|error| file::not_opened(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection: Mutex::new(connection),
            opened,
            is_read_only,
        })
    }

    /// Returns the path as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in a transaction that only reads.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Access<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transact(TransactionBehavior::Deferred, work)
    }

    /// Runs `work` in a transaction. It takes the write lock at the beginning, because a transaction that first reads
    /// cannot write any more when another program wrote in between.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Access<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.is_read_only {
            let path = self.path.display();
            return Err(StoreError::unavailable(format!(
                "`{path}` is open for reading alone, and cannot be written"
            )));
        }
        self.transact(TransactionBehavior::Immediate, work)
    }

    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Access<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let to_error = |error| file::store_error(&self.path, error);
        file::check_not_removed(&connection, &self.path, self.opened)?;
        let transaction = connection
            .transaction_with_behavior(behavior)
            .map_err(to_error)?;
        let access = Access {
            transaction: &transaction,
            path: &self.path,
        };
        let result = work(&access)?;
        transaction.commit().map_err(to_error)?;
        Ok(result)
    }

    /// Empties the write-ahead log after a deletion.
    pub(super) fn empty_log(&self) -> Result<(), StoreError> {
        file::empty_log(&self.lock()).map_err(|error| file::store_error(&self.path, error))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        let connection = self.connection.lock();
        // A transaction that a panic interrupted was rolled back when it was dropped.
        connection.unwrap_or_else(PoisonError::into_inner)
    }
}

/// A transaction on the file.
pub(super) struct Access<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
}

impl Access<'_> {
    /// Returns the path of the file as it was given.
    pub(super) fn path(&self) -> &Path {
        self.path
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        let statement = self.transaction.prepare_cached(sql);
        self.checked(statement.and_then(|mut statement| statement.execute(params)))
    }

    /// Reads the first row, if there is one.
    pub(super) fn find_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.checked(self.query_first(sql, params, read).optional())
    }

    /// Reads the first row. A missing row is an error of a damaged file.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.checked(self.query_first(sql, params, read))
    }

    /// Reads all rows.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let statement = self.transaction.prepare_cached(sql);
        let rows = statement
            .and_then(|mut statement| statement.query_map(params, read)?.collect::<Result<_, _>>());
        self.checked(rows)
    }

    fn query_first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut statement = self.transaction.prepare_cached(sql)?;
        statement.query_row(params, read)
    }

    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| file::store_error(self.path, error))
    }
}
