//! Findings for people: with excerpts of the text, and in colour on a terminal.

use crate::output::to_stderr;
use crate::style::Style;
use agent_gram::LineIndex;
use agent_project::excerpt::{Excerpt, excerpts};
use agent_project::report::Report;
use agent_spec::secret::covered;
use agent_spec::terminal::{controls_terminal, line};
use agent_spec::{Code, Diagnostic, Severity};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// The maximum number of findings that are shown. The JSON format has all of them.
const MAX_FINDINGS: usize = 100;

/// The maximum number of characters of a message, a help and a label.
const MAX_MESSAGE: usize = 4000;

/// Prints findings to standard error. A command uses one printer, so that the maximum applies to all its
/// files together.
pub(crate) struct Printer<'a> {
    style: &'a Style,
    renderer: Renderer,
    left: usize,
    /// The code of the first printed finding.
    first: Option<Code>,
    /// Whether findings with other codes were printed.
    has_other_codes: bool,
}

impl<'a> Printer<'a> {
    /// Creates a printer.
    pub(crate) fn new(style: &'a Style) -> Self {
        let renderer = if style.has_colour() {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self {
            style,
            renderer,
            left: MAX_FINDINGS,
            first: None,
            has_other_codes: false,
        }
    }

    /// Prints the findings about a text.
    pub(crate) fn print(&mut self, report: &Report) {
        if report.diagnostics.is_empty() {
            return;
        }
        let index = LineIndex::new(&report.source.text);
        // Keys are redacted, because output is copied into logs and questions.
        let text = covered(&report.source.text);
        let shown = report.diagnostics.len().min(self.left);
        for diagnostic in &report.diagnostics[..shown] {
            let mut text = self.draw(report, &text, &index, diagnostic);
            text.push_str("\n\n");
            to_stderr(&text);
            let first = *self.first.get_or_insert(diagnostic.code());
            self.has_other_codes |= first != diagnostic.code();
        }
        self.left -= shown;
        match report.diagnostics.len() - shown + report.unlisted.total() {
            0 => {}
            hidden => to_stderr(&format!("{}\n", more_line(hidden, report))),
        }
    }

    /// Prints the findings about a text that has errors, then their number.
    pub(crate) fn print_with_counts(&mut self, report: &Report) {
        self.print(report);
        to_stderr(&format!(
            "{}: {}\n",
            report.source.display_name(),
            report.counts()
        ));
    }

    /// Prints the command that explains a finding, once for all findings.
    pub(crate) fn finish(self) {
        let Some(first) = self.first else {
            return;
        };
        let command = format!("`agent explain {}`", shortest(first));
        to_stderr(&if self.has_other_codes {
            format!("For more about a finding, run `agent explain CODE`, such as {command}\n")
        } else {
            format!("For more about it, run {command}\n")
        });
    }

    fn draw(
        &self,
        report: &Report,
        text: &str,
        index: &LineIndex<'_>,
        diagnostic: &Diagnostic,
    ) -> String {
        let level = match report.severity(diagnostic) {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let code = diagnostic.code();
        let mut title = level
            .clone()
            .primary_title(line(diagnostic.message(), MAX_MESSAGE))
            .id(code.as_str());
        if let Some(url) = self.style.link(code) {
            title = title.id_url(url);
        }
        let mut groups = Vec::new();
        let mut group = title.elements(std::iter::empty::<Origin<'_>>());
        let name = report.source.display_name();
        for excerpt in excerpts(text, index, diagnostic) {
            let shown = snippet(&excerpt);
            let Some(at) = excerpt.position else {
                group = group.element(shown.path(&name));
                continue;
            };
            // The library puts the excerpt right under its position only if that ends a group.
            let origin = Origin::path(&name).line(at.line).char_column(at.column);
            groups.push(group.element(origin));
            group = Group::with_level(level.clone()).element(shown);
        }
        if let Some(help) = diagnostic.help() {
            group = group.element(Level::HELP.message(line(help, MAX_MESSAGE)));
        }
        groups.push(group);
        self.renderer.render(&groups)
    }
}

/// Prints how many findings are not listed in the formats for programs.
pub(crate) fn print_unlisted(reports: &[Report]) {
    for report in reports.iter().filter(|report| report.unlisted.total() > 0) {
        to_stderr(&more_line(report.unlisted.total(), report));
    }
}

fn more_line(count: usize, report: &Report) -> String {
    format!("… and {count} more in {}\n", report.source.display_name())
}

/// Replaces each character of an excerpt that controls the terminal. The library itself shows tabs and ends
/// of lines.
fn shown(text: &str) -> String {
    text.replace(|c| c != '\r' && controls_terminal(c), "\u{fffd}")
}

/// Returns the length of a part of an excerpt after [`shown`].
fn shown_length(part: &str) -> usize {
    shown(part).len()
}

/// Returns the shortest argument of `agent explain` for a code: its name, unless that means another code.
fn shortest(code: Code) -> &'static str {
    if code.name().parse() == Ok(code) {
        code.name()
    } else {
        code.as_str()
    }
}

fn snippet<'a>(excerpt: &Excerpt<'_>) -> Snippet<'a, Annotation<'a>> {
    let marks = excerpt.marks.iter().map(|mark| {
        let kind = if mark.is_primary {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let label = mark.label.map(|label| line(label, MAX_MESSAGE));
        let Range { start, end } = mark.range;
        kind.span(shown_length(&excerpt.text[..start])..shown_length(&excerpt.text[..end]))
            .label(label)
    });
    Snippet::source(shown(&excerpt.text))
        .line_start(excerpt.line)
        .annotations(marks)
}
