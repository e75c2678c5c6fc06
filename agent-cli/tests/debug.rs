//! The output of `agent run --debug`.

use crate::support::script::{Answer, Script};
use crate::support::server::OneAnswer;
use crate::support::{CommandOutput, Folder, command};
use serde_json::Value;

const KEY: &str = "sk-very-secret-0123456789";

/// Runs an agent with `--debug`; the user's message contains the key.
fn debugged(server: &OneAnswer, options: &[&str]) -> CommandOutput {
    let document = "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"}]";
    debugged_with(server, document, options)
}

/// Runs the agent of this document with `--debug`.
fn debugged_with(server: &OneAnswer, document: &str, options: &[&str]) -> CommandOutput {
    let folder = Folder::new();
    let document = folder.file("a.gram", document);
    let (base_url, message) = (server.base_url(), format!("My key is {KEY}."));
    let arguments = [
        "run",
        &document,
        &message,
        "--debug",
        "--base-url",
        &base_url,
    ];
    let mut command = command(&arguments);
    let output = command.args(options).env("OPENAI_API_KEY", KEY).output();
    CommandOutput::of(output.expect("the command starts"))
}

/// Returns the JSON texts that follow this line.
#[track_caller]
fn after(stderr: &str, line: &str) -> Value {
    let (_, rest) = stderr
        .split_once(line)
        .unwrap_or_else(|| panic!("no {line}: {stderr}"));
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    values.next().expect("a value").expect("JSON")
}

#[test]
fn shows_request_and_answer_without_the_key() {
    let answer = format!(
        r#"{{"id":"x","n":1.50,"choices":[{{"message":{{"content":"It is {KEY}."}}}}],"n":2}}"#
    );
    let server = OneAnswer::answering("200 OK", "application/json", answer);
    let ended = debugged(&server, &["--format=json"]).expect(0);
    assert_eq!(ended.json()["conversation"][0]["role"], "user");
    let base_url = server.base_url();
    let request = after(
        &ended.stderr,
        &format!("→ POST {base_url}/chat/completions\n"),
    );
    assert_eq!(request["model"], "m");
    assert_eq!(request["messages"][1]["content"], "My key is [key].");
    // Only the indentation changes; a tree of values would lose a digit and a key.
    let shown = r#"← 200
{
  "id": "x",
  "n": 1.50,
  "choices": [
    {
      "message": {
        "content": "It is [key]."
      }
    }
  ],
  "n": 2
}
"#;
    assert!(ended.stderr.contains(shown), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("gen_ai.operation.name"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
    assert!(server.request().contains(&format!("Bearer {KEY}")));
}

/// A document can contain keys that the program does not know; they are sent, but not shown.
#[test]
fn redacts_keys_in_the_document() {
    let instruction_key = "sk-ant-api03-0123456789abcdef";
    let answer = format!(
        r#"{{"choices":[{{"message":{{"content":"{instruction_key}"}}}}],"api_key":"hunter2"}}"#
    );
    let server = OneAnswer::answering("200 OK", "application/json", answer);
    let document = format!(
        "[a:Agent {{instruction: \"Your key is {instruction_key}.\", model: \"OpenAI/m\", \
         extra: {{search: {{apiKey: \"hunter2\", headers: {{Authorization: \"Basic dTpw\"}}}}, \
         user: \"ada\", prompt_cache_key: \"ada-2024-greeting\"}}}}]"
    );
    let ended = debugged_with(&server, &document, &[]).expect(0);
    let base_url = server.base_url();
    let request = after(
        &ended.stderr,
        &format!("→ POST {base_url}/chat/completions\n"),
    );
    assert_eq!(request["messages"][0]["content"], "Your key is [key].");
    let search = serde_json::json!({"apiKey": "[key]", "headers": {"Authorization": "[key]"}});
    assert_eq!(request["search"], search);
    assert_eq!(request["user"], "ada");
    assert_eq!(request["prompt_cache_key"], "ada-2024-greeting");
    let answer = after(&ended.stderr, "← 200\n");
    assert_eq!(answer["choices"][0]["message"]["content"], "[key]");
    assert_eq!(answer["api_key"], "[key]");
    for key in [instruction_key, "hunter2", "dTpw"] {
        assert!(!ended.stderr.contains(key), "{}", ended.stderr);
    }
    let sent = server.request();
    assert!(
        sent.contains(instruction_key) && sent.contains("hunter2"),
        "{sent}"
    );
}

#[test]
fn shows_each_piece_of_a_streamed_answer() {
    let pieces = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"It is {KEY}.\"}}}}]}}\n\n\
         data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n\
         data: [DONE]\n\n"
    );
    let server = OneAnswer::answering("200 OK", "text/event-stream", pieces);
    let ended = debugged(&server, &["--stream", "--format=json"]).expect(0);
    ended.json();
    let shown = r#"← {"choices":[{"index":0,"delta":{"content":"It is [key]."}}]}
← {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
← [DONE]
"#;
    assert!(ended.stderr.contains(shown), "{}", ended.stderr);
    assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
}

#[test]
fn shows_error_answers() {
    let answer = format!(r#"{{"error":{{"message":"{KEY} may not"}}}}"#);
    let server = OneAnswer::answering("400 Bad Request", "application/json", answer);
    let ended = debugged(&server, &[]).expect(1);
    let error = after(&ended.stderr, "← 400\n");
    assert_eq!(error["error"]["message"], "[key] may not");
    assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
}

#[test]
fn a_body_forges_no_line() {
    for body in [
        "🤖 All done, nothing was deleted.",
        "error: your key is wrong",
        "💬 Hi\n\n🛠️ writeFile {} → ok",
        // Tabs fill the row of a terminal.
        "a\t\t\t\t\t\t\t\t\t\t\t\terror: your key is wrong",
    ] {
        let server =
            OneAnswer::answering("500 Internal Server Error", "text/plain", body.to_owned());
        let ended = debugged(&server, &["--max-attempts=1"]).expect(1);
        let indented = body.replace('\n', "\n    ").replace('\t', "    ");
        let expected = format!("← 500\n    {indented}\n");
        assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
    }
}

#[test]
fn escapes_control_characters_of_an_answer() {
    let page = "<html>\u{1b}[2J</html>".to_owned();
    let server = OneAnswer::answering("404 Not Found", "text/html", page);
    let ended = debugged(&server, &[]).expect(1);
    assert!(
        ended.stderr.contains("<html>\\u001b[2J</html>"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains('\u{1b}'), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn traces_begin_on_a_new_line_in_a_streamed_answer() {
    use crate::support::script::{Answer, Script};
    use crate::support::terminal::Terminal;

    // No part of an answer looks like a trace or a line of the transcript, though a trace ends the line before it.
    for part in ["two.", "💬 Hi", "error: no", "← 200", "2026-01-01 TRACE a"] {
        let script = Script::start([Answer::Wait("One, ", part)]);
        let base_url = script.base_url();
        let arguments = ["run", "agents/hello.gram", "Count", "--stream", "--debug"];
        let mut command = command(&arguments);
        command.args(["--base-url", &base_url]);
        let mut terminal = Terminal::start(command);
        terminal.wait_for("🤖 One, ");
        script.resume();
        let between = terminal.wait_for("← {");
        assert_eq!(between, "\r\n");
        terminal.wait_for(&format!("\r\n    {part}\r\n"));
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn reports_retries_once() {
    let folder = Folder::new();
    let document = folder.file(
        "a.gram",
        "[a:Agent {instruction: \"Help.\", model: \"OpenAI/m\"}]",
    );
    let script = Script::start([
        Answer::Refuse(503),
        Answer::Refuse(503),
        Answer::Text(&["Hello."]),
    ]);
    let base_url = script.base_url();
    let args = [
        "run",
        &document,
        "Hi",
        "--stream",
        "--debug",
        "--base-url",
        &base_url,
    ];
    let ended = CommandOutput::of(command(&args).output().expect("the command starts")).expect(0);
    let told = ended.stderr.matches("resend_count").count();
    let last = "http.request.resend_count=2";
    assert!(
        told > 0 && ended.stderr.matches(last).count() == told,
        "{}",
        ended.stderr
    );
}
