//! Which part of a text is shown with a finding.
//!
//! The library that draws findings reads all of the text it is given, for every finding. It gets
//! the lines around the marks only, so that the time depends on what is shown and not on the
//! length of the text or of its lines.

use agent_gram::{LineIndex, Position, Span};
use agent_spec::Diagnostic;
use std::ops::Range;

/// Marks at most this many lines apart share an excerpt.
const NEAR: usize = 12;

/// Of a mark over more lines than this, only the first line is shown.
const TALLEST: usize = 6;

/// Marks on lines with more bytes than this get excerpts of their own: the library shows all of a
/// line between its marks.
const SHARED_LINE: usize = 300;

/// An excerpt with more bytes than this is cut to the part of a line around its mark; of a shorter
/// one, the library that draws findings shows what fits.
const LONGEST: usize = 10_000;

/// How much of a cut line is kept on each side of where the mark begins, in bytes.
const AROUND: usize = 60;

/// What stands where a line was cut.
const CUT: char = '…';

/// Neighbouring lines of a text, or a part of one line, with marks on it.
pub(super) struct Excerpt<'a> {
    /// What is shown.
    pub(super) text: String,
    /// The number of its first line.
    pub(super) line: usize,
    /// Where the mark is, when the excerpt is a part of a line and so does not tell.
    pub(super) place: Option<Position>,
    /// What is marked, relative to `text`.
    pub(super) marks: Vec<Mark<'a>>,
}

/// A marked part of an excerpt.
pub(super) struct Mark<'a> {
    /// What is marked.
    pub(super) range: Range<usize>,
    /// What is said about it.
    pub(super) label: Option<&'a str>,
    /// Whether it is the finding's own place.
    pub(super) primary: bool,
}

/// The excerpts for a finding: first that with its own place.
pub(super) fn excerpts<'a>(
    text: &str,
    index: &LineIndex<'_>,
    diagnostic: &'a Diagnostic,
) -> Vec<Excerpt<'a>> {
    let mut groups = vec![vec![MarkedSpan::new(text, index, diagnostic.span(), None)]];
    for (span, label) in diagnostic.labels() {
        let place = MarkedSpan::new(text, index, span, Some(label));
        match groups.iter_mut().find(|group| share(index, group, &place)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
        .into_iter()
        .map(|group| match group.as_slice() {
            [place] if place.bytes(index).len() > LONGEST => cut(text, index, place),
            _ => whole(text, index, &group),
        })
        .collect()
}

/// Whether a place can be shown in one excerpt with others.
fn share(index: &LineIndex<'_>, group: &[MarkedSpan<'_>], place: &MarkedSpan<'_>) -> bool {
    let lines = LineRange::of(group);
    place.shares
        && group.iter().all(|other| other.shares)
        && lines.near(place.lines)
        // Lines between the marks may be long, too.
        && lines.to(place.lines).bytes(index).len() <= LONGEST
}

/// Line numbers, both inclusive.
#[derive(Clone, Copy)]
struct LineRange {
    first: usize,
    last: usize,
}

impl LineRange {
    fn of(group: &[MarkedSpan<'_>]) -> Self {
        let lines = group.iter().map(|place| place.lines);
        lines.reduce(Self::to).unwrap_or(Self { first: 1, last: 1 })
    }

    fn near(self, other: Self) -> bool {
        other.first <= self.last + NEAR && self.first <= other.last + NEAR
    }

    fn to(self, other: Self) -> Self {
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

/// A place that is to be marked.
struct MarkedSpan<'a> {
    span: Span,
    label: Option<&'a str>,
    lines: LineRange,
    /// Whether its lines are short enough to share an excerpt with others.
    shares: bool,
}

impl<'a> MarkedSpan<'a> {
    fn new(text: &str, index: &LineIndex<'_>, span: Span, label: Option<&'a str>) -> Self {
        let start = text.floor_char_boundary(span.start);
        let mut end = text.floor_char_boundary(span.end.max(span.start));
        let first = index.position(start).line;
        let mut last = index.position(end).line;
        if last - first >= TALLEST {
            last = first;
            end = index.line_span(first).end.max(start);
        }
        let shares = (first..=last).all(|line| index.line_span(line).len() <= SHARED_LINE);
        Self {
            span: Span::new(start, end),
            label,
            lines: LineRange { first, last },
            shares,
        }
    }

    fn bytes(&self, index: &LineIndex<'_>) -> Span {
        self.lines.bytes(index)
    }

    fn mark(&self, range: Range<usize>) -> Mark<'a> {
        Mark {
            range,
            label: self.label,
            primary: self.label.is_none(),
        }
    }
}

/// The lines of some places.
fn whole<'a>(text: &str, index: &LineIndex<'_>, group: &[MarkedSpan<'a>]) -> Excerpt<'a> {
    let lines = LineRange::of(group);
    let bytes = lines.bytes(index);
    // A mark may end in a line end, which is not shown.
    let within = |at: usize| at.min(bytes.end) - bytes.start;
    let marks = group
        .iter()
        .map(|place| place.mark(within(place.span.start)..within(place.span.end)));
    Excerpt {
        // With a line end the last line is one, even when it is empty.
        text: format!("{}\n", bytes.text(text)),
        line: lines.first,
        place: None,
        marks: marks.collect(),
    }
}

/// The part of a line around where a mark begins.
fn cut<'a>(text: &str, index: &LineIndex<'_>, place: &MarkedSpan<'a>) -> Excerpt<'a> {
    let at = place.span.start;
    let position = index.position(at);
    let line = index.line_span(position.line);
    let start = text
        .floor_char_boundary(at.saturating_sub(AROUND))
        .max(line.start);
    let end = text.floor_char_boundary(at + AROUND).min(line.end).max(at);
    let mut shown = String::new();
    if start > line.start {
        shown.push(CUT);
    }
    let before = shown.len();
    shown.push_str(Span::new(start, end).text(text));
    if end < line.end {
        shown.push(CUT);
    }
    shown.push('\n');
    Excerpt {
        text: shown,
        line: position.line,
        place: Some(position),
        marks: vec![place.mark(before + at - start..before + place.span.end.min(end) - start)],
    }
}
