//! The tools and providers that documents may name, read from the tool files.

use super::config::ServerConfig;
use super::uri::file_of;
use crate::language::analysis::Analysis;
use agent_project::known_tools::{KnownTools, KnownToolsError};
use agent_project::loaded_project::{
    ByProject, ProjectError, folder_of, has_project_name, load, load_found,
};
use agent_project::report::Report;
use agent_project::source::{self, Source};
use agent_spec::check::{Options, check, check_gram};
use agent_spec::project_file::{Found, is_project};
use agent_spec::{Diagnostic, Style, ToolSpec};
use gen_lsp_types::Uri;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf, absolute};
use std::sync::{Arc, Mutex, PoisonError};

/// The texts of the tool files that are open, by the paths in [`ServerConfig::tool_files`].
pub(super) type OpenTexts = HashMap<PathBuf, String>;

/// A change of a tool file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ToolFileChange {
    /// The text in the editor changed. While the text has errors, the tools that were loaded before remain in
    /// use.
    Edited,
    /// The file was saved or deleted. While open texts have errors, the saved files are used.
    Saved,
}

/// The tools and providers that documents may name, as of the last time the tool files were read.
#[derive(Clone)]
pub(super) struct LoadedTools {
    tools: Arc<KnownTools>,
    /// The error of the tool files. While the tool files have an error, it is unknown which references are
    /// right, so only the notation of other documents is checked.
    error: Option<String>,
    /// The projects of the documents that were read. A copy shares the projects, so that each project is read
    /// once.
    projects: Arc<Mutex<ByProject<Arc<InProject>>>>,
}

/// The tools and providers that the documents of a folder may name.
pub(super) struct InProject {
    tools: Arc<KnownTools>,
    /// The error of the tool files or of the project file.
    error: Option<String>,
    /// The tool files of the project.
    tool_files: Vec<PathBuf>,
    style: Option<Style>,
    /// The folder of the project file, with or without errors, if there is one.
    root: Option<PathBuf>,
}

impl LoadedTools {
    /// Reads the tool files, with the texts of `open` in place of the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently. Diagnostics
    /// are not such an error; they become [`error`](Self::error).
    pub(super) fn load(config: &ServerConfig, open: &OpenTexts) -> Result<Self, KnownToolsError> {
        let (tools, reports) = KnownTools::read(
            &config.builtin_tools,
            config.providers.clone(),
            &config.tool_files,
            |path| match open.get(path) {
                Some(text) => Ok(Source::inline(&path.display().to_string(), text)),
                None => source::read(path),
            },
        )?;
        let tools = match &config.models {
            Some(models) => tools.with_models(models.clone()),
            None => tools,
        };
        let errors: Vec<String> = reports.iter().filter_map(summary).collect();
        let error =
            (!errors.is_empty()).then(|| format!("--tools has errors: {}", errors.join("; ")));
        Ok(Self {
            tools: Arc::new(tools),
            error,
            projects: Arc::default(),
        })
    }

    /// Returns the tools and providers that a document may name: those of its project file, and those of
    /// `self`. A text that was never saved has no project.
    pub(super) fn in_project(&self, uri: &Uri) -> Arc<InProject> {
        match file_of(uri) {
            Some(file) => self.in_folder(folder_of(&file)),
            None => Arc::new(self.without_project()),
        }
    }

    /// Returns the tools and providers that the documents of a folder may name.
    pub(super) fn in_folder(&self, folder: &Path) -> Arc<InProject> {
        // After a panic, the projects that were read are still valid.
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        projects.of(folder, |found| Arc::new(self.read_project(found)))
    }

    fn without_project(&self) -> InProject {
        InProject {
            tools: Arc::clone(&self.tools),
            error: self.error.clone(),
            tool_files: Vec::new(),
            style: None,
            root: None,
        }
    }

    fn read_project(&self, found: Found) -> InProject {
        let alone = self.without_project();
        let alone = InProject {
            root: root_of(&found),
            ..alone
        };
        let project = match load_found(found) {
            Ok(Some(project)) => project,
            Ok(None) => return alone,
            Err(error) => {
                let error = match error {
                    ProjectError::Read(message) => message,
                    ProjectError::Findings(report) => {
                        let found = summary(&report).unwrap_or_default();
                        format!("the project file has errors: {found}")
                    }
                };
                return InProject {
                    error: alone.error.clone().or(Some(error)),
                    ..alone
                };
            }
        };
        let settings = InProject {
            tool_files: project.tool_files.clone(),
            style: project.settings.style,
            ..alone
        };
        match self.tools.with_project(&project) {
            // Errors in a tool file are shown in the file itself.
            Ok((tools, _)) => InProject {
                tools: Arc::new(tools),
                ..settings
            },
            Err(error) => InProject {
                error: settings.error.clone().or(Some(error.to_string())),
                ..settings
            },
        }
    }

    /// Forgets the projects after a change of a file. Returns whether documents may have other diagnostics.
    pub(super) fn forget_projects(&mut self, uri: &Uri) -> bool {
        let Some(file) = file_of(uri) else {
            return false;
        };
        let projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let real = resolve_links(&file);
        let is_below = |known: &Arc<InProject>| {
            let root = known.root.as_ref();
            root.is_some_and(|root| real.starts_with(root))
        };
        let concerns = has_project_name(&file) || projects.outcomes().any(is_below);
        drop(projects);
        if concerns {
            self.projects = Arc::default();
        }
        concerns
    }

    /// Reads the tool files again after a change.
    pub(super) fn reload(
        &self,
        config: &ServerConfig,
        open: &OpenTexts,
        change: ToolFileChange,
    ) -> Self {
        let edited = self.load_or_keep(config, open);
        match change {
            _ if edited.error.is_none() => edited,
            ToolFileChange::Edited => self.clone(),
            ToolFileChange::Saved => self.load_or_keep(config, &OpenTexts::new()),
        }
    }

    /// Reads the tool files, or keeps these tools with the error if the files cannot be read.
    fn load_or_keep(&self, config: &ServerConfig, open: &OpenTexts) -> Self {
        Self::load(config, open).unwrap_or_else(|error| Self {
            tools: Arc::clone(&self.tools),
            error: Some(error.to_string()),
            projects: Arc::default(),
        })
    }

    /// Returns whether documents have the same diagnostics with `other`.
    pub(super) fn is_equivalent(&self, other: &Self) -> bool {
        self.error == other.error && self.tools.specs() == other.tools.specs()
    }

    /// Returns the error of the tool files.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns a message for the user about the error of the tool files.
    pub(super) fn error_message(&self) -> Option<String> {
        self.error.as_deref().map(error_message)
    }
}

impl InProject {
    /// Returns the tools, including the built-in ones.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        self.tools.specs()
    }

    /// Returns the style of signatures that the project sets.
    pub(super) fn style(&self) -> Option<Style> {
        self.style
    }

    /// Returns the tool files of the project.
    pub(super) fn tool_files(&self) -> &[PathBuf] {
        &self.tool_files
    }

    /// Reads a document. The document is checked when the first request needs it.
    pub(super) fn analyze(&self, source: &str) -> Analysis {
        let (tools, text) = (Arc::clone(&self.tools), source.to_owned());
        Analysis::new(source, move || tools.check(&text))
    }

    /// Returns the diagnostics of a document, the same as those of `agent check`.
    ///
    /// A tool file is checked completely even if the tool files have errors, because the errors may be in
    /// this tool file.
    pub(super) fn check(&self, source: &str, uri: &Uri, is_tool_file: bool) -> Vec<Diagnostic> {
        if let Some(file) = file_of(uri).filter(|file| is_project_at(file, source)) {
            return match load(&file, source) {
                Err(ProjectError::Findings(report)) => report.diagnostics,
                _ => Vec::new(),
            };
        }
        let checked = match (&self.error, is_tool_file) {
            (None, _) => self.tools.check(source),
            (Some(_), true) => check(source, Options::default()),
            (Some(_), false) => check_gram(source),
        };
        checked.diagnostics
    }

    /// Returns a message for the user about the error of the tool files or of the project file.
    pub(super) fn error_message(&self) -> Option<String> {
        self.error.as_deref().map(error_message)
    }
}

fn error_message(error: &str) -> String {
    format!("documents are checked for their notation only: {error}")
}

/// Returns the first error of a file with its position, and the number of errors.
fn summary(report: &Report) -> Option<String> {
    let (position, error) = report.first_error()?;
    Some(format!(
        "{position}: {} ({})",
        error.message(),
        report.counts()
    ))
}

/// Returns the folder of the project file that applies to a folder.
fn root_of(found: &Found) -> Option<PathBuf> {
    let path = match found {
        Ok(found) => &found.as_ref()?.0,
        Err((path, _)) => path,
    };
    path.parent().map(Path::to_owned)
}

/// Returns whether a text at an address is that of a project file.
pub(super) fn is_project_file(uri: &Uri, text: &str) -> bool {
    file_of(uri).is_some_and(|file| is_project_at(&file, text))
}

fn is_project_at(file: &Path, text: &str) -> bool {
    has_project_name(file) && is_project(text)
}

/// Returns whether an address is that of a tool file.
pub(super) fn is_tool_file(files: &[PathBuf], uri: &Uri) -> bool {
    tool_file_at(files, uri).is_some()
}

/// Returns the path in `files` that leads to the file of an address.
///
/// Paths are compared without `.`, `..` and symbolic links, and the file need not exist.
pub(super) fn tool_file_at<'f>(files: &'f [PathBuf], uri: &Uri) -> Option<&'f Path> {
    let path = file_of(uri)?;
    let (normal, real) = (normalize(&path), resolve_links(&path));
    let mut files = files.iter();
    files
        .find(|file| normalize(file) == normal || resolve_links(file) == real)
        .map(PathBuf::as_path)
}

/// Returns an absolute path without `.` and `..`.
fn normalize(path: &Path) -> PathBuf {
    let absolute = absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normal = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Returns the path without symbolic links, which identifies a file with several paths. If the file does not exist,
/// the links of its folder are resolved.
pub(super) fn resolve_links(path: &Path) -> PathBuf {
    let path = normalize(path);
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path,
        }
    })
}
