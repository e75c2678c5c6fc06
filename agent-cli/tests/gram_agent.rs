//! `gram-agent`: the program that the command `gram` looks for, which runs `agent`.

use crate::support::{CommandOutput, agent, examples};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program as `gram` does: by its path, with the arguments after `gram agent`.
fn extension_at(program: &Path, args: &[&str]) -> CommandOutput {
    CommandOutput::of(
        Command::new(program)
            .args(args)
            .env_clear()
            .env("AGENT_TODAY", "2026-09-01")
            .current_dir(examples())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts"),
    )
}

#[test]
fn does_the_same_as_agent() {
    for args in [
        &["check", "agents/hello.gram"][..],
        &[
            "check",
            "--format",
            "json",
            "../tests/ui/gram/other_type.gram",
        ],
        &["check", "no-such-file.gram"],
        &["schema", "agents/hello.gram"],
        &["tools", "sayHello"],
        &["run", "agents/hello.gram", "Hello, I'm Ada", "--offline"],
        &["--version"],
        &["--help"],
        &["chekc"],
    ] {
        let ours = extension_at(Path::new(env!("CARGO_BIN_EXE_gram-agent")), args);
        let expected = agent(args);
        assert_eq!(
            (ours.code, ours.stdout, ours.stderr),
            (expected.code, expected.stdout, expected.stderr),
            "{args:?}"
        );
    }
}

#[test]
fn names_the_program_that_is_not_beside_it() {
    // A link, because a program that was just written may still be open for writing in a process that another test
    // starts, and cannot be run then.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gram-agent-alone");
    std::fs::create_dir_all(&folder).expect("a folder");
    let link = folder.join("gram-agent");
    let _ = std::fs::remove_file(&link);
    std::fs::hard_link(env!("CARGO_BIN_EXE_gram-agent"), &link).expect("a link");
    let ended = extension_at(&link, &["--version"]).expect(2);
    let missing = link.with_file_name(format!("agent{}", std::env::consts::EXE_SUFFIX));
    assert!(
        ended.stderr.contains(&missing.display().to_string()),
        "{}",
        ended.stderr
    );
}
