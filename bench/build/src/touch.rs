//! The user's crate: `cargo check` after a touch, and checked and built with nothing kept from before.

use crate::cargo::Cargo;
use crate::options::Options;
use crate::package;
use crate::subject::Subject;
use crate::usage::Usage;
use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

/// What the rustc of the user's crate used, for each number of tools.
pub(crate) struct Line {
    pub subject: &'static Subject,
    /// `cargo check`.
    pub checks: Vec<Usage>,
    /// `cargo build`.
    pub builds: Vec<Usage>,
}

/// `cargo check` after a touch, with what rustc kept from the last time.
///
/// # Errors
/// What cargo said.
pub(crate) fn touched(options: &Options) -> Result<Vec<Line>, String> {
    lines(options, true, |cargo, tools| {
        // What it depends on, and then the crate for the first time.
        measure(cargo, "check", tools)?;
        let mut usages = Vec::new();
        for _ in 0..options.rounds {
            usages.push(measure(cargo, "check", tools)?);
        }
        usages.sort_unstable_by_key(|usage| usage.user);
        Ok((usages[usages.len() / 2], None))
    })
}

/// `cargo check` and `cargo build` of the user's crate, with nothing kept from before.
///
/// # Errors
/// What cargo said.
pub(crate) fn alone(options: &Options) -> Result<Vec<Line>, String> {
    lines(options, false, |cargo, tools| {
        Ok((
            measure(cargo, "check", tools)?,
            Some(measure(cargo, "build", tools)?),
        ))
    })
}

fn lines(
    options: &Options,
    incremental: bool,
    measure: impl Fn(&Cargo, usize) -> Result<(Usage, Option<Usage>), String>,
) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for subject in options.subjects().filter(|subject| subject.touch) {
        let cargo = Cargo {
            root: package::write(&options.dir.join("touch"), subject, &options.tools)?,
            target: options.dir.join("touch/target").join(subject.key),
            incremental,
        };
        cargo.fetch()?;
        let mut line = Line {
            subject,
            checks: Vec::new(),
            builds: Vec::new(),
        };
        for &tools in &options.tools {
            let (check, build) = measure(&cargo, tools)?;
            line.checks.push(check);
            line.builds.extend(build);
            eprintln!("{}: {tools} tools", subject.key);
        }
        lines.push(line);
    }
    Ok(lines)
}

/// Touches the file with the tools, runs cargo, and says what the rustc of that file used.
fn measure(cargo: &Cargo, command: &str, tools: usize) -> Result<Usage, String> {
    touch(&package::main_file(&cargo.root, tools))?;
    let name = package::name(tools);
    let run = cargo.run(&[command, "--package", &name])?;
    let package = format!("{name} 0.0.0");
    run.rustcs
        .iter()
        .find(|record| record.package == package)
        .map(|record| record.usage)
        .ok_or_else(|| format!("cargo {command} did not compile {package}"))
}

fn touch(path: &Path) -> Result<(), String> {
    File::options()
        .append(true)
        .open(path)
        .and_then(|file| file.set_modified(SystemTime::now()))
        .map_err(|error| format!("cannot touch {}: {error}", path.display()))
}
