//! The command line.

use crate::Failure;
use std::path::PathBuf;

/// What is measured.
pub(crate) struct Options {
    /// The program.
    pub(crate) agent: PathBuf,
    /// How many lines the document has.
    pub(crate) lines: usize,
    /// How many edits there are a second.
    pub(crate) rate: u32,
    /// After every how many edits something is asked.
    pub(crate) every: usize,
    /// For how long.
    pub(crate) seconds: u32,
}

pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/agent");
    let mut options = Options {
        agent: PathBuf::from(root),
        lines: 10_000,
        rate: 100,
        every: 5,
        seconds: 10,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        match word.as_str() {
            "--agent" => options.agent = value()?.into(),
            "--lines" => options.lines = value()?.parse()?,
            "--rate" => options.rate = value()?.parse()?,
            "--every" => options.every = value()?.parse()?,
            "--seconds" => options.seconds = value()?.parse()?,
            "--quick" => options.seconds = 1,
            other => return Err(format!("unknown word `{other}`; see README.md").into()),
        }
    }
    if options.lines < 100 || options.rate == 0 || options.every == 0 || options.seconds == 0 {
        return Err(
            "at least 100 lines, one edit a second, every edit, and one second are needed".into(),
        );
    }
    Ok(options)
}
