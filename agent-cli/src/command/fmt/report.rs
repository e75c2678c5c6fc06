//! Reporting what was done with each file.

use crate::output::{
    diff_to_stdout, document_to_stdout, json_to_stdout, line_to_stdout, text_to_stdout, to_stderr,
};
use crate::output_format::FindingsFormat;
use crate::report::{DiagnosticList, Printer};
use crate::style::Style;
use crate::text_diff::unified_diff;
use agent_project::report::{Report, short_lines};
use agent_project::source::Source;
use agent_spec::Diagnostic;
use serde::Serialize;
use std::io;

/// The action for a file that is not formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Replaces the file.
    Write,
    /// Prints the file's name.
    Name,
    /// Prints the change.
    Diff,
}

/// A formatted text that has no errors.
pub(super) struct FormattedFile {
    pub(super) source: Source,
    pub(super) formatted: String,
    /// Warnings about the parts that the style cannot express.
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether formatting changed the text.
    pub(super) changed: bool,
    pub(super) is_stdin: bool,
}

impl FormattedFile {
    fn diff(&self) -> String {
        let mark = if self.source.has_byte_order_mark {
            "\u{feff}"
        } else {
            ""
        };
        let before = format!("{mark}{}", self.source.text);
        let name = self.source.display_name();
        unified_diff([&name, &name], &before, &self.formatted)
    }
}

/// The summary of all files.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// Whether a file has errors.
    pub(super) has_errors: bool,
    /// Whether a file was not formatted.
    pub(super) has_changes: bool,
}

/// Reports each file as soon as it is done. The JSON format is one document, which is printed at the end.
pub(super) struct Reporter<'a> {
    action: Action,
    output: Output<'a>,
    summary: Summary,
}

/// The output of a reporter in one of the formats.
enum Output<'a> {
    Human(Printer<'a>),
    Short,
    Json {
        files: Vec<FileEntry>,
        reports: Vec<Report>,
    },
}

impl<'a> Reporter<'a> {
    /// Creates a reporter.
    pub(super) fn new(format: FindingsFormat, action: Action, style: &'a Style) -> Self {
        let output = match format {
            FindingsFormat::Human => Output::Human(Printer::new(style)),
            FindingsFormat::Short => Output::Short,
            FindingsFormat::Json => Output::Json {
                files: Vec::new(),
                reports: Vec::new(),
            },
        };
        Self {
            action,
            output,
            summary: Summary::default(),
        }
    }

    /// Reports a file without errors.
    ///
    /// # Errors
    /// Returns an error if the report cannot be written.
    pub(super) fn formatted(&mut self, mut file: FormattedFile) -> io::Result<()> {
        self.summary.has_changes |= file.changed;
        self.warnings(&mut file);
        if let Output::Json { files, .. } = &mut self.output {
            files.push(FileEntry::new(file, self.action));
            return Ok(());
        }
        let name = file.source.display_name();
        match self.action {
            Action::Write if file.is_stdin => document_to_stdout(&file.formatted),
            _ if !file.changed => Ok(()),
            Action::Write => {
                to_stderr(&format!("{name}: formatted\n"));
                Ok(())
            }
            Action::Name => line_to_stdout(&name),
            Action::Diff => diff_to_stdout(&file.diff()),
        }
    }

    /// Reports the parts that the style cannot express.
    fn warnings(&mut self, file: &mut FormattedFile) {
        if file.warnings.is_empty() {
            return;
        }
        let warnings = std::mem::take(&mut file.warnings);
        let report = Report::new(file.source.clone(), warnings);
        match &mut self.output {
            Output::Human(printer) => printer.print_with_counts(&report),
            // Standard output may have a formatted text or a diff already.
            Output::Short => to_stderr(&short_lines(&[report])),
            Output::Json { reports, .. } => reports.push(report),
        }
    }

    /// Reports a file with errors.
    ///
    /// # Errors
    /// Returns an error if the report cannot be written.
    pub(super) fn errors(&mut self, report: Report) -> io::Result<()> {
        self.summary.has_errors = true;
        match &mut self.output {
            Output::Human(printer) => printer.print_with_counts(&report),
            Output::Short => text_to_stdout(&short_lines(&[report]))?,
            Output::Json { reports, .. } => reports.push(report),
        }
        Ok(())
    }

    /// Writes the end of the report, and returns the summary.
    ///
    /// # Errors
    /// Returns an error if the report cannot be written.
    pub(super) fn finish(self) -> io::Result<Summary> {
        match self.output {
            Output::Human(printer) => printer.finish(),
            Output::Short => {}
            Output::Json { files, reports } => json_to_stdout(&Document {
                files,
                diagnostics: DiagnosticList(&reports),
            })?,
        }
        Ok(self.summary)
    }
}

/// The one document of `--format json`. Scripts depend on these members.
#[derive(Serialize)]
struct Document<'a> {
    files: Vec<FileEntry>,
    diagnostics: DiagnosticList<'a>,
}

#[derive(Serialize)]
struct FileEntry {
    file: String,
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl FileEntry {
    fn new(file: FormattedFile, action: Action) -> Self {
        let diff = (action == Action::Diff).then(|| file.diff());
        let text = (action == Action::Write && file.is_stdin).then_some(file.formatted);
        Self {
            file: file.source.name,
            changed: file.changed,
            text,
            diff,
        }
    }
}
