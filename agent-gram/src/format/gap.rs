//! What stands between two tokens: nothing, a blank or a line end, and the comments.

use super::writer::Writer;
use crate::print::layout::INDENT;
use crate::syntax::{Comment, CommentKind};

/// What stands between two tokens when no comment does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    Nothing,
    /// One blank.
    Blank,
    /// A line end before the first of several lines, which are indented so far: no empty line
    /// follows the token before.
    First(usize),
    /// A line end between two of these lines.
    Between(usize),
    /// A line end before what closes something broken, which is indented so far. Comments before it
    /// are indented like the members, and no empty line stands before it.
    Last(usize),
}

/// How many line ends there are, more than two counting as two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LineEnds {
    None,
    One,
    /// There is an empty line.
    More,
}

fn line_ends(blanks: &str) -> LineEnds {
    let mut ends = blanks.bytes().filter(|byte| *byte == b'\n');
    match (ends.next(), ends.next()) {
        (None, _) => LineEnds::None,
        (_, None) => LineEnds::One,
        _ => LineEnds::More,
    }
}

impl Writer<'_> {
    /// Writes what stands between the last token and the one at `next`.
    #[inline]
    pub(super) fn gap(&mut self, next: usize, gap: Gap) {
        if self.comment_before(next) {
            return self.gap_with_comments(next, gap);
        }
        match gap {
            Gap::Nothing => {}
            Gap::Blank => self.push(" "),
            Gap::First(indent) | Gap::Last(indent) => self.line(indent, false),
            Gap::Between(indent) => {
                let blank = line_ends(self.source_to(next)) == LineEnds::More;
                self.line(indent, blank);
            }
        }
        self.go_to(next);
    }

    #[cold]
    fn gap_with_comments(&mut self, next: usize, gap: Gap) {
        match gap {
            Gap::Nothing | Gap::Blank => self.comments_in_line(next),
            Gap::First(indent) | Gap::Between(indent) => {
                let blank_allowed = matches!(gap, Gap::Between(_));
                let ends = self.comments_in_lines(next, indent, blank_allowed);
                self.line(indent, ends == LineEnds::More);
            }
            Gap::Last(indent) => {
                self.comments_in_lines(next, indent + INDENT, true);
                self.line(indent, false);
            }
        }
        self.go_to(next);
    }

    /// Writes the comments after the last token of the text, and its last line end.
    pub(super) fn end(&mut self) {
        let next = self.source.len();
        if self.comment_before(next) {
            self.comments_in_lines(next, 0, true);
        }
        self.last_line();
    }

    /// Writes the comments before a token that begins a line, and says how many line ends stand
    /// after the last of them. An empty line may stand between them, and before the first when that
    /// is allowed.
    fn comments_in_lines(
        &mut self,
        next: usize,
        indent: usize,
        mut blank_allowed: bool,
    ) -> LineEnds {
        let mut ends = line_ends(self.source_to(self.comment_start(next)));
        // What stands between the tokens of one line belongs to the second.
        let mut new_line = ends > LineEnds::None || !self.line_ends_before(next);
        while let Some(comment) = self.take_comment(next) {
            if new_line {
                self.line(indent, blank_allowed && ends == LineEnds::More);
            } else if !self.is_empty() {
                self.push(" ");
            }
            self.comment(comment);
            ends = line_ends(self.source_to(self.comment_start(next)));
            new_line = ends > LineEnds::None;
            blank_allowed = true;
        }
        ends
    }

    /// Writes the comments before a token that would stand on the line of the one before. Comments
    /// that end their line still do.
    fn comments_in_line(&mut self, next: usize) {
        let indent = self.member_indent + INDENT;
        let mut blank_allowed = false;
        loop {
            match line_ends(self.source_to(self.comment_start(next))) {
                LineEnds::None => self.push(" "),
                ends => {
                    let followed = self.comment_before(next);
                    self.line(indent, blank_allowed && followed && ends == LineEnds::More);
                }
            }
            let Some(comment) = self.take_comment(next) else {
                return;
            };
            self.comment(comment);
            blank_allowed = true;
            if self.failed() {
                return;
            }
        }
    }

    /// Where the next comment before this place begins, else this place.
    fn comment_start(&self, next: usize) -> usize {
        let first = self.comments().first();
        first.map_or(next, |comment| comment.span.start.min(next))
    }

    /// Whether the line ends somewhere before this place, where a token stands or the text ends.
    fn line_ends_before(&self, next: usize) -> bool {
        let mut at = self.place();
        let before = |comment: &&Comment| comment.span.start < next;
        for comment in self.comments().iter().take_while(before) {
            let blanks = self.source.get(at..comment.span.start).unwrap_or("");
            if comment.kind == CommentKind::Line || line_ends(blanks) > LineEnds::None {
                return true;
            }
            at = comment.span.end;
        }
        let blanks = self.source.get(at..next).unwrap_or("");
        next == self.source.len() || line_ends(blanks) > LineEnds::None
    }
}
