//! An index of the lines of a text, which follows edits.

use agent_gram::Span;

/// The offsets at which lines start. As in the protocol, a line ends with LF, CR LF or CR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Creates the index of a text.
    pub(super) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(starts_in(text.as_bytes(), Span::new(1, text.len())));
        Self { starts }
    }

    /// Returns the span of a line, counted from 0, without its line end.
    pub(super) fn span(&self, text: &str, line: usize) -> Option<Span> {
        let start = *self.starts.get(line)?;
        let Some(next) = self.starts.get(line + 1) else {
            return Some(Span::new(start, text.len()));
        };
        let bytes = &text.as_bytes()[start..*next];
        let end = match bytes {
            [rest @ .., b'\r', b'\n'] => rest.len(),
            _ => bytes.len() - 1,
        };
        Some(Span::new(start, start + end))
    }

    /// Returns the line of an offset, counted from 0, and its span without the line end.
    pub(super) fn at(&self, text: &str, offset: usize) -> (usize, Span) {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let span = self.span(text, line);
        (line, span.unwrap_or(Span::at(text.len())))
    }

    /// Updates the index after an edit that replaced the span `old` by `new` bytes. `text` is the text after
    /// the edit.
    pub(super) fn replace(&mut self, text: &str, old: Span, new: usize) {
        // The bytes on both sides of an offset decide whether a line starts there, so the offsets at both
        // ends of the edit are examined as well. Offset 0 always starts a line.
        let first = old.start.max(1);
        let from = self.starts.partition_point(|start| *start < first);
        let to = self.starts.partition_point(|start| *start <= old.end);
        for start in &mut self.starts[to..] {
            *start = *start - old.end + old.start + new;
        }
        let starts = starts_in(text.as_bytes(), Span::new(first, old.start + new));
        self.starts.splice(from..to, starts);
    }
}

/// Returns the offsets at which lines start from the start of a span to its end, both included.
fn starts_in(bytes: &[u8], span: Span) -> impl Iterator<Item = usize> {
    let searched = bytes.get(span.start - 1..span.end).unwrap_or_default();
    searched.iter().enumerate().filter_map(move |(at, byte)| {
        let start = span.start + at;
        let starts = match byte {
            b'\n' => true,
            b'\r' => bytes.get(start) != Some(&b'\n'),
            _ => false,
        };
        starts.then_some(start)
    })
}
