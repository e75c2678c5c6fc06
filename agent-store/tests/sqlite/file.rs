//! The file of a store: what is stored in it, and files that are none or damaged.

use crate::any_conversation::any_conversation;
use agent_runtime::Message;
use agent_runtime::conversation::{
    ConversationName, ConversationStore, Image, Part, ProviderPart, StoreError, ToolCall,
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
        ("DELETE FROM revision", "`revision` has no row"),
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
    assert!(store.list().await.expect_err("one is wrong").is_format());
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

#[tokio::test]
async fn refuses_a_message_with_too_many_values() {
    let folder = Folder::new();
    let store = open(&folder).await;
    store
        .append(&name("ada"), &turn("ada", 1))
        .await
        .expect("added");
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let row = format!(
        "{{\"role\": \"user\", \"content\": \"a\", \"more\": [{}0]}}",
        "{\"\":0},".repeat(100_000)
    );
    let sql = "UPDATE message SET json = ? WHERE position = 2";
    other.execute(sql, [row]).expect("an update");
    let error = store.load(&name("ada")).await.expect_err("too many");
    let words = "cannot be read: it has more than 1000000 JSON values, where a list counts as 2";
    let text = error.to_string();
    assert!(error.is_format() && text.contains(words), "{error:?}");
    assert!(text.contains("message 3 of `ada`"), "{text}");
}

/// Each of these would run for ever, or could change what is stored.
#[tokio::test]
async fn refuses_views_triggers_and_changed_tables() {
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";
    let cases = [
        (
            format!(
                "DROP TABLE message; CREATE VIEW message (conversation, position, json) AS {endless} 1, i, '{{}}' FROM n"
            ),
            "its table `message` is not there, or is another one",
        ),
        (
            format!(
                "DROP TABLE conversation; CREATE VIEW conversation (id, name, revision, updated) AS {endless} i, 'c' || i, 1, 1 FROM n"
            ),
            "its table `conversation` is not there, or is another one",
        ),
        (
            format!(
                "CREATE TRIGGER t AFTER INSERT ON message BEGIN INSERT INTO media {endless} i, i FROM n; END"
            ),
            "it has `t`, which is no plain table and was not made by this program",
        ),
        // The names of the rows in the schema may lie.
        (
            "CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM message; END;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET type = 'table', name = 'message' WHERE name = 't'"
                .to_owned(),
            "is damaged:",
        ),
        (
            "CREATE INDEX i ON message (hex(zeroblob(100000000)))".to_owned(),
            "it has `i`, which is no plain table",
        ),
        // Deleting a conversation would change the rows of this table.
        (
            "CREATE TABLE x (id INTEGER PRIMARY KEY, c References conversation (id) ON DELETE SET NULL,
                 CHECK (c NOT NULL OR length(hex(zeroblob(500000000))) > 0))"
                .to_owned(),
            "it has `x`, which is no plain table",
        ),
        (
            "DROP TABLE conversation_media; DROP TABLE media;
             CREATE TABLE media (sha256 BLOB, bytes BLOB AS (zeroblob(1000000000)))"
                .to_owned(),
            "its table `media` is not there, or is another one",
        ),
    ];
    for (sql, words) in cases {
        let folder = Folder::new();
        drop(open(&folder).await);
        let other = rusqlite::Connection::open(folder.file()).expect("a database");
        other
            .pragma_update(None, "foreign_keys", false)
            .expect("a setting");
        other.execute_batch(&sql).expect(&sql);
        drop(other);
        let error = SqliteStore::open(folder.file()).await.expect_err(&sql);
        let text = error.to_string();
        assert!(error.is_format() && text.contains(words), "{sql}: {text}");
    }
}

/// Replaces the root page of a table, which has one row, by `levels` of inner pages that each name the page below
/// `children` times and once more. The file grows by few pages, and has `children` to the power of `levels` rows.
fn share_pages(folder: &Folder, table: &str, levels: usize, children: usize) {
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    other
        .pragma_update(None, "journal_mode", "delete")
        .expect("a setting");
    let sql = "SELECT max(rootpage) FROM (SELECT name, rootpage FROM sqlite_schema
               UNION ALL SELECT 'sqlite_schema', 1) WHERE name = ?";
    let root: usize = other
        .query_row(sql, [table], |row| row.get(0))
        .expect("a page");
    drop(other);
    let mut bytes = std::fs::read(folder.file()).expect("the file");
    let size = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    let two = |number: usize| u16::try_from(number).expect("a number").to_be_bytes();
    let next = |bytes: &[u8]| u32::try_from(bytes.len() / size + 1).expect("a page");
    let start = (root - 1) * size;
    // The first page of a file begins with the header of the file.
    let header = if root == 1 { 100 } else { 0 };
    let root_page = bytes[start..start + size].to_vec();
    let leaf = match header {
        0 => root_page.clone(),
        // A page of the schema that is not the first has no such header, and its cells are at their places.
        _ => {
            let mut page = root_page.clone();
            let cells = usize::from(u16::from_be_bytes([page[103], page[104]]));
            page.copy_within(100..108 + 2 * cells, 0);
            page
        }
    };
    let is_index = leaf[0] == 10;
    let cell = usize::from(u16::from_be_bytes([leaf[8], leaf[9]]));
    let mut below = next(&bytes).to_be_bytes();
    bytes.extend(&leaf);
    for level in (0..levels).rev() {
        let header = if level == 0 { header } else { 0 };
        let mut page = if level == 0 {
            root_page.clone()
        } else {
            vec![0; size]
        };
        page[header..].fill(0);
        let mut place = size;
        for child in 0..children {
            // Between its children, the page of an index has rows.
            let row = match is_index {
                true => leaf[cell..].to_vec(),
                false => vec![u8::try_from(child + 1).expect("a key")],
            };
            place -= 4 + row.len();
            page[place..place + 4].copy_from_slice(&below);
            page[place + 4..place + 4 + row.len()].copy_from_slice(&row);
            let pointer = header + 12 + 2 * child;
            page[pointer..pointer + 2].copy_from_slice(&two(place));
        }
        page[header] = if is_index { 2 } else { 5 };
        page[header + 3..header + 5].copy_from_slice(&two(children));
        page[header + 5..header + 7].copy_from_slice(&two(place));
        page[header + 8..header + 12].copy_from_slice(&below);
        below = next(&bytes).to_be_bytes();
        match level {
            0 => bytes[start..start + size].copy_from_slice(&page),
            _ => bytes.extend(page),
        }
    }
    let pages = next(&bytes) - 1;
    bytes[28..32].copy_from_slice(&pages.to_be_bytes());
    std::fs::write(folder.file(), bytes).expect("the file");
}

/// Checks that an error is that of a file which stands for more than it can hold.
fn check_holds_too_much(error: &StoreError) {
    let text = error.to_string();
    let words = "it has more rows, or longer ones, than a file of its size can hold";
    assert!(error.is_format() && text.contains(words), "{error:?}");
}

/// Adds a conversation of one message.
async fn with_one_message(folder: &Folder, text: &str) {
    let store = open(folder).await;
    let messages = [Message::user(text)];
    store.append(&name("ada"), &messages).await.expect("added");
}

/// In this file of few pages, each inner page of a table names the page below many times: 20 to the 6th rows.
#[tokio::test]
async fn a_small_file_that_stands_for_any_number_of_rows_is_damaged() {
    let folder = Folder::new();
    with_one_message(&folder, "Hi").await;
    share_pages(&folder, "conversation", 6, 20);
    let store = open(&folder).await;
    check_holds_too_much(&store.list().await.expect_err("too many rows"));
}

/// Here the table is read when the file is opened.
#[tokio::test]
async fn a_small_file_with_any_number_of_tables_or_counters_does_not_open() {
    for table in ["sqlite_schema", "revision"] {
        let folder = Folder::new();
        with_one_message(&folder, "Hi").await;
        share_pages(&folder, table, 12, 20);
        let opened = SqliteStore::open(folder.file()).await;
        let error = opened.expect_err(table);
        assert!(error.is_format(), "{table}: {error:?}");
        assert!(error.to_string().contains("is damaged"), "{table}: {error}");
    }
}

/// The rows are few enough to be read. Each of them has the same megabyte.
#[tokio::test]
async fn rows_that_share_their_bytes_are_damaged() {
    let folder = Folder::new();
    with_one_message(&folder, &"x".repeat(1 << 20)).await;
    share_pages(&folder, "message", 6, 3);
    let store = open(&folder).await;
    check_holds_too_much(&store.load(&name("ada")).await.expect_err("too many bytes"));
    drop(store);

    let folder = Folder::new();
    with_one_message(&folder, "Hi").await;
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let sql = "UPDATE conversation SET name = ?";
    let long = "x".repeat(1 << 20);
    other.execute(sql, [long]).expect("an update");
    drop(other);
    share_pages(&folder, "conversation", 3, 20);
    let store = open(&folder).await;
    check_holds_too_much(&store.list().await.expect_err("too many bytes"));
}

/// Each reference is a copy of the image in a request, so that a small file could take any amount of memory.
#[tokio::test]
async fn messages_that_repeat_an_image_beyond_all_requests_are_refused() {
    let folder = Folder::new();
    let store = open(&folder).await;
    let image = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 1 << 20]].concat();
    let image = Part::from(Image::new(image));
    let turn = [Message::user_parts(vec![image; 64])];
    store.append(&name("ada"), &turn).await.expect("added");
    assert_eq!(messages(&store, "ada").await, turn);
    for _ in 0..4 {
        store.append(&name("ada"), &turn).await.expect("added");
    }
    let error = store.load(&name("ada")).await.expect_err("too many bytes");
    let text = error.to_string();
    for expected in [
        "the messages of `ada` in ",
        "repeat their images",
        "335546880 bytes in all",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(store.delete(&name("ada")).await.expect("deleted"));
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
    store.list().await.expect("a list");
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
async fn a_table_whose_statement_is_very_long_is_damaged() {
    let folder = Folder::new();
    drop(open(&folder).await);
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let sql = format!(
        "CREATE TABLE backup (id CHECK (id IN (1{})))",
        ",1".repeat(2_500)
    );
    other.execute_batch(&sql).expect("a table");
    let error = SqliteStore::open(folder.file()).await.expect_err("long");
    let text = error.to_string();
    assert!(
        error.is_format() && text.contains("is damaged"),
        "{error:?}"
    );
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
