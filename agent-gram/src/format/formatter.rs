//! The output of formatting: tokens, the gaps and comments between them, and attempts to fit a
//! line.

use crate::lexer;
use crate::print::writer::{INDENT, MAX_COLUMNS};
use crate::span::Span;
use crate::syntax::{Comment, CommentKind};

/// The length in bytes above which a token is not counted, because it does not fit on any line.
const LONGEST_COUNTED: usize = MAX_COLUMNS * '\u{10ffff}'.len_utf8();

/// Copies tokens from the source and writes the gaps between them.
///
/// A part that may fit on one line is written there, and removed again if it does not fit. An
/// attempt ends where the line is full, so its time does not depend on the length of the part.
pub(super) struct Formatter<'d> {
    pub(super) source: &'d str,
    /// The comments that are not yet written.
    comments: &'d [Comment],
    /// The offset of the first of `comments`.
    next_comment: usize,
    /// The offset in the source after the last token or comment.
    at: usize,
    out: String,
    /// The offset of the current line in `out`.
    line_start: usize,
    /// The indentation of the current line. A part that is broken on the line is indented from
    /// there.
    pub(super) line_indent: usize,
    /// The indentation of the line on which the innermost member of a broken list begins.
    pub(super) member_indent: usize,
    attempt: Attempt,
}

/// An attempt to write a part on one line.
#[derive(Clone, Copy)]
struct Attempt {
    active: bool,
    /// Whether `at` is updated for marks. Only comments need the update, which scans the source for
    /// each comma and colon.
    follows: bool,
    failed: bool,
    /// The length of the output above which its columns must be counted.
    limit: usize,
    /// The length of the output whose columns have been counted, and the number of columns left.
    counted: usize,
    columns: usize,
}

impl Attempt {
    const NONE: Self = Self {
        active: false,
        follows: true,
        failed: false,
        limit: usize::MAX,
        counted: 0,
        columns: 0,
    };
}

/// The white space between two tokens without a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    Nothing,
    /// One blank.
    Blank,
    /// A line end before the first of several lines with this indentation. No empty line follows
    /// the token before.
    First(usize),
    /// A line end between two of several lines with this indentation.
    Between(usize),
    /// A line end before the closing token of a broken list with this indentation. Comments before
    /// it are indented like the members, and no empty line is before it.
    Last(usize),
}

/// The number of line ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LineEnds {
    None,
    One,
    /// Two or more, so that there is an empty line.
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

/// The blanks that are removed at the end of a line.
const BLANKS: [char; 5] = [' ', '\t', '\r', '\u{b}', '\u{c}'];

impl<'d> Formatter<'d> {
    pub(super) fn new(source: &'d str, comments: &'d [Comment]) -> Self {
        let at = match source.strip_prefix('\u{feff}') {
            Some(rest) => source.len() - rest.len(),
            None => 0,
        };
        Self {
            source,
            comments,
            next_comment: start_of_first(comments),
            at,
            // Only texts with few blanks need a larger capacity, and they are rare.
            out: String::with_capacity(source.len() + source.len() / 8),
            line_start: 0,
            line_indent: 0,
            member_indent: 0,
            attempt: Attempt::NONE,
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Whether everything must be written on the current line.
    #[inline]
    pub(super) fn on_line(&self) -> bool {
        self.attempt.active
    }

    /// Whether the attempt to write on one line has failed, so that the rest can be skipped.
    #[inline]
    pub(super) fn failed(&self) -> bool {
        self.attempt.failed
    }

    /// Gives up the attempt to write on one line, if there is one.
    pub(super) fn fail(&mut self) {
        if self.attempt.active {
            self.attempt.failed = true;
            self.attempt.limit = 0;
        }
    }

    /// Tries to write the part that ends at `end` in the source on one line, with room for
    /// `trailing` columns after it. If that fails, nothing is written.
    pub(super) fn try_on_line(
        &mut self,
        end: usize,
        trailing: usize,
        write: impl FnOnce(&mut Self),
    ) -> bool {
        let (length, at, comments) = (self.out.len(), self.at, self.comments);
        let columns = MAX_COLUMNS.saturating_sub(trailing);
        self.attempt = Attempt {
            active: true,
            follows: self.next_comment < end,
            failed: false,
            limit: self.line_start + columns,
            counted: self.line_start,
            columns,
        };
        write(self);
        let fits = !self.attempt.failed;
        self.attempt = Attempt::NONE;
        if fits {
            self.at = end;
        } else {
            self.out.truncate(length);
            self.at = at;
            self.set_comments(comments);
        }
        fits
    }

    /// Writes a text without line ends.
    #[inline]
    pub(super) fn push(&mut self, text: &str) {
        if self.out.len() + text.len() <= self.attempt.limit {
            self.out.push_str(text);
        } else {
            self.push_counted(text);
        }
    }

    /// Writes a text in an attempt whose columns must be counted, because its bytes are more than
    /// the limit.
    #[cold]
    fn push_counted(&mut self, text: &str) {
        if self.attempt.failed || text.len() > LONGEST_COUNTED {
            return self.fail();
        }
        let before = self.out.get(self.attempt.counted..).unwrap_or("");
        let columns = before.chars().count() + text.chars().count();
        match self.attempt.columns.checked_sub(columns) {
            Some(left) => {
                self.out.push_str(text);
                self.attempt.columns = left;
                self.attempt.counted = self.out.len();
                self.attempt.limit = self.out.len() + left;
            }
            None => self.fail(),
        }
    }

    /// Writes a text that may have line ends. Fails in an attempt to write on one line.
    pub(super) fn push_lines(&mut self, text: &str) {
        let line_end = text.rfind('\n');
        if self.on_line() && line_end.is_some() {
            return self.fail();
        }
        self.push(text);
        if let Some(line_end) = line_end {
            self.line_start = self.out.len() - (text.len() - line_end - 1);
        }
    }

    /// Ends the current line, if there is one, and indents the next. `blank` adds an empty line
    /// between.
    pub(super) fn line(&mut self, indent: usize, blank: bool) {
        if self.on_line() {
            return self.fail();
        }
        if !self.out.is_empty() {
            self.out.push_str(if blank { "\n\n" } else { "\n" });
        }
        self.line_start = self.out.len();
        self.line_indent = indent;
        self.indent(indent);
    }

    /// Ends the last line, if there is one.
    pub(super) fn last_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Whether nothing has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    fn indent(&mut self, columns: usize) {
        const BLANKS: &str = "                                ";
        let mut left = columns;
        while left > 0 {
            let some = left.min(BLANKS.len());
            self.out.push_str(&BLANKS[..some]);
            left -= some;
        }
    }

    /// Writes the gap before a token, and copies the token.
    #[inline]
    pub(super) fn token(&mut self, span: Span, gap: Gap) {
        self.gap(span.start, gap);
        self.push(span.text(self.source));
        self.at = span.end;
    }

    /// Writes the gap before a token that is not in the tree, such as a comma, and the token.
    #[inline]
    pub(super) fn mark(&mut self, mark: &str, gap: Gap) {
        if self.attempt.follows {
            let start = self.next_token(mark);
            self.gap(start, gap);
            self.at = start + mark.len();
        } else if let Gap::Blank = gap {
            self.push(" ");
        }
        self.push(mark);
    }

    /// Returns the offset of the next token, which is `mark`.
    #[inline]
    fn next_token(&self, mark: &str) -> usize {
        let bytes = self.source.as_bytes();
        if bytes.get(self.at) == mark.as_bytes().first() {
            self.at
        } else {
            lexer::trivia_end(self.source, self.at)
        }
    }

    /// Whether a comment that has not been written is before `place` in the source.
    #[inline]
    pub(super) fn comment_before(&self, place: usize) -> bool {
        self.next_comment < place
    }

    /// Returns the next comment if it is before `before`, and moves to its end.
    pub(super) fn take_comment(&mut self, before: usize) -> Option<&'d Comment> {
        let (first, rest) = self.comments.split_first()?;
        if first.span.start >= before {
            return None;
        }
        self.set_comments(rest);
        self.at = first.span.end;
        Some(first)
    }

    /// Returns the comments that are not yet written.
    pub(super) fn comments(&self) -> &'d [Comment] {
        self.comments
    }

    fn set_comments(&mut self, comments: &'d [Comment]) {
        self.comments = comments;
        self.next_comment = start_of_first(comments);
    }

    /// Returns the offset in the source after the last token or comment.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Moves to `place` in the source.
    #[inline]
    pub(super) fn go_to(&mut self, place: usize) {
        self.at = place;
    }

    /// Returns the source from the last token or comment up to `place`.
    pub(super) fn source_to(&self, place: usize) -> &'d str {
        self.source.get(self.at..place).unwrap_or("")
    }

    /// Writes the gap and the comments between the last token and the one at `next`.
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

    /// Writes the comments after the last token of the text, and the last line end.
    pub(super) fn end(&mut self) {
        let next = self.source.len();
        if self.comment_before(next) {
            self.comments_in_lines(next, 0, true);
        }
        self.last_line();
    }

    /// Writes the comments before a token that begins a line. Returns the number of line ends after
    /// the last of them. With `blank_allowed`, an empty line may be before the first comment.
    fn comments_in_lines(
        &mut self,
        next: usize,
        indent: usize,
        mut blank_allowed: bool,
    ) -> LineEnds {
        let mut ends = line_ends(self.source_to(self.comment_start(next)));
        // A comment between two tokens of one line belongs to the second.
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

    /// Writes the comments before a token that continues the line. A comment that ends its line
    /// still does so.
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

    /// Returns the offset of the next comment, or `next` if that is before it.
    fn comment_start(&self, next: usize) -> usize {
        let first = self.comments().first();
        first.map_or(next, |comment| comment.span.start.min(next))
    }

    /// Whether there is a line end before `next`, the offset of a token or of the end of the text.
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

    /// Writes a comment. In an attempt to write on one line, a doc comment of several lines fails
    /// here, and a line comment fails at the line end after it.
    pub(super) fn comment(&mut self, comment: &Comment) {
        let text = comment.span.text(self.source);
        match comment.kind {
            CommentKind::Line => self.push(text.trim_end_matches(BLANKS)),
            CommentKind::Doc if !text.contains('\n') => self.push(text),
            CommentKind::Doc if self.on_line() => self.fail(),
            CommentKind::Doc => self.doc_comment(text),
        }
    }

    /// Writes a doc comment of several lines. If all its lines begin with `*`, they are aligned.
    /// Otherwise their indentation may have a meaning and is kept.
    fn doc_comment(&mut self, text: &str) {
        let starred = text.lines().skip(1).all(|line| {
            let line = line.trim_start_matches(BLANKS);
            line.starts_with('*')
        });
        let indent = self.line_indent + 1;
        for (at, line) in text.split('\n').enumerate() {
            let line = line.trim_end_matches('\r');
            if at == 0 {
                self.push(line);
            } else if starred {
                let line_indent = self.line_indent;
                self.line(indent, false);
                self.line_indent = line_indent;
                self.push(line.trim_start_matches(BLANKS));
            } else {
                self.push_lines("\n");
                self.push(line);
            }
        }
    }
}

fn start_of_first(comments: &[Comment]) -> usize {
    comments
        .first()
        .map_or(usize::MAX, |comment| comment.span.start)
}
