//! Showing what is wrong with a text, to people and to programs.

mod excerpt;
mod human;
mod json;
mod short;

pub(crate) use human::{Printer, counted, counts};
pub(crate) use json::{DiagnosticList, DiagnosticsDocument};
pub(crate) use short::{first_error, write_short};

use crate::input::Source;
use agent_spec::{Diagnostic, Severity};

/// The findings about one text.
pub(crate) struct Report {
    /// The text.
    pub(crate) source: Source,
    /// The findings, in source order.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether warnings count as errors.
    pub(crate) deny_warnings: bool,
}

impl Report {
    /// The findings about a text, warnings being warnings.
    pub(crate) fn new(source: Source, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            source,
            diagnostics,
            deny_warnings: false,
        }
    }

    /// How bad a finding is.
    fn severity(&self, diagnostic: &Diagnostic) -> Severity {
        if self.deny_warnings {
            Severity::Error
        } else {
            diagnostic.severity()
        }
    }

    /// How many errors there are.
    fn errors(&self) -> usize {
        let is_error = |found: &&Diagnostic| self.severity(found) == Severity::Error;
        self.diagnostics.iter().filter(is_error).count()
    }

    /// Whether there are errors.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors() > 0
    }
}
