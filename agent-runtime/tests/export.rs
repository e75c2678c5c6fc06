//! The tests that `export` adds, at work: this file's own agent is held against
//! `tests/gram/greeter.gram`.

use agent_runtime::{agent, tool};
use std::process::Command;

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}!")
}

agent! {
    /// The definition of its tool is the function's, and is exported with it.
    static GREETER, export: "tests/gram", tools: [say_hello],
    [greeter:Agent {instruction: "Greet people.", model: "OpenAI/gpt-6-luna"} | sayHello]
}

/// Runs the test that the macro made, in a mode of its own.
fn run(mode: &str) -> (bool, String) {
    let this_test = std::env::current_exe().expect("a test has a path");
    let output = Command::new(this_test)
        .args(["export::export_gram_of_greeter", "--exact"])
        .env("AGENT_GRAM", mode)
        .output()
        .expect("a test can be run again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text)
}

#[test]
fn the_exported_file_equals_the_code() {
    let (passed, text) = run("check");
    assert!(passed && text.contains("1 passed"), "{text}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gram/greeter.gram");
    let file = std::fs::read_to_string(file).expect("it is there");
    assert_eq!(file.replace("\r\n", "\n"), GREETER.to_gram() + "\n");
}

#[test]
fn rejects_an_unknown_mode() {
    let (passed, text) = run("chekc");
    assert!(!passed);
    assert!(
        text.contains("AGENT_GRAM is `chekc`; it is `check`"),
        "{text}"
    );
}
