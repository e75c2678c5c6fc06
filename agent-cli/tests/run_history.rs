//! `agent run --history` and `--stream`.

use crate::support::{Folder, agent, agent_with};
use serde_json::json;

const HELLO: &str = "agents/hello.gram";

fn examples() -> String {
    json!([
        {"role": "user", "content": "Hello, I'm Bob"},
        {"role": "assistant", "content": "", "toolCalls": [
            {"id": "c1", "tool": "sayHello", "args": {"personName": "Bob"}}]},
        {"role": "function", "name": "sayHello", "callId": "c1", "content": "Hello, Bob!"},
        {"role": "assistant", "content": "I greeted Bob."},
    ])
    .to_string()
}

#[test]
fn begins_a_conversation_with_a_history() {
    let folder = Folder::new();
    let path = folder.file("examples.json", examples());
    let args = [
        "run",
        HELLO,
        "Hello, I'm Ada",
        "--offline",
        "--format",
        "json",
        "--history",
    ];
    let first = agent(&[&args[..], &[path.as_str()]].concat()).expect(0);
    let document = first.json();
    assert_eq!(document["conversation"][0]["content"], "Hello, I'm Bob");
    assert_eq!(
        document["conversation"].as_array().expect("messages").len(),
        8
    );
    assert_eq!(
        document["responses"].as_array().expect("responses").len(),
        1
    );

    // The output of a run is a history, too, and can be read from standard input.
    let second = agent_with(&[&args[..], &["-"]].concat(), first.stdout.as_str()).expect(0);
    assert_eq!(
        second.json()["conversation"]
            .as_array()
            .expect("messages")
            .len(),
        12
    );
}

#[test]
fn rejects_invalid_histories() {
    let folder = Folder::new();
    let run = |path: &str, code| {
        agent(&["run", HELLO, "Hi", "--offline", "--history", path])
            .expect(code)
            .stderr
    };
    for (text, words) in [
        ("[\n  {\"role\": }]", ":2:12: this is not JSON"),
        ("{\"messages\": []}", "the member `conversation`"),
        ("[{\"role\": \"robot\", \"content\": \"\"}]", "robot"),
        ("\"hello\"", "array of messages, and this is a text"),
        ("null", "and this is null"),
        (
            "[{\"role\": \"user\", \"content\": \"a\", \"content\": \"b\"}]",
            "the key \"content\" is there twice",
        ),
        (" \n", "the file is empty"),
        (
            "[{\"role\": \"user\", \"content\": \" \"}]",
            "message 1 of 1 is empty",
        ),
        (
            "[{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": \"\"}]",
            "message 2 of 2 is empty",
        ),
        (
            "[null]",
            "message 1 of 1: this is null; a message is an object, such as {\"role\"",
        ),
        (
            "[{}]",
            "message 1 of 1: `role` is missing; write `user`, `assistant` or",
        ),
        (
            "[{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": 7}]",
            "message 2 of 2: `content` is a text or an array of parts, not a number",
        ),
        (
            "[{\"role\": \"assistant\", \"tool_calls\": []}]",
            "`tool_calls` is unknown; did you mean `toolCalls`?",
        ),
        (
            "[{\"role\": \"assistant\", \"toolCalls\": {}}]",
            "`toolCalls` is an array, not an object",
        ),
        (
            "[{\"role\": \"assistant\", \"toolCalls\": [{\"id\": \"1\", \"tool\": \"t\"}, \"t\"]}]",
            "message 1 of 1: call 2 of `toolCalls`: this is a text; a call is an object",
        ),
        (
            "[{\"role\": \"assistant\", \"toolCalls\": [{\"id\": \"1\"}]}]",
            "call 1 of `toolCalls`: `tool` is missing",
        ),
        ("[{\"role\": \"function\"}]", "needs `name` and `callId`"),
        (
            "[{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"toolCalls\": \
             [{\"id\": \"c1\", \"tool\": \"t\"}]}]",
            "message 2 of the conversation makes the call `c1`, which has no result",
        ),
        (
            "[{\"role\": \"function\", \"name\": \"f\", \"callId\": \"1\", \"content\": \"\"}]",
            "no model would accept this conversation",
        ),
        (
            "[:Conversation |\n  (:Message {role: })]",
            ":2:20: this is not gram",
        ),
        (
            "[:Conversation | (:Message {role: \"user\"})]",
            "message 1 of 1: `content` is missing",
        ),
        ("[:Conversation | a]\n[:Conversation | b]", "here are 2"),
        (
            "[:AgentResponse {content: \"Hi\"} | a]",
            "this is gram, but its pattern is labelled `AgentResponse`; a history is one pattern",
        ),
        (
            "(:AgentResponse {content: \"Hi\"})\n(:AgentResponse {content: \"Ho\"})",
            "this is gram, but with 2 patterns, the first of which is labelled `AgentResponse`",
        ),
        ("// nothing\n[talk | a]", "its pattern has no label"),
        (
            "[talk:Conversation |\n  (:Message {role: })]",
            ":2:20: this is not gram",
        ),
        (
            "[:Conversation |\n  (:Message {role: \"user\", content: \"a\", content: \"b\"})]",
            ":2:42: the key `content` occurs twice",
        ),
        (
            "[:Conversation | [:Message {role: \"assistant\", content: \"\"} | [:ToolCall {callId: \
             \"c\", args: {a: [{b: 1, b: 2}]}} | t]]]",
            "the key `b` occurs twice",
        ),
    ] {
        let stderr = run(&folder.file("history.json", text), 1);
        assert!(stderr.contains(words), "{text}: {stderr}");
        assert!(stderr.contains("history.json"), "{stderr}");
    }
    assert!(run("missing.json", 2).contains("missing.json"));
    let directory = run(&folder.path(), 2);
    assert!(
        directory.contains("is a directory; --history needs one file, of JSON or gram"),
        "{directory}"
    );
    // The same error as for other files that are not text.
    let latin = folder.file("latin.json", b"[\n\"gr\xfc\xdf\"]");
    let stderr = run(&latin, 2);
    assert!(
        stderr.contains("not UTF-8") && stderr.contains("line 2"),
        "{stderr}"
    );
    agent(&["check", &latin]).expect(2);
    let twice = agent(&["run", "-", "Hi", "--history", "-"]).expect(2);
    assert!(twice.stderr.contains("only once"), "{}", twice.stderr);
}

#[test]
fn a_streamed_run_sends_the_same_history() {
    let plain = agent(&["run", HELLO, "Hello, I'm Ada", "--offline"]).expect(0);
    let streamed = agent(&["run", HELLO, "Hello, I'm Ada", "--offline", "--stream"]).expect(0);
    assert_eq!(streamed.stdout, plain.stdout);
    let json = [
        "run",
        HELLO,
        "Hello, I'm Ada",
        "--offline",
        "--format",
        "json",
    ];
    let plain = agent(&json).expect(0);
    let streamed = agent(&[&json[..], &["--stream"]].concat()).expect(0);
    assert_eq!(streamed.stdout, plain.stdout);
}

#[test]
fn accepts_an_empty_history() {
    let folder = Folder::new();
    let plain = agent(&["run", HELLO, "Hello, I'm Ada", "--offline"]).expect(0);
    for empty in ["[]", " [ ]\n", "{\"conversation\": []}"] {
        let path = folder.file("empty.json", empty);
        let args = [
            "run",
            HELLO,
            "Hello, I'm Ada",
            "--offline",
            "--history",
            &path,
        ];
        assert_eq!(agent(&args).expect(0).stdout, plain.stdout);
    }
}

#[test]
fn a_history_with_too_many_values_is_refused() {
    let folder = Folder::new();
    let path = folder.file(
        "long.json",
        format!("[{}{{}}]", "{\"a\":1},".repeat(600_000)),
    );
    let ended = agent(&["run", HELLO, "Hi", "--offline", "--history", &path]).expect(1);
    assert!(
        ended.stderr.contains("has more than 1000000 JSON values"),
        "{}",
        ended.stderr
    );
}
