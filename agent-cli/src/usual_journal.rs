//! The journal that chats and stored conversations keep without being asked to.

use crate::old_runs::delete_old;
use crate::outcome::with_causes;
use crate::output::warning_to_stderr;
use agent_runtime::conversation::{ConversationStore, StoreError, StoreFuture};
use agent_runtime::journal::{Commit, Journal, Lease, RunInfo, StoredRun};
use agent_store::SqliteJournal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A journal beside the conversations. When it cannot be written, it warns once and keeps no more, and runs go on
/// without it.
#[derive(Clone)]
pub(crate) struct UsualJournal(Arc<Inner>);

struct Inner {
    journal: SqliteJournal,
    /// Whether the journal keeps no more.
    is_off: AtomicBool,
    /// The error of messages that could not be added to their conversation.
    not_stored: Mutex<Option<StoreError>>,
}

impl UsualJournal {
    /// Opens the journal in a file. When the file cannot be opened, prints a warning.
    pub(crate) async fn open(path: &Path) -> Option<Self> {
        match SqliteJournal::open(path).await {
            Ok(journal) => {
                delete_old(&journal).await;
                Some(Self(Arc::new(Inner {
                    journal,
                    is_off: AtomicBool::new(false),
                    not_stored: Mutex::new(None),
                })))
            }
            Err(error) => {
                warn(&error);
                None
            }
        }
    }

    /// Takes the error of the last messages that could not be added to their conversation.
    pub(crate) fn take_not_stored(&self) -> Option<StoreError> {
        let not_stored = self.0.not_stored.lock();
        not_stored.unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_off(&self) -> bool {
        self.0.is_off.load(Ordering::Relaxed)
    }

    fn turn_off(&self, error: &StoreError) {
        if !self.0.is_off.swap(true, Ordering::Relaxed) {
            warn(error);
        }
    }
}

fn warn(error: &StoreError) {
    let causes = with_causes(error);
    warning_to_stderr(&format!(
        "runs are not kept in a journal, so that one that is interrupted cannot be continued: {causes}"
    ));
}

impl Journal for UsualJournal {
    fn begin(&self, run: &str) -> Lease {
        self.0.journal.begin(run)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        self.0.journal.acquire(run)
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if self.is_off() {
                return Ok(());
            }
            match self.0.journal.renew(lease).await {
                Err(error) if !error.is_lease_lost() => self.turn_off(&error),
                renewed => renewed?,
            }
            Ok(())
        })
    }

    fn release(&self, lease: &Lease) {
        self.0.journal.release(lease);
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let turn = commit.turn.clone();
            if !self.is_off() {
                match self.0.journal.append(lease, commit).await {
                    Err(error) if !error.is_lease_lost() => self.turn_off(&error),
                    appended => return appended,
                }
            }
            if let (Some(turn), Some(store)) = (turn, self.conversations()) {
                let stored = store.append_run(&turn.conversation, &lease.run, &turn.messages);
                let error = stored.await.err();
                let not_stored = self.0.not_stored.lock();
                *not_stored.unwrap_or_else(PoisonError::into_inner) = error;
            }
            Ok(())
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        self.0.journal.read(run)
    }

    fn list(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.0.journal.list()
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        self.0.journal.delete(run)
    }

    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        self.0.journal.conversations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::conversation::ConversationName;
    use agent_runtime::journal::RunState;
    use agent_runtime::{Runtime, agent};

    #[test]
    fn runs_go_on_without_a_journal_that_cannot_be_written() {
        let folder = std::env::temp_dir().join(format!("usual-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("conversations.db");
        let tokio = crate::async_runtime::async_runtime().expect("a runtime");
        tokio.block_on(async {
            let journal = UsualJournal::open(&path).await.expect("a journal");
            let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
            let runtime = Runtime::builder().journal(journal.clone());
            let runtime = runtime.build().expect("a runtime");
            let name = ConversationName::new("ada").expect("a name");
            let run = async || {
                let run = runtime.run(&agent, "Hello").stored_as(name.clone());
                run.await.expect("an answer");
                journal.take_not_stored()
            };
            assert!(run().await.is_none());
            let states = journal.list().await.expect("a list");
            assert_eq!(states[0].state, RunState::Done);
            std::fs::rename(&path, folder.join("moved.db")).expect("it is moved");
            for _ in 0..2 {
                let error = run().await.expect("a place without a file");
                assert!(error.to_string().contains("was removed"), "{error}");
            }
            assert!(journal.is_off());
        });
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
