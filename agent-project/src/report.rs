//! The diagnostics of a text, and how they are written as lines.

use crate::source::Source;
use agent_gram::LineIndex;
use agent_spec::check::Checked;
use agent_spec::diagnostic::Unlisted;
use agent_spec::terminal::line;
use agent_spec::{Code, Diagnostic, Severity};

/// The maximum number of characters of a message on its line.
const MAX_MESSAGE: usize = 4000;

/// A text and its diagnostics.
#[derive(Clone, Debug)]
pub struct Report {
    /// The text.
    pub source: Source,
    /// The diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The numbers of findings that are not in `diagnostics`.
    pub unlisted: Unlisted,
    /// Whether warnings count as errors. The warning about a retiring model does not, because it appears with
    /// time: a check that passes today must pass tomorrow.
    pub deny_warnings: bool,
}

impl Report {
    /// Creates a report in which warnings do not count as errors.
    #[must_use]
    pub fn new(source: Source, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            source,
            diagnostics,
            unlisted: Unlisted::default(),
            deny_warnings: false,
        }
    }

    /// Creates a report about a document that was checked.
    #[must_use]
    pub fn of(source: Source, checked: Checked) -> Self {
        Self {
            unlisted: checked.unlisted,
            ..Self::new(source, checked.diagnostics)
        }
    }

    /// Returns the severity of a diagnostic of this report.
    #[must_use]
    pub fn severity(&self, diagnostic: &Diagnostic) -> Severity {
        if self.deny_warnings && diagnostic.code() != Code::RetiringModel {
            Severity::Error
        } else {
            diagnostic.severity()
        }
    }

    /// Returns the number of errors.
    #[must_use]
    pub fn error_count(&self) -> usize {
        let is_error = |diagnostic: &&Diagnostic| self.severity(diagnostic) == Severity::Error;
        let unlisted = match self.deny_warnings {
            true => self.unlisted.total(),
            false => self.unlisted.errors,
        };
        self.diagnostics.iter().filter(is_error).count() + unlisted
    }

    /// Returns whether there are errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// Returns the first error and its position, `file:line:column`.
    #[must_use]
    pub fn first_error(&self) -> Option<(String, &Diagnostic)> {
        let is_error = |diagnostic: &&Diagnostic| self.severity(diagnostic) == Severity::Error;
        let error = self.diagnostics.iter().find(is_error)?;
        let start = LineIndex::new(&self.source.text).position(error.span().start);
        let name = self.source.display_name();
        Some((format!("{name}:{}:{}", start.line, start.column), error))
    }

    /// Returns the numbers of errors and warnings in words: `2 errors, 1 warning`.
    #[must_use]
    pub fn counts(&self) -> String {
        let errors = self.error_count();
        let warnings = self.diagnostics.len() + self.unlisted.total() - errors;
        let parts: Vec<String> = [(errors, "error"), (warnings, "warning")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| counted(count, noun))
            .collect();
        parts.join(", ")
    }
}

/// Returns a line `file:line:column: code: message` for each diagnostic, warnings included.
///
/// The file has the name by which it was given. Lines and columns count from 1, columns in characters.
#[must_use]
pub fn short_lines(reports: &[Report]) -> String {
    let mut lines = String::new();
    for report in reports {
        let index = LineIndex::new(&report.source.text);
        for diagnostic in &report.diagnostics {
            let start = index.position(diagnostic.span().start);
            lines.push_str(&format!(
                "{}:{}:{}: {}: {}\n",
                line(&report.source.name, usize::MAX),
                start.line,
                start.column,
                diagnostic.code(),
                line(diagnostic.message(), MAX_MESSAGE),
            ));
        }
    }
    lines
}

/// Returns the address of a code's section in the published page of `book/src/reference/diagnostics.md`.
///
/// ```
/// use agent_project::report::docs_link;
/// use agent_spec::Code;
///
/// let link = docs_link("https://example.org/diagnostics.html", Code::UnknownType);
/// assert_eq!(link, "https://example.org/diagnostics.html#agent-unknown-type");
/// ```
#[must_use]
pub fn docs_link(page: &str, code: Code) -> String {
    format!("{page}#{}", docs_anchor(code))
}

/// Returns the anchor of a code's section in `book/src/reference/diagnostics.md`: `agent-unknown-type`.
#[must_use]
pub fn docs_anchor(code: Code) -> String {
    format!("{}-{}", code.space(), code.name())
}

/// Returns a count with its noun: `1 error`, `2 errors`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
