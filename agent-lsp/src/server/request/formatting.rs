//! `textDocument/formatting`: what `agent fmt` would write.

use super::Failure;
use crate::server::main_loop::Server;
use crate::server::text::Text;
use agent_gram::Span;
use gen_lsp_types::{DocumentFormattingParams, TextEdit};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::{Duration, Instant};

/// After so long the fewest edits are no longer looked for, and correct ones are taken.
const PATIENCE: Duration = Duration::from_millis(20);

/// The edits that lay a document out. Nothing for one with syntax errors: it stays as it is, and what
/// is wrong has been sent. The options of the client are not asked: there is one layout.
pub(super) fn formatting(
    server: &Server,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Failure> {
    let text = server.document(&params.text_document.uri)?.text();
    let formatted = agent_gram::format_source(text.as_str());
    Ok(formatted.ok().map(|formatted| edits(text, &formatted)))
}

/// The lines that change.
fn edits(text: &Text, formatted: &str) -> Vec<TextEdit> {
    let (before, after) = (Lines::of(text.as_str()), Lines::of(formatted));
    // Most documents are laid out but for a few lines, and comparing costs less than a search.
    let pairs = || before.lines.iter().zip(&after.lines);
    let alike_first = pairs().take_while(|(a, b)| a == b).count();
    let rest = before.lines.len().min(after.lines.len()) - alike_first;
    let from_last = before.lines.iter().rev().zip(after.lines.iter().rev());
    let alike_last = from_last.take(rest).take_while(|(a, b)| a == b).count();
    let ops = capture_diff_slices_deadline(
        Algorithm::Myers,
        &before.lines[alike_first..before.lines.len() - alike_last],
        &after.lines[alike_first..after.lines.len() - alike_last],
        Instant::now().checked_add(PATIENCE),
    );
    let moved = |lines: Range<usize>| lines.start + alike_first..lines.end + alike_first;
    ops.iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| TextEdit {
            range: text.range(before.span(moved(op.old_range()))),
            new_text: after.span(moved(op.new_range())).text(formatted).to_owned(),
        })
        .collect()
}

/// The lines of a text, with their ends, and where each starts. Only LF ends a line here: what ends
/// with a CR is told from what ends without one, and edited.
struct Lines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut starts = vec![0];
        starts.extend(lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        }));
        Self { lines, starts }
    }

    fn span(&self, lines: Range<usize>) -> Span {
        Span::new(self.starts[lines.start], self.starts[lines.end])
    }
}
