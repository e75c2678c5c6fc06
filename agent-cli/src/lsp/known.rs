//! The tools and providers that documents may name.

use super::uri::file_of;
use crate::language::analysis::Analysis;
use crate::outcome::Trouble;
use crate::report::counts;
use crate::tools::{KnownTools, ToolFiles};
use agent_spec::ToolSpec;
use agent_spec::check::Checked;
use gen_lsp_types::Uri;
use std::sync::Arc;

/// What was read of the files of `--tools`, when they were read last.
#[derive(Clone)]
pub(super) struct Known {
    tools: Arc<KnownTools>,
    /// What is wrong with the files. Until that is put right, no document is checked: which references
    /// are right cannot be told.
    pub(super) trouble: Option<String>,
}

impl Known {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or two define one tool in two ways. Errors in them are no reason to
    /// stop: somebody is about to put them right.
    pub(super) fn read(files: &ToolFiles) -> Result<Self, Trouble> {
        let mut tools = files.read()?;
        let reports = tools.take_reports();
        let wrong: Vec<String> = reports
            .iter()
            .filter(|report| report.has_errors())
            .map(|report| format!("{}: {}", report.source.shown_name(), counts(report)))
            .collect();
        let trouble = (!wrong.is_empty()).then(|| {
            let wrong = wrong.join(", ");
            format!("no document is checked, because --tools has errors ({wrong})")
        });
        Ok(Self {
            tools: Arc::new(tools),
            trouble,
        })
    }

    /// Reads the files again. What was known before stays known when they cannot be read.
    pub(super) fn read_again(&mut self, files: &ToolFiles) {
        match Self::read(files) {
            Ok(known) => *self = known,
            Err(trouble) => {
                self.trouble = Some(format!("no document is checked: {trouble}"));
            }
        }
    }

    /// The tools that documents may name, the built-in ones included.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        self.tools.specs()
    }

    /// Reads a document. It is checked when somebody wants to know what came of that.
    pub(super) fn analyse(&self, source: &str) -> Analysis {
        let (known, text) = (self.clone(), source.to_owned());
        Analysis::new(source, move || known.check(&text))
    }

    /// Checks a document as `agent check` does.
    pub(super) fn check(&self, source: &str) -> Checked {
        match self.trouble {
            None => self.tools.check(source),
            Some(_) => Checked::default(),
        }
    }
}

/// Whether an address is that of a file of `--tools`.
pub(super) fn is_file_of(files: &ToolFiles, uri: &Uri) -> bool {
    let Some(path) = file_of(uri) else {
        return false;
    };
    let path = path.canonicalize().unwrap_or(path);
    let mut given = files.paths().iter();
    given.any(|given| given.canonicalize().is_ok_and(|given| given == path))
}
