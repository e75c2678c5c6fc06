//! Finding a part in what is written, and writing only a stretch of a line: for messages that point
//! at something.

/// How many steps a trail can have.
const LONGEST: usize = 16;

/// The way to a part of what is written: a number for each step inward, whose meaning is that of
/// whoever writes. What goes deeper than a trail can is left out, so that it leads to what is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trail {
    steps: [u16; LONGEST],
    len: usize,
}

impl Trail {
    /// The whole.
    pub const EMPTY: Self = Self {
        steps: [0; LONGEST],
        len: 0,
    };

    /// The same trail with one step more.
    #[must_use]
    pub const fn then(mut self, step: u16) -> Self {
        if self.len < LONGEST {
            self.steps[self.len] = step;
        }
        self.len += 1;
        self
    }

    /// The trail of these steps.
    #[must_use]
    pub const fn of(steps: &[u16]) -> Self {
        let mut trail = Self::EMPTY;
        let mut at = 0;
        while at < steps.len() {
            trail = trail.then(steps[at]);
            at += 1;
        }
        trail
    }

    /// The steps.
    #[must_use]
    pub const fn steps(&self) -> &[u16] {
        let len = if self.len < LONGEST {
            self.len
        } else {
            LONGEST
        };
        self.steps.split_at(len).0
    }

    /// Whether all steps of this trail are the first ones of another.
    #[must_use]
    pub const fn leads_to(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.steps(), other.steps());
        if ours.len() > theirs.len() {
            return false;
        }
        let mut at = 0;
        while at < ours.len() {
            if ours[at] != theirs[at] {
                return false;
            }
            at += 1;
        }
        true
    }
}

/// How far a writer is along a trail.
#[derive(Debug)]
pub(super) struct Follower {
    trail: Trail,
    depth: usize,
    /// How many of the steps inward so far are those of the trail.
    matched: usize,
    /// Where each matched step began.
    starts: [usize; LONGEST],
    /// The deepest part that was reached: its depth, and the columns from and to which it stands.
    found: (usize, usize, usize),
}

impl Follower {
    /// A follower of an empty trail: it finds nothing.
    pub(super) const IDLE: Self = Self::new(Trail::EMPTY);

    pub(super) const fn new(trail: Trail) -> Self {
        Self {
            trail,
            depth: 0,
            matched: 0,
            starts: [0; LONGEST],
            found: (0, 0, 0),
        }
    }

    pub(super) const fn is_idle(&self) -> bool {
        self.trail.steps().is_empty()
    }

    /// Enters a part with this number, which begins at `column`.
    pub(super) const fn enter(&mut self, step: u16, column: usize) {
        let steps = self.trail.steps();
        if self.matched == self.depth && self.depth < steps.len() && steps[self.depth] == step {
            self.starts[self.depth] = column;
            self.matched += 1;
        }
        self.depth += 1;
    }

    /// Leaves the part that was entered last, which ends before `column`.
    pub(super) const fn leave(&mut self, column: usize) {
        if self.depth > 0 && self.matched == self.depth {
            if self.depth > self.found.0 {
                self.found = (self.depth, self.starts[self.depth - 1], column);
            }
            self.matched -= 1;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// The columns of the deepest part of the trail that was reached.
    pub(super) const fn found(&self) -> Option<(usize, usize)> {
        let (depth, start, end) = self.found;
        if depth == 0 { None } else { Some((start, end)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::writer::{Writer, to_string};

    fn write(writer: &mut Writer<'_>) {
        writer.text("ä(");
        writer.enter(1);
        writer.text("one");
        writer.enter(2);
        writer.text(" two");
        writer.leave();
        writer.leave();
        writer.enter(2);
        writer.byte(b'!');
        writer.leave();
    }

    #[test]
    fn a_trail_leads_to_the_part_or_to_what_is_around_it() {
        for (steps, found) in [
            (&[1, 2][..], Some((5, 9))),
            (&[1], Some((2, 9))),
            (&[1, 7], Some((2, 9))),
            (&[2], Some((9, 10))),
            (&[3], None),
            (&[], None),
        ] {
            let mut writer = Writer::new(&mut []);
            writer.follow(Trail::of(steps));
            write(&mut writer);
            assert_eq!(writer.followed(), found, "{steps:?}");
        }
        assert!(Trail::of(&[1]).leads_to(&Trail::of(&[1, 2])));
        assert!(!Trail::of(&[1, 2]).leads_to(&Trail::of(&[1])));
        assert!(!Trail::of(&[2]).leads_to(&Trail::of(&[1, 2])));
        let deep = (0..40).fold(Trail::EMPTY, Trail::then);
        assert_eq!(deep.steps().len(), LONGEST);
    }

    #[test]
    fn only_what_is_shown_is_written() {
        for (shown, text) in [
            ((0, 99), "ä(one two!"),
            ((0, 1), "ä"),
            ((1, 4), "(on"),
            ((9, 12), "!"),
            ((3, 3), ""),
        ] {
            let written = to_string(|writer| {
                writer.show_only(Some(shown));
                write(writer);
                assert_eq!(writer.columns(), 10);
            });
            assert_eq!(written, text);
        }
    }
}
