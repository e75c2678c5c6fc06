//! The tools and providers that a document may name without declaring them.

use crate::project::{LoadedProject, has_project_name};
use crate::report::Report;
use crate::source::{ReadError, Source, read_all, read_all_with};
use agent_gram::Span;
use agent_spec::binding::{Message, Mismatch, Policy, mismatches};
use agent_spec::check::{Checked, Options, ParamPlaces, SignaturePlaces, ToolNode, check};
use agent_spec::diagnostic::MAX_FINDINGS;
use agent_spec::duration::duration_text;
use agent_spec::project::is_project;
use agent_spec::{Code, Diagnostic, Severity, ToolSpec};
use std::collections::{HashMap, HashSet};
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
    /// The files of the `specs` that are not built in, by tool name.
    files: HashMap<String, String>,
    /// The tools of the documents of MCP servers by name, which are the contract for each other definition.
    served: HashMap<String, ServedTool>,
    /// Whether some tools are unknown, because a tool file of the project has errors. Then a reference to
    /// an unknown tool is no mistake.
    is_incomplete: bool,
}

/// A tool of the document of an MCP server.
#[derive(Clone, Debug)]
struct ServedTool {
    spec: ToolSpec,
    /// The document.
    file: String,
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
            files: HashMap::new(),
            served: HashMap::new(),
            is_incomplete: false,
        };
        let sources = read_all_with(files, read).map_err(KnownToolsError::Read)?;
        let mut documents: Vec<(Source, Checked)> = Vec::new();
        for source in sources {
            let checked = check(&source.text, Options::default());
            known.add_served(&checked, &source);
            documents.push((source, checked));
        }
        let mut reports = Vec::new();
        for (source, mut checked) in documents {
            for node in known.not_served(&checked) {
                known.add(&node.spec, &source, || KnownToolsError::Conflict {
                    tool: node.spec.name().to_owned(),
                    file: source.display_name(),
                })?;
            }
            known.compare_served(&mut checked);
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
            files: HashMap::new(),
            served: self.served.clone(),
            is_incomplete: false,
        };
        known
            .providers
            .extend(project.settings.providers.iter().cloned());
        let providers = known.providers.clone();
        let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
        let mut documents: Vec<(Source, Checked)> = Vec::new();
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
            let checked = check(&source.text, options);
            known.add_served(&checked, &source);
            documents.push((source, checked));
        }
        for spec in given {
            known.add_given(spec, self.files.get(spec.name()))?;
        }
        let mut reports = Vec::new();
        for (source, mut checked) in documents {
            for node in known.not_served(&checked) {
                let own = self.by_name.get(node.spec.name());
                if own.is_some_and(|index| *index < self.declared) {
                    continue;
                }
                known.add(&node.spec, &source, || KnownToolsError::ProjectConflict {
                    tool: node.spec.name().to_owned(),
                    file: source.display_name(),
                    project: project.path.display().to_string(),
                })?;
            }
            known.compare_served(&mut checked);
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

    /// Adds a tool of a file.
    ///
    /// # Errors
    /// `conflict` if another file defines the tool differently.
    fn add(
        &mut self,
        spec: &ToolSpec,
        source: &Source,
        conflict: impl FnOnce() -> KnownToolsError,
    ) -> Result<(), KnownToolsError> {
        match self.get(spec.name()) {
            Some(other) if other != spec => Err(conflict()),
            Some(_) => Ok(()),
            None => {
                let name = spec.name().to_owned();
                self.files.insert(name, source.display_name());
                self.push(spec.clone());
                Ok(())
            }
        }
    }

    /// Adds a tool of a file that was read before those of the project. If the project has the document of a server with the
    /// tool, that is the contract.
    ///
    /// # Errors
    /// Returns an error if the tool does not fit that document.
    fn add_given(&mut self, spec: &ToolSpec, file: Option<&String>) -> Result<(), KnownToolsError> {
        let name = spec.name();
        if let Some(file) = file {
            self.files.insert(name.to_owned(), file.clone());
        }
        let Some(served) = self.served.get(name) else {
            self.push(spec.clone());
            return Ok(());
        };
        let sides = [spec, &served.spec].map(|spec| (spec.description(), spec.signature()));
        let found = mismatches(sides[0], sides[1], Policy::Compatible);
        let reasons = found.into_iter().map(|mismatch| {
            let message = Message {
                name,
                spec: sides[0],
                tool: sides[1],
                mismatch,
            };
            message.summary()
        });
        let reasons: Vec<String> = reasons.collect();
        if !reasons.is_empty() {
            return Err(KnownToolsError::ServedConflict {
                tool: name.to_owned(),
                file: file.cloned().unwrap_or_default(),
                served: served.file.clone(),
                reasons,
            });
        }
        let spec = served.spec.clone();
        self.push(spec);
        Ok(())
    }

    fn add_served(&mut self, checked: &Checked, source: &Source) {
        let tools = checked.servers.iter().flat_map(|server| server.tools());
        for tool in tools {
            let name = tool.spec().name().to_owned();
            self.served.entry(name).or_insert_with(|| ServedTool {
                spec: tool.spec().clone(),
                file: source.display_name(),
            });
        }
    }

    /// Returns the tools of a document, but those that are defined in the document of their server, too.
    fn not_served<'c>(&self, checked: &'c Checked) -> Vec<&'c ToolNode> {
        let own: HashSet<&str> = own_served(checked);
        let is_kept = |node: &&ToolNode| {
            let name = node.spec.name();
            own.contains(name) || !self.served.contains_key(name)
        };
        checked
            .tools
            .iter()
            .map(|node| &**node)
            .filter(is_kept)
            .collect()
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

    /// Compares the tools that a document defines with those of the documents of their servers.
    fn compare_served(&self, checked: &mut Checked) {
        if self.served.is_empty() {
            return;
        }
        let own = own_served(checked);
        let tools = checked
            .tools
            .iter()
            .filter(|node| !own.contains(node.spec.name()));
        let found = tools.filter_map(|node| {
            let served = self.served.get(node.spec.name())?;
            Some(served.differences(node))
        });
        let found: Vec<Diagnostic> = found.flatten().take(MAX_FINDINGS).collect();
        if !found.is_empty() {
            checked.diagnostics.extend(found);
            checked.diagnostics.sort_by_key(|found| found.span());
        }
    }
}

/// Returns the names of the tools of the servers that a document describes.
fn own_served(checked: &Checked) -> HashSet<&str> {
    let tools = checked.servers.iter().flat_map(|server| server.tools());
    tools.map(|tool| tool.spec().name()).collect()
}

impl ServedTool {
    /// Compares another definition of the tool with this one.
    fn differences(&self, node: &ToolNode) -> Vec<Diagnostic> {
        let sides = [&node.spec, &self.spec].map(|spec| (spec.description(), spec.signature()));
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
                    format!("{:?}", self.spec.description()),
                ),
                _ => (
                    place_of(mismatch, &node.places.signature),
                    self.spec.signature().to_string(),
                ),
            };
            let found = Diagnostic::new(Code::ConflictingTools, place, message.summary());
            let file = &self.file;
            found.with_help(format!(
                "`{file}`, the document of its server, says: {theirs}"
            ))
        });
        found.chain(self.looser_settings(node)).collect()
    }

    /// Returns the settings of another definition that are looser than those of this one.
    fn looser_settings(&self, node: &ToolNode) -> impl Iterator<Item = Diagnostic> {
        let (name, file) = (node.spec.name(), &self.file);
        let looser = |setting: &str| {
            let message = format!(
                "the tool `{name}` has {setting} in `{file}`, the document of its server, which holds here, too"
            );
            let found = Diagnostic::new(Code::LooserTool, node.places.name, message);
            found.with_help(format!("write {setting} here, too"))
        };
        let approval = self.spec.requires_approval() && !node.spec.requires_approval();
        let approval = approval.then(|| looser("`requiresApproval: true`"));
        let timeouts = self.spec.timeout().zip(node.spec.timeout());
        let timeout = timeouts.filter(|(theirs, ours)| theirs < ours);
        let timeout =
            timeout.map(|(theirs, _)| looser(&format!("`timeout: {}`", duration_text(theirs))));
        approval.into_iter().chain(timeout)
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
    /// A tool that does not fit the document of its server, which a project names.
    ServedConflict {
        /// The name of the tool.
        tool: String,
        /// The file of the tool.
        file: String,
        /// The document of the server.
        served: String,
        /// The differences.
        reasons: Vec<String>,
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
            Self::ServedConflict {
                tool,
                file,
                served,
                reasons,
            } => {
                let reasons = reasons.join("; ");
                vec![format!(
                    "the tool `{tool}` of `{file}` does not fit `{served}`, the document of its server: {reasons}"
                )]
            }
        }
    }
}

impl Error for KnownToolsError {}

impl fmt::Display for KnownToolsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.messages().join("\n"))
    }
}
