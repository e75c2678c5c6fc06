//! `agent chat` in a pipe.

use crate::support;
use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with};

const HELLO: &str = "agents/hello.gram";

fn offline(input: &str) -> CommandOutput {
    agent_with(&["chat", HELLO, "--offline"], input)
}

#[test]
fn answers_lines_like_messages_of_a_run() {
    let ended = offline("Hello, I'm Ada\r\n\n  \nHello, I'm Bob").expect(0);
    assert_eq!(
        ended.stdout,
        "🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you.\n\
         🤖 Hello, Ada! Nice to meet you.\n\
         🛠️ sayHello {\"personName\":\"Bob\"} → Hello, Bob! Nice to meet you.\n\
         🤖 Hello, Bob! Nice to meet you.\n"
    );
    assert_eq!(ended.stderr, "");
    assert_eq!(offline("").expect(0).stdout, "");
}

#[test]
fn executes_commands() {
    let folder = Folder::new();
    let path = format!("{}/talk.json", folder.path());
    let input = format!("Hello, I'm Ada\n/save {path}\n/usage\n/quit\nHello, I'm Bob");
    let ended = offline(&input).expect(0);
    assert!(
        ended.stdout.contains("saved 4 messages in"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("requests: 2\n"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("Bob"), "{}", ended.stdout);
    // The saved file is a history, and `/reset` goes back to it.
    let args = ["chat", HELLO, "--offline", "--history", &path];
    let again = format!("{}/again.json", folder.path());
    let input = format!("Hello, I'm Bob\n/reset\n/save {again}");
    agent_with(&args, input).expect(0);
    let read = |path| std::fs::read_to_string(path).expect("it is there");
    assert_eq!(read(&again), read(&path));
}

#[test]
fn a_saved_answer_has_no_hidden_characters() {
    let folder = Folder::new();
    let path = format!("{}/talk.json", folder.path());
    const ANSWER: &str = "a\u{7f}\u{9b}2Jb\u{202e}c\u{200b}";
    let script = Script::start([Answer::Text(&[ANSWER])]);
    let base_url = script.base_url();
    let args = ["chat", HELLO, "--base-url", &base_url];
    agent_with(&args, format!("Hi\n/save {path}\n")).expect(0);
    let saved = std::fs::read_to_string(&path).expect("it is there");
    assert!(
        saved.contains("\"a\\u007f\\u009b2Jb\\u202ec\\u200b\""),
        "{saved}"
    );
    let saved: serde_json::Value = serde_json::from_str(&saved).expect("JSON");
    assert_eq!(saved[1]["content"], ANSWER);
}

#[test]
fn ends_at_a_line_that_is_too_long() {
    let ended = offline(&"a".repeat((32 << 20) + 1)).expect(2);
    assert!(
        ended.stderr.contains("a line has more than 32 MiB"),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.stdout, "");
}

#[test]
fn reports_invalid_commands_and_continues() {
    let ended = offline("/tool\nHello, I'm Ada").expect(1);
    assert!(
        ended.stderr.contains("did you mean `/tools`?"),
        "{}",
        ended.stderr
    );
    assert!(ended.stdout.contains("🤖 Hello, Ada!"), "{}", ended.stdout);
    let ended = offline("/save talk.txt").expect(1);
    assert!(
        ended.stderr.contains("`.json` or `.gram`"),
        "{}",
        ended.stderr
    );
    let ended = offline("/reset --stored").expect(1);
    assert!(ended.stderr.contains("--conversation"), "{}", ended.stderr);
}

#[test]
fn exit_code_tells_that_a_message_failed() {
    for (status, code) in [(400, 1), (401, 2)] {
        let script = Script::start([Answer::Refuse(status), Answer::Text(&["Now."])]);
        let base_url = script.base_url();
        let ended =
            agent_with(&["chat", HELLO, "--base-url", &base_url], "Hello\nHello").expect(code);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
        assert_eq!(ended.stdout, "🤖 Now.\n");
    }
}

/// A model may have nothing to add to what its tools did.
#[test]
fn an_answer_without_text_is_shown_as_such() {
    for command in [&["chat", HELLO][..], &["run", HELLO, "Hello", "--stream"]] {
        let call = Answer::Call("sayHello", "{\"personName\":\"Ada\"}");
        let script = Script::start([call, Answer::Text(&[])]);
        let base_url = script.base_url();
        let args = [command, &["--base-url", &base_url]].concat();
        let ended = agent_with(&args, "Hello").expect(0);
        assert!(
            ended.stdout.ends_with("\n🤖 (no text)\n"),
            "{}",
            ended.stdout
        );
        assert_eq!(script.messages().len(), 2);
    }
}

#[test]
fn reports_errors_before_reading_a_line() {
    let stdin = agent(&["chat", "-"]).expect(2);
    assert!(stdin.stderr.contains("reads messages"), "{}", stdin.stderr);
    let folder = Folder::new();
    let document = support::agent_with_tools("sayHello").replace("Help.", "Help {{who}}.");
    let document = folder.file("agent.gram", document);
    let missing = agent(&["chat", &document, "--offline"]).expect(2);
    assert!(missing.stderr.contains("who"), "{}", missing.stderr);
    let unbound = "[t:Tool {description: \"T.\"} | (x::Int)==>(::Int)]";
    let document = folder.file("unbound.gram", support::agent_with_tools(unbound));
    let unbound = agent(&["chat", &document, "--offline"]).expect(1);
    assert!(unbound.stderr.contains("`t`"), "{}", unbound.stderr);
    let latin = agent_with(&["chat", HELLO, "--offline"], b"gr\xfc\xdf\n".to_vec()).expect(2);
    assert!(latin.stderr.contains("not UTF-8"), "{}", latin.stderr);
}

#[test]
fn names_a_missing_key_and_its_remedies() {
    let ended = agent_with(&["chat", HELLO], "Hello").expect(2);
    assert!(ended.stderr.contains("OPENAI_API_KEY"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--offline"), "{}", ended.stderr);
}

#[test]
fn denies_calls_that_require_approval() {
    let folder = Folder::new();
    let tool = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given \
                name\", requiresApproval: true} | (personName::Text {default: \"world\"})==>(::String)]";
    let document = folder.file("careful.gram", support::agent_with_tools(tool));
    let ended = agent_with(&["chat", &document, "--offline"], "Hello, I'm Ada\nyes").expect(1);
    assert!(
        ended.stdout.contains("nobody is there to give it"),
        "{}",
        ended.stdout
    );
}

#[test]
fn continues_a_stored_conversation() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let kept = ["--offline", "--conversation", "ada", "--store", &store];
    let chat = |input: &str| agent_with(&[&["chat", HELLO][..], &kept].concat(), input);
    let count = || {
        let args = ["conversations", "list", "--store", &store];
        agent(&args).expect(0).stdout
    };
    chat("Hello, I'm Ada\nHello, I'm Bob").expect(0);
    agent(&[&["run", HELLO, "Hello, I'm Eve"][..], &kept].concat()).expect(0);
    assert_eq!(count(), "ada: 12 messages\n");
    chat("Hello, I'm Ada").expect(0);
    assert_eq!(count(), "ada: 16 messages\n");
    let ended = chat("/reset").expect(1);
    assert!(
        ended.stderr.contains("`/reset --stored`"),
        "{}",
        ended.stderr
    );
    assert_eq!(count(), "ada: 16 messages\n");
    chat("/reset --stored\nHello, I'm Ada").expect(0);
    assert_eq!(count(), "ada: 4 messages\n");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_chat_and_keeps_its_messages() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let script = Script::start([
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Hang("I will now think for ev"),
    ]);
    let base_url = script.base_url();
    let kept = ["--conversation", "ada", "--store", &store];
    let args = ["chat", HELLO, "--base-url", &base_url];
    let mut child = support::command(&[&args[..], &kept].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"Greet Ada\nHello\n").expect("a reader");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.contains("Nice to meet you"), "{first}");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill is there").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let shown = agent(&["conversations", "show", "ada", "--store", &store]).expect(0);
    assert!(
        shown.stdout.contains("Nice to meet you"),
        "{}",
        shown.stdout
    );
    drop(stdin);
}

#[test]
fn prints_costs_as_a_run_does() {
    let script = Script::start([Answer::Refuse(400)]);
    let base_url = script.base_url();
    let wrong = [
        "run",
        HELLO,
        "Hi",
        "--base-url",
        &base_url,
        "--price",
        "gpt=1",
    ];
    assert!(agent(&wrong).expect(2).stderr.contains("SENT,WRITTEN"));
    let price = "OpenAI/gpt-6-luna=1,2";
    let args = [
        "run",
        HELLO,
        "Hello",
        "--offline",
        "--format=json",
        "--price",
        price,
    ];
    assert_eq!(agent(&args).expect(0).json()["responses"][0]["cost"], 0.0);
}

#[test]
fn traces_name_the_stored_conversation() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let args = [
        "chat",
        HELLO,
        "--offline",
        "--debug",
        "--conversation",
        "ada",
    ];
    let args = [&args[..], &["--store", &store]].concat();
    let ended = agent_with(&args, "Hello").expect(0);
    let text = "gen_ai.conversation.id=\"ada\"";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn a_saved_conversation_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let new = format!("{}/new.json", folder.path());
    let old = folder.file("old.gram", "(a)");
    let mode = |path: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("a mode");
    };
    mode(&old, 0o644);
    let input = format!("Hello, I'm Ada\n/save {new}\n/save --overwrite {old}\n");
    offline(&input).expect(0);
    for path in [&new, &old] {
        let found = std::fs::metadata(path).expect("it is there").permissions();
        assert_eq!(found.mode() & 0o777, 0o600, "{path}");
        assert!(
            std::fs::read_to_string(path)
                .expect("a text")
                .contains("Ada")
        );
    }
}

#[test]
fn a_call_that_nobody_approved_is_named_at_the_end() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", crate::support::careful_agent());
    let args = ["chat", &document, "--offline", "--no-journal"];
    let ended = agent_with(&args, "Hello, I'm Ada\n").expect(1);
    for part in ["a call was denied", "`--yes`", "`agent run --journal FILE`"] {
        assert_eq!(
            ended.stderr.matches(part).count(),
            1,
            "{part}: {}",
            ended.stderr
        );
    }
    let args = [&args[..], &["--yes"]].concat();
    let ended = agent_with(&args, "Hello, I'm Ada\n").expect(0);
    assert!(!ended.stderr.contains("denied"), "{}", ended.stderr);
}
