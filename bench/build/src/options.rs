//! What the arguments ask for.

use crate::subject::{SUBJECTS, Subject};
use bench_shared::Failure;
use std::path::PathBuf;
use std::str::FromStr;

/// One of the things that are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Clean builds of a package with one tool.
    Clean,
    /// `cargo check` after a touch.
    Touch,
    /// The user's crate alone, nothing kept from before: time and memory.
    Memory,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "clean" => Ok(Self::Clean),
            "touch" => Ok(Self::Touch),
            "memory" => Ok(Self::Memory),
            _ => Err("not clean, touch or memory".to_owned()),
        }
    }
}

/// What is measured, how often, and where.
pub(crate) struct Options {
    parts: Vec<Part>,
    subjects: Vec<String>,
    /// How many tools the packages have.
    pub tools: Vec<usize>,
    /// How often each touch is measured; the median counts.
    pub rounds: usize,
    /// Whether the dearest crates of the clean builds are listed.
    pub crates: bool,
    /// Where packages and what is built of them go.
    pub dir: PathBuf,
}

impl Options {
    /// Reads the arguments of this process.
    ///
    /// # Errors
    /// Names an argument that is unknown or has no valid value.
    pub(crate) fn of_process() -> Result<Self, Failure> {
        let mut options = bench_shared::Options::of_process();
        let mut tools = vec![1, 10, 100, 1_000];
        if let Some(list) = options.value::<String>("--tools")? {
            let numbers = list.split(',').map(str::parse::<usize>);
            tools = numbers.collect::<Result<_, _>>()?;
            tools.sort_unstable();
        }
        let subjects: Vec<String> = options.values("--subject")?;
        let is_known = |key: &String| SUBJECTS.iter().any(|subject| subject.key == key);
        if let Some(key) = subjects.iter().find(|key| !is_known(key)) {
            return Err(format!("there is no subject `{key}`; see README.md").into());
        }
        let dir = options.value("--dir")?;
        let read = Self {
            parts: options.values("--only")?,
            subjects,
            tools,
            rounds: options.rounds(5)?,
            crates: options.flag("--crates"),
            dir: dir.unwrap_or_else(|| std::env::temp_dir().join("bench-build")),
        };
        options.finish()?;
        if read.tools.contains(&0) {
            return Err("--tools needs numbers above 0".into());
        }
        Ok(read)
    }

    /// Whether a part was asked for; all are, when none is named.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }

    /// The subjects that were asked for.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = &'static Subject> {
        SUBJECTS.iter().filter(|subject| {
            self.subjects.is_empty() || self.subjects.iter().any(|key| key == subject.key)
        })
    }
}
