//! The text that is written, the place in the source, and trying whether something fits on a line.

use crate::lexer;
use crate::print::layout::{INDENT, MAX_COLUMNS};
use crate::span::Span;
use crate::syntax::{Comment, CommentKind};

/// A longer token than this is never counted: no line has room for it.
const LONGEST_COUNTED: usize = MAX_COLUMNS * '\u{10ffff}'.len_utf8();

/// Copies tokens from the source and writes what stands between them.
///
/// What may stand on one line is written there at once, and taken back when it turns out not to fit.
/// An attempt ends where the line is full, so it costs little however much there is to write.
pub(super) struct Formatter<'d> {
    pub(super) source: &'d str,
    /// The comments that are not yet written.
    comments: &'d [Comment],
    /// Where the first of them begins.
    next_comment: usize,
    /// Where the last token ended in the source.
    at: usize,
    out: String,
    /// Where the line that is being written begins in `out`.
    line_start: usize,
    /// How far that line is indented: what is broken in it is indented from there.
    pub(super) line_indent: usize,
    /// How far the line is indented that the innermost member of something broken began on.
    pub(super) member_indent: usize,
    attempt: Attempt,
}

/// An attempt to write something on one line.
#[derive(Clone, Copy)]
struct Attempt {
    active: bool,
    /// Whether `at` is kept up. That needs a look at the source for each comma and colon, and only
    /// comments need it.
    follows: bool,
    failed: bool,
    /// How long the output may be before its columns must be counted.
    limit: usize,
    /// Up to where in the output they were counted, and how many are left.
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

/// Blanks that may stand at the end of a line, where nobody sees them.
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
            // Texts that need more were written without blanks; they are rare.
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

    /// Whether everything must stand on the line that is being written.
    #[inline]
    pub(super) fn on_line(&self) -> bool {
        self.attempt.active
    }

    /// Whether the attempt to write on one line has failed, so that the rest need not be tried.
    #[inline]
    pub(super) fn failed(&self) -> bool {
        self.attempt.failed
    }

    /// Gives up writing on one line. Nothing happens when that was not tried.
    pub(super) fn fail(&mut self) {
        if self.attempt.active {
            self.attempt.failed = true;
            self.attempt.limit = 0;
        }
    }

    /// Tries to write on one line what ends at `end` in the source, with room for `trailing` columns
    /// after it. When that fails, nothing was written.
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

    /// Writes a text where bytes no longer tell whether it fits.
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

    /// Writes what may have line ends. Fails where everything must stand on one line.
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

    /// Ends the line, if there is one, and indents the next. `blank` leaves an empty line between.
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

    /// Whether nothing is written yet.
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

    /// Copies the token at this place, with the gap before it.
    #[inline]
    pub(super) fn token(&mut self, span: Span, gap: Gap) {
        self.gap(span.start, gap);
        self.push(span.text(self.source));
        self.at = span.end;
    }

    /// Writes a token that is in no tree: the next one in the source, with the gap before it.
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

    /// Where the next token begins, which is this one.
    #[inline]
    fn next_token(&self, mark: &str) -> usize {
        let bytes = self.source.as_bytes();
        if bytes.get(self.at) == mark.as_bytes().first() {
            self.at
        } else {
            lexer::trivia_end(self.source, self.at)
        }
    }

    /// Whether a comment stands before this place in the source and is not yet written.
    #[inline]
    pub(super) fn comment_before(&self, place: usize) -> bool {
        self.next_comment < place
    }

    /// The next comment, if it stands before this place. It counts as written, and the place in the
    /// source is after it.
    pub(super) fn take_comment(&mut self, before: usize) -> Option<&'d Comment> {
        let (first, rest) = self.comments.split_first()?;
        if first.span.start >= before {
            return None;
        }
        self.set_comments(rest);
        self.at = first.span.end;
        Some(first)
    }

    /// The comments that are not yet written.
    pub(super) fn comments(&self) -> &'d [Comment] {
        self.comments
    }

    fn set_comments(&mut self, comments: &'d [Comment]) {
        self.comments = comments;
        self.next_comment = start_of_first(comments);
    }

    /// Where the last token or comment ended in the source.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Goes on in the source at this place.
    #[inline]
    pub(super) fn go_to(&mut self, place: usize) {
        self.at = place;
    }

    /// The source from the last token or comment up to this place.
    pub(super) fn source_to(&self, place: usize) -> &'d str {
        self.source.get(self.at..place).unwrap_or("")
    }

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

    /// Writes a comment. Where everything must stand on one line, that fails for a doc comment of
    /// several lines here, and for a line comment at the line end that follows it.
    pub(super) fn comment(&mut self, comment: &Comment) {
        let text = comment.span.text(self.source);
        match comment.kind {
            CommentKind::Line => self.push(text.trim_end_matches(BLANKS)),
            CommentKind::Doc if !text.contains('\n') => self.push(text),
            CommentKind::Doc if self.on_line() => self.fail(),
            CommentKind::Doc => self.doc_comment(text),
        }
    }

    /// Writes a doc comment of several lines. When all its lines begin with `*` they are indented
    /// so that these stand below each other; else how they are indented may have a meaning.
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
