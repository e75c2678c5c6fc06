//! `agent run --conversation` and `agent conversations`.

use crate::support::{CommandOutput, Folder, agent, agent_with, command};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Output, Stdio};

const HELLO: &str = "agents/hello.gram";

/// Sends messages in a conversation that is stored in a file.
fn say(store: &str, name: &str, messages: &[&str]) -> CommandOutput {
    let args = [
        "run",
        HELLO,
        "--offline",
        "--format",
        "json",
        "--store",
        store,
    ];
    agent(&[&args[..], &["--conversation", name], messages].concat())
}

fn stored(store: &str, name: &str) -> Vec<Value> {
    let args = [
        "conversations",
        "show",
        name,
        "--format",
        "json",
        "--store",
        store,
    ];
    let shown = agent(&args).expect(0).json();
    shown.as_array().expect("messages").clone()
}

#[test]
fn continues_a_stored_conversation() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let first = say(&store, "ada", &["Hello, I'm Ada", "Hello, I'm Bob"])
        .expect(0)
        .json();
    assert_eq!(first["conversation"].as_array().expect("messages").len(), 8);
    let second = say(&store, "ada", &["Hello, I'm Eve"]).expect(0).json();
    let said = second["conversation"].as_array().expect("messages");
    assert_eq!(said.len(), 12);
    assert_eq!(said[0]["content"], "Hello, I'm Ada");
    assert_eq!(second["responses"].as_array().expect("responses").len(), 1);
    // Each call has its own id.
    let kept = stored(&store, "ada");
    assert_eq!(kept.len(), 12);
    let mut ids: Vec<&Value> = kept.iter().filter_map(|m| m.get("callId")).collect();
    ids.sort_by_key(|id| id.to_string());
    ids.dedup();
    assert_eq!(ids.len(), 3);
    // Another name is another conversation.
    let other = say(&store, "bob", &["Hello, I'm Bob"]).expect(0).json();
    assert_eq!(other["conversation"].as_array().expect("messages").len(), 4);
}

#[test]
fn creates_a_private_folder_for_the_usual_file() {
    let folder = Folder::new();
    let run = |args: &[&str], variable: Option<(&str, &str)>| -> CommandOutput {
        let mut command = command(args);
        command.envs(variable).stdin(Stdio::null());
        ended(command.output().expect("the command starts"))
    };
    let data = format!("{}/new/data", folder.path());
    let data = Some(("XDG_DATA_HOME", data.as_str()));
    let list = ["conversations", "list"];
    let none = run(&list, data).expect(0);
    assert!(
        none.stdout.is_empty() && none.stderr.contains("no conversation"),
        "{}",
        none.stderr
    );
    assert!(
        !Path::new(&folder.path()).join("new").exists(),
        "looking makes nothing"
    );

    let say = [
        "run",
        HELLO,
        "Hello, I'm Ada",
        "--offline",
        "--conversation",
        "ada",
    ];
    run(&say, data).expect(0);
    assert_eq!(run(&list, data).expect(0).stdout, "ada: 4 messages\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for (path, expected) in [
            ("new", 0o700),
            ("new/data/agent", 0o700),
            ("new/data/agent/conversations.db", 0o600),
        ] {
            let path = Path::new(&folder.path()).join(path);
            let mode = path.metadata().expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, expected, "{path:?}");
        }
    }

    let nowhere = run(&say, None).expect(2);
    assert!(
        nowhere.stderr.contains("--store FILE"),
        "{}",
        nowhere.stderr
    );
    let file = folder.file("data", "");
    let file = run(&say, Some(("XDG_DATA_HOME", file.as_str()))).expect(2);
    assert!(file.stderr.contains("cannot be created"), "{}", file.stderr);
}

fn ended(output: Output) -> CommandOutput {
    CommandOutput {
        code: output.status.code().expect("the command ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[test]
fn concurrent_programs_continue_one_conversation() {
    const PROGRAMS: usize = 6;
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let children: Vec<_> = (0..PROGRAMS)
        .map(|n| {
            let (one, two) = (format!("Hello, I'm A{n}"), format!("Hello, I'm B{n}"));
            let args = [
                "run",
                HELLO,
                "--offline",
                "--conversation",
                "all",
                "--store",
                &store,
            ];
            let mut command = command(&[&args[..], &[&one, &two]].concat());
            command
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().expect("the command starts")
        })
        .collect();
    for child in children {
        ended(child.wait_with_output().expect("it ends")).expect(0);
    }
    let kept = stored(&store, "all");
    assert_eq!(kept.len(), PROGRAMS * 2 * 4);
    let mut said: Vec<String> = Vec::new();
    for turn in kept.chunks(4) {
        let roles: Vec<&str> = turn.iter().filter_map(|m| m["role"].as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "function", "assistant"]);
        let hello = turn[0]["content"].as_str().expect("a text").to_owned();
        let name = hello.trim_start_matches("Hello, I'm ");
        assert!(
            turn[3]["content"].as_str().expect("a text").contains(name),
            "{turn:?}"
        );
        said.push(hello);
    }
    let order = |n: usize, who: &str| {
        said.iter()
            .position(|s| *s == format!("Hello, I'm {who}{n}"))
    };
    for n in 0..PROGRAMS {
        assert!(order(n, "A").expect("said") < order(n, "B").expect("said"));
    }
    // The conversation can be continued.
    say(&store, "all", &["Hello, I'm Ada"]).expect(0);
}

#[test]
fn a_failed_run_keeps_earlier_messages() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    // No server listens on that port.
    let args = [
        "run",
        HELLO,
        "Again",
        "--conversation",
        "ada",
        "--store",
        &store,
    ];
    let failed = agent(&[&args[..], &["--base-url", "http://127.0.0.1:1/v1"]].concat());
    assert_ne!(failed.code, 0);
    assert_eq!(stored(&store, "ada").len(), 4);
    say(&store, "ada", &["Hello, I'm Bob"]).expect(0);
    assert_eq!(stored(&store, "ada").len(), 8);
}

#[test]
fn repairs_a_damaged_conversation() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    let database = rusqlite::Connection::open(&store).expect("a database");
    let deleted = database.execute("DELETE FROM message WHERE position = 2", []);
    assert_eq!(deleted.expect("a statement"), 1);
    let repaired = say(&store, "ada", &["Hello, I'm Bob"]).expect(0);
    let warning =
        "warning: the conversation `ada` was repaired: the call `offline_1` of message 2 got a";
    assert!(repaired.stderr.contains(warning), "{}", repaired.stderr);
    assert_eq!(stored(&store, "ada").len(), 8);
    let again = say(&store, "ada", &["Hello, I'm Eve"]).expect(0);
    assert!(again.stderr.is_empty(), "{}", again.stderr);

    database
        .pragma_update(None, "user_version", 7)
        .expect("a version");
    drop(database);
    let newer = say(&store, "ada", &["Hello, I'm Eve"]).expect(2);
    assert!(
        newer.stderr.contains("a newer version of this program"),
        "{}",
        newer.stderr
    );
}

#[test]
fn rejects_invalid_stores_and_names() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let refused = |ended: CommandOutput, words: &str| {
        let stderr = ended.expect(2).stderr;
        assert!(stderr.contains(words), "{words}: {stderr}");
    };
    refused(say(&store, ".ada", &["Hi"]), "it begins with `.`");
    refused(say(&store, "../ada", &["Hi"]), "its text is `%2E./ada`");
    refused(say(&store, "my notes", &["Hi"]), "it has ` `");
    let text = folder.file("diary.txt", "dear diary ".repeat(200));
    refused(say(&text, "ada", &["Hi"]), "holds no conversations");
    refused(say(&folder.path(), "ada", &["Hi"]), "it is a folder");
    refused(
        say(&format!("{}/no/file.db", folder.path()), "ada", &["Hi"]),
        "cannot be opened",
    );
    let history = folder.file("history.json", "[]");
    let run = [
        "run",
        HELLO,
        "Hi",
        "--offline",
        "--history",
        &history,
        "--conversation",
        "ada",
    ];
    refused(agent(&run), "cannot be used with");
    refused(
        agent(&["run", HELLO, "Hi", "--offline", "--store", &store]),
        "--conversation",
    );
    assert!(!Path::new(&store).exists());
}

#[test]
fn lists_shows_and_deletes_conversations() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let conversations =
        |args: &[&str]| agent(&[&["conversations"], args, &["--store", &store]].concat());
    let missing = conversations(&["list"]).expect(2);
    assert!(
        missing.stderr.contains("there is no file"),
        "{}",
        missing.stderr
    );
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    say(&store, "bob", &["Hello, I'm Bob"]).expect(0);
    assert_eq!(
        conversations(&["list"]).expect(0).stdout,
        "ada: 4 messages\nbob: 4 messages\n"
    );
    let listed = conversations(&["list", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(
        (&listed[1]["name"], &listed[1]["messages"]),
        (&json!("bob"), &json!(4))
    );
    assert!(listed[1]["updated"].as_u64().expect("seconds") > 1_600_000_000);

    // The conversation is printed like the run.
    let shown = conversations(&["show", "ada"]).expect(0);
    let run = agent(&["run", HELLO, "Hello, I'm Ada", "--offline"]).expect(0);
    assert_eq!(shown.stdout, run.stdout);
    // The JSON output is a history, and the gram output has the canonical layout.
    let json = conversations(&["show", "ada", "--format", "json"])
        .expect(0)
        .stdout;
    let args = [
        "run",
        HELLO,
        "And me?",
        "--offline",
        "--format",
        "json",
        "--history",
        "-",
    ];
    let went_on = agent_with(&args, json).expect(0).json();
    assert_eq!(went_on["conversation"][0]["content"], "Hello, I'm Ada");
    let gram = conversations(&["show", "ada", "--format", "gram"])
        .expect(0)
        .stdout;
    assert!(gram.contains("[:Conversation |"), "{gram}");
    agent_with(&["check", "--as", "gram", "-"], gram.as_str()).expect(0);
    agent_with(&["fmt", "--check", "-"], gram.as_str()).expect(0);
    let from_gram = agent_with(&args, gram.as_str()).expect(0).json();
    assert_eq!(from_gram, went_on);

    let unknown = conversations(&["show", "adda"]).expect(2);
    assert!(
        unknown.stderr.contains("no conversation `adda`"),
        "{}",
        unknown.stderr
    );
    conversations(&["delete", "ada"]).expect(0);
    let gone = conversations(&["delete", "ada"]).expect(2);
    assert!(
        gone.stderr.contains("no conversation `ada`"),
        "{}",
        gone.stderr
    );
    assert_eq!(
        conversations(&["list"]).expect(0).stdout,
        "bob: 4 messages\n"
    );
}

#[test]
fn an_invalid_stored_name_does_not_hide_the_others() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    for name in ["ada", "bob"] {
        say(&store, name, &["Hello, I'm Ada"]).expect(0);
    }
    let database = rusqlite::Connection::open(&store).expect("a database");
    let sql = "UPDATE conversation SET name = '../x' WHERE name = 'ada'";
    database.execute_batch(sql).expect("an update");
    let ended = agent(&["conversations", "list", "--store", &store]).expect(1);
    assert_eq!(ended.stdout, "bob: 4 messages\n");
    let text = "`../x` is no name for a conversation";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

#[test]
fn the_errors_of_stored_names_have_a_bound() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    let database = rusqlite::Connection::open(&store).expect("a database");
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO conversation (name, revision, updated) SELECT '../' || i, 1, 0 FROM n";
    database.execute_batch(sql).expect("an insertion");
    let ended = agent(&["conversations", "list", "--store", &store]).expect(1);
    assert_eq!(ended.stdout, "ada: 4 messages\n");
    let errors: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 101);
    assert_eq!(errors.last(), Some(&"error: 900 more errors"));
}

#[test]
fn an_answer_with_many_calls_is_shown_in_linear_time() {
    const CALLS: usize = 20_000;
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    let database = rusqlite::Connection::open(&store).expect("a database");
    let call = |at: usize| json!({"id": format!("c{at}"), "tool": "t", "argsText": "{}"});
    let calls: Vec<Value> = (0..CALLS).map(call).collect();
    let answer = json!({"role": "assistant", "content": "", "toolCalls": calls});
    let message = |at: usize| {
        let id = format!("c{at}");
        json!({"role": "function", "name": "t", "callId": id, "content": format!("r{at}")})
    };
    database
        .execute_batch("DELETE FROM message; BEGIN")
        .expect("a deletion");
    let messages = [json!({"role": "user", "content": "Go"}), answer];
    // The results are in another order than the calls.
    let messages = messages.into_iter().chain((0..CALLS).rev().map(message));
    let sql = "INSERT INTO message SELECT id, ?, ? FROM conversation";
    let mut insert = database.prepare(sql).expect("a statement");
    for (position, message) in messages.enumerate() {
        let row = (position as i64, message.to_string());
        insert.execute(row).expect("an insertion");
    }
    database.execute_batch("COMMIT").expect("the end");
    let ended = agent(&["conversations", "show", "ada", "--store", &store]).expect(0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + CALLS);
    assert_eq!(lines[0], "💬 Go");
    for at in [0, 1, CALLS - 1] {
        assert_eq!(lines[1 + at], format!("🛠️ t {{}} → r{at}"));
    }
}

#[test]
fn reports_an_incomplete_store_before_sending() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    let database = rusqlite::Connection::open(&store).expect("a database");
    database
        .execute_batch("DELETE FROM revision")
        .expect("a change");
    let ended = say(&store, "ada", &["Hello, I'm Bob"]).expect(2);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("is damaged: its table `revision`"),
        "{}",
        ended.stderr
    );
}

#[cfg(unix)]
#[test]
fn conversations_are_shown_from_a_file_and_a_folder_that_cannot_be_written() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    say(&store, "ada", &["Hello, I'm Ada"]).expect(0);
    let kept = stored(&store, "ada");
    let changed = |file: u32, of_folder: u32| {
        set_permissions(&store, Permissions::from_mode(file)).expect("the file");
        set_permissions(folder.path(), Permissions::from_mode(of_folder)).expect("the folder");
    };
    // A privileged user may write all the same.
    for (file, of_folder) in [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)] {
        changed(file, of_folder);
        assert_eq!(stored(&store, "ada"), kept);
        let listed = agent(&["conversations", "list", "--store", &store]).expect(0);
        assert_eq!(listed.stdout, "ada: 4 messages\n");
    }
    changed(0o600, 0o700);
}
