//! The statements about conversations, within a transaction.

use super::database::Access;
use agent_core::conversation::{
    ConversationInfo, ConversationName, Media, Revision, Sha256, StoreError,
};
use agent_core::{Conversation, Message};
use agent_tool::serde_json;
use rusqlite::{Row, params_from_iter};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The key of a conversation's row.
pub(super) type RowId = i64;

/// A transaction on the conversations.
pub(super) struct Statements<'a>(pub(super) &'a Access<'a>);

impl Statements<'_> {
    /// Finds a conversation's row and its current revision.
    pub(super) fn find(
        &self,
        name: &ConversationName,
    ) -> Result<Option<(RowId, Revision)>, StoreError> {
        let sql = "SELECT id, revision FROM conversation WHERE name = ?";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let row = self.0.find_row(sql, [name.as_str()], read)?;
        Ok(row.map(|(id, revision)| (id, Revision::new(revision))))
    }

    /// Gives a conversation the next revision. Creates the row of the conversation if it has none.
    pub(super) fn upsert(&self, name: &ConversationName) -> Result<(RowId, Revision), StoreError> {
        let next = "UPDATE revision SET last = last + 1 RETURNING last";
        let revision: u64 = self.0.row(next, [], |row| row.get(0))?;
        let sql = "INSERT INTO conversation (name, revision, updated) VALUES (?1, ?2, ?3)
                   ON CONFLICT (name) DO UPDATE SET revision = ?2, updated = ?3 RETURNING id";
        let params = (name.as_str(), revision, now_in_milliseconds());
        let id = self.0.row(sql, params, |row| row.get(0))?;
        Ok((id, Revision::new(revision)))
    }

    /// Reads the messages of a conversation.
    pub(super) fn messages(
        &self,
        name: &ConversationName,
        id: RowId,
    ) -> Result<Conversation, StoreError> {
        let sql = "SELECT json FROM message WHERE conversation = ? ORDER BY position";
        let texts: Vec<String> = self.0.rows(sql, [id], |row| row.get(0))?;
        let messages = (1..).zip(&texts).map(|(number, text)| {
            let message: serde_json::Result<Message> = serde_json::from_str(text);
            message.map_err(|error| {
                let path = self.0.path().display();
                let text = format!("message {number} of `{name}` in `{path}` cannot be read");
                StoreError::format(text).with_source(error)
            })
        });
        let conversation: Conversation = messages.collect::<Result<_, _>>()?;
        conversation.with_media(|sha256| self.media(&sha256))
    }

    /// Reads the bytes of media, if they are stored.
    fn media(&self, sha256: &Sha256) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT bytes FROM media WHERE sha256 = ?";
        self.0.find_row(sql, [sha256.as_bytes()], |row| row.get(0))
    }

    /// Adds messages after those that are stored.
    pub(super) fn add(&self, id: RowId, messages: &[Message]) -> Result<(), StoreError> {
        let end = "SELECT coalesce(max(position) + 1, 0) FROM message WHERE conversation = ?";
        let end: i64 = self.0.row(end, [id], |row| row.get(0))?;
        for ((number, message), position) in (1..).zip(messages).zip(end..) {
            let text = message.to_exact_json().map_err(|error| {
                StoreError::invalid(format!("message {number} cannot be stored: {error}"))
            })?;
            let sql = "INSERT INTO message (conversation, position, json) VALUES (?, ?, ?)";
            self.0.execute(sql, (id, position, text))?;
            for media in message.media() {
                self.add_media(id, media)?;
            }
        }
        Ok(())
    }

    /// Adds the messages of a run, unless messages of the run were added before.
    pub(super) fn add_run(
        &self,
        name: &ConversationName,
        run: &str,
        messages: &[Message],
    ) -> Result<(), StoreError> {
        if messages.is_empty() {
            return Ok(());
        }
        if let Some((id, _)) = self.find(name)? {
            let sql = "SELECT 1 FROM conversation_run WHERE conversation = ? AND run = ?";
            if self.0.find_row(sql, (id, run), |_| Ok(()))?.is_some() {
                return Ok(());
            }
        }
        let (id, _) = self.upsert(name)?;
        let sql = "INSERT INTO conversation_run (conversation, run) VALUES (?, ?)";
        self.0.execute(sql, (id, run))?;
        self.add(id, messages)
    }

    /// Stores the bytes of media, unless they are stored already.
    fn add_media(&self, id: RowId, media: &Media) -> Result<(), StoreError> {
        let (Some(bytes), Some(sha256)) = (media.bytes(), media.sha256()) else {
            return Ok(());
        };
        let sql = "INSERT INTO media (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING";
        self.0.execute(sql, (sha256.as_bytes(), bytes))?;
        let sql = "INSERT INTO conversation_media (conversation, sha256) VALUES (?, ?)
                   ON CONFLICT DO NOTHING";
        self.0.execute(sql, (id, sha256.as_bytes()))?;
        Ok(())
    }

    /// Deletes the media that no conversation has any more.
    pub(super) fn delete_unused_media(&self) -> Result<(), StoreError> {
        let sql = "DELETE FROM media WHERE NOT EXISTS
                   (SELECT 1 FROM conversation_media AS used WHERE used.sha256 = media.sha256)";
        self.0.execute(sql, ())?;
        Ok(())
    }

    /// Deletes all messages of a conversation.
    pub(super) fn clear(&self, id: RowId) -> Result<(), StoreError> {
        self.0
            .execute("DELETE FROM message WHERE conversation = ?", [id])?;
        self.0.execute(
            "DELETE FROM conversation_media WHERE conversation = ?",
            [id],
        )?;
        Ok(())
    }

    /// Lists the conversations by name, all or those of an owner, with an error for each row that cannot be read.
    pub(super) fn list(
        &self,
        owner: Option<&str>,
    ) -> Result<Vec<Result<ConversationInfo, StoreError>>, StoreError> {
        let all = "SELECT name, updated, (SELECT count(*) FROM message WHERE conversation = id)
                   FROM conversation";
        let (sql, range) = match owner.map(ConversationName::range_of_owner) {
            None => (all.to_owned(), Vec::new()),
            Some(range) => (
                format!("{all} WHERE name >= ? AND name < ?"),
                vec![range.start, range.end],
            ),
        };
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let rows: Vec<rusqlite::Result<(String, u64, u64)>> =
            self.0
                .rows(&sql, params_from_iter(range), |row| Ok(read(row)))?;
        let unreadable = |part: &str| {
            let path = self.0.path().display();
            StoreError::format(format!("{part} in `{path}` cannot be read"))
        };
        let info = |row: rusqlite::Result<(String, u64, u64)>| {
            let (name, updated, messages) =
                row.map_err(|error| unreadable("a conversation").with_source(error))?;
            let name = name
                .parse::<ConversationName>()
                .map_err(|error| unreadable("a name").with_source(error))?;
            let updated = UNIX_EPOCH + Duration::from_millis(updated);
            let messages = usize::try_from(messages).unwrap_or(usize::MAX);
            Ok(ConversationInfo::new(name, messages, updated))
        };
        let mut listed: Vec<Result<ConversationInfo, StoreError>> =
            rows.into_iter().map(info).collect();
        let name_of =
            |info: &Result<ConversationInfo, _>| info.as_ref().ok().map(|info| info.name.clone());
        listed.sort_by_cached_key(name_of);
        Ok(listed)
    }

    /// Deletes a conversation, if there is one.
    pub(super) fn delete(&self, name: &ConversationName) -> Result<bool, StoreError> {
        let sql = "DELETE FROM conversation WHERE name = ?";
        let is_deleted = self.0.execute(sql, [name.as_str()])? > 0;
        self.delete_unused_media()?;
        Ok(is_deleted)
    }
}

fn now_in_milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    u64::try_from(millis).unwrap_or(u64::MAX)
}
