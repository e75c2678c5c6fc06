//! `cargo xtask`: maintenance commands of this workspace, and its house rules as tests.

mod breach;
mod catalog;
mod commands;
mod diagnostic_codes;
mod doc_openings;
mod folders;
mod house_rules;
mod import_circles;
#[cfg(test)]
mod limits;
mod lines;
mod package_names;
mod packages;
mod retiring_models;
mod rust_tokens;
mod security_page;
mod workspace;

use packages::Build;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

const HELP: &str = "\
Maintenance commands of this workspace.

Usage: cargo xtask COMMAND

Commands:
  fast                Check the format, run the lints and the unit tests
  test CRATE [FILTER] Run the tests of one crate, such as `cli`, or those whose names contain FILTER
  ui [CASE]           Run the compile-error suite, or the cases whose path contains CASE
  full                Run everything that must hold before a change lands (.ci/run)
  bench [NAME [ARG]…] Run a benchmark; without a name, list them
  rules               List what breaks the house rules
  lines               Count the lines of code of each crate, without tests and comments
  wheel [--target TARGET | --debug]
                      Make the wheel of the command in target/packages, for this system or for TARGET;
                      with --debug a quick build for tests on this machine
  npm [--target TARGET | --debug]
                      Make the wheel, and the npm packages of the command, in target/packages
  catalog FILE        List how the catalogue of models differs from litellm's, the file
                      `model_prices_and_context_window_backup.json` of its package on PyPI

Exit codes: 0 everything holds, 1 something does not, 2 wrong usage. A difference of catalogues is no failure
";

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let command = arguments.next();
    let rest: Vec<OsString> = arguments.collect();
    let is_bench = command.as_deref().is_some_and(|name| name == "bench");
    if !is_bench && rest.iter().any(is_help) {
        return help();
    }
    match command.as_deref().and_then(|name| name.to_str()) {
        Some("-h" | "--help" | "help") => help(),
        Some("fast") => no_arguments(&rest, commands::fast),
        Some("test") => match rest.as_slice() {
            [name] => commands::test(name, None),
            [name, filter] => commands::test(name, Some(filter)),
            _ => misuse("`test` takes a crate, and a filter at most"),
        },
        Some("ui") => match rest.as_slice() {
            [] => commands::ui(None),
            [case] => commands::ui(Some(case)),
            _ => misuse("`ui` takes one case at most"),
        },
        Some("full") => no_arguments(&rest, commands::full),
        Some("bench") => commands::bench(&rest),
        Some("rules") => no_arguments(&rest, commands::rules),
        Some("lines") => no_arguments(&rest, lines::print),
        Some("wheel") => package(&rest, packages::wheel),
        Some("npm") => package(&rest, packages::npm),
        Some("catalog") => match rest.as_slice() {
            [file] => catalog::compare(file.as_ref()),
            _ => misuse("`catalog` takes one file"),
        },
        Some(other) => misuse(&format!("there is no command `{other}`")),
        None => misuse("a command is missing"),
    }
}

fn is_help(argument: &OsString) -> bool {
    argument == "-h" || argument == "--help"
}

fn help() -> ExitCode {
    print!("{HELP}");
    ExitCode::SUCCESS
}

fn no_arguments(rest: &[OsString], run: fn() -> ExitCode) -> ExitCode {
    match rest.first() {
        None => run(),
        Some(unexpected) => misuse(&format!("unexpected argument `{}`", unexpected.display())),
    }
}

fn package(rest: &[OsString], make: fn(&Build) -> ExitCode) -> ExitCode {
    let texts: Option<Vec<&str>> = rest.iter().map(|argument| argument.to_str()).collect();
    match texts.and_then(|texts| Build::from_arguments(&texts)) {
        Some(build) => make(&build),
        None => misuse("only `--target TARGET` or `--debug` is expected"),
    }
}

/// Prints an error about the usage, and the help.
fn misuse(message: &str) -> ExitCode {
    eprint!("error: {message}\n\n{HELP}");
    ExitCode::from(2)
}
