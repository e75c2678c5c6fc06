//! The echo of the terminal: off while an answer is under way, and restored however the command ends.
#![cfg(unix)]

use crate::chat_prompt::{CTRL_C, CTRL_D, HELLO, chat, scripted};
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;
use crate::support::{Folder, agent_with_tools, command};
use rustix::process::Signal;

fn run(script: &Script) -> Terminal {
    let url = script.base_url();
    let args = ["run", HELLO, "Hi", "--stream", "--base-url", &url];
    Terminal::start(command(&args))
}

#[test]
fn a_run_does_not_show_what_is_typed_during_an_answer() {
    let script = Script::start([Answer::Wait("One, ", "error: two.")]);
    let mut terminal = run(&script);
    terminal.wait_for("🤖 One, ");
    assert!(!terminal.has_echo());
    terminal.line("typed");
    script.resume();
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    // On a busy machine, the terminal gets the line only after the command has turned the echo on again.
    assert!(shown.contains("🤖 One, error: two.\r\n"), "{shown}");
}

#[test]
fn a_run_restores_the_echo_however_it_ends() {
    for (answer, typed, code) in [
        (Answer::Text(&["One."]), "", Some(0)),
        (Answer::Break("One"), "", Some(1)),
        (Answer::Hang("One"), CTRL_C, Some(130)),
        (Answer::Hang("One"), "\u{3}\u{3}", Some(130)),
        // Ctrl-\, which ends a program with the signal 3.
        (Answer::Hang("One"), "\u{1c}", Some(131)),
    ] {
        let script = Script::start([answer]);
        let mut terminal = run(&script);
        terminal.wait_for("🤖 One");
        terminal.send(typed);
        let (ended, shown, has_echo) = terminal.end_with_echo();
        assert_eq!(ended, code, "{shown}");
        assert!(has_echo, "{code:?}: {shown}");
    }
}

#[test]
fn a_run_restores_the_echo_before_sigterm_ends_it() {
    let script = Script::start([Answer::Hang("One")]);
    let mut terminal = run(&script);
    terminal.wait_for("🤖 One");
    assert!(!terminal.has_echo());
    terminal.signal(Signal::TERM);
    let (code, shown, has_echo) = terminal.end_with_echo();
    assert_eq!(code, Some(143), "{shown}");
    assert!(has_echo);
}

#[test]
fn a_run_that_a_shell_continues_turns_the_echo_off_again() {
    let script = Script::start([Answer::Wait("One, ", "two.")]);
    let mut terminal = run(&script);
    terminal.wait_for("🤖 One, ");
    terminal.signal(Signal::STOP);
    // The modes of a shell.
    terminal.turn_echo_on();
    terminal.signal(Signal::CONT);
    terminal.wait_for_echo(false);
    script.resume();
    let (code, shown, has_echo) = terminal.end_with_echo();
    assert_eq!((code, has_echo), (Some(0), true));
    // The shell has left the cursor in the first column.
    assert!(shown.contains("    two."), "{shown}");
}

#[test]
fn a_chat_does_not_show_what_is_typed_during_an_answer() {
    let folder = Folder::new();
    let script = Script::start([Answer::Wait("One, ", "two."), Answer::Text(&["Three."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Count");
    terminal.wait_for("🤖 One, ");
    assert!(!terminal.has_echo());
    terminal.line("Go on");
    script.resume();
    assert_eq!(terminal.wait_for("two."), "");
    terminal.wait_for_prompt();
    // The line is the next message.
    terminal.wait_for("Go on");
    terminal.wait_for("🤖 Three.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (code, _, has_echo) = terminal.end_with_echo();
    assert_eq!((code, has_echo), (Some(0), true));
    assert_eq!(script.messages()[1][3]["content"], "Go on");
}

#[test]
fn a_chat_restores_the_terminal_before_sigterm_ends_it() {
    let folder = Folder::new();
    let script = Script::start([Answer::Hang("One")]);
    for in_answer in [false, true] {
        let mut terminal = scripted(&folder, &script, &[]);
        terminal.wait_for_prompt();
        if in_answer {
            terminal.line("Count");
            terminal.wait_for("🤖 One");
        }
        terminal.wait_for_echo(false);
        terminal.signal(Signal::TERM);
        let (code, shown, has_echo) = terminal.end_with_echo();
        assert_eq!((code, has_echo), (Some(143), true), "{shown}");
    }
}

#[test]
fn a_terminal_without_editing_shows_answers_to_questions() {
    let folder = Folder::new();
    let careful = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", \
                   requiresApproval: true} | (personName::Text {default: \"world\"})==>(::String)]";
    let document = folder.file("careful.gram", agent_with_tools(careful));
    let script = Script::start([
        Answer::Call("sayHello", "{}"),
        Answer::Wait("One, ", "two."),
    ]);
    let mut command = chat(&folder, &[&document, "--base-url", &script.base_url()]);
    command.env("TERM", "dumb");
    let mut terminal = Terminal::start(command);
    terminal.wait_for_prompt();
    terminal.line("Hello");
    terminal.wait_for("Hello\r\n");
    terminal.wait_for("edit? ");
    terminal.line("yes");
    terminal.wait_for("yes\r\n");
    terminal.wait_for("🤖 One, ");
    assert!(!terminal.has_echo());
    script.resume();
    assert_eq!(terminal.wait_for("two."), "");
    terminal.wait_for_prompt();
    assert!(terminal.has_echo());
    terminal.line("/quit");
    let (code, _, has_echo) = terminal.end_with_echo();
    assert_eq!((code, has_echo), (Some(0), true));
}
