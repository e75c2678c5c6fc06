//! The command line.

use crate::contender::Contender;
use std::error::Error;

/// What this process is to do.
pub(crate) enum Command {
    /// Measure everything.
    Measure(Options),
    /// Be the server.
    Serve,
    /// Be a contender, and print what came of it as JSON.
    Drive(Drive),
    /// Time pieces of streamed answers, and print that as JSON.
    FirstToken { base_url: String },
}

/// How much is measured.
pub(crate) struct Options {
    pub(crate) rounds: usize,
    /// Runs at a time, and runs in all.
    pub(crate) loads: Vec<(usize, usize)>,
}

/// One contender under one load.
pub(crate) struct Drive {
    pub(crate) contender: Contender,
    pub(crate) at_a_time: usize,
    pub(crate) runs: usize,
    pub(crate) base_url: String,
}

pub(crate) fn parse(
    words: impl Iterator<Item = String>,
) -> Result<Command, Box<dyn Error + Send + Sync>> {
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["serve"] => Command::Serve,
        ["drive", contender, at_a_time, runs, base_url] => Command::Drive(Drive {
            contender: contender.parse()?,
            at_a_time: at_a_time.parse()?,
            runs: runs.parse()?,
            base_url: (*base_url).to_owned(),
        }),
        ["first-token", base_url] => Command::FirstToken {
            base_url: (*base_url).to_owned(),
        },
        rest => Command::Measure(options(rest)?),
    })
}

fn options(words: &[&str]) -> Result<Options, Box<dyn Error + Send + Sync>> {
    let mut options = Options {
        rounds: 5,
        loads: vec![(1, 5_000), (64, 20_000), (1_024, 40_000)],
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
                options.loads = vec![(1, 200), (64, 2_000)];
            }
            other => return Err(format!("unknown word `{other}`; see README.md").into()),
        }
    }
    Ok(options)
}
