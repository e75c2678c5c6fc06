//! Finding a part in what is written, and writing only a stretch of a line: for messages that point
//! at something.

use super::Writer;

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
    pub(super) const IDLE: Self = Self {
        trail: Trail::EMPTY,
        depth: 0,
        matched: 0,
        starts: [0; LONGEST],
        found: (0, 0, 0),
    };
}

impl Writer<'_> {
    /// From here on looks for the part that a trail leads to.
    pub const fn follow(&mut self, trail: Trail) {
        self.follower = Follower {
            trail,
            ..Follower::IDLE
        };
    }

    /// The columns from and to which the part stands, or what is nearest around it; `None` when not
    /// even the first step was met. No longer looks for it.
    pub const fn followed(&mut self) -> Option<(usize, usize)> {
        let (depth, start, end) = self.follower.found;
        self.follower = Follower::IDLE;
        if depth == 0 { None } else { Some((start, end)) }
    }

    /// Whether a part is looked for.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        !self.follower.trail.steps().is_empty()
    }

    /// What is written next is inside a part of this number.
    pub const fn enter(&mut self, step: u16) {
        let follower = &mut self.follower;
        let steps = follower.trail.steps();
        if follower.matched == follower.depth
            && follower.depth < steps.len()
            && steps[follower.depth] == step
        {
            follower.starts[follower.depth] = self.columns;
            follower.matched += 1;
        }
        follower.depth += 1;
    }

    /// The part that was entered last ends here.
    pub const fn leave(&mut self) {
        let follower = &mut self.follower;
        if follower.depth > 0 && follower.matched == follower.depth {
            if follower.depth > follower.found.0 {
                let start = follower.starts[follower.depth - 1];
                follower.found = (follower.depth, start, self.columns);
            }
            follower.matched -= 1;
        }
        follower.depth = follower.depth.saturating_sub(1);
    }

    /// Writes only what comes to stand in these columns, counted as [`columns`](Self::columns) is;
    /// the rest is counted. `None` writes everything again.
    pub const fn show_only(&mut self, columns: Option<(usize, usize)>) {
        self.shown = columns;
    }

    /// Writes the part of a text that is shown.
    pub(super) const fn shown_text(&mut self, text: &str, shown: (usize, usize)) {
        let bytes = text.as_bytes();
        let (mut start, mut end) = (None, bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            // Bytes of the form 10xxxxxx continue a character.
            if bytes[at] & 0xC0 != 0x80 {
                if self.columns >= shown.1 && end == bytes.len() {
                    end = at;
                }
                if self.columns >= shown.0 && start.is_none() {
                    start = Some(at);
                }
                self.columns += 1;
            }
            at += 1;
        }
        if let Some(start) = start
            && start < end
        {
            self.put(text.split_at(end).0.split_at(start).1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::writer::to_string;

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
