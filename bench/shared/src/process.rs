//! Processes: one core for each, and their memory.

use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns a command that starts this program again on one core, if the machine can pin processes. On a
/// shared core, the noise is larger than the differences that are measured.
///
/// # Errors
/// When the path of this program is unknown.
pub fn this_program_on_core(core: usize) -> io::Result<Command> {
    let program = std::env::current_exe()?;
    if !pins() {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("taskset");
    command.arg("--cpu-list").arg(core.to_string()).arg(program);
    Ok(command)
}

/// Prints a note if processes cannot be pinned to cores.
pub fn note_unpinned() {
    if !pins() {
        println!("(there is no `taskset`, or one core: the numbers are noisy)\n");
    }
}

fn pins() -> bool {
    let test = Command::new("taskset")
        .args(["--cpu-list", "1", "true"])
        .stderr(Stdio::null())
        .status();
    test.is_ok_and(|status| status.success())
}

/// Returns the peak memory of a process in bytes, by its id or `self`; `None` where there is no `/proc`.
#[must_use]
pub fn peak_memory(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the CPU time of a process, by its id; `None` where there is no `/proc`. The kernel counts it in hundredths of a second.
#[must_use]
pub fn cpu_time(process: &str) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain blanks. Fields 14 and 15 are the time in the program and in the kernel.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}
