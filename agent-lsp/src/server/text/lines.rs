//! An index of the lines of a text.

use agent_gram::Span;

/// The offsets at which lines start. As in the protocol, a line ends with LF, CR LF or CR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Creates the index of a text.
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            // CR LF ends one line.
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let mut starts = vec![0];
        starts.extend(ends.map(|(at, _)| at + 1));
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
}
