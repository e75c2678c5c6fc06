//! `--max-attempts`: the attempts of a request.

use crate::support::agent;
use crate::support::script::{Answer, Script};

const HELLO: &str = "agents/hello.gram";

/// Runs an agent whose server is overloaded at first. Returns the number of requests.
fn requests(attempts: &str, code: i32) -> usize {
    let busy = || Answer::Refuse(503);
    let script = Script::start([busy(), Answer::Text(&["Now."]), busy()]);
    let base_url = script.base_url();
    let fixed = ["run", HELLO, "Hi", "--stream", "--base-url", &base_url];
    let ended = agent(&[&fixed[..], &["--max-attempts", attempts]].concat()).expect(code);
    let shown = if code == 0 { "🤖 Now." } else { "status 503" };
    assert!(
        format!("{}{}", ended.stdout, ended.stderr).contains(shown),
        "{}",
        ended.stderr
    );
    script.messages().len()
}

#[test]
fn makes_as_many_attempts_as_the_option_allows() {
    assert_eq!(requests("1", 1), 1);
    assert_eq!(requests("2", 0), 2);
    assert_eq!(requests("99999999999", 0), 2);
}

#[test]
fn rejects_a_number_of_attempts_that_is_none() {
    for number in ["0", "-1", "many", "1.5"] {
        let option = format!("--max-attempts={number}");
        let ended = agent(&["run", HELLO, "Hi", &option]).expect(2);
        assert!(
            ended.stderr.contains("write a whole number, 1 or more"),
            "{}",
            ended.stderr
        );
    }
}
