//! Findings as JSON.

use agent_gram::LineIndex;
use agent_project::report::Report;
use agent_spec::Diagnostic;
use serde::{Serialize, Serializer};

/// The findings about some texts as one document. Scripts depend on these members.
#[derive(Serialize)]
pub(crate) struct DiagnosticsDocument<'a> {
    diagnostics: DiagnosticList<'a>,
    /// The number of findings that are not listed, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

impl<'a> DiagnosticsDocument<'a> {
    pub(crate) fn new(reports: &'a [Report]) -> Self {
        let more = reports.iter().map(|report| report.unlisted.total()).sum();
        Self {
            diagnostics: DiagnosticList(reports),
            more: Some(more).filter(|more| *more > 0),
        }
    }
}

/// The findings about some texts as a list.
pub(crate) struct DiagnosticList<'a>(pub(crate) &'a [Report]);

impl Serialize for DiagnosticList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().flat_map(|report| {
            let index = LineIndex::new(&report.source.text);
            let found = report.diagnostics.iter();
            found.map(move |diagnostic| Entry::new(report, &index, diagnostic))
        }))
    }
}

/// A finding. Scripts depend on these members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    code: &'static str,
    severity: String,
    message: &'a str,
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    help: Option<&'a str>,
}

impl<'a> Entry<'a> {
    fn new(report: &'a Report, index: &LineIndex<'_>, diagnostic: &'a Diagnostic) -> Self {
        let span = diagnostic.span();
        let (start, end) = (index.position(span.start), index.position(span.end));
        Self {
            code: diagnostic.code().as_str(),
            severity: report.severity(diagnostic).to_string(),
            message: diagnostic.message(),
            file: &report.source.name,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            help: diagnostic.help(),
        }
    }
}
