//! The excerpts of a text that are shown with a finding.
//!
//! The library that draws findings scans its whole input for every finding. Its input is only the lines
//! around the marks, so that the time does not depend on the length of the text.

use agent_gram::{LineIndex, Position, Span};
use agent_spec::Diagnostic;
use std::ops::Range;

/// The maximum number of lines between marks that share an excerpt.
const MAX_DISTANCE: usize = 12;

/// The maximum number of lines of a mark. Only the first line of a longer mark is shown.
const MAX_HEIGHT: usize = 6;

/// The maximum number of bytes of a line whose marks share an excerpt, because the library shows all of a
/// line between its marks.
const MAX_SHARED_LINE: usize = 300;

/// The maximum number of bytes of an excerpt. A longer excerpt is cut to the part of a line around its mark;
/// the library itself cuts shorter excerpts to the width of the terminal.
const MAX_BYTES: usize = 10_000;

/// The number of bytes that are kept of a cut line on each side of the beginning of its mark.
const CONTEXT: usize = 60;

/// The character at the cut end of a line.
const ELLIPSIS: char = '…';

/// Adjacent lines of a text, or a part of one line, with marks.
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    /// The lines, each with its end.
    pub text: String,
    /// The number of the first line.
    pub line: usize,
    /// The position of the mark, if the excerpt is a part of a line.
    pub position: Option<Position>,
    /// The marks. That of the finding itself is the first in the first excerpt.
    pub marks: Vec<Mark<'a>>,
}

/// A marked part of an excerpt.
#[derive(Clone, Debug)]
pub struct Mark<'a> {
    /// The range in the text of the excerpt.
    pub range: Range<usize>,
    /// The label beside the mark.
    pub label: Option<&'a str>,
    /// Whether this is the span of the finding itself, and not of one of its labels.
    pub is_primary: bool,
}

/// Returns the excerpts for a finding. The first one has the span of the finding itself.
#[must_use]
pub fn excerpts<'a>(
    text: &str,
    index: &LineIndex<'_>,
    diagnostic: &'a Diagnostic,
) -> Vec<Excerpt<'a>> {
    let mut groups = vec![vec![MarkedSpan::new(text, index, diagnostic.span(), None)]];
    for (span, label) in diagnostic.labels() {
        let span = MarkedSpan::new(text, index, span, Some(label));
        match groups
            .iter_mut()
            .find(|group| can_share(index, group, &span))
        {
            Some(group) => group.push(span),
            None => groups.push(vec![span]),
        }
    }
    groups
        .into_iter()
        .map(|group| match group.as_slice() {
            [span] if span.bytes(index).len() > MAX_BYTES => cut_line(text, index, span),
            _ => complete_lines(text, index, &group),
        })
        .collect()
}

/// Whether a span can share an excerpt with those of a group.
fn can_share(index: &LineIndex<'_>, group: &[MarkedSpan<'_>], span: &MarkedSpan<'_>) -> bool {
    let lines = LineRange::of(group);
    span.is_sharable
        && group.iter().all(|other| other.is_sharable)
        && lines.is_near(span.lines)
        // Lines between the marks may be long, too.
        && lines.union(span.lines).bytes(index).len() <= MAX_BYTES
}

/// A range of line numbers, both inclusive.
#[derive(Clone, Copy)]
struct LineRange {
    first: usize,
    last: usize,
}

impl LineRange {
    fn of(group: &[MarkedSpan<'_>]) -> Self {
        let lines = group.iter().map(|span| span.lines);
        lines
            .reduce(Self::union)
            .unwrap_or(Self { first: 1, last: 1 })
    }

    fn is_near(self, other: Self) -> bool {
        other.first <= self.last + MAX_DISTANCE && self.first <= other.last + MAX_DISTANCE
    }

    fn union(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }

    fn bytes(self, index: &LineIndex<'_>) -> Span {
        Span::new(
            index.line_span(self.first).start,
            index.line_span(self.last).end,
        )
    }
}

/// A span of the whole text to mark.
struct MarkedSpan<'a> {
    span: Span,
    label: Option<&'a str>,
    lines: LineRange,
    /// Whether the lines are short enough to share an excerpt.
    is_sharable: bool,
}

impl<'a> MarkedSpan<'a> {
    fn new(text: &str, index: &LineIndex<'_>, span: Span, label: Option<&'a str>) -> Self {
        let start = text.floor_char_boundary(span.start);
        let mut end = text.floor_char_boundary(span.end.max(span.start));
        let first = index.position(start).line;
        let mut last = index.position(end).line;
        if last - first >= MAX_HEIGHT {
            last = first;
            end = index.line_span(first).end.max(start);
        }
        let is_sharable = (first..=last).all(|line| index.line_span(line).len() <= MAX_SHARED_LINE);
        Self {
            span: Span::new(start, end),
            label,
            lines: LineRange { first, last },
            is_sharable,
        }
    }

    fn bytes(&self, index: &LineIndex<'_>) -> Span {
        self.lines.bytes(index)
    }

    fn mark(&self, range: Range<usize>) -> Mark<'a> {
        Mark {
            range,
            label: self.label,
            is_primary: self.label.is_none(),
        }
    }
}

/// Creates the excerpt of the complete lines of a group.
fn complete_lines<'a>(text: &str, index: &LineIndex<'_>, group: &[MarkedSpan<'a>]) -> Excerpt<'a> {
    let lines = LineRange::of(group);
    let bytes = lines.bytes(index);
    // A mark can include a line end, which is not in the excerpt.
    let within = |at: usize| at.min(bytes.end) - bytes.start;
    let marks = group
        .iter()
        .map(|span| span.mark(within(span.span.start)..within(span.span.end)));
    Excerpt {
        // The line end makes the library draw an empty last line.
        text: format!("{}\n", bytes.text(text)),
        line: lines.first,
        position: None,
        marks: marks.collect(),
    }
}

/// Creates the excerpt of the part of a line around the beginning of a mark.
fn cut_line<'a>(text: &str, index: &LineIndex<'_>, span: &MarkedSpan<'a>) -> Excerpt<'a> {
    let at = span.span.start;
    let position = index.position(at);
    let line = index.line_span(position.line);
    let start = text
        .floor_char_boundary(at.saturating_sub(CONTEXT))
        .max(line.start);
    let end = text.floor_char_boundary(at + CONTEXT).min(line.end).max(at);
    let mut shown = String::new();
    if start > line.start {
        shown.push(ELLIPSIS);
    }
    let before = shown.len();
    shown.push_str(Span::new(start, end).text(text));
    if end < line.end {
        shown.push(ELLIPSIS);
    }
    shown.push('\n');
    Excerpt {
        text: shown,
        line: position.line,
        position: Some(position),
        marks: vec![span.mark(before + at - start..before + span.span.end.min(end) - start)],
    }
}
