//! Findings as JSON.

use agent_gram::LineIndex;
use agent_project::report::Report;
use agent_spec::Diagnostic;
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

/// The findings about some texts as one document: `{"diagnostics": […]}`, with `more` if not all are listed.
pub(crate) struct DiagnosticsDocument<'a>(pub(crate) &'a [Report]);

impl Serialize for DiagnosticsDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let more: usize = self.0.iter().map(|report| report.unlisted.total()).sum();
        let members = if more > 0 { 2 } else { 1 };
        let mut document = serializer.serialize_struct("Diagnostics", members)?;
        document.serialize_field("diagnostics", &DiagnosticList(self.0))?;
        if more > 0 {
            document.serialize_field("more", &more)?;
        }
        document.end()
    }
}

/// The findings about some texts as a list.
pub(crate) struct DiagnosticList<'a>(pub(crate) &'a [Report]);

impl Serialize for DiagnosticList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.0.iter().map(|report| report.diagnostics.len()).sum();
        let mut list = serializer.serialize_seq(Some(count))?;
        for report in self.0 {
            let index = LineIndex::new(&report.source.text);
            for diagnostic in &report.diagnostics {
                list.serialize_element(&Entry::new(report, &index, diagnostic))?;
            }
        }
        list.end()
    }
}

/// A finding. Scripts depend on these members.
#[derive(serde::Serialize)]
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
