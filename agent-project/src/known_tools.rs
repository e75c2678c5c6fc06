//! The tools, providers and models that a document may name without declaring them.

use crate::loaded_project::{LoadedProject, has_project_name};
use crate::report::Report;
use crate::source::{ReadError, Source, read_all, read_all_with};
use agent_catalog::{Catalog, Date};
use agent_spec::check::{
    Checked, ModelRules, Options, ServedTool, ServedTools, check, check_catalog, is_catalog,
};
use agent_spec::model::Model;
use agent_spec::project_file::is_project;
use agent_spec::{Code, Severity, ToolSpec};
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tools and providers that a document may name without declaring them.
#[derive(Clone, Debug)]
pub struct KnownTools {
    providers: Vec<String>,
    specs: Vec<ToolSpec>,
    /// The number of `specs` that are not built in. The built-in tools are the last ones.
    declared: usize,
    /// The indices of `specs` by tool name, because a file may define thousands of tools.
    by_name: HashMap<String, usize>,
    /// The tools of the documents of MCP servers, which are the contract for each other definition.
    served: ServedTools,
    /// The files that were read, except the files of a project.
    given: Vec<Source>,
    /// The facts about models; `None` if models are not checked.
    models: Option<KnownModels>,
    /// Whether some tools are unknown, because a tool file of the project has errors. Then a reference to
    /// an unknown tool is no mistake.
    is_incomplete: bool,
    /// Whether some rows of models are unknown, because a file of the project has errors. Then models are not checked.
    lacks_models: bool,
}

/// The settings for checking the models of agents.
#[derive(Clone, Debug)]
pub struct KnownModels {
    /// The facts about models.
    pub catalog: Arc<Catalog>,
    /// The documents of models that were given, in order. Their rows replace those of a project.
    pub given: Vec<Source>,
    /// The day that the retirement days of models are compared with.
    pub today: Date,
    /// The model that agents are checked with instead of their own.
    pub instead: Option<Model>,
    /// The providers whose requests go to another server than the vendor's. The models of these providers are
    /// not checked.
    pub elsewhere: Vec<String>,
}

impl KnownTools {
    fn without_tools(providers: Vec<String>) -> Self {
        Self {
            providers,
            specs: Vec::new(),
            declared: 0,
            by_name: HashMap::new(),
            served: ServedTools::new(),
            given: Vec::new(),
            models: None,
            is_incomplete: false,
            lacks_models: false,
        }
    }

    /// Adds providers that models may name.
    #[must_use]
    pub fn with_providers(mut self, names: &[String]) -> Self {
        self.providers.extend(names.iter().cloned());
        self
    }

    /// Checks the models of agents, too.
    #[must_use]
    pub fn with_models(mut self, models: KnownModels) -> Self {
        self.models = Some(models);
        self
    }

    /// Returns the rules for checking models; `None` if models are not checked.
    fn model_rules(&self) -> Option<ModelRules<'_>> {
        let models = self.models.as_ref().filter(|_| !self.lacks_models)?;
        Some(ModelRules {
            today: Some(models.today),
            instead: models.instead.as_ref(),
            elsewhere: &models.elsewhere,
            ..ModelRules::new(&models.catalog)
        })
    }

    /// Reads `files` with `read` and adds the tools of `builtin` whose names no file defines.
    ///
    /// `providers` are the providers besides [`agent_spec::model::PROVIDERS`]. The reports, one for each
    /// file, may have errors; the tools without errors are added nevertheless.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently.
    pub fn read(
        builtin: &[ToolSpec],
        providers: Vec<String>,
        files: &[PathBuf],
        read: impl Fn(&Path) -> Result<Source, ReadError>,
    ) -> Result<(Self, Vec<Report>), KnownToolsError> {
        let mut known = Self::without_tools(providers);
        known.given = read_all_with(files, read).map_err(KnownToolsError::Read)?;
        known.serve(&known.given.clone())?;
        let mut reports = Vec::new();
        for source in known.given.clone() {
            let checked = known.check_file(&source, Options::default());
            known.add_all(&checked, |tool| KnownToolsError::Conflict {
                tool,
                file: source.display_name(),
            })?;
            reports.push(Report::of(source, checked));
        }
        known.add_served();
        known.add_builtin(builtin);
        Ok((known, reports))
    }

    /// Returns these tools and facts about models with those of a project. A tool or a row of a file that was
    /// read before replaces the tool or row of the project, which replaces a built-in one. The documents of
    /// MCP servers are the contract for all these tools.
    ///
    /// The reports are about the files that have errors. The tools without errors are added nevertheless, and
    /// references to unknown tools are then accepted. The files that were read before have a report if they
    /// do not fit the document of a server that the project names.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files of the project define one tool
    /// differently.
    pub fn with_project(
        &self,
        project: &LoadedProject,
    ) -> Result<(Self, Vec<Report>), KnownToolsError> {
        let builtin = &self.specs[self.declared..];
        let mut known = Self::without_tools(self.providers.clone());
        known
            .providers
            .extend(project.settings.providers.iter().cloned());
        let mut files = read_all(&project.tool_files).map_err(KnownToolsError::Read)?;
        files.retain(|source| {
            !(has_project_name(Path::new(&source.name)) && is_project(&source.text))
        });
        known.served = self.served.clone();
        known.given = self.given.clone();
        known.models = self.models.clone();
        known.serve(&files)?;
        let mut reports = Vec::new();
        for source in &self.given {
            let mut checked = known.check_file(source, Options::default());
            known.add_all(&checked, |tool| KnownToolsError::Conflict {
                tool,
                file: source.display_name(),
            })?;
            // Other findings were reported when the file was read.
            checked.diagnostics.retain(|found| {
                matches!(found.code(), Code::ConflictingTools | Code::LooserTool)
                    && known.served.len() > self.served.len()
            });
            if !checked.diagnostics.is_empty() {
                reports.push(Report::new(source.clone(), checked.diagnostics));
            }
        }
        let given: HashSet<String> = known.by_name.keys().cloned().collect();
        let providers = known.providers.clone();
        let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
        for source in files {
            // The agents of this file may name tools of other files.
            let options = Options {
                providers: &providers,
                keep_unknown_references: true,
                ..Options::default()
            };
            let mut checked = known.check_file(&source, options);
            checked
                .tools
                .retain(|node| !given.contains(node.spec.name()));
            known.add_all(&checked, |tool| KnownToolsError::ProjectConflict {
                tool,
                file: source.display_name(),
                project: project.path.display().to_string(),
            })?;
            // A pattern may name other gram files, too, and their warnings were not asked for.
            checked.diagnostics.retain(|found| {
                found.severity() == Severity::Error && found.code() != Code::NothingDeclared
            });
            if !checked.diagnostics.is_empty() {
                known.is_incomplete = true;
                reports.push(Report::new(source, checked.diagnostics));
            }
        }
        reports.extend(known.add_models(project)?);
        known.add_served();
        known.add_builtin(builtin);
        Ok((known, reports))
    }

    /// Adds the rows of a project below the rows that were given. Returns the reports of files with errors.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    fn add_models(&mut self, project: &LoadedProject) -> Result<Vec<Report>, KnownToolsError> {
        let (Some(models), [_, ..]) = (&mut self.models, project.model_files.as_slice()) else {
            return Ok(Vec::new());
        };
        let mut files = read_all(&project.model_files).map_err(KnownToolsError::Read)?;
        files.extend(models.given.iter().cloned());
        let (catalog, reports) = layered(files);
        self.lacks_models = !reports.is_empty();
        models.catalog = Arc::new(catalog);
        Ok(reports)
    }

    /// Checks a file with tools, which the documents of MCP servers bind.
    fn check_file(&self, source: &Source, options: Options<'_>) -> Checked {
        let options = Options {
            served: Some(&self.served),
            ..options
        };
        check(&source.text, options)
    }

    /// Adds to `served` the tools of the documents of MCP servers among these files.
    ///
    /// # Errors
    /// Returns an error if two documents define the same tool differently.
    fn serve(&mut self, files: &[Source]) -> Result<(), KnownToolsError> {
        for source in files {
            let checked = check(&source.text, Options::default());
            for tool in checked.servers.iter().flat_map(|server| server.tools()) {
                let (spec, file) = (tool.spec().clone(), source.display_name());
                let name = spec.name().to_owned();
                match self.served.get(&name) {
                    Some(other) if other.spec != spec => {
                        return Err(KnownToolsError::TwoServers {
                            tool: name,
                            files: [other.file.clone(), file],
                        });
                    }
                    Some(_) => {}
                    None => _ = self.served.insert(name, ServedTool { spec, file }),
                }
            }
        }
        Ok(())
    }

    /// Adds the tools that a document defines, except the tools of its servers.
    ///
    /// # Errors
    /// `conflict` if another file defines a tool differently.
    fn add_all(
        &mut self,
        checked: &Checked,
        conflict: impl Fn(String) -> KnownToolsError,
    ) -> Result<(), KnownToolsError> {
        let of_servers = checked.servers.iter().flat_map(|server| server.tools());
        let of_servers: HashSet<&str> = of_servers.map(|tool| tool.spec().name()).collect();
        for node in &checked.tools {
            let name = node.spec.name();
            match self.get(name) {
                _ if of_servers.contains(name) => {}
                Some(other) if *other != node.spec => return Err(conflict(name.to_owned())),
                Some(_) => {}
                None => self.push(node.spec.clone()),
            }
        }
        Ok(())
    }

    /// Adds the tools of servers that no other file defines.
    fn add_served(&mut self) {
        let mut names: Vec<&String> = self.served.keys().collect();
        names.sort();
        let missing = names.into_iter().filter(|name| self.get(name).is_none());
        let missing: Vec<ToolSpec> = missing.map(|name| self.served[name].spec.clone()).collect();
        missing.into_iter().for_each(|spec| self.push(spec));
    }

    fn add_builtin(&mut self, builtin: &[ToolSpec]) {
        self.declared = self.specs.len();
        for spec in builtin {
            if self.get(spec.name()).is_none() {
                self.push(spec.clone());
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

    /// Checks a catalogue of models.
    fn check_catalog(&self, source: &str) -> Checked {
        let models = self.models.as_ref();
        let base = models.map_or(Catalog::builtin(), |models| &models.catalog);
        let mut checked = Checked::default();
        checked.diagnostics = check_catalog(source, base).err().unwrap_or_default();
        checked
    }

    /// Checks a document that may name these tools and providers. With a list of variables, any other
    /// variable of an instruction is an error.
    #[must_use]
    pub fn check_with_variables(&self, source: &str, variables: Option<&[&str]>) -> Checked {
        if is_catalog(source) {
            return self.check_catalog(source);
        }
        let providers: Vec<&str> = self.providers.iter().map(String::as_str).collect();
        let options = Options {
            providers: &providers,
            known_tools: &self.specs,
            keep_unknown_references: self.is_incomplete,
            variables,
            model_rules: self.model_rules(),
            served: Some(&self.served),
            ..Options::default()
        };
        check(source, options)
    }
}

/// Layers documents of models over the built-in catalogue, a later document over an earlier one. Returns the
/// catalogue, and the reports of the documents with mistakes, which are left out.
#[must_use]
pub fn layered(documents: Vec<Source>) -> (Catalog, Vec<Report>) {
    let mut catalog = Catalog::builtin().clone();
    let mut reports = Vec::new();
    for source in documents {
        match check_catalog(&source.text, &catalog) {
            Ok(layered) => catalog = layered,
            Err(found) => reports.push(Report::new(source, found)),
        }
    }
    (catalog, reports)
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
    /// A tool that the documents of two MCP servers define differently.
    TwoServers {
        /// The name of the tool.
        tool: String,
        /// The documents.
        files: [String; 2],
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
            Self::TwoServers { tool, files } => {
                let [one, other] = files;
                vec![format!(
                    "the tool `{tool}` is in two documents of MCP servers, and they differ about it: `{one}` and `{other}`; \
                     leave one of them out"
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
