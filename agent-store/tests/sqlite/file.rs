//! The file of a store: what is stored in it, and files that are none or damaged.

use crate::any_conversation::any_conversation;
use agent_runtime::Message;
use agent_runtime::conversation::{
    ConversationName, ConversationStore, Image, Part, ProviderPart, ToolCall,
};

use agent_runtime::serde_json::json;
use agent_runtime::testing::check_store;
use agent_store::SqliteStore;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

fn name(text: &str) -> ConversationName {
    ConversationName::new(text).expect("a name")
}

/// Returns a turn with a call, whose messages name the writer and its turn.
fn turn(writer: &str, n: usize) -> Vec<Message> {
    let said = format!("{writer} {n}");
    let call = ToolCall::new("call_1", "t", "{ \"b\": 1, \"a\": 2 }");
    vec![
        Message::user(&said),
        Message::assistant("").with_tool_calls([call]),
        Message::function("t", "call_1", &said).into_error(),
        Message::assistant_parts([
            said.as_str().into(),
            ProviderPart::new("Acme", json!({"x": [said]})).into(),
        ]),
    ]
}

async fn messages(store: &dyn ConversationStore, text: &str) -> Vec<Message> {
    let stored = store.load(&name(text)).await.expect("it can be read");
    stored.map_or_else(Vec::new, |stored| stored.conversation.messages().to_vec())
}

/// A temporary folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (program, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("agent-store-{program}-{number}"));
        std::fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("conversations.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn open(folder: &Folder) -> SqliteStore {
    SqliteStore::open(folder.file()).await.expect("a store")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keeps_the_contract_of_stores() {
    let folder = Folder::new();
    check_store(async || open(&folder).await).await;
}

/// Separate stores on one file wait for each other as programs do.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keeps_all_turns_of_concurrent_connections() {
    let folder = Folder::new();
    let writers = (0..6).map(|writer| {
        let path = folder.file();
        tokio::spawn(async move {
            // The writers also race to create the file.
            let store = SqliteStore::open(&path).await.expect("a store");
            for n in 0..10 {
                let turn = turn(&format!("writer {writer}"), n);
                store.append(&name("shared"), &turn).await.expect("added");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("a writer ends well");
    }
    let store = open(&folder).await;
    let stored = store
        .load(&name("shared"))
        .await
        .expect("read")
        .expect("there");
    assert_eq!(stored.conversation.len(), 6 * 10 * 4);
    assert_eq!(stored.conversation.check(), Ok(()));
}

#[cfg(unix)]
#[tokio::test]
async fn creates_a_file_that_only_its_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let store = open(&folder).await;
    store
        .append(&name("ada"), &turn("ada", 1))
        .await
        .expect("added");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder.0).expect("a folder") {
        let entry = entry.expect("a file");
        let mode = entry.metadata().expect("its mode").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{entry:?}");
        seen += 1;
    }
    assert_eq!(seen, 3, "the database, its log and the index of that");
}

#[tokio::test]
async fn nothing_of_a_deleted_conversation_stays_in_the_files() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let conversation = name("ada");
    let said = turn("unmistakable-words", 1);
    store.append(&conversation, &said).await.expect("added");
    let holds_words = || {
        let files = std::fs::read_dir(&folder.0).expect("a folder");
        files.into_iter().any(|entry| {
            let bytes = std::fs::read(entry.expect("a file").path()).expect("its bytes");
            String::from_utf8_lossy(&bytes).contains("unmistakable-words")
        })
    };
    assert!(holds_words(), "the words are stored as they are");
    store.delete(&conversation).await.expect("deleted");
    assert!(!holds_words());
}

#[tokio::test]
async fn refuses_other_files_and_leaves_them_unchanged() {
    let folder = Folder::new();
    let refused = async |words: &str| {
        let before = std::fs::read(folder.file()).expect("a file");
        let error = SqliteStore::open(folder.file()).await.expect_err(words);
        assert!(
            error.is_format() && error.to_string().contains(words),
            "{error:?}"
        );
        assert!(error.to_string().contains("conversations.db"), "{error}");
        assert_eq!(std::fs::read(folder.file()).expect("a file"), before);
        std::fs::remove_file(folder.file()).expect("it can be removed");
    };
    let text = "dear diary, ".repeat(1_000);
    std::fs::write(folder.file(), text).expect("a file");
    refused("is no database").await;

    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    other
        .execute_batch("CREATE TABLE diary (day TEXT)")
        .expect("a table");
    drop(other);
    refused("is a database of another program").await;

    drop(open(&folder).await);
    let newer = rusqlite::Connection::open(folder.file()).expect("a database");
    newer
        .pragma_update(None, "user_version", 5)
        .expect("a version");
    drop(newer);
    refused("its format is 5, and this one knows up to 1").await;

    let empty = SqliteStore::open("").await.expect_err("no path");
    assert_eq!(
        empty.to_string(),
        "the path is empty; name a file, such as `conversations.db` or `runs.db`"
    );
    let nowhere = SqliteStore::open(folder.0.join("no/such.db")).await;
    assert!(
        nowhere
            .expect_err("no folder")
            .to_string()
            .contains("such.db")
    );
    let error = SqliteStore::open(&folder.0).await.expect_err("a folder");
    assert!(!error.is_format(), "{error:?}");
}

#[tokio::test]
async fn names_a_damaged_message() {
    let folder = Folder::new();
    let store = open(&folder).await;
    store
        .append(&name("ada"), &turn("ada", 1))
        .await
        .expect("added");
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let sql = "UPDATE message SET json = '{' WHERE position = 2";
    other.execute_batch(sql).expect("an update");
    let error = store.load(&name("ada")).await.expect_err("damaged");
    assert!(
        error.is_format() && error.to_string().contains("message 3 of `ada`"),
        "{error:?}"
    );
}

#[tokio::test]
async fn refuses_a_file_without_a_table_or_column() {
    for (sql, words) in [
        ("DROP TABLE message", "`message` is not there"),
        ("ALTER TABLE message RENAME json TO text", "`message` is"),
    ] {
        let folder = Folder::new();
        let store = open(&folder).await;
        let other = rusqlite::Connection::open(folder.file()).expect("a database");
        other.execute_batch(sql).expect("a change");
        let error = SqliteStore::open(folder.file()).await.expect_err(sql);
        let text = error.to_string();
        assert!(
            error.is_format() && text.contains("is damaged: its table"),
            "{error:?}"
        );
        assert!(text.contains(words), "{text}");
        // A store that was open before fails as well.
        let error = store
            .append(&name("ada"), &turn("ada", 1))
            .await
            .expect_err(sql);
        assert!(
            error.is_format() && error.to_string().contains("is damaged"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn lists_readable_conversations_beside_damaged_rows() {
    let folder = Folder::new();
    let store = open(&folder).await;
    for text in ["ada", "bob", "eve"] {
        let added = store.append(&name(text), &turn(text, 1)).await;
        added.expect("added");
    }
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let sql = "UPDATE conversation SET name = '../x' WHERE name = 'ada';
               UPDATE conversation SET updated = -1 WHERE name = 'bob'";
    other.execute_batch(sql).expect("an update");
    let (readable, wrong) = store.list_readable().await.expect("a list");
    assert_eq!(readable.len(), 1);
    assert_eq!(readable[0].name, name("eve"));
    assert_eq!(wrong.len(), 2);
    assert!(
        store
            .list(None)
            .await
            .expect_err("one is wrong")
            .is_format()
    );
}

#[tokio::test]
async fn refuses_provider_data_that_nests_too_deep() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let nested = |levels: usize| {
        let data = (1..levels).fold(json!([]), |inner, _| vec![inner].into());
        [
            Message::user("u"),
            Message::assistant_parts(["m".into(), ProviderPart::new("Acme", data).into()]),
        ]
    };
    store
        .append(&name("deep"), &nested(120))
        .await
        .expect("not too deep");
    assert_eq!(messages(&store, "deep").await, nested(120));
    let error = store
        .append(&name("deep"), &nested(122))
        .await
        .expect_err("too deep");
    assert!(
        error.is_invalid() && error.to_string().contains("message 2"),
        "{error:?}"
    );
    assert_eq!(messages(&store, "deep").await.len(), 2);
}

/// One conversation of long messages is nearly all of its file.
#[tokio::test]
async fn a_file_of_long_rows_is_sound() {
    let folder = Folder::new();
    let store = open(&folder).await;
    for size in [1 << 20, 100_000, 5_000] {
        let turn = [Message::user("x".repeat(size)), Message::assistant("Hello")];
        store.append(&name("ada"), &turn).await.expect("added");
        let stored = messages(&store, "ada").await;
        assert_eq!(stored[stored.len() - 2..], turn);
    }
    store.list(None).await.expect("a list");
}

#[cfg(unix)]
#[tokio::test]
async fn a_device_is_no_store() {
    refuses_what_is_no_ordinary_file("/dev/zero").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_virtual_file_is_no_store() {
    refuses_what_is_no_ordinary_file("/proc/version").await;
}

#[cfg(unix)]
async fn refuses_what_is_no_ordinary_file(path: &str) {
    let error = SqliteStore::open(path).await.expect_err("no file");
    let source = std::error::Error::source(&error).expect("a reason");
    assert!(source.to_string().contains("no ordinary file"), "{source}");
}

#[tokio::test]
async fn tables_of_other_programs_beside_its_own_are_no_harm() {
    let folder = Folder::new();
    drop(open(&folder).await);
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    other
        .execute_batch("CREATE TABLE backup (id INTEGER PRIMARY KEY, day TEXT UNIQUE); ANALYZE")
        .expect("a table");
    open(&folder).await;
}

#[tokio::test]
async fn bytes_that_are_named_often_are_read_once() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let images = || std::iter::repeat_n(Part::from(Image::new(*b"GIF89a")), 5);
    let turns = [Message::user_parts(images()), Message::assistant("Hm.")];
    for _ in 0..2 {
        store.append(&name("ada"), &turns).await.expect("added");
    }
    let stored = messages(&store, "ada").await;
    let media = stored.iter().flat_map(Message::media);
    let places: Vec<*const u8> = media
        .map(|media| media.bytes().expect("its bytes").as_ptr())
        .collect();
    assert_eq!(places, [places[0]; 10]);
}

/// The number of rows of a table.
fn count(folder: &Folder, table: &str) -> i64 {
    let file = rusqlite::Connection::open(folder.file()).expect("a file");
    let sql = format!("SELECT count(*) FROM {table}");
    file.query_row(&sql, [], |row| row.get(0))
        .expect("a number")
}

#[tokio::test]
async fn bytes_are_kept_once_and_deleted_with_the_last_conversation() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let image = |bytes: &[u8]| Part::from(Image::new(bytes));
    let turn = || {
        [
            Message::user_parts([
                "Which?".into(),
                image(b"\x89PNG\r\n\x1a\n1"),
                image(b"GIF89a2"),
            ]),
            Message::assistant("A cat."),
        ]
    };
    for text in ["ada", "ada", "bob"] {
        store
            .append(&name(text), &turn())
            .await
            .expect("it is stored");
    }
    assert_eq!(count(&folder, "media"), 2);
    assert_eq!(messages(&store, "bob").await, turn());
    assert_eq!(messages(&store, "ada").await[2..], turn());
    store.delete(&name("ada")).await.expect("it is deleted");
    assert_eq!(
        (count(&folder, "media"), messages(&store, "bob").await),
        (2, turn().to_vec())
    );
    let stored = store
        .load(&name("bob"))
        .await
        .expect("it is read")
        .expect("it is there");
    let shorter = [Message::user("Hello"), Message::assistant("Hi")]
        .into_iter()
        .collect();
    store
        .save(&name("bob"), &shorter, Some(stored.revision))
        .await
        .expect("it is stored");
    assert_eq!(count(&folder, "media"), 0);
}

/// Whether a text is in the file or in one of those beside it.
fn is_on_disk(folder: &Folder, text: &[u8]) -> bool {
    let files = std::fs::read_dir(&folder.0).expect("a folder");
    let mut contents = files.map(|file| {
        let file = file.expect("a file");
        std::fs::read(file.path()).expect("its bytes")
    });
    contents.any(|bytes| bytes.windows(text.len()).any(|window| window == text))
}

#[tokio::test]
async fn deleted_content_is_not_found_in_the_file() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let image = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        b"secret pixels ".repeat(2000),
    ]
    .concat();
    let texts: [&[u8]; 4] = [
        b"secret pixels",
        b"secret text",
        b"secret-name",
        b"more text",
    ];
    let long = format!("more text {}", "more text ".repeat(2000));
    let turn = [
        Message::user_parts(["secret text".into(), Image::new(image).into()]),
        Message::assistant(long),
    ];
    let stored = [
        ("secret-name", &turn[..]),
        ("bob", &[Message::user("Hello")]),
    ];
    for (text, messages) in stored {
        let appended = store.append(&name(text), messages).await;
        appended.expect("it is stored");
    }
    for text in texts {
        assert!(is_on_disk(&folder, text), "{}", text.escape_ascii());
    }
    // Another connection is open, so that the log is not emptied by the last one that closes the file.
    let other = open(&folder).await;
    assert_eq!(messages(&other, "bob").await.len(), 1);
    assert!(store.delete(&name("secret-name")).await.expect("deleted"));
    for text in texts {
        assert!(!is_on_disk(&folder, text), "{}", text.escape_ascii());
    }
    assert_eq!(messages(&other, "bob").await.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn reads_back_the_saved_conversation(mut conversation in any_conversation()) {
        conversation.repair();
        let tokio = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let read = tokio.block_on(async {
            let folder = Folder::new();
            let store = open(&folder).await;
            let saved = store.save(&name("ada"), &conversation, None).await;
            match saved {
                Ok(_) => Some(messages(&store, "ada").await),
                Err(error) => {
                    assert!(error.to_string().contains("nested too deep"), "{error:?}");
                    None
                }
            }
        });
        if let Some(read) = read {
            prop_assert_eq!(read, conversation.messages());
        }
    }
}

#[tokio::test]
async fn a_store_for_reading_alone_is_read_and_never_written() {
    let folder = Folder::new();
    let missing = SqliteStore::open_read_only(folder.file()).await;
    assert!(missing.is_err(), "there is no file");
    assert!(!folder.file().exists());
    let store = open(&folder).await;
    let ada = name("ada");
    store.append(&ada, &turn("a", 1)).await.expect("a turn");
    // Beside a program that writes, and alone.
    for writer in [Some(store), None] {
        let reader = SqliteStore::open_read_only(folder.file()).await;
        let reader = reader.expect("a store");
        assert_eq!(reader.list(None).await.expect("a list").len(), 1);
        assert_eq!(messages(&reader, "ada").await, turn("a", 1));
        for error in [
            reader.append(&ada, &turn("a", 2)).await,
            reader.delete(&ada).await.map(drop),
        ] {
            let error = error.expect_err("it cannot be written");
            assert!(error.to_string().contains("reading alone"), "{error}");
        }
        drop((reader, writer));
    }
}
