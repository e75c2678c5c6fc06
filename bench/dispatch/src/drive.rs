//! The calls of one contender, in a process of their own.

use crate::contender::{Contender, Failure};
use std::process::{Command, Stdio};

/// Has a process of its own make the calls, and gives the nanoseconds that each took.
pub(crate) fn ask(contender: Contender, calls: u32) -> Result<f64, Failure> {
    let output = on_one_core()?
        .args(["drive", contender.word(), &calls.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("`{}` failed", contender.word()).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// This program, to be started on one core if the machine lets us say so.
fn on_one_core() -> Result<Command, Failure> {
    let program = std::env::current_exe()?;
    if !pins() {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "1"]).arg(program);
    Ok(command)
}

/// Whether processes can be held to cores.
pub(crate) fn pins() -> bool {
    let test = Command::new("taskset")
        .args(["--cpu-list", "1", "true"])
        .stderr(Stdio::null())
        .status();
    test.is_ok_and(|status| status.success())
}

/// Makes the calls, and prints the nanoseconds that each took.
pub(crate) fn drive(contender: Contender, calls: u32) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    println!("{}", runtime.block_on(contender.measure(calls))?);
    Ok(())
}
