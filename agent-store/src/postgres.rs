//! Conversations and journals in a database, by PostgreSQL.

mod address;
mod conversations;
mod failure;
mod journal;
mod notices;
mod pool;
mod session;
mod tables;
mod tls;

pub use journal::PostgresJournal;

use agent_core::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Revision, StoreError, StoreFuture,
    StoredConversation,
};
use agent_core::{Conversation, Message};
use conversations::Added;
use pool::Pool;
use session::Session;
use std::fmt;
use std::sync::Arc;

/// Keeps conversations in a PostgreSQL database, which programs on several machines may use at the same time. Clones share
/// their connections.
///
/// # URL
///
/// `postgres://USER:PASSWORD@HOST:5432/DATABASE?NAME=VALUE&…`. Write special characters of the password as in other URLs, such
/// as `%40` for `@`. No error and no `Debug` prints the password.
///
/// | parameter | default | meaning |
/// | --- | --- | --- |
/// | `sslmode` | `require`; on this machine `disable` | `disable`: no TLS. `prefer`: TLS if the server offers it. `require`: TLS |
/// | `search_path` | that of the role | the schema of the tables; it is created if the role may do so |
/// | `max_connections` | 8 | the most connections of this store and its clones |
/// | `operation_timeout` | 60 | the seconds after which an operation fails that is repeated while the database cannot be reached |
/// | `host` | | the folder of a Unix socket: `postgres:///DATABASE?host=/run/postgresql` |
///
/// Other parameters of libpq that [tokio-postgres](https://docs.rs/tokio-postgres) has can be set, too, such
/// as `connect_timeout` and `target_session_attrs`. A URL may have several hosts with commas between them;
/// the host that can be written is used.
///
/// With TLS, the certificate and the name of the host are always verified, also by `prefer`, unlike in libpq. The
/// certificates of the system are trusted, and those in the file that the variable `SSL_CERT_FILE` names.
///
/// # Failures
///
/// While the database is restarted, operations wait and are repeated. Each write takes place once: it has an
/// id in the database, and if the answer to a commit was lost, the next attempt looks for the id. If the
/// database cannot be asked within `operation_timeout`, the error reports that it is unknown whether the
/// write was made.
///
/// Data is durable when a future completes, as far as the server's disk and its replicas keep their promises.
///
/// ```no_run
/// use agent_runtime::Message;
/// use agent_runtime::conversation::{ConversationName, ConversationStore};
/// use agent_store::PostgresStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::connect(&std::env::var("DATABASE_URL")?).await?;
/// let name = ConversationName::new("ada")?;
/// store.append(&name, &[Message::user("Hello"), Message::assistant("Hello, Ada!")]).await?;
/// assert_eq!(store.list(None).await?[0].messages, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresStore(Arc<Pool>);

impl PostgresStore {
    /// Connects to a database, and creates the tables unless they exist. Tables of an earlier version of this
    /// crate are migrated.
    ///
    /// # Errors
    /// When the URL cannot be used, or the database cannot be reached or refuses the role. A
    /// [format](StoreError::is_format) error when a newer version of this crate created the tables.
    ///
    /// # Panics
    /// Outside of a tokio runtime whose I/O and time are enabled, as `#[tokio::main]` enables them.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Ok(Self(Arc::new(Pool::open(url).await?)))
    }
}

impl ConversationStore for PostgresStore {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        let place = self.0.place();
        Box::pin(self.0.repeat(move |mut session| async move {
            let loaded = conversations::load(&mut session, name, place).await?;
            Ok((loaded, session))
        }))
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let added = &Added::new(messages)?;
            if added.is_empty() {
                return Ok(());
            }
            let append = |mut session| async move {
                conversations::append(&mut session, name, added).await?;
                Ok(((), session))
            };
            self.0.once(append).await
        })
    }

    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let added = &Added::new(messages)?;
            journal::check_id(run)?;
            let append = |mut session: Session| async move {
                session.run("BEGIN").await?;
                conversations::append_run(&mut session, name, run, added).await?;
                session.commit().await?;
                Ok(((), session))
            };
            self.0.repeat(append).await
        })
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let added = &Added::new(conversation.messages())?;
            let save = |mut session| async move {
                let revision = conversations::save(&mut session, name, added, expected).await?;
                Ok((revision, session))
            };
            self.0.once(save).await?
        })
    }

    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        let place = self.0.place();
        Box::pin(self.0.repeat(move |session| async move {
            let listed = conversations::list(&session, owner, place).await?;
            Ok((listed, session))
        }))
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        Box::pin(self.0.once(move |mut session| async move {
            let is_deleted = conversations::delete(&mut session, name).await?;
            Ok((is_deleted, session))
        }))
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresStore")
            .field("database", &self.0.place())
            .finish_non_exhaustive()
    }
}
