//! How much memory a row takes at most, measured in a process of its own.

use crate::input::Input;
use crate::rows::{ROWS, Row};
use bench_shared::Failure;
use bench_shared::process::peak_memory;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What a row needed at most beyond its input, in bytes; `None` where the system does not tell.
pub(crate) fn peak_in_child(row: &Row, input: &Input) -> Option<u64> {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .args(["--only", row.key])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    // The pipe is closed when it is dropped, at the end of this statement.
    let written = child
        .stdin
        .take()
        .map(|mut pipe| pipe.write_all(input.text(row.form).as_bytes()));
    let output = child.wait_with_output().ok()?;
    written?.ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Runs a row once on the text of standard input, and prints the bytes it needed at most.
///
/// # Errors
/// When there is no such row, or the input cannot be read.
pub(crate) fn run_alone(key: &str) -> Result<(), Failure> {
    let row = ROWS.iter().find(|row| row.key == key).ok_or_else(|| {
        let keys: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
        format!("there is no row `{key}`; there are {}", keys.join(", "))
    })?;
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot read standard input: {error}"))?;
    let input = Input::from_text(row.form, text)?;
    // What was needed to make the input shall not count. Where the mark cannot be reset, it counts
    // in both numbers.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = peak_memory("self");
    (row.run)(&input);
    match (before, peak_memory("self")) {
        (Some(before), Some(after)) => println!("{}", after.saturating_sub(before)),
        _ => println!("-"),
    }
    Ok(())
}
