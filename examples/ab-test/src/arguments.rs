//! The command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Compares two libraries of tools for one agent, without a key and without a network

Usage: ab-test [--trials N] [--html FILE] [--json FILE]

  --trials N   how often each input is tried with each library; 3 unless it is given
  --html FILE  write the report as a page with plots, too
  --json FILE  write the report as JSON, too
  --help       show this";

/// The request of a command line.
pub(crate) enum Wanted {
    /// Print the help.
    Help,
    /// Run the comparison.
    Report(Arguments),
}

/// The arguments of the comparison.
pub(crate) struct Arguments {
    pub(crate) html: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) trials: usize,
}

impl Wanted {
    /// Parses the arguments.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Arguments {
            html: None,
            json: None,
            trials: 3,
        };
        while let Some(word) = words.next() {
            let mut value = || {
                let missing = || format!("`{word}` wants a value after it");
                words.next().ok_or_else(missing)
            };
            match word.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--html" => arguments.html = Some(value()?.into()),
                "--json" => arguments.json = Some(value()?.into()),
                "--trials" => {
                    let text = value()?;
                    let wrong = |_| format!("`--trials` wants a whole number, not `{text}`");
                    arguments.trials = text.parse().map_err(wrong)?;
                }
                _ => {
                    return Err(format!(
                        "unknown argument `{word}`; there are `--html FILE`, `--json FILE`, `--trials N` \
                         and `--help`"
                    ));
                }
            }
        }
        Ok(Self::Report(arguments))
    }
}
