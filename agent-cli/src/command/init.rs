//! `agent init`: adds an agent to a crate.

use crate::outcome::{CommandError, Outcome};
use crate::output::to_stdout;
use crate::template::{Crates, INIT, about_workflow, write_missing};
use std::path::PathBuf;
use std::process::Command;

const AFTER_HELP: &str = "\
Examples:
  agent init
  agent init crates/support";

/// Add an agent to a crate: its file, its tools, a test, and a check for CI
///
/// `cargo add` adds the dependencies. The settings of editors and of CI that are there already stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The folder of the crate
    #[arg(default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    crates: Crates,
}

/// Adds an agent to a crate.
pub(crate) fn init(args: &Args) -> Result<Outcome, CommandError> {
    let folder = &args.folder;
    if !folder.join("Cargo.toml").is_file() {
        return Err(CommandError::new(format!(
            "`{}` has no Cargo.toml; run `agent init` in the folder of a crate, or make a project with `agent new NAME`",
            folder.display()
        )));
    }
    // The module would be another one, or the test of the new one would not fit the agent.
    for path in ["src/support", "src/support.rs", "agents/support.gram"] {
        if folder.join(path).exists() {
            return Err(CommandError::new(format!(
                "`{}` is there already, and `agent init` adds a module and an agent of this name; rename yours first",
                folder.join(path).display()
            )));
        }
    }
    let mut add = Command::new("cargo");
    add.args(["add", "--quiet", "gramwork-runtime"]);
    if let Some(path) = args.crates.path_of("gramwork-runtime")? {
        add.arg("--path").arg(path);
    }
    run(add.current_dir(folder))?;
    let mut add = Command::new("cargo");
    add.args([
        "add",
        "--quiet",
        "--dev",
        "tokio",
        "--features",
        "macros,rt",
    ]);
    run(add.current_dir(folder))?;
    let mut text = String::new();
    for (path, content) in INIT {
        let path = folder.join(path);
        let is_new = write_missing(&path, content)?;
        let mark = if is_new { "wrote" } else { "kept " };
        text += &format!("{mark} {}\n", path.display());
    }
    text += "\nWrite `mod support;` into src/main.rs or src/lib.rs, and run `cargo test`.\n";
    text += &about_workflow(folder);
    to_stdout(&text)?;
    Ok(Outcome::Fine)
}

fn run(command: &mut Command) -> Result<(), CommandError> {
    let shown = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CommandError::new(format!("{shown} failed with {status}"))),
        Err(error) => Err(CommandError::new(format!("{shown} cannot be run: {error}"))),
    }
}
