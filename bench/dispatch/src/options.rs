//! The command line.

use crate::contender::{Contender, Failure};

/// What this process is to do.
pub(crate) enum Command {
    /// Measure everything.
    Measure(Options),
    /// Be a contender, and print how many nanoseconds a call takes.
    Drive { contender: Contender, calls: u32 },
}

/// How much is measured.
pub(crate) struct Options {
    pub(crate) rounds: usize,
    /// Calls of a contender in a round.
    pub(crate) calls: u32,
}

pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Command, Failure> {
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["drive", contender, calls] => Command::Drive {
            contender: contender.parse()?,
            calls: calls.parse()?,
        },
        rest => Command::Measure(options(rest)?),
    })
}

fn options(words: &[&str]) -> Result<Options, Failure> {
    let mut options = Options {
        rounds: 11,
        calls: 300_000,
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
                options.calls = 10_000;
            }
            other => return Err(format!("unknown word `{other}`; see README.md").into()),
        }
    }
    Ok(options)
}
