//! Findings, as the client is sent them.

use super::ServerConfig;
use super::client::Client;
use super::documents::{MAX_CHECKED, Snapshot};
use super::loaded_tools::{Known, is_file_of};
use crate::report::docs_link;
use agent_gram::Span;
use agent_spec::{Diagnostic as Finding, Severity};
use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location,
    PublishDiagnosticsParams, Uri,
};

/// How many findings of a document are sent. More would be read by nobody, and a client may draw each.
const MAX_SENT: usize = 1000;

/// Who the client is told has found something.
const SOURCE: &str = "agent";

/// All that is wrong with a document.
pub(super) fn publication(
    document: &Snapshot,
    known: &Known,
    config: &ServerConfig,
    client: &Client,
) -> PublishDiagnosticsParams {
    let is_given = is_file_of(&config.tool_files, document.uri());
    let found = if document.is_too_long() {
        Vec::new()
    } else {
        known.check(document.text().as_str(), is_given)
    };
    let writer = Writer {
        document,
        config,
        client,
    };
    let mut diagnostics: Vec<Diagnostic> = found
        .iter()
        .take(MAX_SENT)
        .map(|finding| writer.diagnostic(finding))
        .collect();
    if let Some(next) = found.get(MAX_SENT) {
        let more = found.len() - MAX_SENT;
        let message = format!(
            "{more} more findings from here on are not shown; `agent check --format short` lists all"
        );
        diagnostics.push(writer.note(next.span(), message));
    }
    if document.is_too_long() {
        let message = format!(
            "the document has more than {} MiB and is not checked",
            MAX_CHECKED >> 20
        );
        diagnostics.push(writer.note(Span::at(0), message));
    }
    if let Some(restriction) = known.restriction().filter(|_| !is_given) {
        diagnostics.push(writer.note(Span::at(0), restriction));
    }
    PublishDiagnosticsParams {
        uri: document.uri().clone(),
        version: Some(document.version()),
        diagnostics,
    }
}

/// Nothing is known to be wrong with a document, since it is no longer open, or its text is not known.
pub(super) fn retraction(uri: Uri) -> PublishDiagnosticsParams {
    PublishDiagnosticsParams {
        uri,
        version: None,
        diagnostics: Vec::new(),
    }
}

struct Writer<'a> {
    document: &'a Snapshot,
    config: &'a ServerConfig,
    client: &'a Client,
}

impl Writer<'_> {
    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let link = self.config.docs_page.as_ref();
        let link = link.map(|page| docs_link(page, finding.code()));
        Diagnostic {
            severity: Some(self.severity(finding)),
            code: Some(Code::String(finding.code().as_str().to_owned())),
            code_description: link.map(|href| CodeDescription { href: href.into() }),
            related_information: self.related(finding),
            ..self.note(finding.span(), self.message(finding))
        }
    }

    /// Something to know about the document, which is no finding.
    fn note(&self, span: Span, message: String) -> Diagnostic {
        Diagnostic {
            range: self.document.text().range(span),
            severity: Some(DiagnosticSeverity::Information),
            source: Some(SOURCE.to_owned()),
            message: message.into(),
            ..Diagnostic::default()
        }
    }

    fn severity(&self, finding: &Finding) -> DiagnosticSeverity {
        match finding.severity() {
            Severity::Warning if !self.config.deny_warnings => DiagnosticSeverity::Warning,
            _ => DiagnosticSeverity::Error,
        }
    }

    /// What was found, the other places if the client cannot show them, and the help, a line each.
    fn message(&self, finding: &Finding) -> String {
        let mut message = finding.message().to_owned();
        if !self.client.related_information {
            for (span, label) in finding.labels() {
                let line = self.document.text().position(span.start).line + 1;
                message.push_str(&format!("\nline {line}: {label}"));
            }
        }
        if let Some(help) = finding.help() {
            message.push_str(&format!("\nhelp: {help}"));
        }
        message
    }

    fn related(&self, finding: &Finding) -> Option<Vec<DiagnosticRelatedInformation>> {
        let related: Vec<_> = finding
            .labels()
            .map(|(span, label)| DiagnosticRelatedInformation {
                location: Location {
                    uri: self.document.uri().clone(),
                    range: self.document.text().range(span),
                },
                message: label.to_owned(),
            })
            .collect();
        (self.client.related_information && !related.is_empty()).then_some(related)
    }
}
