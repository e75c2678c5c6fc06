//! The gram of a macro, wherever it is written, and errors about its parts.

use super::file::{GramFile, read, text_message};
use super::gram_text::GramText;
use crate::report::Report;
use agent_spec::Diagnostic;
use agent_spec::diagnostic::snippet;
use proc_macro2::{Span, TokenStream};

/// The source of the gram.
#[derive(Clone)]
pub(crate) enum GramSource {
    /// The tokens of the macro.
    Tokens(TokenStream),
    /// A string literal.
    Literal { text: String, span: Span },
    /// A file.
    File { path: String, span: Span },
}

impl GramSource {
    /// Returns the span that rustc marks if an error is about the whole source.
    pub(super) fn span(&self) -> Span {
        match self {
            GramSource::Tokens(tokens) => tokens
                .clone()
                .into_iter()
                .next()
                .map_or_else(Span::call_site, |token| token.span()),
            GramSource::Literal { span, .. } | GramSource::File { span, .. } => *span,
        }
    }
}

/// Gram that was read.
pub(crate) enum Document {
    /// The tokens of the macro. An error is shown at its token.
    Tokens(GramText),
    /// A string literal. An error shows its line, because only the whole literal has a place in the code.
    Literal { text: String, span: Span },
    /// A file. An error shows its line.
    File {
        path: String,
        file: GramFile,
        span: Span,
    },
}

impl Document {
    /// Reads gram. Returns `None` if there is no file to read, which is reported.
    pub(crate) fn read(report: &Report, source: &GramSource) -> Option<Self> {
        Some(match source {
            GramSource::Tokens(tokens) => Self::Tokens(GramText::of_tokens(tokens.clone())),
            GramSource::Literal { text, span } => Self::Literal {
                text: text.clone(),
                span: *span,
            },
            GramSource::File { path, span } => Self::read_file(report, path, *span)?,
        })
    }

    /// Reads a file. Reports the reason if it cannot be read.
    pub(super) fn read_file(report: &Report, path: &str, span: Span) -> Option<Self> {
        Some(Self::File {
            path: path.to_owned(),
            file: read(report, path, span)?,
            span,
        })
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Tokens(text) => &text.text,
            Self::Literal { text, .. } => text,
            Self::File { file, .. } => &file.text,
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::File { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Returns items that make cargo build again when the file changes.
    pub(crate) fn tracked(&self, rt: &TokenStream) -> Option<TokenStream> {
        match self {
            Self::File { file, .. } => Some(file.tracked(rt)),
            _ => None,
        }
    }

    /// Reports each diagnostic.
    pub(crate) fn report(&self, report: &Report, errors: &[Diagnostic]) {
        for found in errors {
            let (start, end) = self.spans(found.span());
            report.error_between(start, end, self.message(found));
        }
    }

    /// Returns the first and the last token of a part.
    pub(super) fn spans(&self, span: agent_gram::Span) -> (Span, Span) {
        match self {
            Self::Tokens(text) => text.spans(span),
            Self::Literal { span, .. } | Self::File { span, .. } => (*span, *span),
        }
    }

    /// Returns the line of a part for a message, if the part has no token of its own.
    pub(super) fn show(&self, span: agent_gram::Span) -> Option<String> {
        if let Self::Tokens(_) = self {
            return None;
        }
        let shown = snippet(self.text(), self.path(), span, "");
        Some(shown.trim_end().to_owned())
    }

    /// Returns the text of a diagnostic for an error at [`spans`](Self::spans).
    pub(super) fn message(&self, found: &Diagnostic) -> String {
        let Self::Tokens(text) = self else {
            return text_message(self.path(), self.text(), found);
        };
        let mut message = found.message().to_owned();
        for (span, label) in found.labels() {
            let place = text.spans(span).0.start();
            let (line, column) = (place.line, place.column + 1);
            message.push_str(&format!("\nnote: {label}: line {line}, column {column}"));
        }
        if let Some(help) = found.help() {
            message.push_str("\nhelp: ");
            message.push_str(help);
        }
        message
    }
}
