//! The program `gram-agent`, which the command `gram` runs for `gram agent …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agent_cli::main()
}
