//! The command line.

use crate::Failure;
use std::path::PathBuf;

/// What this process is to do.
pub(crate) enum Command {
    /// Measure everything.
    Measure(Options),
    /// List a folder once, and say how many entries there are.
    List { folder: PathBuf },
}

/// How much is measured.
pub(crate) struct Options {
    pub(crate) rounds: usize,
    /// How large the file is that is read.
    pub(crate) bytes: usize,
    /// How many folders of 100 entries are listed.
    pub(crate) folders: usize,
}

pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Command, Failure> {
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["list", folder] => Command::List {
            folder: PathBuf::from(folder),
        },
        rest => Command::Measure(options(rest)?),
    })
}

fn options(words: &[&str]) -> Result<Options, Failure> {
    let mut options = Options {
        rounds: 21,
        bytes: 10_000_000,
        folders: 1_000,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--rounds" => {
                options.rounds = words.next().ok_or("--rounds wants a number")?.parse()?
            }
            // For a look at whether it works at all.
            "--quick" => {
                options.rounds = 1;
                options.bytes = 100_000;
                options.folders = 10;
            }
            other => return Err(format!("unknown word `{other}`; see README.md").into()),
        }
    }
    Ok(options)
}
