//! `textDocument/formatting`: the layout of `agent fmt`, and the style of the project.

use crate::server::state::{RequestError, State};
use crate::server::text::Text;
use agent_gram::Span;
use agent_spec::restyle;
use gen_lsp_types::{DocumentFormattingParams, TextEdit};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The time limit of the search for the fewest edits. After the limit, the edits are correct but may be more
/// than necessary.
const DIFF_TIMEOUT: Duration = Duration::from_millis(20);

/// Returns the edits that format a document, or `None` if it has syntax errors.
///
/// The options of the client are ignored, because there is one layout.
pub(super) fn formatting(
    state: &State,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, RequestError> {
    let document = state.document(&params.text_document.uri)?;
    let text = document.text();
    let style = state.tools.in_project(document.uri()).style();
    // If signatures have errors, their types are kept, as by `agent fmt`.
    let restyled = style.and_then(|style| restyle(text.as_str(), style).ok());
    let source = restyled
        .as_ref()
        .map_or(text.as_str(), |restyled| &restyled.text);
    let formatted = agent_gram::format_source(source);
    Ok(formatted.ok().map(|formatted| edits(text, &formatted)))
}

/// Returns the edits of the lines that differ.
fn edits(text: &Text, formatted: &str) -> Vec<TextEdit> {
    let (before, after) = (Lines::of(text.as_str()), Lines::of(formatted));
    // Most documents differ in few lines, and comparing from both ends is cheaper than a diff.
    let pairs = || before.lines.iter().zip(&after.lines);
    let common_start = pairs().take_while(|(a, b)| a == b).count();
    let rest = before.lines.len().min(after.lines.len()) - common_start;
    let from_last = before.lines.iter().rev().zip(after.lines.iter().rev());
    let common_end = from_last.take(rest).take_while(|(a, b)| a == b).count();
    let ops = capture_diff_slices_deadline(
        Algorithm::Myers,
        &before.lines[common_start..before.lines.len() - common_end],
        &after.lines[common_start..after.lines.len() - common_end],
        Instant::now().checked_add(DIFF_TIMEOUT),
    );
    let in_text = |lines: Range<usize>| lines.start + common_start..lines.end + common_start;
    ops.iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| TextEdit {
            range: text.range(before.span(in_text(op.old_range()))),
            new_text: after
                .span(in_text(op.new_range()))
                .text(formatted)
                .to_owned(),
        })
        .collect()
}

/// The lines of a text with their ends, and the offset of each. Only LF ends a line, so that lines that end
/// with CR LF differ from lines that end with LF.
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
