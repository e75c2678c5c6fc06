//! Conversations in memory.

use super::{
    ConversationInfo, ConversationName, ConversationStore, Revision, StoreError, StoreFuture,
    StoredConversation,
};
use crate::conversation::{Conversation, Message};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Keeps conversations in memory, until its last clone is dropped. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    entries: BTreeMap<ConversationName, Entry>,
    /// The last revision of all conversations.
    last: u64,
}

struct Entry {
    stored: StoredConversation,
    updated: SystemTime,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn write(&mut self, name: &ConversationName, conversation: Conversation) -> Revision {
        self.last += 1;
        let revision = Revision::new(self.last);
        let entry = Entry {
            stored: StoredConversation::new(conversation, revision),
            updated: SystemTime::now(),
        };
        self.entries.insert(name.clone(), entry);
        revision
    }

    fn append(&mut self, name: &ConversationName, messages: &[Message]) -> Result<(), StoreError> {
        let mut conversation = match self.entries.get(name) {
            Some(entry) => entry.stored.conversation.clone(),
            None => Conversation::new(),
        };
        conversation.append(messages.iter().cloned().collect())?;
        self.write(name, conversation);
        Ok(())
    }

    fn save(
        &mut self,
        name: &ConversationName,
        conversation: &Conversation,
        expected: Option<Revision>,
    ) -> Result<Revision, StoreError> {
        conversation.check()?;
        let found = self.entries.get(name).map(|entry| entry.stored.revision);
        if found != expected {
            return Err(StoreError::conflict(name));
        }
        Ok(self.write(name, conversation.clone()))
    }
}

impl ConversationStore for MemoryStore {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        Box::pin(async move { Ok(self.memory().entries.get(name).map(|e| e.stored.clone())) })
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if messages.is_empty() {
                return Ok(());
            }
            self.memory().append(name, messages)
        })
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        Box::pin(async move { self.memory().save(name, conversation, expected) })
    }

    fn list(&self) -> StoreFuture<'_, Vec<ConversationInfo>> {
        Box::pin(async move {
            let memory = self.memory();
            let entries = memory.entries.iter().map(|(name, entry)| {
                let messages = entry.stored.conversation.len();
                ConversationInfo::new(name.clone(), messages, entry.updated)
            });
            Ok(entries.collect())
        })
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        Box::pin(async move { Ok(self.memory().entries.remove(name).is_some()) })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = self.memory();
        out.debug_struct("MemoryStore")
            .field("conversations", &memory.entries.len())
            .finish_non_exhaustive()
    }
}
