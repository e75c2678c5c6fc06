//! Telling what was done with each file.

use super::Action;
use super::diff::unified;
use crate::args::FindingsFormat;
use crate::output::{json_to_stdout, line_to_stdout, to_stderr, to_stdout};
use crate::report::{DiagnosticList, Printer};
use crate::style::Style;
use agent_lsp::report::{Report, write_short};
use agent_lsp::source::Source;
use agent_spec::Diagnostic;
use serde::Serialize;
use std::io::{self, Write};

/// A text without errors, formatted.
pub(super) struct Done {
    pub(super) source: Source,
    pub(super) formatted: String,
    /// What could not be written in the style.
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether the two differ.
    pub(super) changed: bool,
    pub(super) is_stdin: bool,
}

impl Done {
    fn diff(&self) -> String {
        let mark = if self.source.has_byte_order_mark {
            "\u{feff}"
        } else {
            ""
        };
        let before = format!("{mark}{}", self.source.text);
        unified(&self.source.display_name(), &before, &self.formatted)
    }
}

/// What was seen in all files together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Some have errors.
    pub(super) errors: bool,
    /// Some were not laid out as they should be.
    pub(super) changes: bool,
}

/// Tells of each file as soon as it is done, except in JSON, which is one document.
pub(super) struct Reporter<'a> {
    action: Action,
    findings: Findings<'a>,
    seen: Seen,
}

enum Findings<'a> {
    Human(Printer<'a>),
    Short,
    Json {
        files: Vec<FileEntry>,
        reports: Vec<Report>,
    },
}

impl<'a> Reporter<'a> {
    pub(super) fn new(format: FindingsFormat, action: Action, style: &'a Style) -> Self {
        let findings = match format {
            FindingsFormat::Human => Findings::Human(Printer::new(style)),
            FindingsFormat::Short => Findings::Short,
            FindingsFormat::Json => Findings::Json {
                files: Vec::new(),
                reports: Vec::new(),
            },
        };
        Self {
            action,
            findings,
            seen: Seen::default(),
        }
    }

    /// Tells of a file without errors.
    pub(super) fn done(&mut self, mut done: Done) -> io::Result<()> {
        self.seen.changes |= done.changed;
        self.warn(&mut done)?;
        if let Findings::Json { files, .. } = &mut self.findings {
            files.push(FileEntry::new(done, self.action));
            return Ok(());
        }
        let name = done.source.display_name();
        match self.action {
            Action::Write if done.is_stdin => {
                to_stdout(|out| out.write_all(done.formatted.as_bytes()))
            }
            _ if !done.changed => Ok(()),
            Action::Write => {
                to_stderr(&format!("{name}: formatted\n"));
                Ok(())
            }
            Action::Name => line_to_stdout(&name),
            Action::Diff => to_stdout(|out| out.write_all(done.diff().as_bytes())),
        }
    }

    /// Tells of what could not be written in the style.
    fn warn(&mut self, done: &mut Done) -> io::Result<()> {
        if done.warnings.is_empty() {
            return Ok(());
        }
        let warnings = std::mem::take(&mut done.warnings);
        let report = Report::new(done.source.clone(), warnings);
        match &mut self.findings {
            Findings::Human(printer) => printer.print_with_counts(&report),
            // A formatted text or a diff may be there already, which findings must not stand in.
            Findings::Short => write_short(&[report], &mut io::stderr().lock())?,
            Findings::Json { reports, .. } => reports.push(report),
        }
        Ok(())
    }

    /// Tells of a file with errors.
    pub(super) fn errors(&mut self, report: Report) -> io::Result<()> {
        self.seen.errors = true;
        match &mut self.findings {
            Findings::Human(printer) => printer.print_with_counts(&report),
            Findings::Short => to_stdout(|out| write_short(&[report], out))?,
            Findings::Json { reports, .. } => reports.push(report),
        }
        Ok(())
    }

    /// Tells what is told at the end.
    pub(super) fn finish(self) -> io::Result<Seen> {
        match self.findings {
            Findings::Human(printer) => printer.finish(),
            Findings::Short => {}
            Findings::Json { files, reports } => json_to_stdout(&Document {
                files,
                diagnostics: DiagnosticList(&reports),
            })?,
        }
        Ok(self.seen)
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
    fn new(done: Done, action: Action) -> Self {
        let diff = (action == Action::Diff).then(|| done.diff());
        let text = (action == Action::Write && done.is_stdin).then_some(done.formatted);
        Self {
            file: done.source.name,
            changed: done.changed,
            text,
            diff,
        }
    }
}
