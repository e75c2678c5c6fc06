//! The tables, and their migration from earlier versions.

use super::address::Address;
use super::failure::Failure;
use super::session::Session;
use agent_core::conversation::StoreError;
use std::time::Duration;

/// The longest time in which the tables are brought up to date.
pub(super) const TIMEOUT: Duration = Duration::from_secs(600);

/// The migrations from each version to the next. Version 1 is the version after the first migration.
const MIGRATIONS: &[&str] = &[FIRST];

/// JSON is kept as bytes, because a `text` cannot have a NUL, or characters outside of the encoding of the
/// database.
///
/// All conversations share one sequence of revisions, so that a revision does not repeat after a conversation
/// was deleted. `renewed` is the time of the database at which the holder of a run renewed its lease; `NULL`
/// if nobody holds the run. `token` begins with the id of the holder's process in hexadecimal.
/// `agent_record_payload` has the large texts of records, each of which is stored once in `agent_payload`:
/// `place` is the number of bytes of the record before the text. `agent_mail` has the mail that no holder of
/// its run took yet, and `last_mail` is the number of the last mail of a run, so that no number is given
/// twice. `agent_write` has the ids of operations that are made once, until their answers have arrived.
const FIRST: &str = r#"
CREATE TABLE agent_version (version bigint NOT NULL);
INSERT INTO agent_version VALUES (0);

CREATE SEQUENCE agent_revision;
CREATE TABLE agent_conversation (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    revision bigint NOT NULL,
    updated timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE TABLE agent_message (
    conversation bigint NOT NULL REFERENCES agent_conversation (id) ON DELETE CASCADE,
    position bigint NOT NULL,
    json bytea NOT NULL,
    PRIMARY KEY (conversation, position)
);
CREATE TABLE agent_media (
    sha256 bytea NOT NULL PRIMARY KEY,
    bytes bytea NOT NULL
);
CREATE TABLE agent_conversation_media (
    conversation bigint NOT NULL REFERENCES agent_conversation (id) ON DELETE CASCADE,
    sha256 bytea NOT NULL REFERENCES agent_media (sha256),
    PRIMARY KEY (conversation, sha256)
);
CREATE INDEX agent_conversation_media_by_sha256 ON agent_conversation_media (sha256);
CREATE TABLE agent_conversation_run (
    conversation bigint NOT NULL REFERENCES agent_conversation (id) ON DELETE CASCADE,
    run text COLLATE "C" NOT NULL,
    PRIMARY KEY (conversation, run)
);

CREATE TABLE agent_run (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    agent text NOT NULL,
    state text NOT NULL,
    started timestamptz NOT NULL,
    updated timestamptz NOT NULL,
    cost double precision,
    conversation text,
    owner text,
    exclusive boolean NOT NULL,
    records bigint NOT NULL,
    checksum bytea NOT NULL,
    holder bigint NOT NULL,
    token text,
    renewed timestamptz,
    last_mail bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 60);
CREATE INDEX agent_run_by_conversation ON agent_run (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX agent_run_by_owner ON agent_run (owner) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX agent_run_by_exclusive_conversation ON agent_run (conversation)
    WHERE exclusive AND state IN ('running', 'waiting');
CREATE TABLE agent_mail (
    run bigint NOT NULL,
    number bigint NOT NULL,
    json bytea NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE agent_record (
    run bigint NOT NULL,
    position bigint NOT NULL,
    json bytea NOT NULL,
    checksum bytea NOT NULL,
    PRIMARY KEY (run, position)
);
CREATE TABLE agent_payload (
    sha256 bytea NOT NULL PRIMARY KEY,
    text bytea NOT NULL
);
CREATE TABLE agent_record_payload (
    run bigint NOT NULL,
    position bigint NOT NULL,
    place bigint NOT NULL,
    sha256 bytea NOT NULL REFERENCES agent_payload (sha256),
    PRIMARY KEY (run, position, place)
);
CREATE INDEX agent_record_payload_by_sha256 ON agent_record_payload (sha256);

CREATE TABLE agent_write (
    id bigint NOT NULL PRIMARY KEY,
    made timestamptz NOT NULL
);
"#;

/// Held while the tables are changed, so that only one of several processes that start at once changes them.
/// The first number is ours: `agnt`.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1634168436, hashtext(coalesce($1, '')))";

/// Creates the tables, or brings those of an earlier version up to date.
pub(super) async fn bring_up_to_date(
    session: &mut Session,
    address: &Address,
) -> Result<(), Failure> {
    let newest = MIGRATIONS.len();
    if version(session, address).await? == Some(newest) {
        return Ok(());
    }
    session
        .run("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;")
        .await?;
    session.rows(LOCK, &[&address.schema]).await?;
    if let Some(schema) = &address.schema {
        let sql = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
        if session.row(sql, &[schema]).await?.is_none() {
            session.run(&format!("CREATE SCHEMA \"{schema}\"")).await?;
        }
    }
    // Another process may have changed the tables meanwhile.
    let found = version(session, address).await?;
    if found.is_none() && current_schema(session).await?.is_none() {
        let (place, user) = (&address.place, &address.user);
        return Err(Failure::Store(StoreError::unavailable(format!(
            "none of the schemas in the search path of the role {user} exists in `{place}`; name one by `search_path` in \
             the URL"
        ))));
    }
    for migration in &MIGRATIONS[found.unwrap_or_default()..] {
        session.run(migration).await?;
    }
    let newest = newest as i64;
    session
        .execute("UPDATE agent_version SET version = $1", &[&newest])
        .await?;
    session.commit().await
}

async fn current_schema(session: &mut Session) -> Result<Option<String>, Failure> {
    let row = session.row("SELECT current_schema()::text", &[]).await?;
    let name = row
        .map(|row| row.try_get::<_, Option<String>>(0))
        .transpose()?;
    Ok(name.flatten())
}

/// Returns the version of the tables; `None` if there are none.
///
/// # Errors
/// When the version is newer than this program knows.
async fn version(session: &mut Session, address: &Address) -> Result<Option<usize>, Failure> {
    let sql = "SELECT to_regclass('agent_version') IS NOT NULL";
    let row = session.row(sql, &[]).await?;
    if !row.map(|row| row.try_get(0)).transpose()?.unwrap_or(false) {
        return Ok(None);
    }
    let place = &address.place;
    let rows = session
        .rows("SELECT version FROM agent_version", &[])
        .await?;
    let [row] = &rows[..] else {
        return Err(Failure::Store(StoreError::format(format!(
            "the table `agent_version` of `{place}` has {} rows, and must have one; restore a backup, or name another \
             schema by `search_path` in the URL",
            rows.len()
        ))));
    };
    let (found, newest): (i64, _) = (row.try_get(0)?, MIGRATIONS.len());
    match usize::try_from(found) {
        Ok(found) if found <= newest => Ok(Some(found)),
        _ => Err(Failure::Store(StoreError::format(format!(
            "the tables of `{place}` are those of a newer version of this program: their format is {found}, and this one \
             knows up to {newest}; update this program"
        )))),
    }
}
