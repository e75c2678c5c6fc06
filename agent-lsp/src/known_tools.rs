//! The tools and providers that a document may name without declaring them.

use crate::report::Report;
use crate::source::{ReadError, Source, read_all_with};
use agent_spec::ToolSpec;
use agent_spec::check::{Checked, Options, check};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// The tools and providers that a document may name without declaring them.
#[derive(Clone, Debug)]
pub struct KnownTools {
    providers: Vec<String>,
    specs: Vec<ToolSpec>,
    /// The indices of `specs` by tool name, because a file may define thousands of tools.
    by_name: HashMap<String, usize>,
}

impl KnownTools {
    /// Reads `files` with `read` and adds the tools of `builtin` whose names no file defines.
    ///
    /// `providers` are the providers besides [`agent_spec::model::PROVIDERS`]. The reports, one for each
    /// file, may have errors; the tools without errors are known all the same.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently.
    pub fn read(
        builtin: &[ToolSpec],
        providers: Vec<String>,
        files: &[PathBuf],
        read: impl Fn(&Path) -> Result<Source, ReadError>,
    ) -> Result<(Self, Vec<Report>), KnownToolsError> {
        let mut known = Self {
            providers,
            specs: Vec::new(),
            by_name: HashMap::new(),
        };
        let mut reports = Vec::new();
        for source in read_all_with(files, read).map_err(KnownToolsError::Read)? {
            let checked = check(&source.text, Options::default());
            for node in checked.tools {
                known.add(node.spec.clone(), &source.display_name())?;
            }
            reports.push(Report::new(source, checked.diagnostics));
        }
        for spec in builtin {
            if known.get(spec.name()).is_none() {
                known.push(spec.clone());
            }
        }
        Ok((known, reports))
    }

    fn add(&mut self, spec: ToolSpec, file: &str) -> Result<(), KnownToolsError> {
        match self.get(spec.name()) {
            Some(other) if *other != spec => Err(KnownToolsError::Conflict {
                tool: spec.name().to_owned(),
                file: file.to_owned(),
            }),
            Some(_) => Ok(()),
            None => {
                self.push(spec);
                Ok(())
            }
        }
    }

    fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.specs.get(*self.by_name.get(name)?)
    }

    fn push(&mut self, spec: ToolSpec) {
        self.by_name
            .insert(spec.name().to_owned(), self.specs.len());
        self.specs.push(spec);
    }

    /// Returns the tools.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Checks a document that may name these tools and providers.
    #[must_use]
    pub fn check(&self, source: &str) -> Checked {
        let providers: Vec<&str> = self.providers.iter().map(String::as_str).collect();
        check(
            source,
            Options {
                providers: &providers,
                known_tools: &self.specs,
                ..Options::default()
            },
        )
    }
}

/// The error of [`KnownTools::read`].
#[derive(Debug)]
#[non_exhaustive]
pub enum KnownToolsError {
    /// Files that cannot be read.
    Read(Vec<ReadError>),
    /// A tool that two files define differently.
    Conflict {
        /// The name of the tool.
        tool: String,
        /// The second file.
        file: String,
    },
}

impl KnownToolsError {
    /// Returns the messages, one line each.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        match self {
            Self::Read(errors) => errors.iter().map(ToString::to_string).collect(),
            Self::Conflict { tool, file } => vec![format!(
                "the tool `{tool}` of `{file}` is defined in another way in a file that was given \
                 before it with `--tools`; leave one of them out"
            )],
        }
    }
}

impl Error for KnownToolsError {}

impl fmt::Display for KnownToolsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.messages().join("\n"))
    }
}
