//! `agent runs` when keys are missing, and when the journal is damaged, cannot be written or is old.

use crate::runs::{Clerk, GREETING, text_of, with_key};
use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, agent, command};
use rusqlite::Connection;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run that waits for the approval of its call, and its id.
fn waiting(then: Vec<Answer>) -> (Clerk, String) {
    let call = Answer::Call("sayHello", "{\"personName\": \"Ada\"}");
    let clerk = Clerk::new(GREETING, std::iter::once(call).chain(then));
    clerk.run().expect(1);
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    (clerk, id)
}

#[test]
fn a_missing_key_or_provider_changes_nothing() {
    let (clerk, id) = waiting(vec![Answer::Text(&["Done."])]);
    for decision in [
        ["approve", "c1"].as_slice(),
        &["deny", "c1"],
        &["edit", "c1", "{}"],
    ] {
        let all = [
            &["runs", decision[0], &id],
            &decision[1..],
            &["--journal", &clerk.journal],
        ]
        .concat();
        let refused = agent(&all).expect(2);
        assert!(
            refused.stderr.contains("OPENAI_API_KEY"),
            "{}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains("stays in the journal"),
            "{}",
            refused.stderr
        );
        assert!(
            refused.stdout.contains("  waiting  a"),
            "{}",
            refused.stdout
        );
    }
    let shown = clerk.runs(&["show", &id]).expect(0).stdout;
    assert!(!shown.contains("decision"), "{shown}");
    assert_eq!(clerk.only_run()["state"], "waiting");
    clerk.runs(&["approve", &id, "c1"]).expect(0);
    assert_eq!(clerk.only_run()["state"], "done");
}

#[test]
fn an_unknown_provider_changes_nothing() {
    let answers = [
        Answer::Call("sayHello", "{\"personName\": \"Ada\"}"),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    let text = std::fs::read_to_string(&clerk.document).expect("a document");
    let document = clerk
        .folder
        .file("acme.gram", text.replace("OpenAI/", "Acme/"));
    let provider = format!("Acme={}", clerk.server.base_url());
    let shared = ["--provider", &provider, "--journal", &clerk.journal];
    let run = ["run", &document, "Greet Ada", "--stream"];
    agent(&[&run[..], &shared].concat()).expect(1);
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    let refused = agent(&["runs", "approve", &id, "c1", "--journal", &clerk.journal]).expect(2);
    assert!(refused.stderr.contains("Acme"), "{}", refused.stderr);
    assert_eq!(clerk.only_run()["state"], "waiting");
    let approve = ["runs", "approve", &id, "c1"];
    agent(&[&approve[..], &shared].concat()).expect(0);
}

#[test]
fn a_run_whose_key_is_rejected_is_continued_with_another_one() {
    let answers = vec![Answer::Refuse(401), Answer::Text(&["Done."])];
    let (clerk, id) = waiting(answers);
    let rejected = clerk.runs(&["approve", &id, "c1"]).expect(2);
    assert!(
        rejected.stdout.ends_with("  running  a\n"),
        "{}",
        rejected.stdout
    );
    assert!(
        rejected.stderr.contains("agent runs resume"),
        "{}",
        rejected.stderr
    );
    let resumed = clerk.runs(&["resume", &id]).expect(0);
    assert!(resumed.stdout.ends_with("🤖 Done.\n"), "{}", resumed.stdout);
    // The call was made once.
    let shown = clerk.runs(&["show", &id]).expect(0).stdout;
    assert_eq!(shown.matches(" → Hello, Ada!").count(), 1, "{shown}");
}

#[test]
fn a_damaged_run_is_listed_and_deleted() {
    let (clerk, damaged) = waiting(Vec::new());
    let file = Connection::open(&clerk.journal).expect("a file");
    let sql = "INSERT INTO run SELECT NULL, 'sound', agent, state, started, updated, cost, records, checksum, holder, \
               process, renewed, conversation, owner, exclusive, last_mail FROM run";
    file.execute(sql, []).expect("a run");
    let sql = "UPDATE run SET state = 'dne' WHERE id != 'sound'";
    assert_eq!(file.execute(sql, []).expect("a change"), 1);
    let listed = clerk.runs(&["list"]).expect(1);
    assert!(
        listed.stdout.contains(&format!("{damaged}  damaged\n")),
        "{}",
        listed.stdout
    );
    assert!(
        listed.stdout.contains("sound  waiting  a"),
        "{}",
        listed.stdout
    );
    let remedy = format!("`agent runs delete {damaged}`");
    assert!(listed.stderr.contains(&remedy), "{}", listed.stderr);
    let filtered = clerk.runs(&["list", "--state", "waiting"]).expect(0).stdout;
    assert!(!filtered.contains(&damaged), "{filtered}");
    let shown = clerk.runs(&["show", &damaged]).expect(2).stderr;
    assert!(shown.contains("is damaged"), "{shown}");
    clerk.runs(&["delete", &damaged[..8]]).expect(0);
    assert_eq!(clerk.only_run()["run"], "sound");
}

/// Runs the command as a user without the rights of the system's administrator, to whom no file is read-only.
#[cfg(unix)]
fn as_other_user(program: &str, args: &[&str]) -> CommandOutput {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.args(args).env_clear().current_dir("/");
    let folder = Path::new(program).parent().expect("a folder of ours");
    if folder.metadata().expect("a folder").uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    CommandOutput::of(command.output().expect("the command starts"))
}

#[cfg(unix)]
#[test]
fn a_journal_that_cannot_be_written_is_listed_and_shown() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let (clerk, id) = waiting(Vec::new());
    let folder = clerk.folder.path();
    // The folder of the tests may be one that other users cannot enter.
    let program = format!("{folder}/agent");
    let built = env!("CARGO_BIN_EXE_agent");
    let linked = std::fs::hard_link(built, &program);
    linked
        .or_else(|_| std::fs::copy(built, &program).map(drop))
        .expect("a program");
    let run = |args: &[&str]| {
        let all = [&["runs"], args, &["--journal", &clerk.journal]].concat();
        as_other_user(&program, &all)
    };
    let set = |path: &str, mode| set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    for (file_mode, folder_mode) in [(0o444, 0o555), (0o666, 0o555), (0o444, 0o777)] {
        set(&clerk.journal, file_mode);
        set(&folder, folder_mode);
        let list = run(&["list"]);
        assert!(list.stdout.contains(&id), "{:o} {}", file_mode, list.stderr);
        let shown = run(&["show", &id]);
        assert!(shown.stdout.contains("needs approval"), "{}", shown.stderr);
        let deleted = run(&["delete", &id]);
        deleted.expect(2);
    }
    set(&folder, 0o755);
    set(&clerk.journal, 0o600);
    assert_eq!(clerk.only_run()["state"], "waiting");
}

/// The answer is longer than what the disk has left.
#[cfg(unix)]
#[test]
fn a_run_on_a_full_disk_is_continued_once_there_is_room() {
    let long: &'static str = Box::leak("long ".repeat(100_000).into_boxed_str());
    let answers = [
        Answer::Call("readFile", r#"{"path": "nowhere"}"#),
        Answer::Text(std::slice::from_ref(Box::leak(Box::new(long)))),
        Answer::Text(&["Short."]),
    ];
    let clerk = Clerk::new("readFile", answers);
    let program = env!("CARGO_BIN_EXE_agent");
    let (url, file) = (clerk.server.base_url(), &clerk.journal);
    let script = format!(
        "trap '' XFSZ; ulimit -f 400; exec '{program}' run '{}' Read --stream --base-url '{url}' --journal '{file}'",
        clerk.document
    );
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .env("OPENAI_API_KEY", "sk-0123456789");
    let full = CommandOutput::of(shell.output().expect("a shell")).expect(2);
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    for problem in [
        format!("error: the run `{id}` cannot be written to the journal"),
        format!("`agent runs resume {id} --journal {file}` continues it"),
    ] {
        assert!(full.stderr.contains(&problem), "{}", full.stderr);
    }
    assert_eq!(clerk.only_run()["state"], "running");
    let resumed = clerk.runs(&["resume", "--all"]).expect(0).stdout;
    assert!(resumed.ends_with("🤖 Short.\n"), "{resumed}");
    assert_eq!(clerk.server.messages().len(), 3);
}

#[cfg(unix)]
#[test]
fn a_deletion_on_a_full_disk_succeeds_once_it_is_committed() {
    let (clerk, id) = waiting(Vec::new());
    let file = Connection::open(&clerk.journal).expect("a file");
    let sql = "INSERT INTO run SELECT NULL, 'other', agent, state, started, updated, cost, records, checksum, holder, \
               process, renewed, conversation, owner, exclusive, last_mail FROM run";
    file.execute(sql, []).expect("a run");
    let add = |position: u32, bytes: u32| {
        let sql = "INSERT INTO record SELECT (2 << 24) + ?, hex(zeroblob(?)), checksum FROM record LIMIT 1";
        file.execute(sql, [position, bytes]).expect("a record");
    };
    // The log is long, and begins anew with the next commit, so that it has room when the file has none.
    add(0, 1_000_000);
    let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
    file.query_row(checkpoint, [], |_| Ok(()))
        .expect("a checkpoint");
    add(1, 50_000);
    let blocks = std::fs::metadata(&clerk.journal).expect("a file").len() / 512;
    let program = env!("CARGO_BIN_EXE_agent");
    let script = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec '{program}' runs delete {id} --journal '{}'",
        clerk.journal
    );
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &script]).output().expect("a shell");
    CommandOutput::of(output).expect(0);
    let count = "SELECT count(*) FROM run";
    let count: i64 = file
        .query_row(count, [], |row| row.get(0))
        .expect("a count");
    assert_eq!(count, 1);
}

#[test]
fn runs_that_ended_long_ago_are_deleted() {
    let clerk = Clerk::new(GREETING, []);
    let run = || {
        let server = Script::start([Answer::Text(&["Hello."])]);
        let url = server.base_url();
        let arguments = ["run", &clerk.document, "Greet Ada", "--base-url", &url];
        let ended = with_key(&[&arguments[..], &["--journal", &clerk.journal]].concat()).expect(0);
        assert_eq!(ended.stderr, "");
    };
    run();
    let file = Connection::open(&clerk.journal).expect("a file");
    let age = |days: i64| {
        let sql = "UPDATE run SET updated = updated - ?";
        let changed = file.execute(sql, [days * 86_400_000]).expect("a change");
        assert_eq!(changed, 1);
    };
    let first = clerk.only_run()["run"].clone();
    age(29);
    // Neither looking at the journal nor 29 days delete anything.
    assert_eq!(clerk.only_run()["run"], first);
    clerk.runs(&["resume", "--all"]).expect(0);
    assert_eq!(clerk.only_run()["run"], first);
    age(2);
    run();
    assert_ne!(clerk.only_run()["run"], first);
}

/// A chat in a pipe, whose conversation is stored in a file that can be taken away.
struct PipedChat {
    clerk: Clerk,
    child: Child,
    errors: BufReader<ChildStderr>,
}

impl PipedChat {
    fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let clerk = Clerk::new("readFile", answers);
        let url = clerk.server.base_url();
        let chat = ["chat", &clerk.document, "--base-url", &url];
        let stored = ["--conversation", "ada", "--store", &clerk.journal];
        let mut command = command(&[&chat[..], &stored].concat());
        command
            .env("OPENAI_API_KEY", "sk-0123456789")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        Self {
            clerk,
            child,
            errors,
        }
    }

    fn say(&mut self, message: &str) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        writeln!(input, "{message}").expect("a pipe");
    }

    /// Waits until the server got so many requests.
    fn wait_for_requests(&self, count: usize) {
        let start = Instant::now();
        while self.clerk.server.messages().len() < count {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{count} requests"
            );
            sleep(Duration::from_millis(5));
        }
    }

    /// Reads standard error up to a line with a text.
    fn wait_for_error(&mut self, text: &str) -> String {
        let mut read = String::new();
        while !read.contains(text) {
            let count = self.errors.read_line(&mut read).expect("a text");
            assert!(count > 0, "{text} is not in {read}");
        }
        read
    }

    fn take_journal_away(&self) {
        let journal = &self.clerk.journal;
        std::fs::rename(journal, format!("{journal}.away")).expect("the file is there");
    }

    fn put_journal_back(&self) {
        let journal = &self.clerk.journal;
        std::fs::rename(format!("{journal}.away"), journal).expect("the file is there");
    }

    /// Ends the input, and returns the clerk, the exit code and the rest of standard error.
    fn end(mut self) -> (Clerk, Option<i32>, String) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).expect("a text");
        let ended = self.child.wait().expect("it ends");
        (self.clerk, ended.code(), rest)
    }
}

/// Returns the states of the runs, the first that was started first.
fn states(clerk: &Clerk) -> Vec<String> {
    let list = clerk.runs(&["list", "--format", "json"]).expect(0).json();
    let runs = list.as_array().expect("runs").iter();
    runs.map(|run| text_of(&run["state"]).to_owned()).collect()
}

fn stored_texts(clerk: &Clerk) -> Vec<String> {
    let show = ["conversations", "show", "ada", "--format", "json"];
    let shown = agent(&[&show[..], &["--store", &clerk.journal]].concat());
    let messages = shown.expect(0).json();
    let messages = messages.as_array().expect("messages").iter();
    messages
        .map(|message| text_of(&message["content"]).to_owned())
        .collect()
}

#[test]
fn a_chat_whose_journal_could_not_be_written_ends_the_run_with_the_next_message() {
    let mut chat = PipedChat::start([Answer::Wait("One", "."), Answer::Text(&["Two."])]);
    chat.say("First");
    chat.wait_for_requests(1);
    chat.take_journal_away();
    chat.clerk.server.resume();
    let errors = chat.wait_for_error("agent runs resume");
    for text in [
        "cannot be written to the journal",
        "the next message ends it",
    ] {
        assert!(errors.contains(text), "{errors}");
    }
    chat.put_journal_back();
    chat.say("Second");
    let (clerk, code, rest) = chat.end();
    assert_eq!((code, &*rest), (Some(2), ""));
    // The chat went on with the first answer, so that nobody may ask for it again.
    assert_eq!(states(&clerk), ["cancelled", "done"]);
    assert_eq!(stored_texts(&clerk), ["First", "One.", "Second", "Two."]);
}

#[test]
fn a_chat_whose_journal_still_cannot_be_written_sends_no_message() {
    let mut chat = PipedChat::start([Answer::Wait("One", "."), Answer::Text(&["Again."])]);
    chat.say("First");
    chat.wait_for_requests(1);
    chat.take_journal_away();
    chat.clerk.server.resume();
    chat.wait_for_error("agent runs resume");
    chat.say("Second");
    chat.wait_for_error("the message was not sent");
    let (clerk, code, rest) = chat.end();
    assert_eq!(code, Some(2));
    assert!(rest.contains("cannot be ended"), "{rest}");
    assert_eq!(clerk.server.messages().len(), 1);
    let journal = &clerk.journal;
    std::fs::rename(format!("{journal}.away"), journal).expect("the file is there");
    assert_eq!(states(&clerk), ["running"]);
    // Nothing happened after the last record, so that the run can be continued.
    clerk.runs(&["resume", "--all"]).expect(0);
    assert_eq!(stored_texts(&clerk), ["First", "Again."]);
}

/// Each row: the input of a chat after a message whose run has no end in the journal, which can be written again, and the stored texts
/// after that.
#[test]
fn a_chat_ends_the_run_without_an_end_before_anything_else() {
    for (line, expected) in [
        ("/quit", &["First", "One."][..]),
        ("/save", &["First", "One."]),
        ("/reset --stored", &[]),
    ] {
        let mut chat = PipedChat::start([Answer::Wait("One", "."), Answer::Text(&["Two."])]);
        chat.say("First");
        chat.wait_for_requests(1);
        chat.take_journal_away();
        chat.clerk.server.resume();
        chat.wait_for_error("agent runs resume");
        chat.put_journal_back();
        let saved = format!("{}/saved.json", chat.clerk.folder.path());
        chat.say(&line.replace("/save", &format!("/save {saved}")));
        let (clerk, _, rest) = chat.end();
        assert_eq!(rest, "", "{line}");
        assert_eq!(states(&clerk), ["cancelled"], "{line}");
        match expected {
            [] => _ = agent(&["conversations", "show", "ada", "--store", &clerk.journal]).expect(2),
            expected => assert_eq!(stored_texts(&clerk), *expected, "{line}"),
        }
        if line == "/save" {
            let saved = std::fs::read_to_string(&saved).expect("a file");
            assert!(saved.contains("One."), "{saved}");
        }
    }
}

#[test]
fn a_chat_says_when_another_program_continued_its_run() {
    let answers = [
        Answer::Wait("One", "."),
        Answer::Text(&["Resumed."]),
        Answer::Text(&["Two."]),
    ];
    let mut chat = PipedChat::start(answers);
    chat.say("First");
    chat.wait_for_requests(1);
    chat.take_journal_away();
    chat.clerk.server.resume();
    chat.wait_for_error("agent runs resume");
    chat.put_journal_back();
    // A read-only look lets the chat release the run, which it could not before.
    let start = Instant::now();
    while chat.clerk.runs(&["resume", "--all"]).code != 0 || states(&chat.clerk) != ["done"] {
        assert!(start.elapsed() < Duration::from_secs(60), "it is held");
        sleep(Duration::from_millis(500));
    }
    chat.say("Second");
    let (clerk, code, rest) = chat.end();
    assert_eq!((code, &*rest), (Some(2), ""));
    assert_eq!(
        stored_texts(&clerk),
        ["First", "Resumed.", "Second", "Two."]
    );
}
