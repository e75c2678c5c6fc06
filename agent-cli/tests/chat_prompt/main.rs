//! `agent chat` in a terminal.
#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use support::script::{Answer, Script};
use support::terminal::Terminal;
use support::{Folder, agent_with_tools, command};

const HELLO: &str = "agents/hello.gram";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const UP: &str = "\u{1b}[A";

/// `agent chat`, with a home of its own.
fn chat(folder: &Folder, args: &[&str]) -> Command {
    let mut command = command(&[&["chat"], args].concat());
    command
        .env("TERM", "xterm-256color")
        .env("HOME", folder.path())
        .env("XDG_DATA_HOME", format!("{}/data", folder.path()));
    command
}

fn offline(folder: &Folder) -> Terminal {
    Terminal::start(chat(folder, &[HELLO, "--offline"]))
}

fn scripted(folder: &Folder, script: &Script, args: &[&str]) -> Terminal {
    let base_url = script.base_url();
    let args = [&[HELLO, "--base-url", &base_url][..], args].concat();
    Terminal::start(chat(folder, &args))
}

#[test]
fn it_answers_and_shows_calls_with_their_times() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for("hello_world_agent (offline); `/help` shows the commands");
    terminal.wait_for_prompt();
    terminal.line("Hello, I'm Ada");
    // While it is made, a call is shown by what moves.
    terminal.wait_for("⠋ ");
    terminal.wait_for("🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you.");
    terminal.wait_for(" (");
    terminal.wait_for("s)");
    terminal.wait_for("🤖 Hello, Ada! Nice to meet you.\r\n");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn commands_are_obeyed() {
    let folder = Folder::new();
    let answers = [
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["I greeted ", "her."]),
        Answer::Text(&["Who?"]),
    ];
    let script = Script::start(answers);
    let price = ["--price", "OpenAI/gpt-4o-mini=10,100"];
    let mut terminal = scripted(&folder, &script, &price);
    terminal.wait_for_prompt();
    // Tab completes what is the beginning of one command alone.
    terminal.send("/to\t");
    terminal.wait_for("/tools");
    terminal.line("");
    terminal.wait_for("sayHello (personName::Text {default: \"world\"})==>(::String)");
    terminal.wait_for("Returns a friendly greeting");
    terminal.wait_for_prompt();
    terminal.line("Greet Ada");
    terminal.wait_for("🤖 I greeted her.");
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("requests: 2\r\n");
    terminal.wait_for("200 sent, 20 written\r\n");
    terminal.wait_for("$0.0040");
    terminal.wait_for_prompt();

    let (json, gram) = (
        format!("{}/my talk.json", folder.path()),
        format!("{}/talk.gram", folder.path()),
    );
    for file in [&json, &gram] {
        terminal.line(&format!("/save {file}"));
        terminal.wait_for("saved 4 messages in");
        terminal.wait_for_prompt();
    }
    terminal.line("/save ~/talk.gram");
    terminal.wait_for("error: there is a file");
    terminal.wait_for_prompt();
    terminal.line("/save --overwrite ~/talk.gram");
    terminal.wait_for("saved 4 messages in");
    terminal.wait_for_prompt();
    terminal.line("/save talk.txt");
    terminal.wait_for("ends in `.json` or `.gram`");
    terminal.wait_for_prompt();
    let saved: Value =
        serde_json::from_slice(&std::fs::read(&json).expect("it is there")).expect("JSON");
    assert_eq!(saved[0], json!({"role": "user", "content": "Greet Ada"}));
    let saved = std::fs::read_to_string(&gram).expect("it is there");
    assert!(saved.contains("[:Conversation |"), "{saved}");

    terminal.line("/reset");
    terminal.wait_for("the conversation begins anew");
    terminal.wait_for_prompt();
    terminal.line("Whom did you greet?");
    terminal.wait_for("🤖 Who?");
    terminal.wait_for_prompt();
    let asked = script.messages()[2].clone();
    let asked = asked.as_array().expect("messages");
    assert_eq!(asked.len(), 2, "the instruction and the message: {asked:?}");

    terminal.line("/quti");
    terminal.wait_for("did you mean `/quit`?");
    terminal.wait_for_prompt();
    terminal.line("/help");
    terminal.wait_for("/save FILE");
    terminal.wait_for_prompt();
    terminal.line("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn ctrl_c_stops_the_turn_and_not_the_chat() {
    let folder = Folder::new();
    let answers = [
        Answer::Text(&["Hello."]),
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Hang("I will now think for ev"),
        Answer::Text(&["Here I am."]),
    ];
    let script = Script::start(answers);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Hi");
    terminal.wait_for("🤖 Hello.");
    terminal.wait_for_prompt();
    terminal.line("Greet Ada, then think");
    // Parts are shown as they come, long before the answer ends.
    terminal.wait_for("🤖 I will now think for ev");
    terminal.send(CTRL_C);
    terminal.wait_for("stopped\r\n");
    terminal.wait_for_prompt();
    terminal.line("Are you there?");
    terminal.wait_for("🤖 Here I am.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    // What was done before the stop is known to the agent, and each call has its result.
    let messages = &script.messages()[3];
    let roles: Vec<&str> = messages
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    let expected = ["user", "assistant", "user", "assistant", "tool"];
    assert_eq!(roles[1..6], expected, "{messages}");
    assert_eq!(roles.last(), Some(&"user"), "{messages}");
    let text = messages.to_string();
    assert!(text.contains("Nice to meet you"), "{text}");
}

#[test]
fn ctrl_c_leaves_an_empty_prompt_when_typed_twice() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("Ctrl-C once more leaves");
    terminal.wait_for_prompt();
    // What was typed is dropped, and does not count as the second time.
    terminal.send("no, wai");
    terminal.wait_for("no, wai");
    terminal.send(CTRL_C);
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("requests: 0");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("Ctrl-C once more leaves");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn lines_are_recalled_also_in_the_next_chat() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.line("Hello, I'm Ada");
    terminal.wait_for("🤖 Hello, Ada!");
    terminal.wait_for_prompt();
    terminal.line(" a secret");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(UP);
    terminal.wait_for("Hello, I'm Ada");
    // It can be edited.
    terminal.send("\u{7f}\u{7f}\u{7f}");
    terminal.line("Bob");
    terminal.wait_for("🤖 Hello, Bob!");
    terminal.wait_for_prompt();
    terminal.line("/quit");
    terminal.end();

    let lines = format!("{}/data/agent/chat-lines.txt", folder.path());
    let mode = |path: &str| {
        let metadata = std::fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode(&lines), 0o600);
    assert_eq!(mode(&format!("{}/data/agent", folder.path())), 0o700);
    let kept = std::fs::read_to_string(&lines).expect("it is there");
    assert!(
        kept.contains("Hello, I'm Bob") && !kept.contains("secret"),
        "{kept}"
    );

    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.send(&UP.repeat(2));
    terminal.send("\r");
    terminal.wait_for("🤖 Hello, Bob!");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    terminal.end();

    let before = std::fs::read(&lines).expect("it is there");
    let none = [HELLO, "--offline", "--no-input-history"];
    let mut terminal = Terminal::start(chat(&folder, &none));
    terminal.wait_for_prompt();
    terminal.send(UP);
    terminal.line("Hello, I'm Eve");
    terminal.wait_for("🤖 Hello, Eve!");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    terminal.end();
    assert_eq!(std::fs::read(&lines).expect("it is there"), before);
}

#[test]
fn calls_are_approved_denied_and_edited() {
    let folder = Folder::new();
    let tool = "[sayHello:Tool {description: \"Returns a \
                friendly greeting message for the given name\", requiresApproval: true} | \
                (personName::Text {default: \"world\"})==>(::String)]";
    let document = folder.file("careful.gram", agent_with_tools(tool));
    let call = || Answer::Call("sayHello", "{\"personName\":\"Ada\u{202e}\"}");
    let answers = [
        call(),
        Answer::Text(&["One."]),
        call(),
        Answer::Text(&["Two."]),
        call(),
        Answer::Text(&["Three."]),
        call(),
        Answer::Text(&["Four."]),
    ];
    let script = Script::start(answers);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    let question = "🛠️ sayHello {\"personName\":\"Ada\\u202e\"} needs your approval\r\n";
    let prompt = "yes, no, no REASON or edit? ";
    terminal.wait_for_prompt();
    terminal.line("/tools");
    terminal.wait_for("(asks you first)");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(question);
    terminal.wait_for(prompt);
    terminal.line("perhaps");
    terminal.wait_for("answer `yes`, `no`");
    terminal.wait_for(prompt);
    terminal.line("yes");
    terminal.wait_for("→ Hello, Ada\u{fffd}!");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.line("no, she sleeps");
    terminal.wait_for("→ error: ");
    terminal.wait_for("🤖 Two.");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.line("edit");
    terminal.wait_for("arguments: {\"personName\":\"Ada\\u202e\"}");
    // Ctrl-U empties the line.
    terminal.line("\u{15}[1]");
    terminal.wait_for("arguments are an object");
    terminal.wait_for("arguments: [1]");
    terminal.line("\u{15}{\"personName\":\"Bob\"}");
    terminal.wait_for("→ Hello, Bob!");
    terminal.wait_for("🤖 Three.");
    terminal.wait_for_prompt();

    // A question is a place to stop at as well.
    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.send(CTRL_C);
    terminal.wait_for("stopped\r\n");
    terminal.wait_for_prompt();
    // Answers to questions are no messages.
    terminal.send(UP);
    terminal.line(" and quit");
    terminal.wait_for("🤖 Four.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let told = &script.messages();
    assert!(told[3].to_string().contains("she sleeps"), "{}", told[3]);
    let last = told[7].to_string();
    assert!(last.contains("Greet and quit"), "{last}");
}

#[test]
fn a_turn_that_fails_is_told_and_the_chat_goes_on() {
    let folder = Folder::new();
    let script = Script::start([Answer::Refuse(400), Answer::Text(&["Now."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Hello");
    terminal.wait_for("error: ");
    // What a server says steers no terminal, either.
    terminal.wait_for("not\u{fffd} now");
    terminal.wait_for_prompt();
    terminal.line("Hello again");
    terminal.wait_for("🤖 Now.");
    terminal.wait_for_prompt();
    terminal.line("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn what_models_say_steers_no_terminal() {
    let folder = Folder::new();
    let script = Script::start([Answer::Text(&["a\u{1b}[2J", "b\u{202e}c\u{9b}d"])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Hello");
    terminal.wait_for("🤖 a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    terminal.end();
}

#[test]
fn another_size_breaks_nothing() {
    let folder = Folder::new();
    let script = Script::start([Answer::Text(&["One."]), Answer::Hang("Two, ")]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.send("Hel");
    terminal.wait_for("l");
    terminal.resize(10, 20);
    terminal.line("lo, this line is longer than the terminal is wide now");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();
    let said = &script.messages()[0][1]["content"];
    assert_eq!(
        said,
        "Hello, this line is longer than the terminal is wide now"
    );
    terminal.line("More");
    terminal.wait_for("🤖 Two, ");
    terminal.resize(50, 200);
    terminal.send(CTRL_C);
    terminal.wait_for("stopped");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn what_is_typed_meanwhile_is_the_next_message() {
    let folder = Folder::new();
    let script = Script::start([Answer::Wait("One, ", "two."), Answer::Text(&["Three."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Count");
    terminal.wait_for("🤖 One, ");
    terminal.line("Go on");
    // The terminal echoes it, so it is there to be read.
    terminal.wait_for("Go on");
    script.go_on();
    terminal.wait_for("two.");
    terminal.wait_for_prompt();
    terminal.wait_for("🤖 Three.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(script.messages()[1][3]["content"], "Go on");
}

#[test]
fn lines_that_come_together_are_a_message_each() {
    let folder = Folder::new();
    let script = Script::start([
        Answer::Text(&["One."]),
        Answer::Text(&["Two."]),
        Answer::Text(&["Three."]),
    ]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.send("first\rsecond\rthird\r");
    for answer in ["🤖 One.", "🤖 Two.", "🤖 Three."] {
        terminal.wait_for(answer);
    }
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(script.messages()[2][5]["content"], "third");
}

#[test]
fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let folder = Folder::new();
    let tool = "[sayHello:Tool {description: \"Returns a \
                friendly greeting message for the given name\", requiresApproval: true} | \
                (personName::Text {default: \"world\"})==>(::String)]";
    let document = folder.file("careful.gram", agent_with_tools(tool));
    let script = Script::start([
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["One."]),
        Answer::Text(&["Two."]),
    ]);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    terminal.wait_for_prompt();
    terminal.send("Greet\ryes\r");
    terminal.wait_for("yes, no, no REASON or edit? ");
    terminal.line("no");
    terminal.wait_for("🤖 One.");
    // It is the next message, as what is typed meanwhile is.
    terminal.wait_for("🤖 Two.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let messages = script.messages();
    let result = messages[1][3]["content"].as_str().expect("a result");
    assert!(result.contains("denied"), "{result}");
    assert_eq!(messages[2][5]["content"], "yes");
}

#[test]
fn pasted_lines_are_one_message() {
    let folder = Folder::new();
    let script = Script::start([Answer::Text(&["One."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.send("\u{1b}[200~one\ntwo\u{1b}[201~");
    terminal.line("");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    terminal.end();
    assert_eq!(script.messages()[0][1]["content"], "one\ntwo");
}

#[test]
fn there_are_colours_unless_somebody_is_against_them() {
    for (variable, flag, coloured) in [
        (None, "--color=auto", true),
        (Some("1"), "--color=auto", false),
        (None, "--color=never", false),
        (Some("1"), "--color=always", true),
    ] {
        let folder = Folder::new();
        let mut command = chat(&folder, &[HELLO, "--offline", flag]);
        if let Some(value) = variable {
            command.env("NO_COLOR", value);
        }
        let mut terminal = Terminal::start(command);
        terminal.wait_for_prompt();
        terminal.line("Hello, I'm Ada");
        terminal.wait_for("🤖 ");
        terminal.wait_for_prompt();
        terminal.send(CTRL_D);
        let (_, written) = terminal.end();
        assert_eq!(
            written.contains("\u{1b}[2m"),
            coloured,
            "{variable:?} {flag}"
        );
    }
}

#[test]
fn a_dumb_terminal_gets_no_escapes() {
    let folder = Folder::new();
    let script = Script::start([
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["Hello."]),
        Answer::Hang("I will now think for ev"),
        Answer::Text(&["Here I am."]),
    ]);
    let base_url = script.base_url();
    let mut command = chat(&folder, &[HELLO, "--base-url", &base_url]);
    command.env("TERM", "dumb");
    let mut terminal = Terminal::start(command);
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("Ctrl-C once more leaves");
    terminal.wait_for_prompt();
    terminal.line("Greet Ada");
    terminal.wait_for("🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you. (");
    terminal.wait_for("🤖 Hello.");
    terminal.wait_for_prompt();
    terminal.line("Think");
    terminal.wait_for("🤖 I will now think for ev");
    terminal.send(CTRL_C);
    terminal.wait_for("stopped");
    terminal.wait_for_prompt();
    terminal.line("Are you there?");
    terminal.wait_for("🤖 Here I am.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("Ctrl-C once more leaves");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(
        !written.contains('\u{1b}') && !written.contains('⠋'),
        "{written:?}"
    );
    assert!(!std::path::Path::new(&format!("{}/data", folder.path())).exists());
}
