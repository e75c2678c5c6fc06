//! The program `gram-agent`: what the command `gram` runs for `gram agent …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agent_cli::main()
}
