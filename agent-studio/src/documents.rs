//! The open documents, and the findings about them.

use agent_gram::LineIndex;
use agent_project::report::Report;
use agent_runtime::Agent;
use agent_spec::{Diagnostic, Grants, Severity};
use serde_json::{Value, json};

/// The documents as they are in their files.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// A report about each document, also about those without findings, and one about each further file with errors.
    pub reports: Vec<Report>,
    /// The agents of the documents, if no document has errors.
    pub agents: Option<Vec<DocumentAgent>>,
    /// The reason why the documents cannot be read, or why their agents cannot run.
    pub problem: Option<String>,
}

/// An agent of a document.
#[derive(Clone, Debug)]
pub struct DocumentAgent {
    /// The agent.
    pub agent: Agent,
    /// The name of the document.
    pub document: String,
}

/// The maximum number of lines of an excerpt.
const MAX_EXCERPT: usize = 9;

/// The maximum number of characters of a line of an excerpt.
const MAX_LINE: usize = 400;

/// Returns the documents as the page gets them. `runs` says which version of them runs: `this`, `last good` or `none`.
pub(crate) fn documents_json(reports: &[Report], runs: &str) -> Value {
    let documents = reports.iter().map(|report| {
        let errors = report.error_count();
        json!({
            "path": report.source.name,
            "errors": errors,
            "warnings": report.diagnostics.len() + report.unlisted.total() - errors,
            "runs": runs,
        })
    });
    documents.collect()
}

/// Returns the findings, each with the lines that it is about.
pub(crate) fn findings_json(reports: &[Report]) -> Value {
    reports.iter().flat_map(findings_of).collect()
}

fn findings_of(report: &Report) -> Vec<Value> {
    let index = LineIndex::new(&report.source.text);
    let lines: Vec<&str> = report.source.text.lines().collect();
    let findings = report.diagnostics.iter().map(|diagnostic| {
        let (start, end) = (
            index.position(diagnostic.span().start),
            index.position(diagnostic.span().end),
        );
        let (first, last) = (start.line.saturating_sub(1), end.line.max(start.line));
        let excerpt = lines
            .iter()
            .enumerate()
            .take(last + 1)
            .skip(first.saturating_sub(1))
            .take(MAX_EXCERPT);
        let excerpt = excerpt.map(|(at, line)| {
            let text: String = line.chars().take(MAX_LINE).collect();
            json!({"line": at + 1, "text": text})
        });
        let mut json = finding_json(diagnostic);
        json["severity"] = word(report.severity(diagnostic)).into();
        json["document"] = report.source.name.as_str().into();
        json["line"] = start.line.into();
        json["column"] = start.column.into();
        json["endLine"] = end.line.into();
        json["endColumn"] = end.column.into();
        json["excerpt"] = excerpt.collect();
        json
    });
    findings.collect()
}

/// Returns a finding without its place.
pub(crate) fn finding_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": word(diagnostic.severity()),
        "code": diagnostic.code().to_string(),
        "message": diagnostic.message(),
        "help": diagnostic.help(),
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        _ => "warning",
    }
}

/// Returns what grants let tools access, a text for each.
pub(crate) fn grants_json(grants: &Grants) -> Value {
    let parts = grants.parts().into_iter();
    let texts =
        parts.flat_map(|(key, texts)| texts.iter().map(move |text| format!("{key} {text}")));
    texts.collect()
}
