//! Lines that are edited, recalled, pasted, or typed during a turn.

use crate::chat_prompt::{CTRL_D, HELLO, UP, chat, offline, scripted};
use crate::support::Folder;
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn recalls_lines_of_earlier_chats() {
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
    // The recalled line can be edited.
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
fn a_line_typed_during_a_turn_is_the_next_message() {
    let folder = Folder::new();
    let script = Script::start([Answer::Wait("One, ", "two."), Answer::Text(&["Three."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Count");
    terminal.wait_for("🤖 One, ");
    terminal.line("Go on");
    script.resume();
    terminal.wait_for("two.");
    terminal.wait_for_prompt();
    terminal.wait_for("🤖 Three.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(script.messages()[1][3]["content"], "Go on");
}

#[test]
fn lines_that_arrive_together_are_separate_messages() {
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
fn does_not_keep_keys_in_the_line_history() {
    let key = "sk-very-secret-0123456789";
    let folder = Folder::new();
    // Nothing is sent, so the keys are known only from the environment.
    let mut command = chat(&folder, &[HELLO, "--offline"]);
    command.env("ANTHROPIC_API_KEY", key);
    let mut terminal = Terminal::start(command);
    terminal.wait_for_prompt();
    terminal.line(&format!("My key is {key}, I'm Ada"));
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(UP);
    terminal.wait_for("My key is [key], I'm Ada");
    terminal.line("");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let lines = format!("{}/data/agent/chat-lines.txt", folder.path());
    let kept = std::fs::read_to_string(lines).expect("it is there");
    assert!(kept.contains("[key]") && !kept.contains(key), "{kept}");
}

#[test]
fn a_pasted_line_does_not_control_the_terminal() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.send("\u{1b}[200~red \u{1b}]0;title\u{7} \u{1b}[31m\u{202e}text\u{1b}[201~");
    terminal.wait_for("text");
    terminal.line("!");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (_, shown) = terminal.end();
    for sequence in ["\u{1b}]0;", "\u{1b}[31m", "\u{202e}"] {
        assert!(!shown.contains(sequence), "{shown:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn lines_are_kept_in_an_ordinary_file_only() {
    let folder = Folder::new();
    std::fs::create_dir_all(format!("{}/data/agent", folder.path())).expect("a folder");
    let lines = format!("{}/data/agent/chat-lines.txt", folder.path());
    // Reading it waits for the next message of the kernel.
    std::os::unix::fs::symlink("/proc/kmsg", lines).expect("a link");
    let mut terminal = offline(&folder);
    terminal.wait_for("cannot be read, so those of this chat are not kept: it is no");
    terminal.wait_for_prompt();
    terminal.line("Hi");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn recalled_lines_do_not_control_the_terminal() {
    let folder = Folder::new();
    std::fs::create_dir_all(format!("{}/data/agent", folder.path())).expect("a folder");
    let lines = folder.file(
        "data/agent/chat-lines.txt",
        "#V2\nfirst\nred \u{1b}[31m\u{9b}7m\u{202e}text\n",
    );
    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.send(UP);
    terminal.wait_for("red \u{fffd}[31m\u{fffd}7m\u{fffd}text");
    terminal.line("");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (_, shown) = terminal.end();
    assert!(
        !shown.contains("\u{1b}[31m") && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
    let kept = std::fs::read_to_string(lines).expect("it is there");
    assert!(kept.starts_with("#V2\nfirst\nred \u{fffd}[31m"), "{kept}");
}
