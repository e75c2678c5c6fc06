//! Sending a part of a long conversation.

use crate::support::script::{Answer, Script};
use crate::support::{Folder, agent, agent_with};
use serde_json::{Value, json};

const HELLO: &str = "agents/hello.gram";

/// A history of three turns. The last one is long.
fn history(folder: &Folder) -> String {
    let say = |user: &str, model: &str| {
        [
            json!({"role": "user", "content": user}),
            json!({"role": "assistant", "content": model}),
        ]
    };
    let long = "word ".repeat(100);
    let said = [say("one", "1"), say("two", "2"), say("three", &long)].concat();
    folder.file("history.json", Value::from(said).to_string())
}

/// Returns the texts of a request after the instruction.
fn texts(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().expect("messages");
    let texts = messages[1..].iter();
    texts
        .map(|message| message["content"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn sends_the_last_turns_and_prints_all() {
    let folder = Folder::new();
    let history = history(&folder);
    for (keep, first, count) in [
        (&[][..], "one", 7),
        // Beyond the limit, half of it is kept.
        (&["--keep-turns", "3"], "one", 7),
        (&["--keep-turns", "2"], "three", 3),
        (&["--keep-turns", "0"], "four", 1),
        // The last turn has more tokens, and is sent anyway.
        (&["--keep-tokens", "10"], "three", 3),
        (&["--keep-tokens", "10000"], "one", 7),
        (&["--keep-tokens", "10000", "--keep-turns", "1"], "three", 3),
    ] {
        let script = Script::start([Answer::Text(&["4"])]);
        let base_url = script.base_url();
        let args = ["run", HELLO, "four", "--history", &history];
        let options = ["--stream", "--format=json", "--base-url", &base_url];
        let ended = agent(&[&args[..], keep, &options].concat()).expect(0);
        let sent = texts(&script.messages()[0]);
        assert_eq!((sent[0].as_str(), sent.len()), (first, count), "{keep:?}");
        let document = ended.json();
        let said = document["conversation"].as_array().expect("messages");
        assert_eq!((said.len(), &said[7]["content"]), (8, &json!("4")));
    }
}

#[test]
fn stores_all_turns() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let kept = ["--conversation", "ada", "--store", &store];
    let script = Script::start(["1", "2", "3", "4"].map(|_| Answer::Text(&["Yes."])));
    let base_url = script.base_url();
    let options = ["--base-url", &base_url, "--keep-turns", "1"];
    let options = [&options[..], &kept].concat();
    let run = ["run", HELLO, "one", "two", "--stream"];
    agent(&[&run[..], &options].concat()).expect(0);
    agent_with(&[&["chat", HELLO], &options[..]].concat(), "three\nfour").expect(0);
    let sent: Vec<_> = script.messages().iter().map(texts).collect();
    assert_eq!(sent[2], ["two", "Yes.", "three"]);
    assert_eq!(sent[3], ["three", "Yes.", "four"]);
    let listed = agent(&["conversations", "list", "--store", &store]).expect(0);
    assert_eq!(listed.stdout, "ada: 8 messages\n");
}

#[test]
fn a_chat_saves_all_turns() {
    let folder = Folder::new();
    let path = format!("{}/talk.json", folder.path());
    let input = format!("Hello, I'm Ada\nHello, I'm Bob\n/save {path}");
    let args = ["chat", HELLO, "--offline", "--keep-turns", "0"];
    let ended = agent_with(&args, input).expect(0);
    assert!(
        ended.stdout.contains("saved 8 messages"),
        "{}",
        ended.stdout
    );
}

#[test]
fn compact_above_sends_a_summary_and_keeps_all_messages() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let kept = ["--conversation", "ada", "--store", &store];
    let answers = [&["1"], &["Two questions."], &["2"], &["3"]].map(|text| Answer::Text(text));
    let script = Script::start(answers);
    let base_url = script.base_url();
    let price = "OpenAI/gpt-6-luna=1,1";
    let options = [
        "--base-url",
        &base_url,
        "--compact-above",
        "1000",
        "--price",
        price,
    ];
    let options = [&options[..], &kept].concat();
    let long = "word ".repeat(1_000);
    let run = ["run", HELLO, &long, "two", "--stream"];
    let ended = agent(&[&run[..], &options].concat()).expect(0);
    let line = "📝 the model gets a summary of the first 2 messages from now on\n";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    assert!(ended.stderr.contains("(3 requests"), "{}", ended.stderr);
    let chat = agent_with(&[&["chat", HELLO], &options[..]].concat(), "three\n/usage").expect(0);
    assert!(chat.stdout.contains("requests: 1\n"), "{}", chat.stdout);
    let sent = script.messages();
    assert!(sent[1].to_string().contains("word word"));
    let summary = "Summary of the conversation so far:\nTwo questions.";
    assert_eq!(texts(&sent[2]), [summary, "two"]);
    assert_eq!(texts(&sent[3]), [summary, "two", "2", "three"]);
    let shown = agent(&["conversations", "show", "ada", "--store", &store]).expect(0);
    assert!(
        shown.stdout.contains("💬 word word") && shown.stdout.contains("📝 Summary"),
        "{}",
        shown.stdout
    );
    let args = [
        "run",
        HELLO,
        "four",
        "--compact-above",
        "3",
        "--base-url",
        &base_url,
    ];
    let refused = agent(&args).expect(2);
    assert!(
        refused.stderr.contains("compacted above 3 tokens"),
        "{}",
        refused.stderr
    );
}
