//! Conversations in a file, by SQLite.

mod file;
mod intact;
mod statements;

use agent_runtime::{
    Conversation, ConversationInfo, ConversationName, ConversationStore, Message, Revision,
    StoreError, StoreFuture, StoredConversation,
};
use rusqlite::{Connection, TransactionBehavior};
use statements::Statements;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps conversations in a file, which other threads and programs may use at the same time.
/// Clones share it.
///
/// A file that is new can be read by its owner only. It is a database of SQLite, with two further
/// files beside it while it is in use; it must be on a disk of this machine, since shares in a
/// network do not lock as SQLite needs it. What a future wrote when it is done survives the
/// program and, if the disk keeps its promises, the machine. Whoever finds the file locked waits
/// for ten seconds.
///
/// The work is done on tokio's threads for blocking work, one at a time for each store.
///
/// ```
/// use agent_runtime::{ConversationName, ConversationStore, Message};
/// use agent_store::SqliteStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("agent-store-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("conversations.db");
/// let store = SqliteStore::open(&path).await?;
/// let name = ConversationName::new("ada")?;
/// store.append(&name, &[Message::user("Hello"), Message::assistant("Hello, Ada!")]).await?;
/// assert_eq!(store.list().await?[0].messages, 2);
/// # drop(store);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteStore(Arc<Shared>);

struct Shared {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// The store in a file, which is made when it is not there; its folder must be.
    ///
    /// # Errors
    /// When the file cannot be opened or written; a [format](StoreError::is_format) error when it
    /// is something else than a store, or one that a newer version of this crate made.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let opened = off_thread(move || {
            let connection = file::open(&path)?;
            Ok((path, connection))
        });
        let (path, connection) = opened.await?;
        Ok(Self(Arc::new(Shared {
            path,
            connection: Mutex::new(connection),
        })))
    }

    /// What can be listed, ordered by name, and what is wrong with each conversation that cannot: a name
    /// that is none, for one. [`list`](ConversationStore::list) fails with the first of these.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn list_readable(
        &self,
    ) -> Result<(Vec<ConversationInfo>, Vec<StoreError>), StoreError> {
        let listed = self.reading(|statements| statements.list()).await?;
        let (mut readable, mut wrong) = (Vec::new(), Vec::new());
        for info in listed {
            match info {
                Ok(info) => readable.push(info),
                Err(error) => wrong.push(error),
            }
        }
        Ok((readable, wrong))
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Does work in a transaction, on a thread for blocking work.
    fn with<'a, T: Send + 'static>(
        &'a self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let shared = Arc::clone(&self.0);
        Box::pin(off_thread(move || {
            let connection = shared.connection.lock();
            // A transaction that a panic ended was taken back when it was dropped.
            let mut connection = connection.unwrap_or_else(PoisonError::into_inner);
            let failed = |error| file::failed(&shared.path, error);
            let transaction = connection
                .transaction_with_behavior(behavior)
                .map_err(failed)?;
            let done = work(&Statements::new(&transaction, &shared.path))?;
            transaction.commit().map_err(failed)?;
            Ok(done)
        }))
    }

    fn reading<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.with(TransactionBehavior::Deferred, work)
    }

    /// The lock is taken at the beginning: who reads first and then wants to write may find that
    /// somebody else wrote in between.
    fn writing<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.with(TransactionBehavior::Immediate, work)
    }
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|stopped| {
        Err(StoreError::unavailable("the work was stopped").with_source(stopped))
    })
}

impl ConversationStore for SqliteStore {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        let name = name.clone();
        self.reading(move |statements| {
            let Some((id, revision)) = statements.find(&name)? else {
                return Ok(None);
            };
            let conversation = statements.messages(&name, id)?;
            Ok(Some(StoredConversation::new(conversation, revision)))
        })
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        let mut added: Conversation = messages.iter().cloned().collect();
        if added.is_empty() {
            return Box::pin(std::future::ready(Ok(())));
        }
        if let Err(invalid) = added.check() {
            return Box::pin(std::future::ready(Err(invalid.into())));
        }
        let name = name.clone();
        self.writing(move |statements| {
            let (id, _) = statements.write(&name)?;
            let taken = statements.taken_ids(id, added.messages())?;
            added.rename_calls(|id| taken.contains(id));
            statements.add(id, added.messages())
        })
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        if let Err(invalid) = conversation.check() {
            return Box::pin(std::future::ready(Err(invalid.into())));
        }
        let (name, conversation) = (name.clone(), conversation.clone());
        self.writing(move |statements| {
            let found = statements.find(&name)?.map(|(_, revision)| revision);
            if found != expected {
                return Err(StoreError::conflict(&name));
            }
            let (id, revision) = statements.write(&name)?;
            statements.clear(id)?;
            statements.add(id, conversation.messages())?;
            Ok(revision)
        })
    }

    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>> {
        self.reading(|statements| statements.list()?.into_iter().collect())
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        let name = name.clone();
        self.writing(move |statements| statements.delete(&name))
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SqliteStore")
            .field("path", &self.0.path)
            .finish_non_exhaustive()
    }
}
