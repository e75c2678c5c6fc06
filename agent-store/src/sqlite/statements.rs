//! What is asked of the tables, within a transaction.

use super::file;
use agent_runtime::{
    Conversation, ConversationInfo, ConversationName, Message, Revision, StoreError, ToolCall,
    serde_json,
};
use rusqlite::{OptionalExtension, Params, Row, Transaction};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which row a conversation is.
pub(super) type RowId = i64;

/// A transaction on a file.
pub(super) struct Statements<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
}

impl<'a> Statements<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>, path: &'a Path) -> Self {
        Self { transaction, path }
    }

    /// The conversation of a name, and its writing.
    pub(super) fn find(
        &self,
        name: &ConversationName,
    ) -> Result<Option<(RowId, Revision)>, StoreError> {
        let sql = "SELECT id, revision FROM conversation WHERE name = ?";
        let found = self.one(sql, [name.as_str()], |row| Ok((row.get(0)?, row.get(1)?)));
        let found = self.told(found.optional())?;
        Ok(found.map(|(id, revision)| (id, Revision::new(revision))))
    }

    /// The conversation of a name, made when it is not there, and a new writing of it.
    pub(super) fn write(&self, name: &ConversationName) -> Result<(RowId, Revision), StoreError> {
        let next = "UPDATE revision SET last = last + 1 RETURNING last";
        let revision: u64 = self.told(self.one(next, [], |row| row.get(0)))?;
        let sql = "INSERT INTO conversation (name, revision, updated) VALUES (?1, ?2, ?3)
                   ON CONFLICT (name) DO UPDATE SET revision = ?2, updated = ?3 RETURNING id";
        let params = (name.as_str(), revision, milliseconds());
        let id = self.told(self.one(sql, params, |row| row.get(0)))?;
        Ok((id, Revision::new(revision)))
    }

    /// What was said.
    pub(super) fn messages(
        &self,
        name: &ConversationName,
        id: RowId,
    ) -> Result<Conversation, StoreError> {
        let sql = "SELECT json FROM message WHERE conversation = ? ORDER BY position";
        let texts: Vec<String> = self.all(sql, [id], |row| row.get(0))?;
        let messages = (1..).zip(&texts).map(|(number, text)| {
            serde_json::from_str(text).map_err(|error| {
                let path = self.path.display();
                let text = format!("message {number} of `{name}` in `{path}` cannot be read");
                StoreError::format(text).with_source(error)
            })
        });
        messages.collect()
    }

    /// Which ids of calls in messages the conversation has already, and what else it may not be
    /// given in their place.
    pub(super) fn taken_ids(
        &self,
        id: RowId,
        messages: &[Message],
    ) -> Result<HashSet<String>, StoreError> {
        let sql = "SELECT count(*) FROM tool_call WHERE conversation = ? AND id = ?";
        for call in call_ids(messages) {
            let found: i64 = self.told(self.one(sql, (id, call), |row| row.get(0)))?;
            if found > 0 {
                let all = "SELECT id FROM tool_call WHERE conversation = ?";
                return Ok(self.all(all, [id], |row| row.get(0))?.into_iter().collect());
            }
        }
        Ok(HashSet::new())
    }

    /// Adds messages behind those that are there.
    pub(super) fn add(&self, id: RowId, messages: &[Message]) -> Result<(), StoreError> {
        let end = "SELECT coalesce(max(position) + 1, 0) FROM message WHERE conversation = ?";
        let end: i64 = self.told(self.one(end, [id], |row| row.get(0)))?;
        for ((at, message), position) in messages.iter().enumerate().zip(end..) {
            let text = message.to_exact_json().map_err(|error| {
                let number = at + 1;
                StoreError::invalid(format!("message {number} cannot be stored: {error}"))
            })?;
            let sql = "INSERT INTO message (conversation, position, json) VALUES (?, ?, ?)";
            self.execute(sql, (id, position, text))?;
        }
        for call in call_ids(messages) {
            let sql = "INSERT INTO tool_call (conversation, id) VALUES (?, ?)";
            self.execute(sql, (id, call))?;
        }
        Ok(())
    }

    /// Takes all messages out.
    pub(super) fn clear(&self, id: RowId) -> Result<(), StoreError> {
        self.execute("DELETE FROM message WHERE conversation = ?", [id])?;
        self.execute("DELETE FROM tool_call WHERE conversation = ?", [id])?;
        Ok(())
    }

    /// What is stored, and of what cannot be listed, why.
    pub(super) fn list(&self) -> Result<Vec<Result<ConversationInfo, StoreError>>, StoreError> {
        let sql = "SELECT name, updated, count(position) FROM conversation
                   LEFT JOIN message ON conversation = id GROUP BY id ORDER BY name";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let rows: Vec<rusqlite::Result<(String, u64, u64)>> =
            self.all(sql, [], |row| Ok(read(row)))?;
        let unreadable = |what: &str| {
            let path = self.path.display();
            StoreError::format(format!("{what} in `{path}` cannot be read"))
        };
        let info = |row: rusqlite::Result<(String, u64, u64)>| {
            let (name, updated, messages) =
                row.map_err(|error| unreadable("a conversation").with_source(error))?;
            let name = ConversationName::new(name)
                .map_err(|error| unreadable("a name").with_source(error))?;
            let updated = UNIX_EPOCH + Duration::from_millis(updated);
            let messages = usize::try_from(messages).unwrap_or(usize::MAX);
            Ok(ConversationInfo::new(name, messages, updated))
        };
        Ok(rows.into_iter().map(info).collect())
    }

    pub(super) fn delete(&self, name: &ConversationName) -> Result<bool, StoreError> {
        let sql = "DELETE FROM conversation WHERE name = ?";
        Ok(self.execute(sql, [name.as_str()])? > 0)
    }

    fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        let statement = self.transaction.prepare(sql);
        self.told(statement.and_then(|mut statement| statement.execute(params)))
    }

    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.transaction.query_row(sql, params, read)
    }

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.transaction.prepare(sql);
        let rows = rows
            .and_then(|mut statement| statement.query_map(params, read)?.collect::<Result<_, _>>());
        self.told(rows)
    }

    fn told<T>(&self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        done.map_err(|error| file::failed(self.path, error))
    }
}

/// The ids of the calls in messages.
fn call_ids(messages: &[Message]) -> impl Iterator<Item = &str> {
    let calls = messages.iter().flat_map(Message::tool_calls);
    calls.map(ToolCall::id)
}

fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    u64::try_from(millis).unwrap_or(u64::MAX)
}
