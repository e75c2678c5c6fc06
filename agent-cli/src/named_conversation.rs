//! A conversation that is stored under a name, so that the next run or chat can continue it.

use crate::display::name;
use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use crate::run_journal::RunJournal;
use crate::user_data;
use agent_runtime::conversation::{ConversationName, ConversationStore};
use agent_runtime::journal::{Journal, RunFilter, RunState};
use agent_runtime::runtime::RunBuilder;
use agent_runtime::{Conversation, Environment};
use agent_store::SqliteStore;
use std::path::PathBuf;

/// The options `--conversation` and `--store`.
#[derive(Debug, clap::Args)]
pub(crate) struct ConversationArgs {
    /// Continue the stored conversation of this name, or begin it. Each message is stored. Not with --history
    #[arg(long, value_name = "NAME")]
    pub(crate) conversation: Option<ConversationName>,
    /// Store conversations in this file instead of the usual one
    #[arg(long, value_name = "FILE", requires = "conversation")]
    pub(crate) store: Option<PathBuf>,
}

impl ConversationArgs {
    /// Opens the store for the conversation of `--conversation`, if the option is given, and the journal in the same
    /// file. Warns of a run of the conversation that was interrupted.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or created.
    pub(crate) async fn open(
        &self,
        environment: &Environment,
    ) -> Result<Option<NamedConversation>, CommandError> {
        let Some(name) = &self.conversation else {
            return Ok(None);
        };
        let path = match &self.store {
            Some(path) => path.clone(),
            None => user_data::create_conversations_folder(environment)?,
        };
        let stored = NamedConversation {
            store: SqliteStore::open(&path).await?,
            journal: RunJournal::open(&path, self.store.is_none()).await?,
            name: name.clone(),
        };
        stored.warn_of_interrupted_runs().await;
        Ok(Some(stored))
    }
}

/// The maximum number of interrupted runs that are checked.
const MOST_WARNINGS: usize = 8;

/// A stored conversation. Other programs may read it and append to it at the same time.
pub(crate) struct NamedConversation {
    store: SqliteStore,
    /// The journal in the same file.
    journal: RunJournal,
    name: ConversationName,
}

impl NamedConversation {
    /// Returns the name.
    pub(crate) fn name(&self) -> String {
        self.name.to_string()
    }

    /// Returns the journal of the runs.
    pub(crate) fn journal(&self) -> &RunJournal {
        &self.journal
    }

    /// Assigns a run to the conversation, so that its messages are stored when it ends.
    pub(crate) fn set_up<'a>(&self, run: RunBuilder<'a>) -> RunBuilder<'a> {
        run.conversation_id(self.name())
            .stored_as(self.name.clone())
    }

    /// Warns of runs of this conversation whose program is gone, because the messages of these runs are not
    /// stored in the conversation.
    async fn warn_of_interrupted_runs(&self) {
        let journal = self.journal.journal();
        let running = RunFilter::new().conversation(self.name.clone());
        let running = running.states([RunState::Running]);
        let Ok(runs) = journal.list(&running).await else {
            return;
        };
        for run in runs.iter().take(MOST_WARNINGS) {
            // A program that is still running holds the lease of its run.
            let Ok(Some(lease)) = journal.acquire(&run.run).await else {
                continue;
            };
            journal.release(&lease);
            let (conversation, remedies) = (&self.name, self.journal.remedies(&name(&run.run)));
            warning_to_stderr(&format!(
                "a run of the conversation `{conversation}` was interrupted; {remedies}"
            ));
        }
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
}
