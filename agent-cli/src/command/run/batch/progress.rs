//! The progress of a batch on standard error.

use crate::output::{redrawn_to_stderr, to_stderr};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// The minimum time between two updates of the line on a terminal.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// The time between two lines in a pipe or a file.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The progress of a batch: on a terminal one line that is redrawn, and elsewhere a new line at intervals of
/// at least `LINE_EVERY`.
pub(super) struct Progress {
    /// The number of inputs.
    total: usize,
    /// The number of inputs that had answers before.
    kept: usize,
    answered: usize,
    failed: usize,
    is_terminal: bool,
    /// The time of the last line.
    shown: Instant,
}

impl Progress {
    pub(super) fn new(total: usize, kept: usize) -> Self {
        let progress = Self {
            total,
            kept,
            answered: 0,
            failed: 0,
            is_terminal: stderr().is_terminal(),
            shown: Instant::now(),
        };
        if progress.is_terminal {
            redrawn_to_stderr(&progress.text());
        }
        progress
    }

    pub(super) fn failed(&self) -> usize {
        self.failed
    }

    /// Counts a result.
    pub(super) fn count(&mut self, is_answer: bool) {
        match is_answer {
            true => self.answered += 1,
            false => self.failed += 1,
        }
        let every = if self.is_terminal {
            REDRAW_EVERY
        } else {
            LINE_EVERY
        };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        match self.is_terminal {
            true => redrawn_to_stderr(&self.text()),
            false => to_stderr(&format!("{}\n", self.text())),
        }
    }

    /// Shows the final state on a line of its own.
    pub(super) fn finish(&self) {
        to_stderr(&format!("{}\n", self.text()));
    }

    fn text(&self) -> String {
        let done = self.kept + self.answered;
        let mut text = format!("{done} of {} answered", self.total);
        if self.kept > 0 {
            text.push_str(&format!(" ({} before)", self.kept));
        }
        if self.failed > 0 {
            text.push_str(&format!(", {} failed", self.failed));
        }
        text
    }
}
