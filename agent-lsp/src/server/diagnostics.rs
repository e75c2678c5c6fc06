//! Diagnostics in the form of the protocol.

use super::client::ClientCapabilities;
use super::config::ServerConfig;
use super::documents::{MAX_CHECKED, Snapshot};
use super::loaded_tools::{LoadedTools, is_project_file, is_tool_file};
use agent_gram::Span;
use agent_project::report::docs_link;
use agent_spec::{Severity, terminal};
use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location,
    PublishDiagnosticsParams, Uri,
};

/// The maximum number of diagnostics that are sent for a document, because a file that is no gram has one at each word,
/// and a client may draw each.
const MAX_DIAGNOSTICS: usize = 1000;

/// The source of the diagnostics, which clients show.
const SOURCE: &str = "agent";

/// Checks a document and returns its diagnostics.
pub(super) fn diagnostics_params(
    document: &Snapshot,
    tools: &LoadedTools,
    config: &ServerConfig,
    client: &ClientCapabilities,
) -> PublishDiagnosticsParams {
    let is_tool_file = is_tool_file(&config.tool_files, document.uri());
    let is_project_file = is_project_file(document.uri(), document.text().as_str());
    let tools = tools.in_project(document.uri());
    let found = if document.is_too_long() {
        Vec::new()
    } else {
        tools.check(document.text().as_str(), document.uri(), is_tool_file)
    };
    let converter = Converter {
        document,
        config,
        client,
    };
    let mut diagnostics: Vec<Diagnostic> = found
        .iter()
        .take(MAX_DIAGNOSTICS)
        .map(|diagnostic| converter.diagnostic(diagnostic))
        .collect();
    if let Some(next) = found.get(MAX_DIAGNOSTICS) {
        let more = found.len() - MAX_DIAGNOSTICS;
        let message = format!(
            "{more} more findings from here on are not shown; `agent check --format short` lists all"
        );
        diagnostics.push(converter.note(next.span(), message));
    }
    if document.is_too_long() {
        let message = format!(
            "the document has more than {} MiB and is not checked",
            MAX_CHECKED >> 20
        );
        diagnostics.push(converter.note(Span::at(0), message));
    }
    let has_errors_itself = is_tool_file || is_project_file;
    if let Some(message) = tools.error_message().filter(|_| !has_errors_itself) {
        diagnostics.push(converter.note(Span::at(0), message));
    }
    PublishDiagnosticsParams {
        uri: document.uri().clone(),
        version: Some(document.version()),
        diagnostics,
    }
}

/// Returns empty diagnostics, for a document that is closed or out of sync.
pub(super) fn no_diagnostics(uri: Uri) -> PublishDiagnosticsParams {
    PublishDiagnosticsParams {
        uri,
        version: None,
        diagnostics: Vec::new(),
    }
}

/// The conversion of the diagnostics of one document.
struct Converter<'a> {
    document: &'a Snapshot,
    config: &'a ServerConfig,
    client: &'a ClientCapabilities,
}

impl Converter<'_> {
    fn diagnostic(&self, diagnostic: &agent_spec::Diagnostic) -> Diagnostic {
        let code = diagnostic.code();
        let page = self.config.docs_page.as_ref();
        Diagnostic {
            severity: Some(self.severity(diagnostic)),
            code: Some(Code::String(code.as_str().to_owned())),
            code_description: page.map(|page| CodeDescription {
                href: docs_link(page, code).into(),
            }),
            related_information: self.related_information(diagnostic),
            ..self.note(diagnostic.span(), self.message(diagnostic))
        }
    }

    /// Returns a diagnostic without a code, for information.
    fn note(&self, span: Span, message: String) -> Diagnostic {
        Diagnostic {
            range: self.document.text().range(span),
            severity: Some(DiagnosticSeverity::Information),
            source: Some(SOURCE.to_owned()),
            message: terminal::text(&message).into(),
            ..Diagnostic::default()
        }
    }

    fn severity(&self, diagnostic: &agent_spec::Diagnostic) -> DiagnosticSeverity {
        match diagnostic.severity() {
            Severity::Warning if !self.config.deny_warnings => DiagnosticSeverity::Warning,
            _ => DiagnosticSeverity::Error,
        }
    }

    /// Returns the message, the labels if the client has no related information, and the help, a line
    /// each.
    fn message(&self, diagnostic: &agent_spec::Diagnostic) -> String {
        let mut message = diagnostic.message().to_owned();
        if !self.client.related_information {
            for (span, label) in diagnostic.labels() {
                let line = self.document.text().position(span.start).line + 1;
                message.push_str(&format!("\nline {line}: {label}"));
            }
        }
        if let Some(help) = diagnostic.help() {
            message.push_str(&format!("\nhelp: {help}"));
        }
        message
    }

    fn related_information(
        &self,
        diagnostic: &agent_spec::Diagnostic,
    ) -> Option<Vec<DiagnosticRelatedInformation>> {
        let related: Vec<_> = diagnostic
            .labels()
            .map(|(span, label)| DiagnosticRelatedInformation {
                location: Location {
                    uri: self.document.uri().clone(),
                    range: self.document.text().range(span),
                },
                message: terminal::text(label),
            })
            .collect();
        (self.client.related_information && !related.is_empty()).then_some(related)
    }
}
