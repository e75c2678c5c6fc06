//! Conversations that are stored in a file from one run to the next.

use crate::outcome::{Trouble, in_full, warn};
use agent_runtime::conversation::{ConversationName, ConversationStore, StoreError};
use agent_runtime::redact::Redactor;
use agent_runtime::{Conversation, Environment, Message};
use agent_store::SqliteStore;
use std::path::{Path, PathBuf};

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

/// The folder of this program among a user's data, and the file in it.
const FOLDER: &str = "agent";
const FILE: &str = "conversations.db";

/// The file with the lines that were typed in chats.
const LINES: &str = "chat-lines.txt";

/// The usual file: under `XDG_DATA_HOME` when it is set, else under what the system has for the
/// data of a user's programs.
///
/// # Errors
/// When nothing says where the user's data are.
pub(crate) fn usual_place(environment: &Environment) -> Result<PathBuf, Trouble> {
    let data = data_folder(environment).ok_or_else(|| {
        let variable = if cfg!(windows) {
            "LOCALAPPDATA"
        } else {
            "HOME"
        };
        Trouble::new(format!(
            "neither XDG_DATA_HOME nor {variable} says where conversations are kept; name a file \
             with --store FILE"
        ))
    })?;
    Ok(data.join(FOLDER).join(FILE))
}

/// The usual file, in a folder that is there.
///
/// # Errors
/// When the folder cannot be made.
pub(crate) fn made_place(environment: &Environment) -> Result<PathBuf, Trouble> {
    let path = usual_place(environment)?;
    if let Some(folder) = path.parent() {
        make_private(folder).map_err(|error| {
            let folder = folder.display();
            Trouble::new(format!("the folder `{folder}` cannot be made: {error}"))
        })?;
    }
    Ok(path)
}

/// The file with the lines that were typed in chats, in the same folder, which is there; nothing
/// when the user has no place for it.
pub(crate) fn made_place_of_lines(environment: &Environment) -> Option<PathBuf> {
    let path = data_folder(environment)?.join(FOLDER).join(LINES);
    make_private(path.parent()?).ok()?;
    Some(path)
}

fn data_folder(environment: &Environment) -> Option<PathBuf> {
    // The rule of XDG: what is not absolute counts as not set.
    let folder = |name: &str| {
        let path = PathBuf::from(environment.get(name)?);
        path.is_absolute().then_some(path)
    };
    folder("XDG_DATA_HOME").or_else(|| {
        if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            Some(folder("HOME")?.join("Library/Application Support"))
        } else {
            Some(folder("HOME")?.join(".local/share"))
        }
    })
}

/// Makes a folder, and those it is in, that only the user can look into. Those that are there stay
/// as they are.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn the_usual_place_is_among_the_users_data() {
        for (pairs, expected) in [
            (
                vec![("XDG_DATA_HOME", "/data"), ("HOME", "/home/ada")],
                "/data/agent/conversations.db",
            ),
            (
                vec![("XDG_DATA_HOME", "data"), ("HOME", "/home/ada")],
                "/home/ada/.local/share/agent/conversations.db",
            ),
            (
                vec![("HOME", "/home/ada")],
                "/home/ada/.local/share/agent/conversations.db",
            ),
        ] {
            let place = usual_place(&Environment::from_pairs(pairs)).expect("a place");
            assert_eq!(place, PathBuf::from(expected));
        }
        let nowhere = usual_place(&Environment::empty()).expect_err("nothing says where");
        assert!(nowhere.to_string().contains("--store FILE"), "{nowhere}");
    }
}
