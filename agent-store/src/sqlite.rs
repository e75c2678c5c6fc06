//! Conversations and journals in a file, by SQLite.

mod conversations;
mod database;
mod file;
mod holder;
mod journal;

pub use journal::SqliteJournal;

use agent_core::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Revision, StoreError, StoreFuture,
    StoredConversation,
};
use agent_core::{Conversation, Message};
use conversations::Statements;
use database::Database;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Keeps conversations in a file, which other threads and programs may use at the same time.
/// Clones share one connection to the file.
///
/// Only the owner of a new file can read it. The file is a SQLite database, with two further files
/// beside it while it is open. It must be on a local disk, because network shares do not lock files as
/// SQLite needs it. Data is durable when a future completes: it survives the program and, if the disk
/// keeps its promises, a power failure. A locked file is waited for up to ten seconds.
///
/// Deleted content is overwritten with zeros in the file, and the write-ahead log beside it is emptied after
/// [`delete`](ConversationStore::delete), unless another program reads the file for all of ten seconds; then the next
/// deletion or the last program that closes the file does it. The file system or the disk may keep older copies, and
/// so do backups.
///
/// The work runs on tokio's threads for blocking work, one operation at a time for each store.
///
/// ```
/// use agent_runtime::conversation::{ConversationName, ConversationStore};
/// use agent_runtime::Message;
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
/// assert_eq!(store.list(None).await?[0].messages, 2);
/// # drop(store);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteStore(Arc<Database>);

impl SqliteStore {
    /// Opens the store in a file. A missing file is created; its folder must exist.
    ///
    /// # Errors
    /// When the file cannot be opened or written. A [format](StoreError::is_format) error when the file
    /// is not a store, or a newer version of this crate created it.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let opened = run_blocking(move || Database::open(&path));
        Ok(Self(Arc::new(opened.await?)))
    }

    /// Opens a store to list and load its conversations, which needs no right to write into the file or its
    /// folder. Operations that write into the store fail.
    ///
    /// # Errors
    /// When the file is missing or cannot be read. When the folder cannot be written while another program
    /// has the store open. A [format](StoreError::is_format) error when the file is not a store, or another
    /// version of this crate created it.
    pub async fn open_read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let opened = run_blocking(move || Database::open_read_only(&path));
        Ok(Self(Arc::new(opened.await?)))
    }

    /// Returns the conversations that can be listed, ordered by name, and an error for each that cannot,
    /// such as one with an invalid name. [`list`](ConversationStore::list) fails with the first of these
    /// errors.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn list_readable(
        &self,
    ) -> Result<(Vec<ConversationInfo>, Vec<StoreError>), StoreError> {
        let listed = self.read(|statements| statements.list(None)).await?;
        let (mut readable, mut errors) = (Vec::new(), Vec::new());
        for info in listed {
            match info {
                Ok(info) => readable.push(info),
                Err(error) => errors.push(error),
            }
        }
        Ok((readable, errors))
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Reads in a transaction, on a thread for blocking work.
    fn read<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let database = Arc::clone(&self.0);
        Box::pin(run_blocking(move || {
            database.read(|access| work(&Statements(access)))
        }))
    }

    /// Writes in a transaction, on a thread for blocking work.
    fn write<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let database = Arc::clone(&self.0);
        Box::pin(run_blocking(move || {
            database.write(|access| work(&Statements(access)))
        }))
    }
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.unwrap_or_else(|stopped| {
        Err(StoreError::unavailable("the work was stopped").with_source(stopped))
    })
}

impl ConversationStore for SqliteStore {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        let name = name.clone();
        self.read(move |statements| {
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
        let added: Conversation = messages.iter().cloned().collect();
        if added.is_empty() {
            return Box::pin(std::future::ready(Ok(())));
        }
        if let Err(invalid) = added.check() {
            return Box::pin(std::future::ready(Err(invalid.into())));
        }
        let name = name.clone();
        self.write(move |statements| {
            let (id, _) = statements.upsert(&name)?;
            statements.add(id, added.messages())
        })
    }

    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        let added: Conversation = messages.iter().cloned().collect();
        if let Err(invalid) = added.check() {
            return Box::pin(std::future::ready(Err(invalid.into())));
        }
        let (name, run) = (name.clone(), run.to_owned());
        self.write(move |statements| statements.add_run(&name, &run, added.messages()))
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
        self.write(move |statements| {
            let found = statements.find(&name)?.map(|(_, revision)| revision);
            if found != expected {
                return Err(StoreError::conflict(&name));
            }
            let (id, revision) = statements.upsert(&name)?;
            statements.clear(id)?;
            statements.add(id, conversation.messages())?;
            statements.delete_unused_media()?;
            Ok(revision)
        })
    }

    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        let owner = owner.map(str::to_owned);
        self.read(move |statements| statements.list(owner.as_deref())?.into_iter().collect())
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        let name = name.clone();
        Box::pin(async move {
            let is_deleted = self
                .write(move |statements| statements.delete(&name))
                .await?;
            let database = Arc::clone(&self.0);
            run_blocking(move || database.empty_log()).await?;
            Ok(is_deleted)
        })
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SqliteStore")
            .field("path", &self.0.path())
            .finish_non_exhaustive()
    }
}
