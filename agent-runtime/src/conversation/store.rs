//! Where conversations are kept.

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

/// What a store does, while it does it.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps conversations by name: [`MemoryStore`], `SqliteStore` (of the crate `agent-store`), or one of a
/// host's own.
///
/// Writers may write at the same time, in threads and in processes, and no turn is lost:
///
/// * [`append`](Self::append) adds messages behind whatever is there, all of them or none, so two
///   turns never mix. It never conflicts; the turns of two writers stand in the order in which they
///   were added.
/// * [`save`](Self::save) puts another conversation in the place of the one that was loaded, such as
///   a summarised one. When anybody wrote meanwhile it fails with a [conflict](StoreError::is_conflict)
///   and changes nothing; load again then, and change that.
///
/// What is stored can always be sent to a model: anything else is refused. So it does not matter
/// where a program stops between two writes.
///
/// Dropping a future means that nobody waits for it; what it writes may be written still.
///
/// ```
/// # use agent_runtime::{agent, Conversation, ConversationName, ConversationStore, MemoryStore};
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
///     // Also after an error, what was done is worth keeping.
///     store.append(&name, &conversation.messages()[known..]).await?;
///     println!("{}", ended?.content);
/// }
/// assert_eq!(store.load(&name).await?.expect("it is there").conversation.turns().count(), 2);
/// # Ok(())
/// # }
/// ```
pub trait ConversationStore: Send + Sync + 'static {
    /// The conversation of a name, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>>;

    /// Adds messages at the end, and makes the conversation when there is none. A call whose id is
    /// used in what is stored gets another, and so does its result. Adding nothing does nothing.
    ///
    /// # Errors
    /// When the messages could not be sent to a model by themselves, such as a call without its
    /// result; when they cannot be written. Then none of them is.
    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()>;

    /// Puts a conversation in the place of the one that [`load`](Self::load) gave with this
    /// revision; `None` means that it gave none.
    ///
    /// # Errors
    /// A conflict when something else is stored there by now; when the conversation could not be
    /// sent to a model; when it cannot be written. Then nothing changes.
    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision>;

    /// What is stored, ordered by name.
    ///
    /// # Errors
    /// When it cannot be read.
    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>>;

    /// Forgets a conversation, and says whether there was one.
    ///
    /// # Errors
    /// When it cannot be forgotten.
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

/// A conversation as it was stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredConversation {
    /// What was said.
    pub conversation: Conversation,
    /// Which writing this is; [`ConversationStore::save`] wants it.
    pub revision: Revision,
}

impl StoredConversation {
    /// A conversation and which writing it is, for stores of a host.
    #[must_use]
    pub fn new(conversation: Conversation, revision: Revision) -> Self {
        Self {
            conversation,
            revision,
        }
    }
}

/// Which writing of a conversation is meant. A store gives each to one writing only, also when a
/// conversation was deleted in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

impl Revision {
    /// The writing of a number, for stores of a host.
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

/// What a store says about a conversation without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationInfo {
    /// The name.
    pub name: ConversationName,
    /// How many messages it has.
    pub messages: usize,
    /// When it was last written.
    pub updated: SystemTime,
}

impl ConversationInfo {
    /// What is known of a conversation, for stores of a host.
    #[must_use]
    pub fn new(name: ConversationName, messages: usize, updated: SystemTime) -> Self {
        Self {
            name,
            messages,
            updated,
        }
    }
}
