//! Running the command as a program.

#![allow(unreachable_pub, reason = "a test program has no public interface")]

pub mod script;
pub mod server;
#[cfg(unix)]
pub mod terminal;

use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The output and exit code of a finished command.
pub struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("the command ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("the output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("the output is UTF-8"),
        }
    }

    /// Fails the test unless the exit code is this one.
    pub fn expect(self, code: i32) -> Self {
        let Self { stdout, stderr, .. } = &self;
        assert_eq!(self.code, code, "\nstdout:\n{stdout}\nstderr:\n{stderr}");
        self
    }

    /// Parses standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

/// Creates the command, to run in the folder of the examples without the environment variables of the
/// test program.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
    command.args(args).env_clear().current_dir(examples());
    // Documents of tests name models that end some day.
    command.env("AGENT_TODAY", "2026-09-01");
    command
}

/// Returns the folder of the examples.
pub fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Runs the command.
pub fn agent(args: &[&str]) -> CommandOutput {
    CommandOutput::of(
        command(args)
            .stdin(Stdio::null())
            .output()
            .expect("the command starts"),
    )
}

/// Runs the command with this standard input.
pub fn agent_with(args: &[&str], input: impl Into<Vec<u8>>) -> CommandOutput {
    let mut command = command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let input = input.into();
    // Written by a thread, because both input and output can be longer than the buffer of a pipe.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let ended = CommandOutput::of(child.wait_with_output().expect("the command ends"));
    // Writing fails if the command rejects its arguments, because it does not read.
    let _ = writer.join().expect("the writer does not panic");
    ended
}

/// A folder for the files of a test, which is removed when the value is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("agent-cli-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path.display().to_string()
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a document with one agent that has these elements.
pub fn agent_with_tools(elements: &str) -> String {
    format!("[a:Agent {{instruction: \"Help.\", model: \"OpenAI/gpt-6-luna\"}} | {elements}]\n")
}

/// Returns a document with an agent whose only tool requires approval.
pub fn careful_agent() -> String {
    agent_with_tools(
        "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", \
         requiresApproval: true} | (personName::Text {default: \"world\"})==>(::String)]",
    )
}
