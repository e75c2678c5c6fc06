//! A store that several processes write to, which are killed while they write.

use agent_runtime::Message;
use agent_runtime::conversation::{ConversationName, ConversationStore, ToolCall};
use agent_store::SqliteStore;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The variables that make a copy of this program a writer: the path of the store, and its name.
const FILE: &str = "STORE_TEST_FILE";
const WRITER: &str = "STORE_TEST_WRITER";

fn shared() -> ConversationName {
    ConversationName::new("shared").expect("a name")
}

fn turn(writer: &str, n: usize) -> [Message; 4] {
    let said = format!("{writer} {n}");
    let call = ToolCall::new("call_1", "t", "{}");
    [
        Message::user(&said),
        Message::assistant("").with_tool_calls([call]),
        Message::function("t", "call_1", &said),
        Message::assistant(&said),
    ]
}

/// Appends turns until the process is killed, and prints a line after each. It does nothing without the
/// variables, as in an ordinary run of the tests.
#[tokio::test]
async fn writer() {
    let (Ok(file), Ok(writer)) = (std::env::var(FILE), std::env::var(WRITER)) else {
        return;
    };
    let store = SqliteStore::open(file).await.expect("a store");
    for n in 0.. {
        store
            .append(&shared(), &turn(&writer, n))
            .await
            .expect("added");
        let mut out = std::io::stdout().lock();
        // The test runner writes to standard output as well.
        writeln!(out, "\nadded {n}")
            .and_then(|()| out.flush())
            .expect("somebody listens");
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start(file: &Path, writer: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "processes::writer", "--nocapture"])
        .env(FILE, file)
        .env(WRITER, writer)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().expect("a writer starts")
}

#[tokio::test]
async fn keeps_whole_turns_of_writers_that_are_killed() {
    let folder = format!("agent-store-processes-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(folder));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("conversations.db");
    let mut said = BTreeMap::new();
    for round in 0..3 {
        let writers = [
            format!("a{round}"),
            format!("b{round}"),
            format!("c{round}"),
        ];
        let (tell, told) = mpsc::channel();
        let mut children = Vec::new();
        for writer in writers {
            let mut child = start(&file, &writer);
            let out = BufReader::new(child.stdout.take().expect("a pipe"));
            let tell = tell.clone();
            children.push((
                child,
                std::thread::spawn(move || {
                    let mut added = 0;
                    for line in out.lines().map_while(Result::ok) {
                        if line.starts_with("added ") {
                            added += 1;
                            let _ = tell.send(());
                        }
                    }
                    (writer, added)
                }),
            ));
        }
        // After 200 turns of all writers, each is killed at an arbitrary point.
        for _ in 0..200 {
            told.recv_timeout(Duration::from_secs(60))
                .expect("turns are added");
        }
        for (child, _) in &mut children {
            child.kill().expect("it runs");
        }
        for (mut child, reader) in children {
            child.wait().expect("it ends");
            let (writer, added): (String, usize) = reader.join().expect("the reader ends");
            said.insert(writer, added);
        }
    }

    let store = SqliteStore::open(&file).await.expect("a store");
    let stored = store.load(&shared()).await.expect("read").expect("there");
    assert_eq!(stored.conversation.check(), Ok(()));
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for turn in stored.conversation.turns() {
        let texts: Vec<&str> = turn.iter().map(Message::content).collect();
        assert_eq!(texts, [texts[0], "", texts[0], texts[0]]);
        let (writer, n) = texts[0].split_once(' ').expect("who and which");
        let next = next.entry(writer).or_default();
        assert_eq!(n, next.to_string(), "the turns of a writer are in order");
        *next += 1;
    }
    for (writer, added) in &said {
        let stored = next.get(writer.as_str()).copied().unwrap_or_default();
        // The last turn may have been added before its line was printed.
        assert!(
            stored == *added || stored == added + 1,
            "{writer}: {stored} of {added}"
        );
    }
    store
        .append(&shared(), &turn("last", 0))
        .await
        .expect("it goes on");
}
