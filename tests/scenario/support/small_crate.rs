//! A small crate of its own, checked by the real `cargo`.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate outside the workspace, with `agent-runtime` as its only dependency.
pub(crate) struct SmallCrate {
    folder: PathBuf,
}

/// An error as `cargo check` reports it: the token it stands on, and what is shown to people.
#[derive(Debug)]
pub(crate) struct CompileError {
    pub(crate) file: String,
    pub(crate) line: u64,
    /// From this column up to the other, counted in characters from 1.
    pub(crate) columns: (u64, u64),
    pub(crate) message: String,
    pub(crate) rendered: String,
}

impl SmallCrate {
    /// A crate that knows the runtime by its own name or, in the manifest's words, another.
    ///
    /// The workspace's lock file comes along, so that nothing is looked up or fetched.
    pub(crate) fn new(name: &str, dependency: &str) -> Self {
        let folder = scratch().join(name);
        let workspace = workspace();
        let runtime = workspace.join("agent-runtime");
        let this = Self { folder };
        this.write(
            "Cargo.toml",
            &format!(
                "[package]\n\
                 name = \"{name}\"\n\
                 edition = \"2024\"\n\
                 \n\
                 [dependencies.{dependency}]\n\
                 package = \"agent-runtime\"\n\
                 path = {runtime:?}\n\
                 default-features = false\n\
                 \n\
                 [workspace]\n"
            ),
        );
        let lock = fs::read_to_string(workspace.join("Cargo.lock")).expect("a lock file");
        this.write("Cargo.lock", &lock);
        this
    }

    /// Writes a file of the crate.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        let folder = path.parent().expect("a file in a folder");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The errors that `cargo check` reports for the crate.
    pub(crate) fn check(&self) -> Vec<CompileError> {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet", "--message-format=json"])
            // One for all small crates, so that their dependency is checked once; and not that of
            // the cargo that runs this test.
            .arg("--target-dir")
            .arg(scratch().join("target"))
            .current_dir(&self.folder)
            // The files of these agents stand in their crate, wherever those of the caller are.
            .env_remove("AGENT_GRAM_ROOT")
            // `.ci/mutants` sets it for test programs, and here it would enable unstable features of
            // dependencies.
            .env_remove("RUSTC_BOOTSTRAP")
            .output()
            .expect("cargo runs");
        let text = String::from_utf8(output.stdout).expect("text");
        let errors: Vec<CompileError> = text.lines().filter_map(compile_error).collect();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.success(),
            errors.is_empty(),
            "cargo itself failed: {complaints}"
        );
        errors
    }
}

/// The error of one line of cargo's output. Warnings are none, nor is the closing remark that
/// there were errors, which stands nowhere.
fn compile_error(line: &str) -> Option<CompileError> {
    let line: Value = serde_json::from_str(line).expect("a JSON line");
    let message = line.get("message")?;
    let spans = message["spans"].as_array()?;
    let span = spans.iter().find(|span| span["is_primary"] == true)?;
    let number = |key: &str| span[key].as_u64().expect("a number");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (message["level"] == "error").then(|| CompileError {
        file: text(&span["file_name"]),
        line: number("line_start"),
        columns: (number("column_start"), number("column_end")),
        message: text(&message["message"]),
        rendered: text(&message["rendered"]),
    })
}

fn workspace() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("a workspace")
}

fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("small-crates")
}
