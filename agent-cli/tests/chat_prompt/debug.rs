//! Traces of `--debug` during a turn.

use crate::chat_prompt::{CTRL_D, scripted};
use crate::support::Folder;
use crate::support::script::{Answer, Script};

#[test]
fn traces_begin_on_a_new_line() {
    let folder = Folder::new();
    let script = Script::start([Answer::Wait("One, ", "💬 two.")]);
    let mut terminal = scripted(&folder, &script, &["--debug"]);
    terminal.wait_for_prompt();
    terminal.line("Count");
    // The line of the spinner is cleared before the first trace. It may be shown again before the next one.
    terminal.wait_for("\u{1b}[0m\r\u{1b}[K");
    let traces = terminal.wait_for("← {");
    assert!(
        traces.ends_with("\r\n") || traces.ends_with("\u{1b}[K"),
        "{traces:?}"
    );
    terminal.wait_for("🤖 One, ");
    script.resume();
    let between = terminal.wait_for("← {");
    assert_eq!(between, "\r\n");
    terminal.wait_for("\r\n    💬 two.\r\n");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}
