//! Findings as plain text with the line they are about. It needs no library, so that the macros can
//! use it too; the command draws its own, with colours.

use super::Diagnostic;
use agent_gram::{LineIndex, Span};
use std::fmt::Write as _;

/// A finding with its place and its line, such as `agents/hello.gram:5:17`.
#[must_use]
pub fn render(source: &str, path: Option<&str>, diagnostic: &Diagnostic) -> String {
    let mut out = format!(
        "{}[{}]: {}\n",
        diagnostic.severity(),
        diagnostic.code(),
        diagnostic.message()
    );
    out.push_str(&snippet(source, path, diagnostic.span(), ""));
    for (span, label) in diagnostic.labels() {
        out.push_str(&snippet(source, path, span, label));
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
#[must_use]
pub fn snippet(source: &str, path: Option<&str>, span: Span, label: &str) -> String {
    let index = LineIndex::new(source);
    let start = index.position(span.start);
    let line = shown(index.line_text(start.line));
    let end = index.position(span.end);
    let line_length = line.chars().count() + 1;
    let end_column = if end.line == start.line {
        end.column
    } else {
        line_length
    };
    let width = end_column
        .saturating_sub(start.column)
        .clamp(1, line_length.max(1));
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let place = match path {
        Some(path) => format!("{path}:{}:{}", start.line, start.column),
        None => format!("{}:{}", start.line, start.column),
    };
    let marks = "^".repeat(width);
    let blanks = " ".repeat(start.column - 1);
    let mut out = format!("{margin}--> {place}\n{margin} |\n");
    let _ = writeln!(out, "{number} | {}", line.trim_end());
    let _ = writeln!(
        out,
        "{}",
        format!("{margin} | {blanks}{marks} {label}").trim_end()
    );
    out
}

/// A line as it is shown: tabs as one blank, so that the marks stand under what they mark, and
/// cut when it is unreasonably long.
fn shown(line: &str) -> String {
    const LONGEST: usize = 400;
    let mut shown: String = line
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
