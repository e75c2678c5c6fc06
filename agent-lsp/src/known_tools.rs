//! The tools and providers that a document may name without declaring them.

use crate::project::{LoadedProject, has_project_name};
use crate::report::Report;
use crate::source::{ReadError, Source, read_all, read_all_with};
use agent_spec::check::{Checked, Options, check};
use agent_spec::project::is_project;
use agent_spec::{Code, Severity, ToolSpec};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// The tools and providers that a document may name without declaring them.
#[derive(Clone, Debug)]
pub struct KnownTools {
    providers: Vec<String>,
    specs: Vec<ToolSpec>,
    /// The number of `specs` that are not built in. The built-in tools are the last ones.
    declared: usize,
    /// The indices of `specs` by tool name, because a file may define thousands of tools.
    by_name: HashMap<String, usize>,
    /// Whether some tools are unknown, because a tool file of the project has errors. Then a reference to
    /// an unknown tool is no mistake.
    is_incomplete: bool,
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
            declared: 0,
            by_name: HashMap::new(),
            is_incomplete: false,
        };
        let mut reports = Vec::new();
        for source in read_all_with(files, read).map_err(KnownToolsError::Read)? {
            let checked = check(&source.text, Options::default());
            for node in &checked.tools {
                known.add(node.spec.clone(), || KnownToolsError::Conflict {
                    tool: node.spec.name().to_owned(),
                    file: source.display_name(),
                })?;
            }
            reports.push(Report::of(source, checked));
        }
        known.add_builtin(builtin);
        Ok((known, reports))
    }

    /// Returns these tools with those of a project. A tool of a file that was read before replaces a tool
    /// of the project, which replaces a built-in tool.
    ///
    /// The reports are those of the tool files that have errors. The tools without errors are known all
    /// the same, and references to unknown tools are then accepted.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files of the project define one tool
    /// differently.
    pub fn with_project(
        &self,
        project: &LoadedProject,
    ) -> Result<(Self, Vec<Report>), KnownToolsError> {
        let (given, builtin) = self.specs.split_at(self.declared);
        let mut known = Self {
            providers: self.providers.clone(),
            specs: Vec::new(),
            declared: 0,
            by_name: HashMap::new(),
            is_incomplete: false,
        };
        known
            .providers
            .extend(project.settings.providers.iter().cloned());
        given.iter().for_each(|spec| known.push(spec.clone()));
        let providers = known.providers.clone();
        let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
        let mut reports = Vec::new();
        for source in read_all(&project.tool_files).map_err(KnownToolsError::Read)? {
            if has_project_name(Path::new(&source.name)) && is_project(&source.text) {
                continue;
            }
            // Its agents may name tools of other files.
            let options = Options {
                providers: &providers,
                keep_unknown_references: true,
                ..Options::default()
            };
            let mut checked = check(&source.text, options);
            for node in checked.tools {
                let own = self.by_name.get(node.spec.name());
                if own.is_some_and(|index| *index < self.declared) {
                    continue;
                }
                known.add(node.spec.clone(), || KnownToolsError::ProjectConflict {
                    tool: node.spec.name().to_owned(),
                    file: source.display_name(),
                    project: project.path.display().to_string(),
                })?;
            }
            // A pattern may name other gram files, too, and their warnings were not asked for.
            checked.diagnostics.retain(|found| {
                found.severity() == Severity::Error && found.code() != Code::NothingDeclared
            });
            if !checked.diagnostics.is_empty() {
                known.is_incomplete = true;
                reports.push(Report::new(source, checked.diagnostics));
            }
        }
        known.add_builtin(builtin);
        Ok((known, reports))
    }

    fn add_builtin(&mut self, builtin: &[ToolSpec]) {
        self.declared = self.specs.len();
        for spec in builtin {
            if self.get(spec.name()).is_none() {
                self.push(spec.clone());
            }
        }
    }

    fn add(
        &mut self,
        spec: ToolSpec,
        conflict: impl FnOnce() -> KnownToolsError,
    ) -> Result<(), KnownToolsError> {
        match self.get(spec.name()) {
            Some(other) if *other != spec => Err(conflict()),
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
        self.check_with_variables(source, None)
    }

    /// Checks a document that may name these tools and providers. With a list of variables, any other
    /// variable of an instruction is an error.
    #[must_use]
    pub fn check_with_variables(&self, source: &str, variables: Option<&[&str]>) -> Checked {
        let providers: Vec<&str> = self.providers.iter().map(String::as_str).collect();
        check(
            source,
            Options {
                providers: &providers,
                known_tools: &self.specs,
                keep_unknown_references: self.is_incomplete,
                variables,
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
    /// A tool that two files of a project define differently.
    ProjectConflict {
        /// The name of the tool.
        tool: String,
        /// The second file.
        file: String,
        /// The project file.
        project: String,
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
            Self::ProjectConflict {
                tool,
                file,
                project,
            } => vec![format!(
                "the tool `{tool}` of `{file}` is defined in another way in another file that `tools` \
                 of `{project}` names; make them equal, rename one, or leave one of the files out"
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
