//! `gram-agent`: the command under the name that the command `gram` looks for.

use crate::support::{CommandOutput, Folder, agent, examples};
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

fn extension(args: &[&str]) -> CommandOutput {
    extension_at(Path::new(env!("CARGO_BIN_EXE_gram-agent")), args)
}

/// Returns the names of the commands in the help, without `help`, which has no help of its own.
fn commands(help: &str) -> Vec<&str> {
    let (_, listed) = help.split_once("\nCommands:\n").expect("commands");
    listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
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
    ] {
        let (ours, expected) = (extension(args), agent(args));
        assert_eq!(
            (ours.code, ours.stdout, ours.stderr),
            (expected.code, expected.stdout, expected.stderr),
            "{args:?}"
        );
    }
}

#[test]
fn usage_lines_have_the_name_of_the_program() {
    for (args, expected) in [
        (&["--help"][..], "Usage: gram agent [OPTIONS] <COMMAND>\n"),
        (&["help", "check"], "Usage: gram agent check [OPTIONS] "),
        (&["check", "--help"], "Usage: gram agent check [OPTIONS] "),
        (
            &["conversations", "show", "-h"],
            "Usage: gram agent conversations show ",
        ),
    ] {
        let help = extension(args).expect(0).stdout;
        assert!(help.contains(expected), "{args:?}:\n{help}");
    }
    let ended = extension(&["chekc"]).expect(2);
    assert!(ended.stderr.contains("'check'"), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("Usage: gram agent [OPTIONS] <COMMAND>"),
        "{}",
        ended.stderr
    );
}

#[test]
fn help_differs_from_that_of_agent_only_in_the_name() {
    let help = agent(&["--help"]).expect(0).stdout;
    let mut called = vec![vec![]];
    called.extend(commands(&help).into_iter().map(|name| vec![name]));
    assert!(called.len() > 8, "{called:?}");
    for command in called {
        let args = [command.as_slice(), &["--help"]].concat();
        let theirs = agent(&args).expect(0).stdout;
        let ours = extension(&args).expect(0).stdout;
        assert_ne!(ours, theirs, "{args:?}");
        assert_eq!(ours.replace("gram agent", "agent"), theirs, "{args:?}");
        for line in ours.lines() {
            assert!(!line.starts_with("  agent "), "{args:?}: {line}");
            assert!(!line.contains("`agent "), "{args:?}: {line}");
            assert!(!line.contains("| agent "), "{args:?}: {line}");
        }
    }
}

#[test]
fn version_is_one_line_with_the_name_of_the_program() {
    let version = concat!(" ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(
        extension(&["--version"]).expect(0).stdout,
        format!("gram-agent{version}")
    );
    assert_eq!(
        agent(&["--version"]).expect(0).stdout,
        format!("agent{version}")
    );
}

/// A user with only one of the programs can rename it.
#[cfg(unix)]
#[test]
fn the_file_name_decides_the_program_name() {
    let folder = Folder::new();
    let link = Path::new(&folder.path()).join("gram-agent");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_agent"), &link).expect("a link can be made");
    let help = extension_at(&link, &["--help"]).expect(0).stdout;
    assert!(help.contains("Usage: gram agent "), "{help}");
}
