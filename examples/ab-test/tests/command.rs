//! The example as whoever tries it runs it.

use std::process::{Command, Output};

fn ab_test(words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ab-test"));
    let Output {
        status,
        stdout,
        stderr,
    } = command.args(words).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn what_can_be_wanted_is_listed() {
    let (code, stdout, stderr) = ab_test(&["--help"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    for word in ["--html FILE", "--json FILE", "--trials N"] {
        assert!(stdout.contains(word), "{stdout}");
    }
}

#[test]
fn mistakes_are_told_as_people_read_them() {
    let missing = std::env::temp_dir().join("ab-test-no-such-folder/report.html");
    let missing = missing.display().to_string();
    for (words, code, told) in [
        (vec!["--bogus"], 2, "error: unknown argument `--bogus`"),
        (
            vec!["--trials", "x"],
            2,
            "error: `--trials` wants a whole number, not `x`\n",
        ),
        (
            vec!["--html"],
            2,
            "error: `--html` wants a value after it\n",
        ),
        (
            vec!["--trials", "0"],
            1,
            "error: the experiment has 0 trials",
        ),
        (
            vec!["--trials", "1", "--html", &missing],
            1,
            &format!("error: cannot write `{missing}`: "),
        ),
    ] {
        let (ended, _, stderr) = ab_test(&words);
        assert_eq!(ended, Some(code), "{words:?}: {stderr}");
        assert!(stderr.starts_with(told), "{words:?}: {stderr}");
    }
}
