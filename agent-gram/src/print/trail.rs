//! The path to a part of a written text, for messages that point at the part.

/// The maximum number of steps of a trail.
const LONGEST: usize = 18;

/// The path to a part of a written text: a number for each step inward, with a meaning that the
/// writing code defines. Steps beyond the maximum are dropped, so that a long trail leads to a part
/// around the end of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trail {
    steps: [u16; LONGEST],
    len: usize,
}

impl Trail {
    /// The trail without steps, which leads to the whole text.
    pub const EMPTY: Self = Self {
        steps: [0; LONGEST],
        len: 0,
    };

    /// Returns the trail with one more step.
    #[must_use]
    pub const fn then(mut self, step: u16) -> Self {
        if self.len < LONGEST {
            self.steps[self.len] = step;
        }
        self.len += 1;
        self
    }

    /// Creates a trail of these steps.
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

    /// Returns the steps.
    #[must_use]
    pub const fn steps(&self) -> &[u16] {
        let len = if self.len < LONGEST {
            self.len
        } else {
            LONGEST
        };
        self.steps.split_at(len).0
    }

    /// Whether the steps of this trail are the first steps of `other`.
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

/// The search for the part that a trail leads to, while a text is written.
#[derive(Debug)]
pub(super) struct Follower {
    trail: Trail,
    depth: usize,
    /// The number of open parts that match the steps of the trail.
    matched: usize,
    /// The column at which each matching part begins.
    starts: [usize; LONGEST],
    /// The deepest matching part so far: its depth, its first column, and the column after its end.
    found: (usize, usize, usize),
}

impl Follower {
    /// A follower of the empty trail, which finds nothing.
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

    /// Returns the first column of the deepest matching part and the column after its end.
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
    fn trail_leads_to_the_part_or_the_part_around_it() {
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
    fn writes_visible_columns_only() {
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
