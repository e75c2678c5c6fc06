//! Conversations as they are stored.

use crate::any_conversation::any_conversation;
use crate::{empty, is_skipped, schema_of, shared};
use agent_runtime::Message;
use agent_runtime::conversation::{ConversationName, ConversationStore, Image, Part, ToolCall};
use agent_runtime::testing::check_store;
use agent_store::PostgresStore;
use proptest::prelude::*;
use std::collections::BTreeMap;

async fn open(url: &str) -> PostgresStore {
    PostgresStore::connect(url).await.expect("a store")
}

fn name(text: &str) -> ConversationName {
    ConversationName::new(text).expect("a name")
}

async fn messages(store: &PostgresStore, text: &str) -> Vec<Message> {
    let stored = store.load(&name(text)).await.expect("it can be read");
    stored.map_or_else(Vec::new, |stored| stored.conversation.messages().to_vec())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keeps_the_contract_of_stores() {
    if is_skipped() {
        return;
    }
    let url = empty();
    check_store(async || open(&url).await).await;
}

/// Each writer has connections of its own, as each machine has.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_writers_to_one_conversation_lose_nothing_and_add_nothing_twice() {
    if is_skipped() {
        return;
    }
    const TURNS: usize = 10;
    let url = format!("{}&max_connections=1", empty());
    let writers = (0..64).map(|writer| {
        let url = url.clone();
        tokio::spawn(async move {
            let store = open(&url).await;
            for turn in 0..TURNS {
                let text = format!("{writer} {turn}");
                let messages = [
                    Message::user(&text),
                    Message::assistant("").with_tool_calls([ToolCall::new("x", "t", "{}")]),
                    Message::function("t", "x", &text),
                    Message::assistant(&text),
                ];
                let run = format!("{writer}-{turn}");
                match turn % 2 {
                    0 => store.append(&name("shared"), &messages).await,
                    _ => store.append_run(&name("shared"), &run, &messages).await,
                }
                .expect("added");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    let stored = messages(&open(&url).await, "shared").await;
    assert_eq!(stored.len(), 64 * TURNS * 4);
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for turn in stored.chunks(4) {
        let texts: Vec<&str> = turn.iter().map(Message::content).collect();
        assert_eq!(texts, [texts[0], "", texts[0], texts[0]], "turns never mix");
        let (writer, number) = texts[0].split_once(' ').expect("who and which");
        let next = next.entry(writer.to_owned()).or_default();
        assert_eq!(
            number,
            next.to_string(),
            "the turns of a writer are in order"
        );
        *next += 1;
    }
}

#[tokio::test]
async fn texts_with_the_character_nul_and_long_names_come_back() {
    if is_skipped() {
        return;
    }
    let store = open(&empty()).await;
    let long = "x".repeat(100);
    let said = [
        Message::user("a\u{0}b\u{feff}\u{1f600}"),
        Message::assistant("\u{0}"),
    ];
    store.append(&name(&long), &said).await.expect("added");
    assert_eq!(messages(&store, &long).await, said);
    assert_eq!(store.list(None).await.expect("a list")[0].name, name(&long));
}

#[tokio::test]
async fn bytes_are_kept_once_and_deleted_with_the_last_conversation() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let store = open(&url).await;
    let image = |bytes: &[u8]| Part::from(Image::new(bytes.to_vec()));
    let turn = |parts: Vec<Part>| [Message::user_parts(parts), Message::assistant("Seen.")];
    let (one, two) = (b"\x89PNG one".repeat(1_000), b"\x89PNG two".repeat(1_000));
    let first = turn(vec![image(&one), image(&one), image(&two)]);
    store.append(&name("a"), &first).await.expect("added");
    store
        .append(&name("b"), &turn(vec![image(&one)]))
        .await
        .expect("added");
    let count = || {
        shared().sql(
            "agents",
            &format!("SELECT count(*) FROM {}.agent_media", schema_of(&url)),
        )
    };
    assert_eq!(count(), "2");
    assert_eq!(messages(&store, "a").await, first);
    assert!(store.delete(&name("a")).await.expect("a store"));
    assert_eq!(count(), "1");
    let loaded = store
        .load(&name("b"))
        .await
        .expect("a store")
        .expect("there");
    assert_eq!(loaded.conversation.messages(), turn(vec![image(&one)]));
    let empty = agent_runtime::Conversation::new();
    store
        .save(&name("b"), &empty, Some(loaded.revision))
        .await
        .expect("saved");
    assert_eq!(count(), "0");
}

#[tokio::test]
async fn what_somebody_changed_in_the_tables_is_found() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let store = open(&url).await;
    let image = Part::from(Image::new(b"\x89PNG".to_vec()));
    let turn = [Message::user_parts([image]), Message::assistant("Seen.")];
    store.append(&name("ada"), &turn).await.expect("added");
    for (sql, undo, words) in [
        (
            "UPDATE agent_message SET json = '{' WHERE position = 1",
            "DELETE FROM agent_message WHERE position = 1",
            "message 2 of `ada`",
        ),
        ("UPDATE agent_media SET bytes = 'x'", "", "of `ada`"),
    ] {
        let run = |sql| {
            shared().sql(
                "agents",
                &format!("SET search_path = {}; {sql}", schema_of(&url)),
            )
        };
        run(sql);
        let error = store.load(&name("ada")).await.expect_err(sql);
        assert!(
            error.is_format() && error.to_string().contains(words),
            "{error:?}"
        );
        run(undo);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reads_back_the_saved_conversation(mut conversation in any_conversation()) {
        if is_skipped() {
            return Ok(());
        }
        conversation.repair();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            // Each case has connections of its own, because they end with the runtime of the case.
            let store = open(&shared().url("any_conversation")).await;
            let name = name("ada");
            let expected = store.load(&name).await.expect("read").map(|stored| stored.revision);
            match store.save(&name, &conversation, expected).await {
                Ok(_) => {
                    let stored = store.load(&name).await.expect("read").expect("there");
                    assert_eq!(stored.conversation, conversation);
                }
                Err(error) => assert!(error.is_invalid(), "{error:?}"),
            }
        });
    }
}
