//! Running the command as its users do: as a program.

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

/// What a finished command left behind.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
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

    /// Standard output as the one JSON document that it is.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

/// The command, in the folder of the examples and without the environment of whoever runs the
/// tests.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
    command.args(args).env_clear().current_dir(examples());
    command
}

/// Where the example agents are.
pub fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Runs the command.
pub fn agent(args: &[&str]) -> Ended {
    Ended::of(
        command(args)
            .stdin(Stdio::null())
            .output()
            .expect("the command starts"),
    )
}

/// Runs the command with something on standard input.
pub fn agent_with(args: &[&str], input: impl Into<Vec<u8>>) -> Ended {
    let mut command = command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let input = input.into();
    // Written on the side: input and output may both be longer than a pipe holds.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let ended = Ended::of(child.wait_with_output().expect("the command ends"));
    // A command that refuses its arguments does not read.
    let _ = writer.join().expect("the writer does not panic");
    ended
}

/// A folder for the files of one test, removed when it is dropped.
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

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path.display().to_string()
    }

    /// The folder's own path.
    pub fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A document with one agent that has these elements.
pub fn agent_with_tools(elements: &str) -> String {
    format!("[a:Agent {{instruction: \"Help.\", model: \"OpenAI/gpt-4o-mini\"}} | {elements}]\n")
}
