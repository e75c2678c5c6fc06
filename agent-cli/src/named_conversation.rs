//! A conversation that is stored under a name, so that the next run or chat can continue it.

use crate::outcome::{CommandError, with_causes};
use crate::output::warning_to_stderr;
use crate::user_data;
use agent_runtime::conversation::{ConversationName, ConversationStore};
use agent_runtime::redact::Redactor;
use agent_runtime::{Conversation, Environment, Message};
use agent_store::SqliteStore;
use std::path::PathBuf;

/// The options `--conversation` and `--store`.
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationArgs {
    /// Continue the stored conversation of this name, or begin it, and store each message; not with
    /// --history
    #[arg(long, value_name = "NAME")]
    pub(crate) conversation: Option<ConversationName>,
    /// Store conversations in this file instead of the usual one
    #[arg(long, value_name = "FILE", requires = "conversation")]
    pub(crate) store: Option<PathBuf>,
}

impl ConversationArgs {
    /// Opens the store for the conversation of `--conversation`, if the option is given. Secrets are
    /// redacted before messages are stored.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or created.
    pub(crate) async fn open(
        &self,
        environment: &Environment,
        redactor: Redactor,
    ) -> Result<Option<NamedConversation>, CommandError> {
        let Some(name) = &self.conversation else {
            return Ok(None);
        };
        let path = match &self.store {
            Some(path) => path.clone(),
            None => user_data::create_conversations_folder(environment)?,
        };
        let store = SqliteStore::open(path).await?;
        Ok(Some(NamedConversation {
            store,
            name: name.clone(),
            redactor,
        }))
    }
}

/// A stored conversation. Other programs may read it and append to it at the same time.
pub(crate) struct NamedConversation {
    store: SqliteStore,
    name: ConversationName,
    redactor: Redactor,
}

impl NamedConversation {
    /// Returns the name.
    pub(crate) fn name(&self) -> String {
        self.name.to_string()
    }

    /// Loads the stored messages, or an empty conversation. If no model would accept the messages,
    /// because somebody edited the file, they are repaired in the store too, with a warning.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read, or if a repaired conversation cannot be saved.
    pub(crate) async fn load(&self) -> Result<Conversation, CommandError> {
        loop {
            let Some(stored) = self.store.load(&self.name).await? else {
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
                saved => saved?,
            };
            for repair in repairs {
                let name = &self.name;
                warning_to_stderr(&format!("the conversation `{name}` was repaired: {repair}"));
            }
            return Ok(conversation);
        }
    }

    /// Deletes the conversation from the store.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub(crate) async fn delete(&self) -> Result<(), CommandError> {
        self.store.delete(&self.name).await?;
        Ok(())
    }

    /// Appends messages, after those that other programs have appended since the last load.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub(crate) async fn append(&self, messages: &[Message]) -> Result<(), CommandError> {
        let redacted = |message: &Message| message.redacted(&self.redactor);
        let messages: Vec<Message> = messages.iter().map(redacted).collect();
        let appended = self.store.append(&self.name, &messages).await;
        appended.map_err(|error| {
            let causes = with_causes(&error);
            CommandError::new(format!("the messages could not be stored: {causes}"))
        })
    }
}
