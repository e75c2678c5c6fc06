//! Where the lines of a text are, kept while it is edited.

use agent_gram::Span;

/// Where each line starts. A line ends with LF, CR LF, or a CR alone, as the protocol has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub(super) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(starts_in(text.as_bytes(), Span::new(1, text.len())));
        Self { starts }
    }

    /// A line, counted from 0, without its end. Nothing when there is none.
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

    /// The line of an offset, counted from 0, and where it is without its end.
    pub(super) fn at(&self, text: &str, offset: usize) -> (usize, Span) {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let span = self.span(text, line);
        (line, span.unwrap_or(Span::at(text.len())))
    }

    /// Follows an edit: `text` is what came of it, `old` the bytes that were replaced, `new` by how
    /// many.
    pub(super) fn replace(&mut self, text: &str, old: Span, new: usize) {
        // Whether a line starts somewhere the bytes on both sides tell. So it must be looked at again
        // at both ends of what was replaced, too; the text itself starts a line whatever is there.
        let first = old.start.max(1);
        let from = self.starts.partition_point(|start| *start < first);
        let to = self.starts.partition_point(|start| *start <= old.end);
        for start in &mut self.starts[to..] {
            *start = *start - old.end + old.start + new;
        }
        let found = starts_in(text.as_bytes(), Span::new(first, old.start + new));
        self.starts.splice(from..to, found);
    }
}

/// Where lines start from the beginning of a span to its end, both included.
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
