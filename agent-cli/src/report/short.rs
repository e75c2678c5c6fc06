//! Findings a line each, as editors read them.

use super::Report;
use agent_gram::LineIndex;
use agent_spec::{Diagnostic, Severity};
use std::io::{self, Write};

/// Writes `file:line:column: code: message` for each finding, warnings included. The file is named
/// as it was given; lines and columns count from 1, columns in characters.
///
/// # Errors
/// When writing fails.
pub(crate) fn write_short(reports: &[Report], out: &mut impl Write) -> io::Result<()> {
    for report in reports {
        let index = LineIndex::new(&report.source.text);
        for diagnostic in &report.diagnostics {
            let at = index.position(diagnostic.span().start);
            writeln!(
                out,
                "{}:{}:{}: {}: {}",
                one_line(&report.source.name),
                at.line,
                at.column,
                diagnostic.code(),
                one_line(diagnostic.message()),
            )?;
        }
    }
    Ok(())
}

/// The first error of a report, and its place, as `file:line:column`. Nothing when there is none.
pub(crate) fn first_error(report: &Report) -> Option<(String, &Diagnostic)> {
    let mut found = report.diagnostics.iter();
    let error = found.find(|found| report.severity(found) == Severity::Error)?;
    let at = LineIndex::new(&report.source.text).position(error.span().start);
    let name = one_line(&report.source.shown_name());
    Some((format!("{name}:{}:{}", at.line, at.column), error))
}

/// The text on one line. Names in a document, and of files, can hold any character; a line end
/// would make a finding of its own of what follows.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(breaks, " ")
}
