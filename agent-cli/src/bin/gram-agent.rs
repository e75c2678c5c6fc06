//! The program `gram-agent`, which the command `gram` runs for `gram agent …`. It runs the program `agent` beside it, so
//! that the command is not linked and installed twice.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let program = std::env::current_exe()
        .unwrap_or_default()
        .with_file_name(format!("agent{}", std::env::consts::EXE_SUFFIX));
    let mut agent = Command::new(&program);
    agent.args(std::env::args_os().skip(1));
    let error = run(&mut agent);
    eprintln!(
        "error: gram-agent cannot run {}: {error}",
        program.display()
    );
    ExitCode::from(2)
}

/// Becomes the program. Returns the error if the program cannot be started.
#[cfg(unix)]
fn run(agent: &mut Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    agent.exec()
}

/// Runs the program and exits as it does. Returns the error if the program cannot be started.
#[cfg(not(unix))]
fn run(agent: &mut Command) -> std::io::Error {
    match agent.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error,
    }
}
