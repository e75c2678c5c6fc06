//! `agent new`: makes a project from a template.

use crate::outcome::{CommandError, Outcome};
use crate::output::to_stdout;
use crate::template::{Crates, Template, about_workflow};
use agent_codegen::is_keyword;
use std::fs;
use std::io;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  agent new shop
  agent new shop --template web
  agent new shop --template python";

/// Names that cargo refuses for a program or a package, beside the keywords: its own folders, and crates of Rust.
const RESERVED: [&str; 9] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// Make a project that works: an agent, its tools, a test, and a check for CI
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The folder of the project. Its last part is the name of the project
    folder: PathBuf,
    /// The kind of the project
    #[arg(long, value_enum, default_value_t, hide_default_value = true)]
    template: Template,
    #[command(flatten)]
    crates: Crates,
}

/// Makes a project.
pub(crate) fn new(args: &Args) -> Result<Outcome, CommandError> {
    let folder = args.folder.display();
    let name = name_of(&args.folder)?;
    if RESERVED.contains(&name) || is_keyword(name) || args.template.depends_on(name) {
        return Err(CommandError::new(format!(
            "cargo refuses `{name}` as the name of this project; choose another, such as `my-{name}`"
        )));
    }
    // A new repository has `.git` alone.
    let is_other = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|it| it.file_name() != ".git");
    if fs::read_dir(&args.folder).is_ok_and(|mut entries| entries.any(is_other)) {
        return Err(CommandError::new(format!(
            "`{folder}` is there already and is not empty; choose another name, or run `agent init` in a crate that exists",
        )));
    }
    args.template.write(&args.folder, name, &args.crates)?;
    to_stdout(&format!(
        "Made {folder}. Next:\n\n  cd {folder}\n{}\n{}",
        args.template.next_steps(),
        about_workflow(&args.folder)
    ))?;
    Ok(Outcome::Fine)
}

/// The name of a project: that of its folder, which must be one that cargo accepts for a crate.
fn name_of(folder: &std::path::Path) -> Result<&str, CommandError> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let is_name = |name: &&str| {
        let mut characters = name.chars();
        characters
            .next()
            .is_some_and(|first| first.is_ascii_lowercase())
            && characters
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    name.filter(is_name).ok_or_else(|| {
        CommandError::new(format!(
            "`{}` is no name for a project; use small letters, digits, `-` and `_`, and begin with a letter, such as `my-shop`",
            folder.display()
        ))
    })
}
