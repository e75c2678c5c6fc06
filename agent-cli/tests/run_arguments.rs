//! Agents that are called with arguments: `--arg`, and the agent that a document is about.

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with};
use serde_json::{Value, json};
use std::fs;

const TRANSLATE: &str = "[translate:Agent {instruction: \"Translate into {{language}}.\", model: \"OpenAI/m\"} |
    (text::Text)==>(language::Text {enum: [\"de\", \"fr\"]})==>(times::Int {default: 1})==>(::String)]";
const LOOK: &str = "[look:Agent {instruction: \"Look.\", model: \"OpenAI/m\"} |
    (photo::Image)==>(question::Text)==>(more::Parts {optional: true})==>(::String)]";

/// Runs an agent whose model answers. Returns the messages of its requests, too.
fn run(document: &str, args: &[&str], answers: usize) -> (CommandOutput, Vec<Value>) {
    let folder = Folder::new();
    let file = folder.file("agent.gram", document);
    let script = Script::start((0..answers).map(|_| Answer::Text(&["Bonjour"])));
    let base_url = script.base_url();
    let all = [&["run", &file], args, &["--base-url", &base_url]].concat();
    (agent(&all), script.messages())
}

/// Runs an agent, which fails before a request, and returns the error.
fn error(document: &str, args: &[&str], code: i32) -> String {
    let (ended, requests) = run(document, args, 0);
    assert_eq!(requests, Vec::<Value>::new());
    ended.expect(code).stderr
}

#[test]
fn arguments_fill_the_instruction_and_the_message() {
    let args = [
        "--arg",
        "text=Guten Tag = {{language}}",
        "--arg",
        "language=fr",
    ];
    let (ended, requests) = run(TRANSLATE, &args, 1);
    let ended = ended.expect(0);
    assert_eq!(
        ended.stdout,
        "💬 text=Guten Tag = {{language}}, language=fr\n🤖 Bonjour\n"
    );
    assert_eq!(
        requests[0],
        json!([
            {"role": "system", "content": "Translate into fr."},
            {"role": "user", "content": "Guten Tag = {{language}}"},
        ])
    );
}

#[test]
fn a_message_is_the_required_text_without_an_argument() {
    let args = [
        "Guten Tag",
        "Gute Nacht",
        "--arg",
        "language=fr",
        "--arg",
        "times=2",
    ];
    let (ended, requests) = run(TRANSLATE, &args, 2);
    let ended = ended.expect(0);
    assert!(
        ended
            .stdout
            .starts_with("💬 Guten Tag (language=fr, times=2)\n🤖 Bonjour\n💬 Gute Nacht"),
        "{}",
        ended.stdout
    );
    assert_eq!(requests[1][0]["content"], "Translate into fr.");
    assert_eq!(requests[1][3]["content"], "Gute Nacht");
}

#[test]
fn wrong_arguments_name_the_parameter_its_type_and_the_nearest_name() {
    for (args, code, parts) in [
        (
            &["--arg", "txt=a"][..],
            2,
            &["no parameter `txt`; did you mean `text`?"][..],
        ),
        (
            &["--arg", "colour=a"],
            2,
            &["no parameter `colour`; it has text, language, times"],
        ),
        (
            &[
                "--arg",
                "text=a",
                "--arg",
                "language=de",
                "--arg",
                "times=twice",
            ],
            2,
            &["the parameter `times` is `Int`, and `twice` is not JSON"],
        ),
        (
            &["--arg", "text=a", "--arg", "text=b"],
            2,
            &["`--arg` is given twice for `text`"],
        ),
        (
            &["--arg", "text"],
            2,
            &["write NAME=VALUE, such as language=de"],
        ),
        (
            &["--arg", "text=a"],
            2,
            &["needs `language` (Text); write `--arg language=…`"],
        ),
        (
            &[],
            2,
            &["needs `text` (Text), `language` (Text); write `--arg text=… --arg language=…`"],
        ),
        (
            &["Hi", "--arg", "text=a", "--arg", "language=de"],
            2,
            &["there is no parameter for a message"],
        ),
        (
            &["Hi", "--arg", "times=2"],
            2,
            &["could be each of `text` (Text), `language` (Text)"],
        ),
        (
            &["Hi"],
            2,
            &[
                "needs `text` (Text), `language` (Text), and a message is only one required text, such as `text`",
                "write `--arg language=…` besides the message",
            ],
        ),
        (
            &["--arg", "text=a", "--arg", "language=es"],
            1,
            &["`translate`", "language", "\"de\"", "\"fr\""],
        ),
        (
            &["--arg", "text= ", "--arg", "language=de"],
            1,
            &["the argument `text` of the agent `translate` is empty"],
        ),
    ] {
        let stderr = error(TRANSLATE, args, code);
        for part in parts {
            assert!(stderr.contains(part), "{args:?}: {stderr}");
        }
    }
    let message = error(
        "[a:Agent {instruction: \"i\", model: \"OpenAI/m\"}]",
        &[],
        2,
    );
    assert!(
        message.contains("write a MESSAGE to the agent `a`"),
        "{message}"
    );
}

#[test]
fn files_become_parts_of_the_message() {
    let folder = Folder::new();
    let png = folder.file(
        "photo.png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
    );
    let text = folder.file("notes.md", "# Notes");
    let photo = format!("photo=@{png}");
    let (first, second) = (format!("more={png}"), format!("more=@{text}"));
    let args = [
        "What is this?",
        "--arg",
        &photo,
        "--arg",
        &first,
        "--arg",
        &second,
    ];
    let (ended, requests) = run(LOOK, &args, 1);
    ended.expect(0);
    let parts = requests[0][1]["content"].as_array().expect("parts");
    let kinds: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["text", "image_url", "image_url", "text"],
        "{parts:?}"
    );
    assert_eq!(parts[0]["text"], "What is this?");

    let wrong = format!("photo=@{text}");
    let stderr = error(LOOK, &["Hi", "--arg", &wrong], 2);
    assert!(
        stderr.contains("the parameter `photo` is `Image`, and") && stderr.contains("`document`"),
        "{stderr}"
    );
    let stderr = error(LOOK, &["Hi", "--arg", "photo=nowhere.png"], 2);
    assert!(stderr.contains("cannot attach `nowhere.png`"), "{stderr}");
}

#[test]
fn a_batch_has_arguments_on_its_lines() {
    let folder = Folder::new();
    let lines = folder.file(
        "in.jsonl",
        "{\"id\": \"a\", \"arguments\": {\"text\": \"Hallo\", \"language\": \"fr\"}}\n\
         {\"id\": \"b\", \"input\": \"Guten Tag\"}\n\"Tag\"\n",
    );
    let output = format!("{}/out.jsonl", folder.path());
    let args = [
        "--batch",
        &lines,
        "--output",
        &output,
        "--concurrency",
        "1",
        "--arg",
        "language=de",
    ];
    let (ended, requests) = run(TRANSLATE, &args, 3);
    ended.expect(0);
    let sent: Vec<(&Value, &Value)> = requests
        .iter()
        .map(|messages| (&messages[0]["content"], &messages[1]["content"]))
        .collect();
    let expected = [
        (json!("Translate into fr."), json!("Hallo")),
        (json!("Translate into de."), json!("Guten Tag")),
        (json!("Translate into de."), json!("Tag")),
    ];
    assert_eq!(
        sent,
        expected.each_ref().map(|(system, user)| (system, user))
    );
    assert_eq!(
        fs::read_to_string(&output)
            .expect("results")
            .lines()
            .count(),
        3
    );

    let lines = folder.file(
        "wrong.jsonl",
        "{\"arguments\": []}\n{\"arguments\": {\"text\": \"Hallo\"}}\n{\"input\": \"a\", \"arguments\": {\"text\": \"b\"}}\n{\"input\": \"a\"}\n",
    );
    let output = format!("{}/none.jsonl", folder.path());
    let stderr = error(TRANSLATE, &["--batch", &lines, "--output", &output], 1);
    for part in [
        "wrong.jsonl:1: `arguments` is no object",
        "wrong.jsonl:2: the agent `translate` needs `language` (Text); write `\"arguments\": {\"language\": …}`",
        "wrong.jsonl:4: the agent `translate` needs `text` (Text), `language` (Text)",
        "such as `text`; write `\"arguments\": {\"language\": …}` besides the message",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn the_lines_of_a_batch_name_files_as_arguments() {
    let folder = Folder::new();
    let png = folder.file(
        "photo.png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
    );
    let line = |photo: &str| json!({"input": "What?", "arguments": {"photo": photo}}).to_string();
    let lines = folder.file(
        "in.jsonl",
        format!("{}\n{}\n", line(&png), line(&format!("@{png}"))),
    );
    let output = format!("{}/out.jsonl", folder.path());
    let args = ["--batch", &lines, "--output", &output];
    let (ended, requests) = run(LOOK, &args, 2);
    ended.expect(0);
    for messages in requests {
        let url = &messages[1]["content"][1]["image_url"]["url"];
        let url = url.as_str().expect("a URL");
        assert!(url.starts_with("data:image/png;base64,iVBO"), "{url}");
    }

    let lines = folder.file("wrong.jsonl", line("-"));
    let output = format!("{}/none.jsonl", folder.path());
    let stderr = error(LOOK, &["--batch", &lines, "--output", &output], 1);
    assert!(
        stderr.contains("a line attaches files, and `-` is none"),
        "{stderr}"
    );
}

#[test]
fn a_chat_has_the_same_arguments_for_each_message() {
    let folder = Folder::new();
    let file = folder.file("agent.gram", TRANSLATE);
    let script = Script::start([Answer::Text(&["Bonjour"]), Answer::Text(&["Salut"])]);
    let base_url = script.base_url();
    let args = [
        "chat",
        &file,
        "--arg",
        "language=fr",
        "--base-url",
        &base_url,
    ];
    let ended = agent_with(&args, "Guten Tag\nHallo\n").expect(0);
    assert!(ended.stdout.contains("Salut"), "{}", ended.stdout);
    let requests = script.messages();
    assert_eq!(requests[1][0]["content"], "Translate into fr.");
    assert_eq!(requests[1][3]["content"], "Hallo");
    let ended = agent_with(&["chat", &file, "--base-url", &base_url], "Hallo\n").expect(2);
    assert!(
        ended
            .stderr
            .contains("write `--arg language=…` besides the message"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_agent_that_no_other_calls_is_run() {
    let expert = "[b:Agent {description: \"d\", instruction: \"B.\", model: \"OpenAI/m\"}]";
    let document = format!("{expert}\n[a:Agent {{instruction: \"A.\", model: \"OpenAI/m\"}} | b]");
    let (ended, requests) = run(&document, &["Hi"], 1);
    ended.expect(0);
    assert_eq!(requests[0][0]["content"], "A.");
    let several = format!("{document}\n[c:Agent {{instruction: \"C.\", model: \"OpenAI/m\"}}]");
    let stderr = error(&several, &["Hi"], 2);
    assert!(
        stderr.contains("declares several agents; choose one with --agent: a, c"),
        "{stderr}"
    );
    let circle = "[a:Agent {description: \"d\", instruction: \"A.\", model: \"OpenAI/m\"} | b]
        [b:Agent {description: \"d\", instruction: \"B.\", model: \"OpenAI/m\"} | a]";
    let stderr = error(circle, &["Hi"], 2);
    assert!(
        stderr.contains(
            "declares agents that are all called by others; choose one with --agent: a, b"
        ),
        "{stderr}"
    );
}
