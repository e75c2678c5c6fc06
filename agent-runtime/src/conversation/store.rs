//! Stores of conversations: the trait, its types and the store in memory.

mod error;
mod memory;
mod name;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use name::{ConversationName, InvalidName};

use super::{Conversation, Message};
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

/// The future that the methods of a [`ConversationStore`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps conversations by name: [`MemoryStore`], `SqliteStore` of the crate `agent-store`, or your own.
///
/// Several threads and processes may write at the same time, and no turn is lost:
///
/// * [`append`](Self::append) adds all messages or none after those that are stored, so that the turns of
///   two writers never mix. It never conflicts. Turns are stored in the order in which they were appended.
/// * [`save`](Self::save) replaces the conversation that was loaded, for example with a summarised one.
///   When another writer came first, `save` fails with a [conflict](StoreError::is_conflict) and changes
///   nothing; load the conversation again and repeat the change.
///
/// A store refuses messages that a model would not accept. So every stored conversation can be sent,
/// wherever a program stopped between two writes.
///
/// Dropping a future does not undo its write, which may still take place.
///
/// `testing::check_store` checks that a store of your own keeps these promises.
///
/// ```
/// # use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
/// # use agent_runtime::{Conversation, agent};
/// # use agent_runtime::{Runtime, ToolLibrary};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
/// let (runtime, library) = (Runtime::offline(), ToolLibrary::new());
/// let store = MemoryStore::new();
/// let name = ConversationName::new("ada")?;
/// for question in ["Where am I?", "And who am I?"] {
///     let mut conversation = match store.load(&name).await? {
///         Some(stored) => stored.conversation,
///         None => Conversation::new(),
///     };
///     let known = conversation.len();
///     let ended = runtime.execute(&agent, question, &mut conversation, &library).await;
///     // After an error, too, store the messages that were added.
///     store.append(&name, &conversation.messages()[known..]).await?;
///     println!("{}", ended?.content);
/// }
/// assert_eq!(store.load(&name).await?.expect("it is there").conversation.turns().count(), 2);
/// # Ok(())
/// # }
/// ```
pub trait ConversationStore: Send + Sync + 'static {
    /// Loads the conversation of a name, if there is one.
    ///
    /// # Errors
    /// When the conversation cannot be read.
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>>;

    /// Adds messages at the end. Creates the conversation if there is none. A call whose id a stored
    /// call has gets another id, and so does its result; see [`Conversation::rename_calls`]. Appending no
    /// messages does nothing.
    ///
    /// # Errors
    /// When a model would not accept the messages by themselves, for example a call without its result,
    /// or when they cannot be written. No message is added then.
    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()>;

    /// Replaces the conversation that [`load`](Self::load) returned with this revision. `None` means that
    /// `load` found no conversation.
    ///
    /// # Errors
    /// A [conflict](StoreError::is_conflict) when the stored revision is not `expected`. Also when a model
    /// would not accept the conversation, or when it cannot be written. Nothing changes then.
    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision>;

    /// Lists the conversations, ordered by the bytes of their names.
    ///
    /// # Errors
    /// When the list cannot be read.
    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>>;

    /// Deletes a conversation. Returns `false` if there was none.
    ///
    /// # Errors
    /// When the conversation cannot be deleted.
    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool>;
}

impl<S: ConversationStore + ?Sized> ConversationStore for Arc<S> {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        (**self).load(name)
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        (**self).append(name, messages)
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        (**self).save(name, conversation, expected)
    }

    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>> {
        (**self).list()
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        (**self).delete(name)
    }
}

/// A conversation that was loaded from a store.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// The revision that was loaded, for [`ConversationStore::save`].
    pub revision: Revision,
}

impl StoredConversation {
    /// Creates the result of [`ConversationStore::load`].
    #[must_use]
    pub fn new(conversation: Conversation, revision: Revision) -> Self {
        Self {
            conversation,
            revision,
        }
    }
}

/// The number of one write to a conversation. Every write has a greater revision than those before it, even
/// if the conversation was deleted in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

impl Revision {
    /// Creates the revision with a number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// An entry of [`ConversationStore::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationInfo {
    /// The name of the conversation.
    pub name: ConversationName,
    /// The number of its messages.
    pub messages: usize,
    /// The time of the last write.
    pub updated: SystemTime,
}

impl ConversationInfo {
    /// Creates an entry of [`ConversationStore::list`].
    #[must_use]
    pub fn new(name: ConversationName, messages: usize, updated: SystemTime) -> Self {
        Self {
            name,
            messages,
            updated,
        }
    }
}
