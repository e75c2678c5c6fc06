//! The contract of conversation stores, as a check that any store can run.

use agent_core::conversation::{
    ConversationName, ConversationStore, Image, Part, ProviderPart, Retention, Revision,
    StoredConversation, SummaryScope, Thinking, ToolCall,
};
use agent_core::{Conversation, Message};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// Checks that a store keeps every promise of [`ConversationStore`].
///
/// `open` is called several times. Each call returns a store on the same place, such as a clone or a
/// further connection to one database. The place must be empty at first, and holds conversations
/// afterwards.
///
/// Concurrent writers run in tasks of tokio, so give the test worker threads.
///
/// ```
/// use agent_runtime::conversation::MemoryStore;
/// use agent_runtime::testing::check_store;
///
/// #[tokio::main] // or `#[tokio::test(flavor = "multi_thread")]`
/// async fn main() {
///     let store = MemoryStore::new();
///     check_store(async || store.clone()).await;
/// }
/// ```
///
/// # Panics
/// When the store breaks a promise, or fails.
pub async fn check_store<S: ConversationStore>(open: impl AsyncFn() -> S) {
    check_operations(&open().await).await;
    check_reopened(&open().await).await;
    check_concurrent_writers([Arc::new(open().await), Arc::new(open().await)]).await;
}

fn name(text: &str) -> ConversationName {
    text.parse().expect("a valid name")
}

/// Returns a turn with a call, whose messages name the writer and its turn.
fn turn(writer: &str, number: usize) -> [Message; 4] {
    let text = format!("{writer} {number}");
    let call = ToolCall::new("call_1", "t", "{ \"b\": 1, \"a\": 2 }");
    // Half of the images are the same.
    let image = format!("\u{89}PNG {}", number % 2).into_bytes();
    let image = Part::from(Image::new(image));
    [
        Message::user_parts([Part::from(text.as_str()), image.clone()]),
        Message::assistant("").with_tool_calls([call]),
        Message::function_parts("t", "call_1", [text.as_str().into(), image]).into_error(),
        Message::assistant_parts([
            Part::from(Thinking::new("Acme", &text)),
            Part::from(text.as_str()),
            Part::from(ProviderPart::new("Acme", serde_json::json!({"x": [text]}))),
        ]),
    ]
}

async fn load(store: &impl ConversationStore, text: &str) -> Option<StoredConversation> {
    store.load(&name(text)).await.expect("`load` succeeds")
}

async fn load_existing(store: &impl ConversationStore, text: &str) -> StoredConversation {
    let stored = load(store, text).await;
    stored.expect("a conversation that was written is loaded")
}

async fn append(store: &impl ConversationStore, text: &str, messages: &[Message]) {
    let appended = store.append(&name(text), messages).await;
    appended.expect("`append` succeeds");
}

async fn save(
    store: &impl ConversationStore,
    conversation: &Conversation,
    expected: Option<Revision>,
) -> Revision {
    let saved = store.save(&name("ada"), conversation, expected).await;
    saved.expect("`save` with the current revision succeeds")
}

async fn check_conflict(
    store: &impl ConversationStore,
    conversation: &Conversation,
    expected: Option<Revision>,
) {
    let saved = store.save(&name("ada"), conversation, expected).await;
    let error = saved.expect_err("`save` with another revision than the current one fails");
    assert!(error.is_conflict(), "not a conflict: {error:?}");
    assert!(
        error.to_string().contains("`ada`"),
        "the conflict names no conversation: {error:?}"
    );
}

async fn check_operations(store: &impl ConversationStore) {
    check_empty(store).await;
    let first = check_append(store).await;
    check_invalid_messages(store, &first).await;
    let replaced = check_save(store).await;
    check_runs(store).await;
    check_delete(store, replaced).await;
    check_list(store).await;
    check_marks(store).await;
    check_owners(store).await;
}

/// The messages of a run are added once to each conversation, until the conversation is deleted.
async fn check_runs(store: &impl ConversationStore) {
    let first = turn("run", 1);
    let append_run = async |conversation: &str, run: &str, messages: &[Message]| {
        let conversation = name(conversation);
        store.append_run(&conversation, run, messages).await
    };
    let added = async |conversation: &str, run: &str, messages: &[Message]| {
        let added = append_run(conversation, run, messages).await;
        added.expect("`append_run` succeeds");
    };
    added("runs", "one", &[]).await;
    assert_eq!(
        load(store, "runs").await,
        None,
        "no messages make no conversation"
    );
    added("runs", "one", &first).await;
    added("runs", "one", &first).await;
    added("runs", "one", &turn("run", 2)).await;
    let stored = load_existing(store, "runs").await.conversation;
    assert_eq!(
        stored.messages(),
        first,
        "the messages of a run are added once"
    );
    added("runs", "two", &first).await;
    added("more-runs", "one", &first).await;
    assert_eq!(load_existing(store, "runs").await.conversation.len(), 8);
    assert_eq!(
        load_existing(store, "more-runs").await.conversation.len(),
        4
    );
    let invalid = append_run("runs", "three", &first[1..2]).await;
    assert!(
        invalid.expect_err("a call without a result").is_invalid(),
        "`append_run` refuses what no model accepts"
    );
    added("runs", "three", &first).await;
    assert_eq!(load_existing(store, "runs").await.conversation.len(), 12);
    for conversation in ["runs", "more-runs"] {
        let deleted = store.delete(&name(conversation)).await;
        assert!(deleted.expect("`delete` succeeds"), "it was there");
    }
    added("runs", "one", &first).await;
    assert_eq!(load_existing(store, "runs").await.conversation.len(), 4);
    store
        .delete(&name("runs"))
        .await
        .expect("`delete` succeeds");
}

/// Summaries keep the messages that they stand for, and steering messages begin no turn.
async fn check_marks(store: &impl ConversationStore) {
    let scope = SummaryScope::new(4).with_messages_of_turn(2);
    let messages = [
        Message::user("one"),
        Message::assistant("two"),
        Message::steering("three"),
        Message::summary_of("four", scope),
        Message::assistant("five"),
    ];
    append(store, "marks", &messages).await;
    let stored = load_existing(store, "marks").await.conversation;
    assert_eq!(
        stored.messages(),
        messages,
        "summaries and messages that were said come back"
    );
    let deleted = store.delete(&name("marks")).await;
    assert!(deleted.expect("`delete` succeeds"), "it was there");
}

async fn check_empty(store: &impl ConversationStore) {
    let ada = name("ada");
    assert_eq!(load(store, "ada").await, None, "the place is empty");
    let deleted = store.delete(&ada).await.expect("`delete` succeeds");
    assert!(!deleted, "`delete` finds nothing in an empty place");
    append(store, "ada", &[]).await;
    let listed = store.list(None).await.expect("`list` succeeds");
    assert_eq!(listed, [], "appending no messages makes no conversation");
}

/// Appended messages come back as they were sent, also when two answers use one call id. Returns the first
/// turn.
async fn check_append(store: &impl ConversationStore) -> [Message; 4] {
    let first = turn("first", 1);
    append(store, "ada", &first).await;
    let stored = load_existing(store, "ada").await;
    assert_eq!(
        stored.conversation.messages(),
        first,
        "appended messages come back"
    );
    let second = turn("second", 2);
    append(store, "ada", &second).await;
    let stored = load_existing(store, "ada").await.conversation;
    assert_eq!(stored.check(), Ok(()), "a stored conversation is valid");
    assert_eq!(stored.len(), 8, "the second turn follows the first");
    assert_eq!(
        stored.messages()[4..],
        second,
        "a call keeps the id with which it was sent, although an earlier call has it"
    );
    first
}

/// Messages that no model accepts are refused, and change nothing.
async fn check_invalid_messages(store: &impl ConversationStore, turn: &[Message; 4]) {
    let before = load_existing(store, "ada").await;
    for invalid in [&turn[..2], &turn[2..]] {
        for existing in ["ada", "other"] {
            let appended = store.append(&name(existing), invalid).await;
            let error = appended.expect_err("appending invalid messages fails");
            assert!(error.is_invalid(), "not an invalid error: {error:?}");
        }
        let conversation: Conversation = invalid.iter().cloned().collect();
        let saved = store
            .save(&name("ada"), &conversation, Some(before.revision))
            .await;
        let error = saved.expect_err("saving invalid messages fails");
        assert!(error.is_invalid(), "not an invalid error: {error:?}");
    }
    assert_eq!(
        load_existing(store, "ada").await,
        before,
        "a failed write changes nothing"
    );
    let listed = store.list(None).await.expect("`list` succeeds");
    assert_eq!(listed.len(), 1, "a failed write makes no conversation");
}

/// A conversation replaces the one that was loaded, unless another writer came first. Returns the
/// revisions that are no longer current.
async fn check_save(store: &impl ConversationStore) -> [Revision; 2] {
    let loaded = load_existing(store, "ada").await;
    let mut shorter = loaded.conversation;
    shorter.truncate(&Retention::new().last_turns(1));
    let saved = save(store, &shorter, Some(loaded.revision)).await;
    check_conflict(store, &shorter, None).await;
    check_conflict(store, &shorter, Some(loaded.revision)).await;
    let reloaded = load_existing(store, "ada").await;
    assert_eq!(
        (&reloaded.conversation, reloaded.revision),
        (&shorter, saved),
        "`load` returns what `save` wrote, with its revision"
    );
    append(store, "ada", &turn("first", 1)).await;
    check_conflict(store, &shorter, Some(saved)).await;
    [loaded.revision, saved]
}

/// A conversation that was deleted and made again has revisions of its own.
async fn check_delete(store: &impl ConversationStore, earlier: [Revision; 2]) {
    let deleted = store.delete(&name("ada")).await.expect("`delete` succeeds");
    assert!(deleted, "`delete` finds the conversation");
    assert_eq!(load(store, "ada").await, None, "it is deleted");
    let made = save(store, &Conversation::new(), None).await;
    for earlier in earlier {
        assert!(made > earlier, "revisions grow across a deletion");
        check_conflict(store, &Conversation::new(), Some(earlier)).await;
    }
}

async fn check_list(store: &impl ConversationStore) {
    append(store, "Bob", &turn("first", 1)).await;
    let listed = store.list(None).await.expect("`list` succeeds");
    let found: Vec<_> = listed
        .iter()
        .map(|info| (info.name.as_str(), info.messages))
        .collect();
    assert_eq!(found, [("Bob", 4), ("ada", 0)], "ordered by name");
    let now = SystemTime::now();
    let age = now.duration_since(listed[0].updated);
    // The clock of a database server may be ahead.
    let difference = age.unwrap_or_else(|ahead| ahead.duration());
    assert!(
        difference < Duration::from_secs(60),
        "`updated` is {difference:?} away from now"
    );
}

/// Each owner has conversations of their own, whatever the owner is called.
async fn check_owners(store: &impl ConversationStore) {
    let owners = [
        "ad",
        "ada",
        "ada-b",
        "ada.b",
        "ada/b",
        "ada0",
        "Ada",
        "é\u{0}|1",
    ];
    let names = |owner: &str| {
        let names = ["a", "ada"].map(|text| name(text).of_owner(owner).expect("a valid owner"));
        names.map(|name| name.to_string())
    };
    for (number, owner) in owners.into_iter().enumerate() {
        for name in names(owner) {
            append(store, &name, &turn(owner, number)).await;
        }
    }
    for (number, owner) in owners.into_iter().enumerate() {
        let listed = store.list(Some(owner)).await.expect("`list` succeeds");
        let listed = listed.iter().map(|info| info.name.to_string());
        assert_eq!(
            listed.collect::<Vec<_>>(),
            names(owner),
            "the conversations of `{owner}`"
        );
        let stored = load_existing(store, &names(owner)[1]).await;
        let messages = stored.conversation;
        assert_eq!(
            messages.messages(),
            turn(owner, number),
            "those of `{owner}`"
        );
    }
    for nobody in ["", "a", "ada/", "bob", &"x".repeat(500)] {
        let listed = store.list(Some(nobody)).await.expect("`list` succeeds");
        assert_eq!(listed, [], "nothing belongs to `{nobody}`");
    }
    let all = store.list(None).await.expect("`list` succeeds");
    let all: Vec<&str> = all.iter().map(|info| info.name.as_str()).collect();
    assert!(
        all.is_sorted(),
        "ordered by the bytes of the names: {all:?}"
    );
    assert_eq!(all.len(), 2 + 2 * owners.len(), "all conversations");
    for name in owners.iter().flat_map(|owner| names(owner)) {
        let deleted = store.delete(&self::name(&name)).await;
        assert!(deleted.expect("`delete` succeeds"), "it was there");
    }
    let ada = load_existing(store, "ada").await.conversation;
    assert_eq!(
        ada.len(),
        0,
        "the conversation without owner is another one"
    );
}

/// Another store on the same place has what the first one wrote.
async fn check_reopened(store: &impl ConversationStore) {
    let stored = load_existing(store, "Bob").await;
    assert_eq!(
        stored.conversation.messages(),
        turn("first", 1),
        "another store on the same place has the messages"
    );
}

/// No turn of concurrent writers is lost or mixed with another, and each writer's turns are in order.
async fn check_concurrent_writers<S: ConversationStore>(stores: [Arc<S>; 2]) {
    const WRITERS: usize = 8;
    const TURNS: usize = 12;
    let saved = Arc::new(AtomicUsize::new(0));
    let writers = (0..WRITERS).map(|writer| {
        let (store, saved) = (Arc::clone(&stores[writer % 2]), Arc::clone(&saved));
        tokio::spawn(async move {
            for number in 0..TURNS {
                let turn = turn(&format!("writer {writer}"), number);
                append(&store, "shared", &turn).await;
                // Writing back what was loaded must not undo what another writer appended meanwhile.
                let loaded = load_existing(&store, "shared").await;
                assert_eq!(loaded.conversation.check(), Ok(()));
                let (name, revision) = (name("shared"), Some(loaded.revision));
                match store.save(&name, &loaded.conversation, revision).await {
                    Ok(_) => drop(saved.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => assert!(error.is_conflict(), "not a conflict: {error:?}"),
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        if let Err(failed) = writer.await {
            std::panic::resume_unwind(failed.into_panic());
        }
    }
    assert!(
        saved.load(Ordering::Relaxed) > 0,
        "no `save` of concurrent writers ever succeeds"
    );
    let all = load_existing(&*stores[0], "shared").await.conversation;
    assert_eq!(all.len(), WRITERS * TURNS * 4, "turns of writers are lost");
    let mut next = [0; WRITERS];
    for stored in all.messages().chunks(4) {
        let text = stored[0].content();
        let numbers: Vec<usize> = text.split(' ').flat_map(str::parse).collect();
        let [writer, number] = numbers[..] else {
            panic!("not a turn of a writer: {text}");
        };
        let is_whole = [&stored[2], &stored[3]].iter().all(|m| m.content() == text);
        assert!(is_whole, "turns of writers are mixed: {stored:?}");
        assert_eq!(
            number, next[writer],
            "turns of writer {writer} are in order"
        );
        next[writer] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::{ConversationInfo, MemoryStore, StoreError, StoreFuture};

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn memory_store_keeps_the_contract() {
        let store = MemoryStore::new();
        check_store(async || store.clone()).await;
    }

    /// A promise that [`Broken`] does not keep.
    #[derive(Clone, Copy)]
    enum Fault {
        IgnoresRevisions,
        SkipsValidation,
        ListsNothing,
        AppendsSeparately,
        OpensAnotherPlace,
        AddsRunsTwice,
        ListsAllOwners,
    }

    #[derive(Clone)]
    struct Broken(MemoryStore, Fault);

    impl Broken {
        async fn append_separately(
            &self,
            name: &ConversationName,
            messages: &[Message],
        ) -> Result<(), StoreError> {
            let [turn_start @ .., answer] = messages else {
                return Ok(());
            };
            self.0.append(name, turn_start).await?;
            // Other writers get in between.
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.0.append(name, std::slice::from_ref(answer)).await
        }
    }

    impl ConversationStore for Broken {
        fn load<'a>(
            &'a self,
            name: &'a ConversationName,
        ) -> StoreFuture<'a, Option<StoredConversation>> {
            self.0.load(name)
        }

        fn append<'a>(
            &'a self,
            name: &'a ConversationName,
            messages: &'a [Message],
        ) -> StoreFuture<'a, ()> {
            match self.1 {
                Fault::SkipsValidation if messages.len() == 2 => Box::pin(async { Ok(()) }),
                Fault::AppendsSeparately if messages.len() == 4 => {
                    Box::pin(self.append_separately(name, messages))
                }
                _ => self.0.append(name, messages),
            }
        }

        fn append_run<'a>(
            &'a self,
            name: &'a ConversationName,
            run: &'a str,
            messages: &'a [Message],
        ) -> StoreFuture<'a, ()> {
            match self.1 {
                Fault::AddsRunsTwice => self.0.append(name, messages),
                _ => self.0.append_run(name, run, messages),
            }
        }

        fn save<'a>(
            &'a self,
            name: &'a ConversationName,
            conversation: &'a Conversation,
            expected: Option<Revision>,
        ) -> StoreFuture<'a, Revision> {
            if !matches!(self.1, Fault::IgnoresRevisions) {
                return self.0.save(name, conversation, expected);
            }
            Box::pin(async move {
                let current = self.0.load(name).await?;
                let current = current.map(|stored| stored.revision);
                self.0.save(name, conversation, current).await
            })
        }

        fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
            match self.1 {
                Fault::ListsNothing => Box::pin(async { Ok(Vec::new()) }),
                Fault::ListsAllOwners => self.0.list(None),
                _ => self.0.list(owner),
            }
        }

        fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
            self.0.delete(name)
        }
    }

    #[test]
    fn broken_stores_fail_the_check() {
        for (fault, problem) in [
            (Fault::IgnoresRevisions, "another revision than the current"),
            (Fault::SkipsValidation, "appending invalid messages fails"),
            (Fault::ListsNothing, "a failed write makes no conversation"),
            (Fault::AppendsSeparately, "turns of writers are mixed"),
            (Fault::OpensAnotherPlace, "that was written is loaded"),
            (Fault::AddsRunsTwice, "of a run are added once"),
            (Fault::ListsAllOwners, "the conversations of `ad`"),
        ] {
            let check = async move {
                let store = Broken(MemoryStore::new(), fault);
                let open = async || match fault {
                    Fault::OpensAnotherPlace => Broken(MemoryStore::new(), fault),
                    _ => store.clone(),
                };
                check_store(open).await;
            };
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(4)
                .enable_time()
                .build()
                .expect("a runtime");
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                runtime.block_on(check);
            }));
            let panic = checked.expect_err(problem);
            let text = panic.downcast_ref::<String>().expect("a text");
            assert!(text.contains(problem), "{text}");
        }
    }
}
