//! Control characters and escape sequences.

use crate::chat_prompt::{CTRL_C, CTRL_D, HELLO, chat, scripted};
use crate::support::Folder;
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;

#[test]
fn text_of_models_does_not_control_the_terminal() {
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
fn survives_a_resize() {
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
fn colours_follow_the_options_and_the_environment() {
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
fn a_dumb_terminal_gets_no_escape_sequences() {
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
    terminal.wait_for("To leave, press Ctrl-C again");
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
    terminal.wait_for("To leave, press Ctrl-C again");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(
        !written.contains('\u{1b}') && !written.contains('⠋'),
        "{written:?}"
    );
    let lines = format!("{}/data/agent/chat-lines.txt", folder.path());
    assert!(!std::path::Path::new(&lines).exists());
}
