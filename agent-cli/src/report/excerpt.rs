//! Which part of a text is shown with a finding.
//!
//! The library that draws findings reads all of the text it is given, for every finding. It gets
//! the lines around the marks only, so that the time depends on what is shown and not on the
//! length of the text or of its lines.

use crate::position::Positions;
use agent_gram::{Position, Span};
use agent_spec::Diagnostic;
use std::ops::Range;

/// Marks at most this many lines apart share an excerpt.
const NEAR: usize = 12;

/// Of a mark over more lines than this, only the first line is shown.
const TALLEST: usize = 6;

/// Marks on lines with more bytes than this get excerpts of their own: the library shows all of a
/// line between its marks.
const SHARED_LINE: usize = 300;

/// A line with more bytes than this is cut here; of a shorter one, the library that draws findings
/// shows what fits.
const LONGEST_LINE: usize = 10_000;

/// How much of such a line is kept on each side of where a mark begins, in bytes.
const AROUND: usize = 60;

/// Neighbouring lines of a text, or a part of one line, with marks on it.
pub(super) struct Excerpt<'a> {
    /// What is shown.
    pub(super) text: String,
    /// The number of its first line.
    pub(super) line: usize,
    /// Where the first mark is, when the excerpt is a part of a line and so does not tell.
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
    text: &'a str,
    positions: &Positions<'_>,
    diagnostic: &'a Diagnostic,
) -> Vec<Excerpt<'a>> {
    let mut places = vec![Place::new(positions, text, diagnostic.span(), None)];
    for (span, label) in diagnostic.labels() {
        places.push(Place::new(positions, text, span, Some(label)));
    }
    let mut excerpts: Vec<(Lines, Vec<Place<'a>>)> = Vec::new();
    for place in places {
        let near = excerpts
            .iter_mut()
            .find(|(lines, _)| lines.near(&place.lines));
        match near {
            Some((lines, together))
                if place.shares && together.iter().all(|other| other.shares) =>
            {
                lines.extend(&place.lines);
                together.push(place);
            }
            _ => excerpts.push((place.lines, vec![place])),
        }
    }
    excerpts
        .into_iter()
        .map(|(lines, places)| cut(text, positions, lines, places))
        .collect()
}

/// Line numbers, both inclusive.
#[derive(Clone, Copy)]
struct Lines {
    first: usize,
    last: usize,
}

impl Lines {
    fn near(&self, other: &Lines) -> bool {
        other.first <= self.last + NEAR && self.first <= other.last + NEAR
    }

    fn extend(&mut self, other: &Lines) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// A place that is to be marked.
struct Place<'a> {
    span: Span,
    label: Option<&'a str>,
    lines: Lines,
    /// Whether it can share an excerpt with others.
    shares: bool,
    /// Whether its line is to be cut.
    cut: bool,
}

impl<'a> Place<'a> {
    fn new(positions: &Positions<'_>, text: &str, span: Span, label: Option<&'a str>) -> Self {
        let start = boundary(text, span.start);
        let mut end = boundary(text, span.end.max(span.start));
        let first = positions.position(start).line;
        let mut last = positions.position(end).line;
        if last - first >= TALLEST {
            last = first;
            end = positions.line(first).1.max(start);
        }
        let longest = (first..=last).map(|line| {
            let (from, to) = positions.line(line);
            to - from
        });
        let longest = longest.max().unwrap_or(0);
        Self {
            span: Span::new(start, end),
            label,
            lines: Lines { first, last },
            shares: longest <= SHARED_LINE,
            cut: longest > LONGEST_LINE,
        }
    }
}

/// Cuts an excerpt out of the text.
fn cut<'a>(
    text: &'a str,
    positions: &Positions<'_>,
    lines: Lines,
    places: Vec<Place<'a>>,
) -> Excerpt<'a> {
    let mut start = positions.line(lines.first).0;
    let mut end = positions.line(lines.last).1;
    let mut line = lines.first;
    let mut place = None;
    // Lines between the marks may be long, too.
    let cut = places.iter().any(|place| place.cut) || end - start > LONGEST_LINE * NEAR;
    if let Some(first) = places.first().filter(|_| cut) {
        let position = positions.position(first.span.start);
        let whole = positions.line(position.line);
        line = position.line;
        start = boundary(text, first.span.start.saturating_sub(AROUND)).max(whole.0);
        end = boundary(text, first.span.start + AROUND)
            .min(whole.1)
            .max(start);
        place = Some(position);
    }
    let marks = places
        .into_iter()
        .filter(|place| (start..=end).contains(&place.span.start));
    let marks = marks.map(|place| Mark {
        range: place.span.start - start..place.span.end.min(end) - start,
        label: place.label,
        primary: place.label.is_none(),
    });
    // With a line end the last line is one, even when it is empty.
    let text = format!("{}\n", text.get(start..end).unwrap_or(""));
    Excerpt {
        text,
        line,
        place,
        marks: marks.collect(),
    }
}

/// The nearest offset at or before this one that is inside no character.
fn boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
