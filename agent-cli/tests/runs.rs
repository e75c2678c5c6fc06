//! `agent run --journal` and `agent runs`.

#![allow(unreachable_pub, reason = "a test program has no public interface")]

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with_tools, command};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const GREETING: &str = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", \
                        requiresApproval: true} | (personName::Text {default: \"world\"})==>(::String)]";

/// The agent that greets, its journal and a server.
pub struct Clerk {
    pub folder: Folder,
    pub document: String,
    pub journal: String,
    pub server: Script,
}

impl Clerk {
    pub fn new(elements: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        let folder = Folder::new();
        Self {
            document: folder.file("agent.gram", agent_with_tools(elements)),
            journal: format!("{}/runs.db", folder.path()),
            server: Script::start(answers),
            folder,
        }
    }

    /// The arguments of `agent run`.
    pub fn run_arguments(&self) -> Vec<String> {
        let url = self.server.base_url();
        let arguments = ["run", &self.document, "Greet Ada", "--base-url", &url];
        arguments.map(str::to_owned).to_vec()
    }

    pub fn run(&self) -> CommandOutput {
        let arguments = self.run_arguments();
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--stream", "--journal", &self.journal]);
        with_key(&arguments)
    }

    /// Runs `agent runs`, with the address of the server if models are to be asked.
    pub fn runs(&self, arguments: &[&str]) -> CommandOutput {
        let mut all = vec!["runs"];
        all.extend(arguments);
        all.extend(["--journal", &self.journal]);
        let url = self.server.base_url();
        if ["resume", "approve", "deny", "edit", "done"].contains(&arguments[0]) {
            all.extend(["--base-url", &url]);
        }
        with_key(&all)
    }

    /// The only run of the journal, as `list` prints it.
    pub fn only_run(&self) -> Value {
        let list = self.runs(&["list", "--format", "json"]).expect(0).json();
        assert_eq!(list.as_array().expect("runs").len(), 1, "{list}");
        list[0].clone()
    }

    /// The messages of the last request.
    pub fn last_request(&self) -> Vec<Value> {
        let requests = self.server.messages();
        let last = requests.last().expect("a request");
        last.as_array().expect("messages").clone()
    }
}

pub fn with_key(arguments: &[&str]) -> CommandOutput {
    let mut command = command(arguments);
    command.env("OPENAI_API_KEY", "sk-0123456789");
    CommandOutput::of(command.output().expect("the command starts"))
}

pub fn text_of(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn a_killed_run_is_continued() {
    let answers = [
        Answer::Call("readFile", r#"{"path": "hello.gram"}"#),
        Answer::Hang("It "),
        Answer::Text(&["It is a greeting."]),
    ];
    let clerk = Clerk::new("readFile", answers);
    let mut arguments = clerk.run_arguments();
    arguments.extend(["--stream", "--journal", &clerk.journal].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = command(&arguments);
    command
        .current_dir(crate::support::examples().join("agents"))
        .env("OPENAI_API_KEY", "sk-0123456789")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the command starts");
    let start = Instant::now();
    while clerk.server.messages().len() < 2 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no second request"
        );
        sleep(Duration::from_millis(5));
    }
    // While the program lives, nobody else continues its run.
    let all = clerk.runs(&["resume", "--all"]).expect(0);
    assert_eq!(all.stderr, "no run was interrupted\n");
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    let held = clerk.runs(&["resume", &id]).expect(2).stderr;
    assert!(held.contains("driven by another"), "{held}");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");

    assert_eq!(clerk.only_run()["state"], "running");
    let shown = clerk.runs(&["show", &id[..8]]).expect(0).stdout;
    assert!(shown.contains("💬 Greet Ada"), "{shown}");
    assert!(
        shown.contains("🛠️ readFile {\"path\": \"hello.gram\"} → {"),
        "{shown}"
    );
    let resumed = clerk.runs(&["resume", "--all"]).expect(0);
    assert_eq!(
        resumed.stdout,
        format!("{id}  done  a\n🤖 It is a greeting.\n")
    );
    // The result was taken from the journal, although this folder has no such file.
    let messages = clerk.last_request();
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(
        messages[3]["content"].to_string().contains("personName"),
        "{messages:?}"
    );
    assert_eq!(clerk.only_run()["state"], "done");
    assert_eq!(clerk.server.messages().len(), 3);
    let again = clerk.runs(&["resume", &id]).expect(2).stderr;
    assert!(again.contains("has ended"), "{again}");
}

/// Starts a command, and kills it once the server has as many requests.
fn killed(mut command: std::process::Command, input: &str, server: &Script, requests: usize) {
    command
        .env("OPENAI_API_KEY", "sk-0123456789")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("a line");
    let start = Instant::now();
    while server.messages().len() < requests {
        assert!(start.elapsed() < Duration::from_secs(60), "no request");
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

#[test]
fn a_killed_run_of_a_conversation_is_continued_and_stored_once() {
    let answers = [
        Answer::Hang("It "),
        Answer::Text(&["Second."]),
        Answer::Text(&["First."]),
    ];
    let clerk = Clerk::new("readFile", answers);
    let url = clerk.server.base_url();
    let place = ["--conversation", "ada", "--store", &clerk.journal];
    let arguments = |message| {
        let arguments = [
            "run",
            &clerk.document,
            message,
            "--base-url",
            &url,
            "--stream",
        ];
        [&arguments[..], &place].concat()
    };
    killed(command(&arguments("One?")), "", &clerk.server, 1);
    let second = with_key(&arguments("Two?")).expect(0);
    let id =
        text_of(&clerk.runs(&["list", "--format", "json"]).expect(0).json()[0]["run"]).to_owned();
    let warning = format!("`agent runs resume {id} --journal {}`", clerk.journal);
    assert!(second.stderr.contains(&warning), "{}", second.stderr);
    assert_eq!(
        second.stderr.matches("warning").count(),
        1,
        "{}",
        second.stderr
    );
    let listed = clerk.runs(&["list"]).expect(0).stdout;
    assert_eq!(listed.matches("  in ada\n").count(), 2, "{listed}");
    for _ in 0..2 {
        clerk.runs(&["resume", "--all"]).expect(0);
    }
    assert_eq!(clerk.server.messages().len(), 3);
    let show = ["conversations", "show", "ada", "--store", &clerk.journal];
    let stored = with_key(&[&show[..], &["--format", "json"]].concat())
        .expect(0)
        .json();
    let messages = stored.as_array().expect("messages").iter();
    let messages: Vec<&str> = messages
        .map(|message| text_of(&message["content"]))
        .collect();
    assert_eq!(messages, ["Two?", "Second.", "One?", "First."]);
    // Nothing is left to be warned of.
    let third = with_key(&[&["conversations", "list", "--store"][..], &[&clerk.journal]].concat());
    assert!(third.expect(0).stdout.contains("ada: 4 messages"));
}

#[test]
fn a_killed_chat_is_continued_from_the_usual_journal() {
    let folder = Folder::new();
    let document = folder.file("agent.gram", agent_with_tools("readFile"));
    let server = Script::start([Answer::Hang("It "), Answer::Text(&["Here."])]);
    let (url, data) = (server.base_url(), format!("{}/data", folder.path()));
    let at_home = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env("XDG_DATA_HOME", &data);
        command.env("OPENAI_API_KEY", "sk-0123456789");
        command
    };
    let chat = at_home(&["chat", &document, "--base-url", &url]);
    killed(chat, "Where?\n", &server, 1);
    let output = |arguments: &[&str]| {
        let output = at_home(arguments).output();
        CommandOutput::of(output.expect("the command starts"))
            .expect(0)
            .stdout
    };
    let listed = output(&["runs", "list"]);
    assert!(listed.contains("  running  a  "), "{listed}");
    let resumed = output(&["runs", "resume", "--all", "--base-url", &url]);
    assert!(resumed.ends_with("  done  a\n🤖 Here.\n"), "{resumed}");

    let chat = at_home(&["chat", &document, "--offline", "--no-journal"]);
    let mut chat = chat;
    assert!(
        chat.stdin(Stdio::null())
            .status()
            .expect("it ends")
            .success()
    );
    assert_eq!(output(&["runs", "list"]).lines().count(), 1);
}

#[test]
fn a_chat_goes_on_without_a_journal_that_cannot_be_opened() {
    let folder = Folder::new();
    let data = folder.path().to_owned();
    std::fs::create_dir(format!("{data}/agent")).expect("a folder");
    folder.file("agent/conversations.db", "dear diary, ".repeat(1_000));
    let document = folder.file("agent.gram", agent_with_tools("readFile"));
    let lines = folder.file("lines.txt", "Hello\nHello again\n");
    let mut command = command(&["chat", &document, "--offline"]);
    command.env("XDG_DATA_HOME", &data);
    command.stdin(std::fs::File::open(lines).expect("a file"));
    let output = CommandOutput::of(command.output().expect("the command starts")).expect(0);
    assert_eq!(output.stdout.matches("🤖").count(), 2, "{}", output.stdout);
    let warnings = output
        .stderr
        .matches("warning: runs are not kept in a journal")
        .count();
    assert_eq!(warnings, 1, "{}", output.stderr);
}

#[test]
fn a_call_waits_for_a_decision() {
    for (decision, more, told) in [
        ("approve", None, "Hello, Ada"),
        ("deny", Some("not today"), "not today"),
        ("edit", Some(r#"{"personName": "Eve"}"#), "Hello, Eve"),
    ] {
        let answers = [
            Answer::Call("sayHello", r#"{"personName": "Ada"}"#),
            Answer::Text(&["Done."]),
        ];
        let clerk = Clerk::new(GREETING, answers);
        let paused = clerk.run().expect(1);
        let waiting = "🛠️ sayHello {\"personName\": \"Ada\"} needs approval (c1)\n";
        assert!(paused.stderr.contains(waiting), "{}", paused.stderr);
        assert!(
            paused.stderr.contains("agent runs approve"),
            "{}",
            paused.stderr
        );
        let run = clerk.only_run();
        assert_eq!(
            (&run["state"], &run["agent"]),
            (&json!("waiting"), &json!("a"))
        );
        let id = text_of(&run["run"]);
        let shown = clerk.runs(&["show", id]).expect(0).stdout;
        assert!(shown.ends_with(waiting), "{shown}");
        let again = clerk.runs(&["resume", id]).expect(1);
        assert!(again.stdout.ends_with(waiting), "{}", again.stdout);
        assert_eq!(clerk.server.messages().len(), 1);

        let wrong = clerk.runs(
            &[decision, id, "c2"]
                .iter()
                .copied()
                .chain(more)
                .collect::<Vec<_>>(),
        );
        assert!(wrong.expect(2).stderr.contains("c2"), "{decision}");
        let mut arguments = vec![decision, id, "c1"];
        arguments.extend(more);
        let ended = clerk.runs(&arguments).expect(0).stdout;
        assert!(ended.ends_with("  done  a\n🤖 Done.\n"), "{ended}");
        let result = clerk.last_request().pop().expect("a result").to_string();
        assert!(result.contains(told), "{decision}: {result}");
        let shown = clerk.runs(&["show", id]).expect(0).stdout;
        assert!(
            shown.contains(&format!("decision on c1: {decision}")),
            "{shown}"
        );
        assert!(shown.contains("🤖 Done. (100 tokens → 10)"), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_is_exported_as_a_cassette() {
    let answers = [
        Answer::Call("sayHello", r#"{"personName": "sk-0123456789"}"#),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    clerk.run().expect(1);
    let run = clerk.only_run();
    let id = text_of(&run["run"]);
    clerk.runs(&["approve", id, "c1"]).expect(0);
    let path = format!("{}/cassette.json", clerk.folder.path());
    clerk.runs(&["export", id, "--cassette", &path]).expect(0);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(!text.contains("sk-0123456789"), "{text}");
    let cassette: Value = serde_json::from_str(&text).expect("JSON");
    let exchanges = cassette["exchanges"].as_array().expect("exchanges");
    assert_eq!(exchanges.len(), 2, "{text}");
    assert_eq!(exchanges[0]["request"]["instruction"], "Help.");
    assert_eq!(exchanges[1]["reply"]["content"], "Done.");
    let journal = clerk.journal.clone();
    let dangling = format!("{}/dangling.json", clerk.folder.path());
    std::os::unix::fs::symlink("nowhere.json", &dangling).expect("a link");
    for path in [journal.as_str(), "/dev/null", &dangling] {
        let refused = clerk.runs(&["export", id, "--cassette", path]);
        assert!(refused.expect(2).stderr.contains("would replace it"));
    }
    let stdout = clerk.runs(&["export", id, "--cassette", "-"]);
    assert!(stdout.expect(2).stderr.contains("written to a file"));
    // The texts of the conversation are as private as the journal.
    let mode = |path: &str| {
        let metadata = std::fs::metadata(path).expect("a file");
        std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
    };
    assert_eq!(mode(&path), 0o600);
    let link = format!("{}/link.json", clerk.folder.path());
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    clerk.runs(&["export", id, "--cassette", &link]).expect(0);
    assert!(std::path::Path::new(&link).is_symlink());
    let nowhere = clerk.runs(&["export", id, "--cassette", "/proc/none/c.json"]);
    assert!(nowhere.expect(2).stderr.contains("cannot be written"));
}

#[test]
fn runs_are_filtered_cancelled_and_deleted() {
    let answers = [
        Answer::Call("sayHello", "{}"),
        Answer::Call("sayHello", "{}"),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    clerk.run().expect(1);
    let first = text_of(&clerk.only_run()["run"]).to_owned();
    clerk.run().expect(1);
    let listed = |arguments: &[&str]| {
        let all = [&["list", "--format", "json"], arguments].concat();
        let list = clerk.runs(&all).expect(0).json();
        list.as_array().expect("runs").len()
    };
    clerk.runs(&["cancel", &first]).expect(0);
    let shown = clerk.runs(&["show", &first]).expect(0).stdout;
    assert!(shown.contains("error: "), "{shown}");
    assert!(
        clerk
            .runs(&["cancel", &first])
            .expect(2)
            .stderr
            .contains("has ended")
    );
    assert!(
        clerk
            .runs(&["approve", &first, "c1"])
            .expect(2)
            .stderr
            .contains("has ended")
    );
    assert_eq!(listed(&["--state", "waiting"]), 1);
    assert_eq!(listed(&["--state", "cancelled", "--agent", "a"]), 1);
    assert_eq!(listed(&["--agent", "b"]), 0);
    // A server wrote the run into the file for one of its users.
    let file = rusqlite::Connection::open(&clerk.journal).expect("a journal");
    let owned = "UPDATE run SET owner = 'a\u{1b}da', conversation = 'a%1Bda/trip' WHERE id = ?";
    file.execute(owned, [&first]).expect("a run");
    for (arguments, count) in [
        (&["--owner", "a\u{1b}da"][..], 1),
        (&["--owner", "ada"], 0),
        (&["--conversation", "a%1Bda/trip"], 1),
        (&["--conversation", "trip"], 0),
        (&["--owner", "a\u{1b}da", "--state", "waiting"], 0),
    ] {
        assert_eq!(listed(arguments), count, "{arguments:?}");
    }
    let owned = clerk
        .runs(&["list", "--owner", "a\u{1b}da"])
        .expect(0)
        .stdout;
    assert!(
        owned.contains("  in a%1Bda/trip  for ") && !owned.contains('\u{1b}'),
        "{owned}"
    );
    let none = clerk.runs(&["list", "--owner", "ada"]).expect(0).stderr;
    assert!(
        none.contains("no run of the journal is like that"),
        "{none}"
    );
    let human = clerk.runs(&["list"]).expect(0).stdout;
    assert!(
        human.starts_with(&format!("{first}  cancelled  a  ")),
        "{human}"
    );
    assert!(human.lines().all(|line| line.contains(" s ago")), "{human}");
    let deleted = clerk
        .runs(&["delete", "--older-than", "1h"])
        .expect(0)
        .stderr;
    assert_eq!(deleted, "0 runs deleted\n");
    sleep(Duration::from_millis(20));
    let deleted = clerk
        .runs(&["delete", "--older-than", "0.01s"])
        .expect(0)
        .stderr;
    assert_eq!(deleted, "1 run deleted\n");
    assert_eq!(clerk.only_run()["state"], "waiting");
    let rest = text_of(&clerk.only_run()["run"]).to_owned();
    clerk.runs(&["delete", &rest]).expect(0);
    assert_eq!(listed(&[]), 0);
    assert_eq!(
        clerk.runs(&["list"]).expect(0).stderr,
        "the journal has no runs\n"
    );
}

#[test]
fn mistakes_about_journals_are_named() {
    let clerk = Clerk::new(GREETING, [Answer::Call("sayHello", "{}")]);
    let none = agent(&["runs", "list"]).expect(2).stderr;
    assert!(none.contains("--journal FILE"), "{none}");
    let missing = clerk.runs(&["list"]).expect(2).stderr;
    assert!(missing.contains("there is no journal"), "{missing}");
    let text = clerk
        .folder
        .file("notes.txt", "These are notes, and no journal of any kind.");
    let notes = agent(&["runs", "list", "--journal", &text])
        .expect(2)
        .stderr;
    let named = notes.contains("notes.txt") && notes.contains("or runs");
    assert!(named, "{notes}");
    clerk.run().expect(1);
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    let misspelt = format!("{}x", &id[..id.len() - 1]);
    let unknown = clerk.runs(&["show", &misspelt]).expect(2).stderr;
    assert!(
        unknown.contains(&format!("did you mean `{id}`?")),
        "{unknown}"
    );
    let unknown = clerk.runs(&["show", ""]).expect(2).stderr;
    assert!(unknown.contains("the journal has no run"), "{unknown}");
    let text = clerk.runs(&["edit", &id, "c1", "Eve"]).expect(2).stderr;
    assert!(
        text.contains("the arguments cannot be read as JSON"),
        "{text}"
    );
    let twice = r#"{"personName": "Eve", "personName": "Ada"}"#;
    let twice = clerk.runs(&["edit", &id, "c1", twice]).expect(2).stderr;
    assert!(twice.contains("\"personName\" is there twice"), "{twice}");
    let wrong = clerk
        .runs(&["edit", &id, "c1", r#"{"name": "Eve"}"#])
        .expect(2)
        .stderr;
    assert!(wrong.contains("name"), "{wrong}");
    let done = clerk.runs(&["done", &id, "c1", "Hello"]).expect(2).stderr;
    assert!(done.contains("c1"), "{done}");
    for age in ["30", "d", "-1d", "0d", "3 weeks"] {
        let age = format!("--older-than={age}");
        let wrong = clerk.runs(&["delete", &age]).expect(2).stderr;
        assert!(wrong.contains("30d"), "{wrong}");
    }
    // Nothing of this changed the run.
    assert_eq!(clerk.only_run()["state"], "waiting");
    let both = agent(&[
        "run",
        "a.gram",
        "--journal",
        "runs.db",
        "--conversation",
        "ada",
    ]);
    assert!(both.expect(2).stderr.contains("cannot be used with"));
}

#[test]
fn a_changed_record_is_an_error() {
    let clerk = Clerk::new(GREETING, [Answer::Call("sayHello", "{}")]);
    clerk.run().expect(1);
    let id = text_of(&clerk.only_run()["run"]).to_owned();
    let file = rusqlite::Connection::open(&clerk.journal).expect("a file");
    let changed = file
        .execute("UPDATE record SET json = replace(json, 'Ada', 'Eve')", [])
        .expect("it can be changed");
    assert!(changed > 0);
    drop(file);
    for arguments in [["show", &id], ["resume", &id]] {
        let error = clerk.runs(&arguments).expect(2).stderr;
        assert!(
            error.contains("record 0 does not fit its checksum"),
            "{error}"
        );
    }
}
