//! Diagnostics: the mistakes of a document, with advice.

mod code;
mod render;

pub use code::{Code, Severity, UnknownCode};
pub use render::{render, snippet};

use crate::secret::without_known_keys;
use agent_gram::{LineIndex, Position, Span, SyntaxError};
use render::render_with;
use std::fmt;

/// The maximum number of errors, and of warnings, that are kept of one text. A document of somebody else can have a mistake
/// in each of millions of bytes, and an editor or CI would need gigabytes for the findings.
pub const MAX_FINDINGS: usize = 10_000;

/// The numbers of findings of a text that are not kept, because there are more than [`MAX_FINDINGS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unlisted {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
}

impl Unlisted {
    /// Returns the number of findings.
    #[must_use]
    pub fn total(self) -> usize {
        self.errors + self.warnings
    }
}

/// The findings of a text, up to [`MAX_FINDINGS`] of each severity, and the numbers of the others.
#[derive(Debug, Default)]
pub(crate) struct FindingList {
    kept: Vec<Diagnostic>,
    errors: usize,
    unlisted: Unlisted,
}

impl FindingList {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let (count, unlisted) = match diagnostic.severity() {
            Severity::Error => {
                self.errors += 1;
                (self.errors, &mut self.unlisted.errors)
            }
            Severity::Warning => (
                self.kept.len() + self.unlisted.total() + 1 - self.errors,
                &mut self.unlisted.warnings,
            ),
        };
        if count > MAX_FINDINGS {
            *unlisted += 1;
        } else {
            self.kept.push(diagnostic);
        }
    }

    /// Counts errors that were not kept.
    pub(crate) fn add_unlisted_errors(&mut self, count: usize) {
        self.errors += count;
        self.unlisted.errors += count;
    }

    /// Returns the number of errors.
    pub(crate) fn error_count(&self) -> usize {
        self.errors
    }

    /// Returns the findings in the order of their places.
    pub(crate) fn into_sorted(self) -> (Vec<Diagnostic>, Unlisted) {
        let mut kept = self.kept;
        sort_by_place(&mut kept);
        (kept, self.unlisted)
    }
}

/// A finding about a text. Provider keys in its message, help and labels are replaced by `[key]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    code: Code,
    severity: Severity,
    message: String,
    span: Span,
    labels: Vec<(Span, String)>,
    help: Option<String>,
}

impl Diagnostic {
    /// A finding at a place.
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: without_known_keys(message.into()),
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    /// Returns the same diagnostic with another severity than that of its code, such as a warning about what is only likely
    /// to be wrong.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Returns the same diagnostic with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(without_known_keys(help.into()));
        self
    }

    /// Returns the same diagnostic with a related position.
    #[must_use]
    pub fn with_label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, without_known_keys(label.into())));
        self
    }

    /// Returns the code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the message: the mistake, and what is expected instead.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the position.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the related positions, each with a label.
    pub fn labels(&self) -> impl Iterator<Item = (Span, &str)> {
        self.labels
            .iter()
            .map(|(span, label)| (*span, label.as_str()))
    }

    /// Returns the advice, if there is advice beyond the message.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<&SyntaxError> for Diagnostic {
    fn from(error: &SyntaxError) -> Self {
        let mut found = Self::new(Code::of_syntax(error.kind()), error.span(), error.message());
        if let Some((span, label)) = error.related() {
            found = found.with_label(span, label);
        }
        match error.help() {
            Some(help) => found.with_help(help),
            None => found,
        }
    }
}

/// Puts findings in the order of their places. Those about one place stay in the order they were made.
pub(crate) fn sort_by_place(found: &mut [Diagnostic]) {
    found.sort_by_key(|one| one.span().start);
}

/// All diagnostics of one text, with the text, as an error. At least one of them is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    source: String,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The findings about a text.
    #[must_use]
    pub fn new(source: impl Into<String>, items: Vec<Diagnostic>) -> Self {
        Self {
            source: source.into(),
            items,
        }
    }

    /// Creates a diagnostic of a value without a text, such as a part that code created.
    #[must_use]
    pub fn without_text(code: Code, message: impl Into<String>) -> Self {
        Self::new(
            String::new(),
            vec![Diagnostic::new(code, Span::at(0), message)],
        )
    }

    /// The text.
    #[must_use]
    pub fn source_text(&self) -> &str {
        &self.source
    }

    /// The findings, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// The line and column of a finding.
    #[must_use]
    pub fn position(&self, diagnostic: &Diagnostic) -> Position {
        LineIndex::new(&self.source).position(diagnostic.span.start)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = LineIndex::new(&self.source);
        for (at, item) in self.items.iter().enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            if self.source.is_empty() {
                write!(out, "{}", item.message)?;
            } else {
                out.write_str(render_with(&index, None, item).trim_end())?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
