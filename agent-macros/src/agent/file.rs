//! Gram in files, and diagnostics about text without tokens of its own.

use crate::report::Report;
use agent_spec::Diagnostic;
use agent_spec::diagnostic::snippet;
use proc_macro2::Span;
use std::path::{Path, PathBuf};

/// The environment variable with the folder to which paths of agent files are relative, in place of
/// the folder of the package. Tools that build a test elsewhere, such as trybuild, set it.
const ROOT_VARIABLE: &str = "AGENT_GRAM_ROOT";

/// A file that was read.
pub(crate) struct GramFile {
    pub(crate) absolute: String,
    pub(crate) text: String,
}

/// Reads a file. Reports the reason if it cannot be read.
pub(crate) fn read(report: &Report, path: &str, span: Span) -> Option<GramFile> {
    let absolute = absolute(path);
    let bytes = match std::fs::read(&absolute) {
        Ok(bytes) => bytes,
        Err(error) => {
            let reason = if absolute.is_dir() {
                "it is a directory".to_owned()
            } else {
                match error.kind() {
                    std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                    kind => kind.to_string(),
                }
            };
            report.error(
                span,
                format!(
                    "cannot read `{path}`: {reason}\nhelp: the path is relative to the folder of \
                     the package's Cargo.toml, or to {ROOT_VARIABLE} when that is set"
                ),
            );
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(GramFile {
            absolute: absolute.to_string_lossy().into_owned(),
            text,
        }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            report.error(
                span,
                format!("`{path}` is not UTF-8: byte {at} is not part of a character"),
            );
            None
        }
    }
}

fn absolute(path: &str) -> PathBuf {
    let root = std::env::var_os(ROOT_VARIABLE)
        .or_else(|| std::env::var_os("CARGO_MANIFEST_DIR"))
        .unwrap_or_default();
    Path::new(&root).join(path)
}

/// Reports diagnostics about a text, each with its line.
pub(crate) fn report_text(
    report: &Report,
    path: Option<&str>,
    source: &str,
    span: Span,
    errors: &[Diagnostic],
) {
    for found in errors {
        report.error(span, text_message(path, source, found));
    }
}

/// Formats a diagnostic with its line.
pub(super) fn text_message(path: Option<&str>, source: &str, found: &Diagnostic) -> String {
    let mut message = format!("{}\n", found.message());
    message.push_str(&snippet(source, path, found.span(), ""));
    for (span, label) in found.labels() {
        message.push_str(&snippet(source, path, span, label));
    }
    if let Some(help) = found.help() {
        message.push_str(&format!("help: {help}"));
    }
    message.trim_end().to_owned()
}
