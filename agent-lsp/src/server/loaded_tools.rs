//! The tools and providers that documents may name.

mod place;

pub(super) use place::{given_as, is_file_of};

use super::ServerConfig;
use crate::known_tools::{KnownTools, KnownToolsError};
use crate::language::analysis::Analysis;
use crate::report::Report;
use crate::source::{self, Source};
use agent_spec::Diagnostic;
use agent_spec::check::{Checked, Options, check, check_gram};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The texts of files of `--tools` that are open, by the path that was given.
pub(super) type OpenTexts = HashMap<PathBuf, String>;

/// What was read of the files of `--tools`, when they were read last.
#[derive(Clone)]
pub(super) struct Known {
    tools: Arc<KnownTools>,
    /// What is wrong with the files. Until that is put right, which references are right cannot be told,
    /// and of other documents only the notation is checked.
    pub(super) trouble: Option<String>,
}

impl Known {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or two define one tool in two ways. Errors in them are no reason to
    /// stop: somebody is about to put them right.
    pub(super) fn read(config: &ServerConfig, open: &OpenTexts) -> Result<Self, KnownToolsError> {
        let (tools, reports) = KnownTools::read(
            &config.builtin_tools,
            config.providers.clone(),
            &config.tool_files,
            |path| match open.get(path) {
                Some(text) => Ok(Source::inline(&path.display().to_string(), text)),
                None => source::read(path),
            },
        )?;
        let wrong: Vec<String> = reports.iter().filter_map(shown_errors).collect();
        let trouble =
            (!wrong.is_empty()).then(|| format!("--tools has errors: {}", wrong.join("; ")));
        Ok(Self {
            tools: Arc::new(tools),
            trouble,
        })
    }

    /// Reads the files again. What was known before stays known when they cannot be read.
    pub(super) fn read_again(&self, config: &ServerConfig, open: &OpenTexts) -> Self {
        Self::read(config, open).unwrap_or_else(|trouble| Self {
            tools: Arc::clone(&self.tools),
            trouble: Some(trouble.to_string()),
        })
    }

    /// Whether documents are checked with this as they are with the other.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.trouble == other.trouble && self.tools.specs() == other.tools.specs()
    }

    /// The tools that documents may name, the built-in ones included.
    pub(super) fn specs(&self) -> &[agent_spec::ToolSpec] {
        self.tools.specs()
    }

    /// Reads a document. It is checked when somebody wants to know what came of that.
    pub(super) fn analyse(&self, source: &str) -> Analysis {
        let (tools, text) = (Arc::clone(&self.tools), source.to_owned());
        Analysis::new(source, move || tools.check(&text))
    }

    /// What is wrong with a document, as `agent check` says it. One that was given with `--tools` itself
    /// is checked also while these have errors: it may be the one that has them.
    pub(super) fn check(&self, source: &str, is_given: bool) -> Vec<Diagnostic> {
        let checked: Checked = match (&self.trouble, is_given) {
            (None, _) => self.tools.check(source),
            (Some(_), true) => check(source, Options::default()),
            (Some(_), false) => return check_gram(source),
        };
        checked.diagnostics
    }

    /// Why documents are checked for less than everything.
    pub(super) fn restriction(&self) -> Option<String> {
        let trouble = self.trouble.as_ref()?;
        Some(format!(
            "documents are checked for their notation only: {trouble}"
        ))
    }
}

/// The errors of a file: the first with its place, and how many there are.
fn shown_errors(report: &Report) -> Option<String> {
    let (place, error) = report.first_error()?;
    Some(format!(
        "{place}: {} ({})",
        error.message(),
        report.counts()
    ))
}
