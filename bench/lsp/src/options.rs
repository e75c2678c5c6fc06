//! The command line.

use bench_shared::Failure;
use std::path::PathBuf;

/// The amount that is measured.
pub(crate) struct Options {
    /// The program.
    pub(crate) agent: PathBuf,
    /// The number of lines of the document.
    pub(crate) lines: usize,
    /// The number of edits per second.
    pub(crate) rate: u32,
    /// The number of edits per request.
    pub(crate) every: usize,
    /// The duration.
    pub(crate) seconds: u32,
}

impl Options {
    /// Reads the arguments of this process.
    ///
    /// # Errors
    /// Names an argument that is unknown or has no valid value.
    pub(crate) fn of_process() -> Result<Self, Failure> {
        let mut options = bench_shared::Options::of_process();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/agent");
        let seconds = if options.flag("--quick") { 1 } else { 10 };
        let read = Self {
            agent: options.value("--agent")?.unwrap_or_else(|| root.into()),
            lines: options.value("--lines")?.unwrap_or(10_000),
            rate: options.value("--rate")?.unwrap_or(100),
            every: options.value("--every")?.unwrap_or(5),
            seconds: options.value("--seconds")?.unwrap_or(seconds),
        };
        options.finish()?;
        if read.lines < 100 || read.rate == 0 || read.every == 0 || read.seconds == 0 {
            let text =
                "at least 100 lines, one edit a second, every edit, and one second are needed";
            return Err(text.into());
        }
        Ok(read)
    }
}
