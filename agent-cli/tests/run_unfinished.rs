//! `agent run`: runs that an error or Ctrl-C ends.
#![cfg(unix)]

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, command};
use rusqlite::Connection;
use serde_json::Value;
use std::io::Read as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const HELLO: &str = "agents/hello.gram";
const PRICE: &str = "--price=OpenAI/gpt-6-luna=10,100";
const COST: &str = "cost: at least $0.0020 (2 requests, 100 tokens sent, 10 written)";

fn call() -> Answer {
    Answer::Call("sayHello", "{\"personName\":\"Ada\"}")
}

/// Starts `agent run` with these messages and options.
fn begin(script: &Script, args: &[&str]) -> Child {
    let base_url = script.base_url();
    let fixed = ["run", HELLO, "--stream", "--base-url", &base_url, PRICE];
    command(&[&fixed[..], args].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

fn run(answers: impl IntoIterator<Item = Answer>, args: &[&str]) -> CommandOutput {
    let script = Script::start(answers);
    let child = begin(&script, args);
    CommandOutput::of(child.wait_with_output().expect("the command ends"))
}

fn stored(store: &str) -> Value {
    let args = ["conversations", "show", "ada", "--format=json", "--store"];
    agent(&[&args[..], &[store]].concat()).expect(0).json()
}

#[track_caller]
fn ends_with_an_unfinished_answer(messages: &Value) {
    let messages = messages.as_array().expect("messages");
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert_eq!(messages[0]["content"], "Greet Ada");
    assert_eq!(messages[2]["content"], "Hello, Ada! Nice to meet you.");
    assert_eq!(messages[3]["content"], "I greeted [interrupted]");
}

/// Waits until a part of an answer is printed.
fn wait_for_text(child: &mut Child) {
    let stdout = child.stdout.as_mut().expect("a pipe");
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("I greeted") {
        let mut bytes = [0; 100];
        let read = stdout.read(&mut bytes).expect("a transcript");
        assert!(read > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&bytes[..read]);
    }
}

fn interrupt(child: &Child) {
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("a signal").success());
}

#[test]
fn ctrl_c_stores_the_messages_and_the_partial_answer() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let script = Script::start([call(), Answer::Hang("I greeted ")]);
    let args = ["Greet Ada", "--conversation=ada", "--store", &store];
    let mut child = begin(&script, &args);
    wait_for_text(&mut child);
    interrupt(&child);
    let ended = CommandOutput::of(child.wait_with_output().expect("the command ends")).expect(130);
    let lines = [
        "stopped",
        "the partial answer stays in the conversation, marked [interrupted]",
        COST,
    ];
    assert_eq!(ended.stderr.lines().collect::<Vec<_>>(), lines);
    ends_with_an_unfinished_answer(&stored(&store));
}

#[test]
fn a_second_ctrl_c_ends_the_program_at_once() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let script = Script::start([Answer::Hang("I greeted ")]);
    let args = ["Greet Ada", "--conversation=ada", "--store", &store];
    let mut child = begin(&script, &args);
    wait_for_text(&mut child);
    // Storing waits for ten seconds, because the database is locked.
    let database = Connection::open(&store).expect("a database");
    database.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        interrupt(&child);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(begun.elapsed() < Duration::from_secs(8));
    CommandOutput::of(child.wait_with_output().expect("the command ends")).expect(130);
}

#[test]
fn stores_and_prints_an_answer_that_breaks_off() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let kept = ["--conversation=ada", "--store", &store];
    let args = [&["Greet Ada", "--format=json"][..], &kept].concat();
    let ended = run([call(), Answer::Break("I greeted ")], &args).expect(1);
    ends_with_an_unfinished_answer(&ended.json()["conversation"]);
    ends_with_an_unfinished_answer(&stored(&store));
    assert_eq!(ended.stderr.lines().last(), Some(COST), "{}", ended.stderr);
}

#[test]
fn prints_the_results_before_an_error() {
    let answers = || [Answer::Text(&["Hello."]), Answer::Refuse(400)];
    let ended = run(answers(), &["Hi", "Ho", "--format=json"]).expect(1);
    let document = ended.json();
    assert_eq!(document["responses"][0]["content"], "Hello.");
    assert_eq!(document["conversation"][1]["content"], "Hello.");
    assert_eq!(ended.stderr.lines().last(), Some(COST), "{}", ended.stderr);
    let ended = run(answers(), &["Hi", "Ho", "--format=gram"]).expect(1);
    let shown = &ended.stdout;
    assert!(
        shown.contains(":AgentResponse") && shown.contains("\"Hello.\""),
        "{shown}"
    );
    assert_eq!(ended.stderr.lines().last(), Some(COST), "{}", ended.stderr);
    // The same holds for a configuration error.
    let answers = [Answer::Text(&["Hello."]), Answer::Refuse(401)];
    let ended = run(answers, &["Hi", "Ho", "--format=json"]).expect(2);
    assert_eq!(ended.json()["responses"][0]["content"], "Hello.");
    assert!(ended.stderr.contains("error: "), "{}", ended.stderr);
    // Without results there is no document.
    let ended = run([Answer::Refuse(400)], &["Hi", "--format=json"]).expect(1);
    assert_eq!(ended.stdout, "");
}

#[test]
fn gram_has_the_calls_of_an_unanswered_message() {
    let args = ["Greet Ada", "--format=gram"];
    let limit = ["--max-requests=1"];
    let limited = run([call()], &[&args[..], &limit].concat()).expect(1);
    let broken = run([call(), Answer::Break("I greeted ")], &args).expect(1);
    for (ended, text) in [(&limited, false), (&broken, true)] {
        let shown = &ended.stdout;
        assert!(shown.contains(":UnfinishedResponse {"), "{shown}");
        assert!(shown.contains("(sayHello)"), "{shown}");
        assert!(shown.contains("inputTokens: 100"), "{shown}");
        assert_eq!(shown.contains("content: \"I greeted\""), text, "{shown}");
        assert!(!shown.contains(":AgentResponse"), "{shown}");
    }
}

#[test]
fn prints_an_answer_that_cannot_be_stored() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let script = Script::start([Answer::Wait("Hello, ", "Ada.")]);
    let kept = ["--conversation=ada", "--store", &store];
    let child = begin(&script, &[&["Hi", "--format=json"][..], &kept].concat());
    while script.messages().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let database = Connection::open(&store).expect("a database");
    database
        .execute_batch("DROP TABLE message")
        .expect("the table goes");
    script.resume();
    let ended = CommandOutput::of(child.wait_with_output().expect("the command ends")).expect(2);
    assert_eq!(ended.json()["responses"][0]["content"], "Hello, Ada.");
    let (error, cost) = ended.stderr.split_once("cost: ").expect("a cost");
    assert!(
        error.contains("cannot be written to the journal"),
        "{error}"
    );
    assert!(error.contains("is damaged"), "{error}");
    let run = ended.json()["unendedRun"]
        .as_str()
        .expect("a run")
        .to_owned();
    assert!(
        error.contains(&format!("agent runs resume {run}")),
        "{error}"
    );
    assert_eq!(cost.lines().count(), 1, "{cost}");
}
