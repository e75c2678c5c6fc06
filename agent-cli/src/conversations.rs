//! Conversations that the command keeps from one call to the next.

mod place;

pub(crate) use place::{made_place, made_place_of_lines, usual_place};

use crate::outcome::{Trouble, in_full, warn};
use agent_runtime::{
    Conversation, ConversationName, ConversationStore, Environment, Message, Redactor, StoreError,
};
use agent_store::SqliteStore;
use std::path::PathBuf;

/// Which conversation a command goes on with, and where it is kept.
#[derive(Debug, clap::Args)]
pub(crate) struct KeptArgs {
    /// Go on with the stored conversation of this name, or begin it, and store what is said; not with
    /// --history
    #[arg(long, value_name = "NAME")]
    pub(crate) conversation: Option<ConversationName>,
    /// Keep conversations in this file, in place of the usual one
    #[arg(long, value_name = "FILE", requires = "conversation")]
    pub(crate) store: Option<PathBuf>,
}

impl KeptArgs {
    /// Opens the conversation that is kept, if one is. Its secrets are replaced before it is stored.
    ///
    /// # Errors
    /// When the file cannot be opened or made.
    pub(crate) async fn open(
        &self,
        environment: &Environment,
        redactor: Redactor,
    ) -> Result<Option<Kept>, Trouble> {
        let Some(name) = &self.conversation else {
            return Ok(None);
        };
        let path = match &self.store {
            Some(path) => path.clone(),
            None => made_place(environment)?,
        };
        let store = SqliteStore::open(path).await.map_err(trouble_of)?;
        Ok(Some(Kept {
            store,
            name: name.clone(),
            redactor,
        }))
    }
}

/// A conversation that is kept.
pub(crate) struct Kept {
    store: SqliteStore,
    name: ConversationName,
    redactor: Redactor,
}

impl Kept {
    /// What it is called.
    pub(crate) fn name(&self) -> String {
        self.name.to_string()
    }

    /// What was said, by whatever program, until now. What somebody made of the file that no model
    /// could be sent is mended, there too.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) async fn load(&self) -> Result<Conversation, Trouble> {
        loop {
            let stored = self.store.load(&self.name).await.map_err(trouble_of)?;
            let Some(stored) = stored else {
                return Ok(Conversation::new());
            };
            let mut conversation = stored.conversation;
            let repairs = conversation.repair();
            if repairs.is_empty() {
                return Ok(conversation);
            }
            let saved = self
                .store
                .save(&self.name, &conversation, Some(stored.revision));
            match saved.await {
                Err(error) if error.is_conflict() => continue,
                saved => saved.map_err(trouble_of)?,
            };
            for repair in repairs {
                let name = &self.name;
                warn(&format!("the conversation `{name}` was mended: {repair}"));
            }
            return Ok(conversation);
        }
    }

    /// Forgets what was said, for good.
    ///
    /// # Errors
    /// When it cannot be deleted.
    pub(crate) async fn forget(&self) -> Result<(), Trouble> {
        self.store.delete(&self.name).await.map_err(trouble_of)?;
        Ok(())
    }

    /// Adds what was said since, behind what others added meanwhile.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) async fn add(&self, messages: &[Message]) -> Result<(), Trouble> {
        let messages = messages
            .iter()
            .map(|message| message.redacted(&self.redactor));
        let messages: Vec<Message> = messages.collect();
        let added = self.store.append(&self.name, &messages).await;
        added.map_err(|error| {
            let text = in_full(&error);
            Trouble::new(format!("what was said could not be stored: {text}"))
        })
    }
}

/// What a store says, with its causes.
pub(crate) fn trouble_of(error: StoreError) -> Trouble {
    Trouble::new(in_full(&error))
}
