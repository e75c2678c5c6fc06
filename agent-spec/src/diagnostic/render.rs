//! Findings as plain text with the line they are about. Rendering needs no library, so that the
//! macros can use it, too; the command renders findings itself, with colours.

use crate::diagnostic::Diagnostic;
use crate::secret::covered;
use agent_gram::{LineIndex, Span};
use agent_types::terminal::controls_terminal;
use std::fmt::Write as _;

/// A finding with its place and its line, such as `agents/hello.gram:5:17`.
#[must_use]
pub fn render(source: &str, path: Option<&str>, diagnostic: &Diagnostic) -> String {
    render_with(&LineIndex::new(source), path, diagnostic)
}

/// As [`render`], for one of many findings about a text that was indexed once.
pub(super) fn render_with(
    index: &LineIndex<'_>,
    path: Option<&str>,
    diagnostic: &Diagnostic,
) -> String {
    let mut out = format!(
        "{}[{}]: {}\n",
        diagnostic.severity(),
        diagnostic.code(),
        diagnostic.message()
    );
    out.push_str(&snippet_with(index, path, diagnostic.span(), ""));
    for (span, label) in diagnostic.labels() {
        out.push_str(&snippet_with(index, path, span, label));
    }
    if let Some(help) = diagnostic.help() {
        let _ = writeln!(out, "  = help: {help}");
    }
    out
}

/// The place and the first line of a span, the span underlined:
///
/// ```text
///  --> agents/hello.gram:5:17
///   |
/// 5 |   (personName::Txt)==>(::String)
///   |                ^^^ label
/// ```
///
/// A very long line is cut around the span. Texts with the form of a key are redacted.
#[must_use]
pub fn snippet(source: &str, path: Option<&str>, span: Span, label: &str) -> String {
    snippet_with(&LineIndex::new(source), path, span, label)
}

/// As [`snippet`], of a text that was indexed once, for many places in it.
fn snippet_with(index: &LineIndex<'_>, path: Option<&str>, span: Span, label: &str) -> String {
    let start = index.position(span.start);
    let line = index.line_span(start.line);
    let end = span.end.min(line.end).max(span.start.min(line.end));
    let shown = MarkedLine::new(
        index.line_text(start.line),
        span.start.min(line.end) - line.start,
        end - line.start,
    );
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let place = match path {
        Some(path) => format!("{path}:{}:{}", start.line, start.column),
        None => format!("{}:{}", start.line, start.column),
    };
    let marks = "^".repeat(shown.marked);
    let blanks = " ".repeat(shown.before);
    let mut out = format!("{margin}--> {place}\n{margin} |\n");
    let _ = writeln!(out, "{number} | {}", shown.text.trim_end());
    let _ = writeln!(
        out,
        "{}",
        format!("{margin} | {blanks}{marks} {label}").trim_end()
    );
    out
}

/// A printed line, and the position of the mark, in characters.
struct MarkedLine {
    text: String,
    before: usize,
    marked: usize,
}

impl MarkedLine {
    /// Formats a line with a mark between two offsets. A tab becomes one blank, so that the marks are
    /// below the marked text. A very long line is cut.
    fn new(line: &str, start: usize, end: usize) -> Self {
        const LONGEST: usize = 400;
        const BEFORE: usize = 60;
        /// The number of bytes read beyond a cut, so that a key across the cut is recognised.
        const READ: usize = 1_000;
        // The number of bytes is at least the number of characters, and is known without counting.
        let from = if line.len() <= LONGEST {
            0
        } else {
            line.floor_char_boundary(start.saturating_sub(BEFORE))
        };
        let to = line.floor_char_boundary(from + LONGEST);
        let first = line.floor_char_boundary(from.saturating_sub(READ));
        let part = covered(&line[first..line.floor_char_boundary(to + READ)]);
        let within = |at: usize| line.floor_char_boundary(at.clamp(from, to));
        let (start, end) = (within(start), within(end));
        let mut text = String::new();
        if from > 0 {
            text.push('…');
        }
        let cut = usize::from(from > 0);
        // Covering keeps the places of characters, but for those of a key itself.
        let within_part = |at: usize| part.floor_char_boundary(at - first);
        let characters = |from: usize, to: usize| {
            let part = part.get(within_part(from)..within_part(to));
            part.unwrap_or("").chars()
        };
        text.extend(characters(from, to).map(|c| match c {
            '\t' | '\r' | '\n' => ' ',
            c if controls_terminal(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        }));
        if to < line.len() {
            text.push('…');
        }
        Self {
            text,
            before: cut + characters(from, start).count(),
            marked: characters(start, end).count().max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::snippet;
    use agent_gram::Span;

    #[track_caller]
    fn shows(source: &str, marked: &str, expected: &str) {
        let start = source.find(marked).unwrap();
        let span = Span::new(start, start + marked.len());
        assert_eq!(snippet(source, Some("x"), span, "here"), expected);
    }

    #[test]
    fn marks_are_below_the_marked_text() {
        shows(
            "a\n\té b\r\n",
            "b",
            " --> x:2:4\n  |\n2 |  é b\n  |    ^ here\n",
        );
        // A mark over several lines is printed on the first line only.
        shows("ab\ncd", "b\nc", " --> x:1:2\n  |\n1 | ab\n  |  ^ here\n");
        shows("ab\n", "\n", " --> x:1:3\n  |\n1 | ab\n  |   ^ here\n");
        assert_eq!(
            snippet("", None, Span::at(9), ""),
            " --> 1:1\n  |\n1 | \n  | ^\n"
        );
    }

    #[test]
    fn cuts_a_long_line_around_the_mark() {
        let source = format!("{}b{}", "é".repeat(1_000_000), "c".repeat(1_000_000));
        let text = snippet(&source, None, Span::new(2_000_000, 2_000_001), "");
        let expected = format!(
            " --> 1:1000001\n  |\n1 | …{}b{}…\n  | {}^\n",
            "é".repeat(30),
            "c".repeat(339),
            " ".repeat(31)
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn cuts_a_mark_that_is_longer_than_the_line() {
        let source = "ab".repeat(1_000);
        let text = snippet(&source, None, Span::new(0, 2_000), "");
        assert!(
            text.ends_with(&format!("| {}\n", "^".repeat(400))),
            "{text}"
        );
    }

    #[test]
    fn an_offset_inside_a_character_marks_the_character() {
        assert_eq!(
            snippet("aéb", None, Span::new(2, 2), ""),
            " --> 1:2\n  |\n1 | aéb\n  |  ^\n"
        );
    }
}
