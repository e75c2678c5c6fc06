//! The command line.

use crate::Failure;
use std::collections::VecDeque;
use std::fmt::Display;
use std::str::FromStr;

/// The arguments of a benchmark. Each method removes the arguments that it reads, and
/// [`finish`](Self::finish) rejects the rest.
///
/// ```
/// # use bench_shared::Options;
/// let mut options = Options::new(["--rounds", "3", "--quick"]);
/// assert!(options.flag("--quick"));
/// assert_eq!(options.rounds(11).unwrap(), 3);
/// assert!(options.finish().is_ok());
/// ```
pub struct Options(VecDeque<String>);

impl Options {
    /// The arguments of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// These arguments.
    pub fn new<A: Into<String>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self(arguments.into_iter().map(Into::into).collect())
    }

    /// Removes a subcommand, if it is the first argument.
    pub fn subcommand(&mut self, name: &str) -> bool {
        let is_first = self.0.front().is_some_and(|word| word == name);
        if is_first {
            self.0.pop_front();
        }
        is_first
    }

    /// Removes the next argument of a subcommand.
    ///
    /// # Errors
    /// When there is none, or it is no `T`.
    pub fn positional<T: FromStr<Err: Display>>(&mut self, name: &str) -> Result<T, Failure> {
        let word = self.0.pop_front().ok_or(format!("{name} is missing"))?;
        parse(name, &word)
    }

    /// Removes a flag, and returns whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| word == name);
        at.and_then(|at| self.0.remove(at)).is_some()
    }

    /// Removes an option and its value.
    ///
    /// # Errors
    /// When the value is missing, or is no `T`.
    pub fn value<T: FromStr<Err: Display>>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        let Some(at) = self.0.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        let word = self.0.remove(at).ok_or(format!("{name} needs a value"))?;
        parse(name, &word).map(Some)
    }

    /// Removes an option that may be repeated, and its values.
    ///
    /// # Errors
    /// When a value is missing, or is no `T`.
    pub fn values<T: FromStr<Err: Display>>(&mut self, name: &str) -> Result<Vec<T>, Failure> {
        let mut values = Vec::new();
        while let Some(value) = self.value(name)? {
            values.push(value);
        }
        Ok(values)
    }

    /// Removes `--rounds N`, the number of measurements of which the median counts.
    ///
    /// # Errors
    /// When the value is missing, or is no number above 0.
    pub fn rounds(&mut self, default: usize) -> Result<usize, Failure> {
        match self.value("--rounds")? {
            Some(0) => Err("--rounds needs a number above 0".into()),
            rounds => Ok(rounds.unwrap_or(default)),
        }
    }

    /// Checks that no arguments are left.
    ///
    /// # Errors
    /// Names the first argument that is left.
    pub fn finish(self) -> Result<(), Failure> {
        match self.0.front() {
            Some(word) => Err(format!("unknown argument `{word}`; see README.md").into()),
            None => Ok(()),
        }
    }
}

fn parse<T: FromStr<Err: Display>>(name: &str, word: &str) -> Result<T, Failure> {
    word.parse()
        .map_err(|error| format!("{name} `{word}`: {error}").into())
}
