//! The commands that run cargo and other programs.

use crate::house_rules::breaches;
use crate::workspace::{entries, root};
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// Checks the format, runs the lints and the unit tests.
pub(crate) fn fast() -> ExitCode {
    let lints = "clippy --workspace --all-targets --all-features --locked -- -D warnings";
    let tests = "test --workspace --lib --bins --all-features --locked --quiet";
    run_all([cargo("fmt --all --check"), cargo(lints), cargo(tests)])
}

/// Runs the tests of one crate, which is named with or without `agent-`, or those whose names contain a text.
pub(crate) fn test(name: &OsStr, filter: Option<&OsStr>) -> ExitCode {
    let name = name.to_string_lossy();
    let name = name
        .trim_start_matches("agent-")
        .trim_start_matches("gramwork-");
    let package = match root().join("agent-".to_owned() + name).exists() {
        true => format!("gramwork-{name}"),
        false => name.to_owned(),
    };
    let mut tests = cargo("test --all-features --locked --package");
    tests.arg(package).args(filter);
    run_all([tests])
}

/// Runs the compile-error suite, or the cases whose path contains a text.
pub(crate) fn ui(case: Option<&OsStr>) -> ExitCode {
    let mut suite = cargo("test --package compile-error-tests --all-features --locked --");
    if let Some(case) = case {
        let mut filter = OsString::from("trybuild=");
        filter.push(case);
        suite.args(["ui", "--exact"]).arg(filter);
    }
    run_all([suite])
}

/// Runs everything that must hold before a change lands.
pub(crate) fn full() -> ExitCode {
    run_all([Command::new(root().join(".ci/run"))])
}

/// Runs a benchmark with the arguments behind its name, or lists the benchmarks.
pub(crate) fn bench(arguments: &[OsString]) -> ExitCode {
    let names = benchmarks();
    let Some((name, arguments)) = arguments.split_first() else {
        println!("{}", names.join("\n"));
        return ExitCode::SUCCESS;
    };
    let Some(name) = names.iter().find(|known| name == known.as_str()) else {
        eprintln!(
            "error: there is no benchmark `{}`; there are {}",
            name.display(),
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    // One package at a time, because cargo unifies the features of packages that it builds together.
    let mut benchmark = cargo("run --release --locked --manifest-path bench/Cargo.toml --package");
    benchmark
        .arg(format!("bench-{name}"))
        .arg("--")
        .args(arguments);
    run_all([benchmark])
}

/// Lists what breaks the house rules.
pub(crate) fn rules() -> ExitCode {
    let breaches = breaches();
    for breach in &breaches {
        println!("{breach}");
    }
    if breaches.is_empty() {
        println!("the house rules hold");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The names of the programs in `bench`.
fn benchmarks() -> Vec<String> {
    entries(&root().join("bench"))
        .into_iter()
        .filter(|path| path.join("src/main.rs").exists())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect()
}

fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(cargo_program());
    command.args(arguments.split(' ')).current_dir(root());
    command
}

/// The cargo that runs this program, so that the toolchain is the same.
pub(crate) fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs commands until one fails, and prints each before it runs.
fn run_all<const N: usize>(commands: [Command; N]) -> ExitCode {
    for command in commands {
        if let Err(message) = run(command) {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Prints a command and runs it.
///
/// # Errors
/// If the program cannot be started, or exits with another code than 0.
pub(crate) fn run(mut command: Command) -> Result<(), String> {
    let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    let program = command.get_program().to_string_lossy().into_owned();
    let name = program.rsplit(['/', '\\']).next().unwrap_or(&program);
    eprintln!("== {name} {}", arguments.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}
