//! Keys in the messages of users and models, which are neither shown nor stored.

use crate::support::script::{Answer, Script};
use crate::support::server::OneAnswer;
use crate::support::{CommandOutput, Folder, agent, command};
use serde_json::Value;
use std::io::Write as _;
use std::process::Stdio;

const KEY: &str = "sk-very-secret-0123456789";
const HELLO: &str = "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"}]";

/// Starts a server whose answer contains the key in two pieces.
fn telling() -> Answer {
    Answer::Text(&["It is sk-very-sec", "ret-0123456789, not sk", "-other."])
}

/// Runs the command with the key in the environment, and with this standard input.
fn ended(arguments: &[&str], input: &str) -> CommandOutput {
    let mut child = command(arguments)
        .env("OPENAI_API_KEY", KEY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("standard input");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    CommandOutput::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_chat_neither_shows_nor_saves_a_key() {
    let folder = Folder::new();
    let document = folder.file("a.gram", HELLO);
    let server = Script::start([telling(), Answer::Text(&["Still."])]);
    let json = format!("{}/talk.json", folder.path());
    let gram = format!("{}/talk.gram", folder.path());
    let input = format!("My key is {KEY}.\n/save {json}\n/save {gram}\nAnd now?\n");
    let arguments = ["chat", &document, "--base-url", &server.base_url()];
    let ended = ended(&arguments, &input).expect(0);
    assert!(
        ended.stdout.starts_with("🤖 It is [key], not sk-other.\n"),
        "{}",
        ended.stdout
    );
    assert!(!ended.stdout.contains(KEY) && !ended.stderr.contains(KEY));
    for path in [&json, &gram] {
        let saved = std::fs::read_to_string(path).expect("it is there");
        assert!(saved.contains("My key is [key]."), "{saved}");
        assert!(saved.contains("It is [key], not sk-other."), "{saved}");
        assert!(!saved.contains(KEY), "{saved}");
    }
    // The model gets the messages unredacted.
    let asked = &server.messages()[1];
    assert_eq!(asked[1]["content"], format!("My key is {KEY}."));
}

#[test]
fn a_stored_conversation_has_no_key() {
    let folder = Folder::new();
    let document = folder.file("a.gram", HELLO);
    let store = format!("{}/conversations.db", folder.path());
    for (command, name) in [("run", "streamed"), ("run", "whole"), ("chat", "chat")] {
        let is_whole = name == "whole";
        let base_url = if is_whole {
            OneAnswer::start(&format!("It is {KEY}, not sk-other.")).base_url()
        } else {
            Script::start([telling()]).base_url()
        };
        let kept = ["--conversation", name, "--store", &store];
        let message = format!("My key is {KEY}.");
        let mut arguments = vec![command, &document, "--base-url", &base_url];
        arguments.extend(kept);
        let mut input = "";
        match command {
            "chat" => input = &message,
            _ => arguments.push(&message),
        }
        if name == "streamed" {
            arguments.push("--stream");
        }
        let ended = ended(&arguments, input).expect(0);
        assert!(ended.stdout.contains("🤖 It is [key], not sk-other.\n"));
        let show = ["conversations", "show", name, "--store", &store];
        let shown = agent(&show).expect(0).stdout;
        assert!(shown.contains("My key is [key]."), "{shown}");
        assert!(shown.contains("It is [key], not sk-other."), "{shown}");
    }
    let bytes = std::fs::read(&store).expect("it is there");
    assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
}

#[test]
fn json_and_gram_output_have_no_key() {
    let folder = Folder::new();
    let document = folder.file("a.gram", HELLO);
    for format in ["json", "gram"] {
        let server = Script::start([telling()]);
        let (base_url, message) = (server.base_url(), format!("My key is {KEY}."));
        let arguments = [
            "run",
            "--stream",
            &document,
            &message,
            "--base-url",
            &base_url,
            "--format",
            format,
        ];
        let ended = ended(&arguments, "").expect(0);
        assert!(ended.stdout.contains("It is [key], not sk-other."));
        assert!(!ended.stdout.contains(KEY), "{}", ended.stdout);
        if format == "json" {
            let said: Value = ended.json();
            assert_eq!(said["conversation"][0]["content"], "My key is [key].");
            assert_eq!(
                said["responses"][0]["content"],
                "It is [key], not sk-other."
            );
        }
    }
}

/// The key is not sent to a provider, so it is known only from the environment.
#[test]
fn redacts_keys_of_search_engines() {
    let folder = Folder::new();
    let document = folder.file("a.gram", HELLO);
    let store = format!("{}/conversations.db", folder.path());
    let server = Script::start([Answer::Text(&["Still."])]);
    let said = "It is serp-0123456789.";
    let base_url = server.base_url();
    let ask = [
        "run",
        &document,
        said,
        "--stream",
        "--debug",
        "--base-url",
        &base_url,
    ];
    let keep = ["--conversation", "c", "--store", &store];
    let output = command(&[&ask[..], &keep].concat())
        .env("SERPAPI_KEY", "serp-0123456789")
        .output();
    let ended = CommandOutput::of(output.expect("the command runs")).expect(0);
    assert!(ended.stderr.contains("It is [key]."), "{}", ended.stderr);
    assert!(
        !ended.stderr.contains("serp-0123456789"),
        "{}",
        ended.stderr
    );
    let shown = agent(&["conversations", "show", "c", "--store", &store]).expect(0);
    assert!(shown.stdout.contains("It is [key]."), "{}", shown.stdout);
}

#[test]
fn a_key_in_an_attached_text_is_neither_shown_nor_stored() {
    let folder = Folder::new();
    let document = folder.file("a.gram", HELLO);
    let notes = folder.file("notes.md", format!("# Keys\n{KEY}\n"));
    let store = format!("{}/conversations.db", folder.path());
    let server = Script::start([Answer::Text(&["Yes."])]);
    let base_url = server.base_url();
    let arguments = [
        "run",
        &document,
        "What?",
        "--attach",
        &notes,
        "--base-url",
        &base_url,
        "--format",
        "json",
        "--media-data",
        "--conversation",
        "ada",
        "--store",
        &store,
    ];
    let shown = ended(&arguments, "").expect(0);
    let data = &shown.json()["conversation"][0]["content"][1]["data"];
    assert_eq!(data, "IyBLZXlzCltrZXldCg==", "{data}");
    let stored = std::fs::read(&store).expect("the store");
    let has = |text: &str| {
        stored
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(has("# Keys\n[key]\n") && !has(KEY));
    // The model gets the text unredacted.
    assert!(server.messages()[0].to_string().contains(KEY));
}
