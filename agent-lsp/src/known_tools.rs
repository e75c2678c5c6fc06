//! The tools and providers that a document may name without declaring them.

use crate::project::{LoadedProject, has_project_name};
use crate::report::Report;
use crate::source::{ReadError, Source, read_all, read_all_with};
use agent_gram::Span;
use agent_spec::binding::{Message, Mismatch, Policy, mismatches};
use agent_spec::check::{Checked, Options, ParamPlaces, SignaturePlaces, ToolNode, check};
use agent_spec::diagnostic::MAX_FINDINGS;
use agent_spec::project::is_project;
use agent_spec::{Code, Diagnostic, Severity, ToolSpec};
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
    /// The names of the tools of MCP servers, and the files that have them.
    served: HashMap<String, String>,
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
            served: HashMap::new(),
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
            known.add_served(&checked, &source);
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
            served: self.served.clone(),
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
            known.add_served(&checked, &source);
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

    fn add_served(&mut self, checked: &Checked, source: &Source) {
        let tools = checked.servers.iter().flat_map(|server| server.tools());
        for tool in tools {
            let name = tool.spec().name().to_owned();
            self.served
                .entry(name)
                .or_insert_with(|| source.display_name());
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
        let options = Options {
            providers: &providers,
            known_tools: &self.specs,
            keep_unknown_references: self.is_incomplete,
            variables,
            ..Options::default()
        };
        let mut checked = check(source, options);
        self.compare_served(&mut checked);
        checked
    }

    /// Compares the tools that a document defines with those of the MCP servers that have them.
    fn compare_served(&self, checked: &mut Checked) {
        if self.served.is_empty() {
            return;
        }
        let tools = checked.tools.iter();
        let found: Vec<Diagnostic> = tools.flat_map(|node| self.differences(node)).collect();
        if !found.is_empty() {
            checked
                .diagnostics
                .extend(found.into_iter().take(MAX_FINDINGS));
            checked.diagnostics.sort_by_key(|found| found.span());
        }
    }

    fn differences(&self, node: &ToolNode) -> Vec<Diagnostic> {
        let served = self
            .served
            .get(node.spec.name())
            .zip(self.get(node.spec.name()));
        let Some((file, served)) = served else {
            return Vec::new();
        };
        let sides = [&node.spec, served].map(|spec| (spec.description(), spec.signature()));
        let mismatches = mismatches(sides[0], sides[1], Policy::Compatible);
        let found = mismatches.into_iter().map(|mismatch| {
            let message = Message {
                name: node.spec.name(),
                spec: sides[0],
                tool: sides[1],
                mismatch,
            };
            let (place, theirs) = match mismatch {
                Mismatch::Description => (
                    node.places.description,
                    format!("{:?}", served.description()),
                ),
                _ => (
                    place_of(mismatch, &node.places.signature),
                    served.signature().to_string(),
                ),
            };
            let found = Diagnostic::new(Code::ConflictingTools, place, message.summary());
            found.with_help(format!(
                "`{file}`, the document of its server, says: {theirs}"
            ))
        });
        found.collect()
    }
}

/// Returns the place in a signature that must change.
fn place_of(mismatch: Mismatch, places: &SignaturePlaces) -> Span {
    let param = |at: usize, place: fn(&ParamPlaces) -> Span| {
        places.params.get(at).map_or(places.whole, place)
    };
    match mismatch {
        Mismatch::UnknownParam { spec, .. } => param(spec, |param| param.name),
        Mismatch::ParamType { spec, .. } => param(spec, |param| param.label),
        Mismatch::ParamDetails { spec, .. } => param(spec, |param| param.details),
        Mismatch::ParamOptional { spec, .. } => param(spec, |param| param.optional),
        Mismatch::ParamDefault { spec, .. } => param(spec, |param| param.default),
        Mismatch::MissingParam { .. } => places.last_arrow,
        Mismatch::Returns => places.returns.whole,
        _ => places.whole,
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
