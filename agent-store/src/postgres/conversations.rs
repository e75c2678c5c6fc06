//! The statements about conversations, within a transaction.

use super::failure::Failure;
use super::session::{Session, TypedParameter};
use agent_core::conversation::{
    ConversationInfo, ConversationName, Media, Revision, Sha256, StoreError, StoredConversation,
};
use agent_core::{Conversation, Message};
use agent_tool::serde_json;
use futures_util::future::try_join3;
use std::collections::BTreeMap;
use std::time::SystemTime;
use tokio_postgres::types::Type;

/// The key of a conversation's row.
type RowId = i64;

/// Messages that are ready to be stored.
pub(super) struct Added {
    json: Vec<Vec<u8>>,
    /// Each of the images, documents and audio once, in the order in which they are locked.
    media: BTreeMap<Sha256, Media>,
}

impl Added {
    /// Checks messages.
    ///
    /// # Errors
    /// When a model would not accept them, or when they could not be read back.
    pub(super) fn new(messages: &[Message]) -> Result<Self, StoreError> {
        let conversation: Conversation = messages.iter().cloned().collect();
        conversation.check()?;
        let (mut json, mut media) = (Vec::new(), BTreeMap::new());
        for (number, message) in (1..).zip(messages) {
            let text = message.to_exact_json().map_err(|error| {
                StoreError::invalid(format!("message {number} cannot be stored: {error}"))
            })?;
            json.push(text.into_bytes());
            for kept in message.media() {
                if let (Some(sha256), Some(_)) = (kept.sha256(), kept.bytes()) {
                    media.entry(sha256).or_insert_with(|| kept.clone());
                }
            }
        }
        Ok(Self { json, media })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.json.is_empty()
    }
}

/// Loads a conversation. Everything is read from one snapshot.
pub(super) async fn load(
    session: &mut Session,
    name: &ConversationName,
    place: &str,
) -> Result<Option<StoredConversation>, Failure> {
    let found = "SELECT revision FROM agent_conversation WHERE name = $1";
    let found = session.prepare(found).await?;
    let messages =
        "SELECT m.json FROM agent_message m JOIN agent_conversation c ON c.id = m.conversation
                    WHERE c.name = $1 ORDER BY m.position";
    let messages = session.prepare(messages).await?;
    let media = "SELECT m.sha256, m.bytes FROM agent_conversation c
                 JOIN agent_conversation_media used ON used.conversation = c.id JOIN agent_media m USING (sha256)
                 WHERE c.name = $1";
    let media = session.prepare(media).await?;
    session
        .run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?;
    let (client, name_text) = (session.client(), name.as_str());
    let (found, messages, media) = try_join3(
        client.query_opt(&found, &[&name_text]),
        client.query(&messages, &[&name_text]),
        client.query(&media, &[&name_text]),
    )
    .await?;
    session.commit().await?;
    let Some(found) = found else {
        return Ok(None);
    };
    let revision: i64 = found.try_get(0)?;
    let mut kept = BTreeMap::new();
    for row in media {
        let (sha256, bytes): (Vec<u8>, Vec<u8>) = (row.try_get(0)?, row.try_get(1)?);
        kept.insert(sha256, bytes);
    }
    let messages = (1..).zip(messages).map(|(number, row)| {
        let json: &[u8] = row.try_get(0)?;
        Ok::<_, Failure>(message(json, number, name, place)?)
    });
    let conversation: Conversation = messages.collect::<Result<_, _>>()?;
    let conversation = conversation.with_media(|sha256| {
        let bytes = kept.remove(&sha256.as_bytes()[..]);
        match bytes {
            Some(bytes) if Sha256::of(&bytes) != sha256 => Err(StoreError::format(format!(
                "an image, a document or audio of `{name}` in `{place}` does not fit its checksum"
            ))),
            bytes => Ok(bytes),
        }
    })?;
    let revision = Revision::new(u64::try_from(revision).unwrap_or_default());
    Ok(Some(StoredConversation::new(conversation, revision)))
}

fn message(
    json: &[u8],
    number: u32,
    name: &ConversationName,
    place: &str,
) -> Result<Message, StoreError> {
    serde_json::from_slice(json).map_err(|error| {
        let text = format!("message {number} of `{name}` in `{place}` cannot be read");
        StoreError::format(text).with_source(error)
    })
}

/// Locks the row of a conversation until the transaction ends, and creates it if there is none.
async fn lock(session: &mut Session, name: &ConversationName) -> Result<RowId, Failure> {
    let sql =
        "INSERT INTO agent_conversation (name, revision, updated) VALUES ($1, 0, clock_timestamp())
               ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";
    let row = session.row(sql, &[&name.as_str()]).await?;
    Ok(row.ok_or(Failure::Overtaken)?.try_get(0)?)
}

/// Gives a locked conversation the next revision.
async fn revise(session: &mut Session, id: RowId) -> Result<Revision, Failure> {
    let sql = "UPDATE agent_conversation SET revision = nextval('agent_revision'), updated = clock_timestamp()
               WHERE id = $1 RETURNING revision";
    let row = session.row(sql, &[&id]).await?;
    let revision: i64 = row.ok_or(Failure::Overtaken)?.try_get(0)?;
    Ok(Revision::new(u64::try_from(revision).unwrap_or_default()))
}

/// Adds messages at the end of a conversation.
pub(super) async fn append(
    session: &mut Session,
    name: &ConversationName,
    added: &Added,
) -> Result<(), Failure> {
    let id = lock(session, name).await?;
    revise(session, id).await?;
    add(session, id, added).await
}

/// Adds the messages of a run, unless messages of the run were added before.
pub(super) async fn append_run(
    session: &mut Session,
    name: &ConversationName,
    run: &str,
    added: &Added,
) -> Result<(), Failure> {
    if added.is_empty() {
        return Ok(());
    }
    let id = lock(session, name).await?;
    let sql = "INSERT INTO agent_conversation_run (conversation, run) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    if session.execute(sql, &[&id, &run]).await? == 0 {
        return Ok(());
    }
    revise(session, id).await?;
    add(session, id, added).await
}

/// Replaces a conversation if its revision is the expected one. The inner error is a conflict, which changed nothing.
pub(super) async fn save(
    session: &mut Session,
    name: &ConversationName,
    added: &Added,
    expected: Option<Revision>,
) -> Result<Result<Revision, StoreError>, Failure> {
    let conflict = || Ok(Err(StoreError::conflict(name)));
    let sql = "SELECT id, revision FROM agent_conversation WHERE name = $1 FOR UPDATE";
    let found = session.row(sql, &[&name.as_str()]).await?;
    let id = match (found, expected) {
        (Some(row), Some(expected)) => {
            let revision: i64 = row.try_get(1)?;
            if u64::try_from(revision) != Ok(expected.number()) {
                return conflict();
            }
            row.try_get(0)?
        }
        (None, None) => {
            let sql = "INSERT INTO agent_conversation (name, revision, updated) VALUES ($1, 0, clock_timestamp())
                       ON CONFLICT DO NOTHING RETURNING id";
            let row = session.row(sql, &[&name.as_str()]).await?;
            let Some(row) = row else {
                return conflict();
            };
            row.try_get(0)?
        }
        _ => return conflict(),
    };
    let sql = "DELETE FROM agent_message WHERE conversation = $1";
    session.execute(sql, &[&id]).await?;
    let unused = forget_media(session, id).await?;
    let revision = revise(session, id).await?;
    add(session, id, added).await?;
    delete_unused_media(session, &unused).await?;
    Ok(Ok(revision))
}

/// Adds messages after those that are stored.
async fn add(session: &mut Session, id: RowId, added: &Added) -> Result<(), Failure> {
    let sql = "INSERT INTO agent_message (conversation, position, json)
               SELECT $1, (SELECT coalesce(max(position) + 1, 0) FROM agent_message WHERE conversation = $1) + number - 1,
                   json
               FROM unnest($2::bytea[]) WITH ORDINALITY AS added (json, number)";
    session.execute(sql, &[&id, &added.json]).await?;
    if added.media.is_empty() {
        return Ok(());
    }
    let digests: Vec<&[u8]> = added
        .media
        .keys()
        .map(|sha256| &sha256.as_bytes()[..])
        .collect();
    let missing = missing(session, Kept::Media, &digests).await?;
    for (sha256, media) in &added.media {
        let bytes = media
            .bytes()
            .filter(|_| missing.contains(&sha256.as_bytes().to_vec()));
        if let Some(bytes) = bytes {
            let sql =
                "INSERT INTO agent_media (sha256, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            session
                .execute(sql, &[&&sha256.as_bytes()[..], &bytes])
                .await?;
        }
    }
    let sql = "INSERT INTO agent_conversation_media (conversation, sha256) SELECT $1, * FROM unnest($2::bytea[])
               ON CONFLICT DO NOTHING";
    session.execute(sql, &[&id, &digests]).await?;
    Ok(())
}

/// A table whose rows are kept once, by their digests.
pub(super) enum Kept {
    Media,
    Payload,
}

/// Returns the digests of the rows that are missing, so that only their bytes are sent.
pub(super) async fn missing(
    session: &mut Session,
    kept: Kept,
    digests: &[&[u8]],
) -> Result<Vec<Vec<u8>>, Failure> {
    let sql = match kept {
        Kept::Media => {
            "SELECT sha256 FROM unnest($1::bytea[]) AS asked (sha256)
             WHERE NOT EXISTS (SELECT 1 FROM agent_media kept WHERE kept.sha256 = asked.sha256)"
        }
        Kept::Payload => {
            "SELECT sha256 FROM unnest($1::bytea[]) AS asked (sha256)
             WHERE NOT EXISTS (SELECT 1 FROM agent_payload kept WHERE kept.sha256 = asked.sha256)"
        }
    };
    let rows = session.rows(sql, &[&digests]).await?;
    let digests = rows.iter().map(|row| row.try_get(0));
    Ok(digests.collect::<Result<_, _>>()?)
}

/// Deletes the references of a conversation to its media, and returns the digests of the media.
async fn forget_media(session: &mut Session, id: RowId) -> Result<Vec<Vec<u8>>, Failure> {
    let sql = "DELETE FROM agent_conversation_media WHERE conversation = $1 RETURNING sha256";
    let rows = session.rows(sql, &[&id]).await?;
    let digests = rows.iter().map(|row| row.try_get(0));
    Ok(digests.collect::<Result<_, _>>()?)
}

/// Deletes the media with these digests that no conversation has any more.
async fn delete_unused_media(session: &mut Session, digests: &[Vec<u8>]) -> Result<(), Failure> {
    if digests.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM agent_media WHERE sha256 = ANY ($1) AND NOT EXISTS
               (SELECT 1 FROM agent_conversation_media used WHERE used.sha256 = agent_media.sha256)";
    session.execute(sql, &[&digests]).await?;
    Ok(())
}

/// Lists the conversations by name, all or those of an owner.
pub(super) async fn list(
    session: &Session,
    owner: Option<&str>,
    place: &str,
) -> Result<Vec<ConversationInfo>, Failure> {
    let mut sql =
        "SELECT name, updated, (SELECT count(*) FROM agent_message WHERE conversation = id)
                   FROM agent_conversation"
            .to_owned();
    let range = owner.map(ConversationName::range_of_owner);
    let mut parameters: Vec<TypedParameter<'_>> = Vec::new();
    if let Some(range) = &range {
        sql.push_str(" WHERE name >= $1 AND name < $2");
        parameters.extend([
            (&range.start as _, Type::TEXT),
            (&range.end as _, Type::TEXT),
        ]);
    }
    sql.push_str(" ORDER BY name");
    let mut listed = Vec::new();
    for row in session.rows_once(&sql, &parameters).await? {
        let name: String = row.try_get(0)?;
        let name = name.parse::<ConversationName>().map_err(|error| {
            StoreError::format(format!("a name in `{place}` cannot be read")).with_source(error)
        })?;
        let (updated, messages): (SystemTime, i64) = (row.try_get(1)?, row.try_get(2)?);
        let messages = usize::try_from(messages).unwrap_or_default();
        listed.push(ConversationInfo::new(name, messages, updated));
    }
    Ok(listed)
}

/// Deletes a conversation, if there is one.
pub(super) async fn delete(
    session: &mut Session,
    name: &ConversationName,
) -> Result<bool, Failure> {
    let sql = "SELECT id FROM agent_conversation WHERE name = $1 FOR UPDATE";
    let Some(row) = session.row(sql, &[&name.as_str()]).await? else {
        return Ok(false);
    };
    let id: RowId = row.try_get(0)?;
    let unused = forget_media(session, id).await?;
    let sql = "DELETE FROM agent_conversation WHERE id = $1";
    session.execute(sql, &[&id]).await?;
    delete_unused_media(session, &unused).await?;
    Ok(true)
}
