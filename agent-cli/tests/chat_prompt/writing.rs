//! Calls that change files.

use crate::chat_prompt::{CTRL_D, chat};
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;
use crate::support::{Folder, agent_with_tools};
use std::fs;

const WRITE: &str = "{\"path\":\"note.txt\",\"content\":\"Hi\"}";

/// Starts a chat in its own folder, whose model writes a file.
fn writing(folder: &Folder, script: &Script, options: &[&str]) -> Terminal {
    let document = folder.file("writer.gram", agent_with_tools("writeFile"));
    let base_url = script.base_url();
    let own = [&document, "--base-url", &base_url, "--allow-write", "."];
    let args = [&own[..], options];
    let mut command = chat(folder, &args.concat());
    command.current_dir(folder.path());
    Terminal::start(command)
}

#[test]
fn asks_before_writing() {
    let folder = Folder::new();
    let script = Script::start([Answer::Call("writeFile", WRITE), Answer::Text(&["Done."])]);
    let mut terminal = writing(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("/tools");
    terminal.wait_for("(asks you first)");
    terminal.wait_for_prompt();
    terminal.line("Write");
    terminal.wait_for("needs your approval");
    terminal.wait_for("yes, no, no REASON or edit? ");
    let file = format!("{}/note.txt", folder.path());
    assert!(fs::read(&file).is_err());
    terminal.line("yes");
    terminal.wait_for("\"bytesWritten\":2");
    terminal.wait_for("🤖 Done.");
    assert_eq!(fs::read_to_string(&file).expect("it is written"), "Hi");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn yes_writes_without_asking() {
    let folder = Folder::new();
    let script = Script::start([Answer::Call("writeFile", WRITE), Answer::Text(&["Done."])]);
    let mut terminal = writing(&folder, &script, &["--yes"]);
    terminal.wait_for_prompt();
    terminal.line("Write");
    terminal.wait_for("\"bytesWritten\":2");
    terminal.wait_for("🤖 Done.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!written.contains("needs your approval"), "{written}");
}
