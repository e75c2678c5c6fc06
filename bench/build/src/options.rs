//! What the arguments ask for.

use crate::subject::{SUBJECTS, Subject};
use std::path::PathBuf;

const USAGE: &str =
    "usage: bench-build [--only clean|touch|memory]… [--subject KEY]… [--tools 1,10,100]
                   [--rounds N] [--crates] [--dir DIR]";

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
    /// Reads the arguments.
    ///
    /// # Errors
    /// When they make no sense: how they are written.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            parts: Vec::new(),
            subjects: Vec::new(),
            tools: vec![1, 10, 100, 1_000],
            rounds: 5,
            crates: false,
            dir: std::env::temp_dir().join("bench-build"),
        };
        while let Some(argument) = arguments.next() {
            options
                .take(&argument, &mut arguments)
                .ok_or_else(|| format!("`{argument}` is not understood here\n{USAGE}"))?;
        }
        Ok(options)
    }

    fn take(&mut self, argument: &str, arguments: &mut impl Iterator<Item = String>) -> Option<()> {
        match argument {
            "--only" => self.parts.push(match arguments.next()?.as_str() {
                "clean" => Part::Clean,
                "touch" => Part::Touch,
                "memory" => Part::Memory,
                _ => return None,
            }),
            "--subject" => {
                let key = arguments.next()?;
                SUBJECTS.iter().find(|subject| subject.key == key)?;
                self.subjects.push(key);
            }
            "--tools" => {
                self.tools = arguments
                    .next()?
                    .split(',')
                    .map(|number| number.parse().ok().filter(|number| *number > 0))
                    .collect::<Option<_>>()?;
                self.tools.sort_unstable();
            }
            "--rounds" => {
                self.rounds = arguments
                    .next()?
                    .parse()
                    .ok()
                    .filter(|rounds| *rounds > 0)?;
            }
            "--crates" => self.crates = true,
            "--dir" => self.dir = PathBuf::from(arguments.next()?),
            _ => return None,
        }
        Some(())
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
