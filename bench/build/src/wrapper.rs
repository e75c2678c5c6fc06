//! This program in place of rustc: it runs the rustc that cargo meant, and writes down what it used.

use crate::usage::Usage;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// The environment variable with the file that each rustc adds a line to.
pub(crate) const RECORD: &str = "BENCH_BUILD_RECORD";

/// What one rustc compiled and used.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Name and version of the package.
    pub package: String,
    pub usage: Usage,
}

/// Does the work of a wrapper when cargo started this process as one; `None` when it did not.
pub(crate) fn run_in_place_of_rustc() -> Option<ExitCode> {
    let file = std::env::var_os(RECORD)?;
    let mut arguments = std::env::args_os().skip(1);
    let rustc = arguments.next()?;
    let status = match Command::new(&rustc).args(arguments).status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("cannot start {}: {error}", rustc.display());
            return Some(ExitCode::FAILURE);
        }
    };
    if let Err(message) = write(Path::new(&file)) {
        eprintln!("{message}");
        return Some(ExitCode::FAILURE);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Some(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Adds a line for the process that just ended. Cargo also asks rustc questions, without a package.
fn write(file: &Path) -> Result<(), String> {
    let (Ok(name), Ok(version)) = (
        std::env::var("CARGO_PKG_NAME"),
        std::env::var("CARGO_PKG_VERSION"),
    ) else {
        return Ok(());
    };
    let usage = Usage::of_children()?;
    let line = format!(
        "{name} {version}\t{}\t{}\n",
        usage.user.as_micros(),
        usage.peak_bytes
    );
    // One write a line: rustcs that run at the same time must not mix theirs.
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// What was written down in a file; nothing, when no rustc ran.
///
/// # Errors
/// When the file cannot be read as what [`write`] writes.
pub(crate) fn read(file: &Path) -> Result<Vec<Record>, String> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    text.lines()
        .map(|line| {
            let mut parts = line.split('\t');
            let record = (|| {
                Some(Record {
                    package: parts.next()?.to_owned(),
                    usage: Usage {
                        user: Duration::from_micros(parts.next()?.parse().ok()?),
                        peak_bytes: parts.next()?.parse().ok()?,
                    },
                })
            })();
            record.ok_or_else(|| format!("{} holds `{line}`", file.display()))
        })
        .collect()
}
