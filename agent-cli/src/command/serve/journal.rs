//! The journal of a server's runs and conversations.

use crate::old_runs::delete_old;
use crate::outcome::CommandError;
use crate::user_data::create_conversations_folder;
use agent_runtime::Environment;
use agent_runtime::runtime::RuntimeBuilder;
use agent_store::SqliteJournal;
use std::path::PathBuf;
use std::str::FromStr;

/// The place of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JournalPlace {
    /// A file of SQLite.
    File(PathBuf),
    /// The URL of a PostgreSQL database.
    Postgres(String),
}

impl FromStr for JournalPlace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once("://") {
            _ if text.is_empty() => Err("write the path of a file, or a URL of PostgreSQL"),
            None => Ok(Self::File(text.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            Some(_) => Err("a URL is one of PostgreSQL, such as postgres://user@db.example/agents"),
        }
    }
}

/// Gives a runtime the journal at a place, or the usual one, and deletes the old runs of a file.
///
/// # Errors
/// Returns an error if the journal cannot be opened.
pub(super) async fn add(
    runtime: RuntimeBuilder,
    place: Option<&JournalPlace>,
    environment: &Environment,
) -> Result<RuntimeBuilder, CommandError> {
    let path = match place {
        Some(JournalPlace::Postgres(url)) => return add_postgres(runtime, url).await,
        Some(JournalPlace::File(path)) => path.clone(),
        None => create_conversations_folder(environment)?,
    };
    let journal = SqliteJournal::open(path).await?;
    delete_old(&journal).await;
    Ok(runtime.journal(journal))
}

#[cfg(feature = "postgres")]
async fn add_postgres(runtime: RuntimeBuilder, url: &str) -> Result<RuntimeBuilder, CommandError> {
    let journal = agent_store::PostgresJournal::connect(url).await?;
    Ok(runtime.journal(journal))
}

#[cfg(not(feature = "postgres"))]
async fn add_postgres(_: RuntimeBuilder, _: &str) -> Result<RuntimeBuilder, CommandError> {
    Err(CommandError::new(
        "this program was built without the feature `postgres`, which keeps runs in PostgreSQL; install it with `cargo \
         install --path agent-cli --features postgres`, or name a file",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_postgres_and_anything_else_a_file() {
        let file = |path: &str| Ok(JournalPlace::File(path.into()));
        let postgres = |url: &str| Ok(JournalPlace::Postgres(url.to_owned()));
        for (text, expected) in [
            ("runs.db", file("runs.db")),
            ("/srv/postgres", file("/srv/postgres")),
            ("postgres://db/agents", postgres("postgres://db/agents")),
            ("postgresql://db/agents", postgres("postgresql://db/agents")),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for text in [
            "",
            "mysql://db/agents",
            "sqlite://runs.db",
            "https://db.example",
        ] {
            assert!(text.parse::<JournalPlace>().is_err(), "{text}");
        }
    }
}
