//! Runs whose messages are added to a stored conversation.

use super::Crashing;
use crate::support::{agent, calls, config, library, spec};
use agent_runtime::conversation::{
    ConversationInfo, ConversationName, ConversationStore, MemoryStore, Revision, Role, StoreError,
    StoreFuture, StoredConversation,
};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{AwaitingApproval, Decision, RunOutcome};
use agent_runtime::{Conversation, Message, Runtime, ToolLibrary};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn ada() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

async fn texts(store: &impl ConversationStore) -> Vec<String> {
    let stored = store.load(&ada()).await.expect("a store");
    let conversation = stored.map_or_else(Conversation::new, |stored| stored.conversation);
    let messages = conversation.messages().iter();
    messages
        .filter(|message| !message.content().is_empty())
        .map(|message| message.content().to_owned())
        .collect()
}

#[tokio::test]
async fn a_run_continues_the_stored_conversation_and_adds_to_it() {
    let store = MemoryStore::new();
    let model = Scripted::new(["One.", "Two.", "Three."].map(ModelReply::text));
    let runtime = Runtime::builder()
        .model(model.clone())
        .conversations(store.clone())
        .secret("sk-0123456789abcdef");
    let runtime = runtime.build().expect("a runtime");
    for question in ["a?", "b sk-0123456789abcdef?"] {
        let run = runtime.run(agent([]), question).stored_as(ada());
        run.await.expect("an answer");
    }
    assert_eq!(model.requests()[1].messages.len(), 3);
    assert_eq!(texts(&store).await, ["a?", "One.", "b [key]?", "Two."]);

    // A conversation that the host loaded is continued as it is.
    let mut loaded = Conversation::new();
    let run = runtime.run(agent([]), "c?").conversation(&mut loaded);
    run.stored_as(ada()).await.expect("an answer");
    assert_eq!((model.requests()[2].messages.len(), loaded.len()), (1, 2));
    assert_eq!(texts(&store).await[4..], ["c?", "Three."]);
}

#[tokio::test]
async fn a_run_that_fails_adds_what_was_done() {
    let store = MemoryStore::new();
    let model = Scripted::new([calls(&[("x", "act", "{}")])]);
    let runtime = Runtime::builder().model(model).conversations(store.clone());
    let runtime = runtime.build().expect("a runtime");
    let tool = config("act").build(|_| async { Ok("acted".into()) });
    let library = library([tool.expect("a tool")]);
    let run = runtime.run(agent([spec("act")]), "Act.").tools(&library);
    run.stored_as(ada()).await.expect_err("no second reply");
    assert_eq!(texts(&store).await, ["Act.", "acted"]);
}

#[tokio::test]
async fn a_stored_conversation_needs_a_store() {
    for builder in [
        Runtime::builder(),
        Runtime::builder().journal(MemoryJournal::new()),
    ] {
        let model = Scripted::new([ModelReply::text("One.")]);
        let runtime = builder.model(model.clone()).build().expect("a runtime");
        let run = runtime.run(agent([]), "a?").stored_as(ada());
        let error = run.await.expect_err("no store");
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(".conversations("), "{error}");
        assert_eq!(model.requests().len(), 0);
    }
}

/// A runtime, its store and a run of it that waits for a decision on its call.
struct Paused {
    runtime: Runtime,
    library: ToolLibrary,
    store: MemoryStore,
    journal: MemoryJournal,
    waiting: AwaitingApproval,
}

async fn paused() -> Paused {
    let (store, journal) = (MemoryStore::new(), MemoryJournal::new());
    let model = Scripted::new([calls(&[("x", "act", "{}")]), ModelReply::text("Done.")]);
    let runtime = Runtime::builder()
        .model(model)
        .journal(journal.clone())
        .conversations(store.clone())
        .build()
        .expect("a runtime");
    let tool = config("act").requires_approval(true);
    let tool = tool.build(|_| async { Ok("acted".into()) });
    let library = library([tool.expect("a tool")]);
    let run = runtime.run(agent([spec("act")]), "Act.").tools(&library);
    let error = run.stored_as(ada()).await.expect_err("it waits");
    let waiting = AwaitingApproval::of(&error).expect("it waits").clone();
    Paused {
        runtime,
        library,
        store,
        journal,
        waiting,
    }
}

#[tokio::test]
async fn a_paused_run_adds_its_messages_when_it_ends() {
    let paused = paused().await;
    assert!(texts(&paused.store).await.is_empty());
    let runs = paused
        .journal
        .list(&RunFilter::new())
        .await
        .expect("a list");
    assert_eq!(runs[0].conversation, Some(ada()));
    let decision = (paused.waiting.calls[0].id.clone(), Decision::Approve);
    let recovered = paused
        .runtime
        .recover_run(&runs[0].run)
        .tools(&paused.library)
        .decisions([decision]);
    let recovered = recovered.await.expect("a run");
    assert!(matches!(recovered.outcome, Ok(RunOutcome::Done(_))));
    assert_eq!(texts(&paused.store).await, ["Act.", "acted", "Done."]);
}

/// The host continues the run itself, and need not name the conversation again.
#[tokio::test]
async fn a_paused_run_keeps_its_conversation() {
    let paused = paused().await;
    let mut run = paused.waiting.run.clone();
    run.approve("x", Decision::Approve).expect("a decision");
    let driven = paused.runtime.resume(&mut run).tools(&paused.library);
    let driven = driven.await;
    assert!(matches!(driven, Ok(RunOutcome::Done(_))), "{driven:?}");
    assert_eq!(texts(&paused.store).await, ["Act.", "acted", "Done."]);
}

#[tokio::test]
async fn a_run_that_its_host_drives_adds_its_messages() {
    let store = MemoryStore::new();
    let model = Scripted::new([ModelReply::text("One.")]);
    let runtime = Runtime::builder().model(model).conversations(store.clone());
    let runtime = runtime.build().expect("a runtime");
    let mut run = runtime.run(agent([]), "a?").start().expect("a run");
    let library = ToolLibrary::new();
    let driven = runtime
        .resume(&mut run)
        .tools(&library)
        .stored_as(ada())
        .await;
    driven.expect("an answer");
    assert_eq!(texts(&store).await, ["a?", "One."]);
}

/// A store that cannot be written at first.
#[derive(Clone, Default)]
struct Failing {
    inner: MemoryStore,
    works: Arc<AtomicBool>,
}

impl ConversationStore for Failing {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        self.inner.load(name)
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        self.inner.append(name, messages)
    }

    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        match self.works.load(Ordering::Relaxed) {
            true => self.inner.append_run(name, run, messages),
            false => Box::pin(async { Err(StoreError::unavailable("the disk is full")) }),
        }
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        self.inner.save(name, conversation, expected)
    }

    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        self.inner.list(owner)
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        self.inner.delete(name)
    }
}

#[tokio::test]
async fn messages_that_could_not_be_stored_are_added_when_the_run_is_recovered() {
    let (store, journal) = (Failing::default(), Crashing::after(1_000));
    let model = Scripted::new([ModelReply::text("One.")]);
    let runtime = Runtime::builder()
        .model(model.clone())
        .journal(journal.clone())
        .conversations(store.clone())
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let run = runtime.run(agent([]), "a?").conversation(&mut conversation);
    let error = run.stored_as(ada()).await.expect_err("a full disk");
    assert!(error.is_journal(), "{error}");
    assert!(error.to_string().contains("conversation `ada`"), "{error}");
    // The host has the answer, and so has the journal.
    assert_eq!(conversation.messages()[1].role(), Role::Assistant);
    let state = async || journal.list(&RunFilter::new()).await.expect("a list")[0].state;
    assert_eq!(state().await, RunState::Running);
    store.works.store(true, Ordering::Relaxed);
    let recovered = runtime.recover(&ToolLibrary::new()).await;
    assert_eq!(recovered.expect("a journal").len(), 1);
    assert_eq!(model.requests().len(), 1, "nothing is asked again");
    assert_eq!(texts(&store.inner).await, ["a?", "One."]);
    assert_eq!(state().await, RunState::Done);
}
