//! The tools and providers that a document may name without declaring them: built-in tools, the files of
//! `--tools`, `--provider`, and the project file.

use crate::input::refuse_stdin_twice;
use crate::mcp_server::name_documents;
use crate::outcome::CommandError;
use crate::projects::Projects;
use crate::provider::{self, Provider};
use crate::report::Printer;
use crate::style::Style;
use agent_catalog::Catalog;
use agent_project::known_tools::{KnownModels, KnownTools};
use agent_project::report::Report;
use agent_project::source::{self, Source};
use agent_spec::ToolSpec;
use agent_spec::check::{AgentElement, Checked};
use agent_spec::model::PROVIDERS;
use agent_spec::names::nearest;
use agent_spec::terminal::line;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The options `--tools`, `--mcp` and `--provider`, which several commands have.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ToolFiles {
    /// A document with more tools that agents can name; may be given several times
    #[arg(id = "files_of_tools", long = "tools", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A document with the tools of an MCP server, which `agent mcp import` wrote; may be given several times. Commands that
    /// run agents start its command, or send requests to its address, if an agent has one of its tools
    #[arg(long = "mcp", value_name = "FILE")]
    servers: Vec<PathBuf>,
    /// Another provider that models can name; may be given several times. With a URL, `run` and `chat` call
    /// the OpenAI-compatible server there, with the key in the variable `<NAME>_API_KEY`, if it is set and
    /// the name is ASCII
    #[arg(long = "provider", value_name = "NAME[=URL]")]
    providers: Vec<Provider>,
    /// The providers of the catalogue, if it is another one than the built-in one
    #[arg(skip)]
    providers_of_models: Vec<String>,
}

/// The meaning of a document without text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blank {
    /// An error.
    IsWrong,
    /// A document without declarations, such as the version before a file existed.
    DeclaresNothing,
}

/// A text and its declarations.
pub(crate) type Document = (Source, Checked);

impl ToolFiles {
    /// Creates the options of a command that has only `--provider` and `--mcp`.
    pub(crate) fn new(providers: &[Provider], servers: &[PathBuf]) -> Self {
        Self {
            servers: servers.to_vec(),
            providers: providers.to_vec(),
            ..Self::default()
        }
    }

    /// Returns the files of `--tools` and of `--mcp`.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().chain(&self.servers)
    }

    /// Returns these options with the providers of a catalogue, which agents can name, too.
    pub(crate) fn with_catalog(&self, catalog: &Catalog) -> Self {
        let others = catalog.providers();
        let others = others.filter(|name| !PROVIDERS.contains(name));
        Self {
            providers_of_models: others.map(str::to_owned).collect(),
            ..self.clone()
        }
    }

    /// Returns the files of `--mcp`.
    pub(crate) fn servers(&self) -> &[PathBuf] {
        &self.servers
    }

    /// Returns the providers of `--provider`.
    pub(crate) fn providers(&self) -> &[Provider] {
        &self.providers
    }

    /// Reads and checks a document that may name these tools, the built-in ones and those of its project.
    /// If there are errors, shows them and returns `None`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently.
    pub(crate) fn read_document(
        &self,
        file: &PathBuf,
        style: &Style,
    ) -> Result<Option<Document>, CommandError> {
        match self.read_documents([file], Blank::IsWrong)? {
            Ok([document]) => Ok(Some(document)),
            Err(reports) => {
                print_errors(&reports, style);
                Ok(None)
            }
        }
    }

    /// Reads and checks several documents that may name these tools, the built-in ones and those of their
    /// projects. If there are errors, returns the reports and shows nothing.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently.
    pub(crate) fn read_documents<const N: usize>(
        &self,
        files: [&PathBuf; N],
        blank: Blank,
    ) -> Result<Result<[Document; N], Vec<Report>>, CommandError> {
        let (mut documents, mut reports) =
            self.check_documents(&files.map(PathBuf::clone), None)?;
        if reports.iter().any(Report::has_errors) {
            return Ok(Err(reports));
        }
        for (source, checked) in &mut documents {
            if blank == Blank::DeclaresNothing && source.text.trim().is_empty() {
                checked.diagnostics.clear();
            }
        }
        let has_errors = documents.iter().any(|(_, checked)| checked.has_errors());
        match <[_; N]>::try_from(documents) {
            Ok(documents) if !has_errors => Ok(Ok(documents)),
            Ok(documents) => {
                let found = documents.into_iter();
                reports.extend(found.map(|(source, checked)| {
                    let mut report = Report::of(source, checked);
                    name_documents(&mut report);
                    report
                }));
                Ok(Err(reports))
            }
            // There is one document for each file.
            Err(_) => Ok(Err(reports)),
        }
    }

    /// Reads and checks documents that may name these tools, the built-in ones and those of their projects. The reports are
    /// about further files with errors; without these files, no document is checked.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two files define one tool differently.
    pub(crate) fn check_documents(
        &self,
        files: &[PathBuf],
        models: Option<&KnownModels>,
    ) -> Result<(Vec<Document>, Vec<Report>), CommandError> {
        refuse_stdin_twice(self.paths().chain(files))?;
        refuse_programs(files, "this command needs the document of an agent")?;
        let sources = source::read_all(files)?;
        let (known, mut reports) = self.read()?;
        let mut documents = Vec::new();
        if reports.iter().any(Report::has_errors) {
            return Ok((documents, reports));
        }
        let mut projects = self.projects(known, models);
        for (file, source) in files.iter().zip(sources) {
            if let Some(known) = projects.known_for(file)? {
                let checked = known.check(&source.text);
                documents.push((source, checked));
            }
        }
        reports.extend(projects.into_reports());
        Ok((documents, reports))
    }

    /// Checks a text as if the document at a path had it.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if the files of tools or of the project have errors.
    pub(crate) fn check_text(
        &self,
        document: &Path,
        text: &str,
        models: Option<&KnownModels>,
    ) -> Result<Checked, CommandError> {
        let (known, _) = self.read()?;
        let mut projects = self.projects(known, models);
        let known = projects.known_for(document)?;
        let known = known.ok_or_else(|| CommandError::new("the project file has errors"))?;
        Ok(known.check(text))
    }

    fn projects(&self, known: KnownTools, models: Option<&KnownModels>) -> Projects {
        let known = known.with_providers(&self.providers_of_models);
        Projects::new(match models {
            Some(models) => known.with_models(models.clone()),
            None => known,
        })
    }

    /// Reads the files and adds the built-in tools. A tool of a file replaces the built-in tool of the
    /// same name. The reports are those about the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, if two files define one tool differently, or if a
    /// provider is invalid.
    pub(crate) fn read(&self) -> Result<(KnownTools, Vec<Report>), CommandError> {
        refuse_programs(&self.servers, "--mcp needs the document with its tools")?;
        let providers = self.provider_names()?;
        let builtin = builtin_specs();
        Ok(KnownTools::read(
            &builtin,
            providers,
            &self.paths().cloned().collect::<Vec<_>>(),
            source::read,
        )?)
    }

    /// Returns the names of the given providers.
    ///
    /// # Errors
    /// Returns an error if a provider is invalid.
    pub(crate) fn provider_names(&self) -> Result<Vec<String>, CommandError> {
        provider::check(&self.providers)?;
        let providers = self.providers.iter();
        Ok(providers.map(|provider| provider.name.clone()).collect())
    }
}

/// Refuses programs in place of documents. Read as gram, a program has an error in each line. `needed` is what is needed in
/// their place.
fn refuse_programs(paths: &[PathBuf], needed: &str) -> Result<(), CommandError> {
    for path in paths {
        let command = match path.extension().and_then(OsStr::to_str) {
            Some("py") => "python",
            Some("js" | "mjs" | "cjs" | "ts") => "node",
            _ => continue,
        };
        let program = line(&path.display().to_string(), usize::MAX);
        return Err(CommandError::new(format!(
            "`{program}` is a program, and {needed}; write a document with its tools with `agent mcp import NAME -- \
             {command} {program}`, and give --mcp mcp/NAME.gram"
        )));
    }
    Ok(())
}

/// Shows the reports that have errors.
pub(crate) fn print_errors(reports: &[Report], style: &Style) {
    let mut printer = Printer::new(style);
    for report in reports.iter().filter(|report| report.has_errors()) {
        printer.print_with_counts(report);
    }
    printer.finish();
}

/// Returns the tools that a document defines, then the tools that its agents only name, each once.
pub(crate) fn tools_of(checked: &Checked) -> Vec<&ToolSpec> {
    let own = checked.tools.iter().map(|node| &node.spec);
    let elements = checked.agents.iter().flat_map(|node| &node.elements);
    let named = elements.filter_map(|element| match element {
        AgentElement::Tool { tool, .. } => Some(&tool.spec),
        _ => None,
    });
    let mut names = HashSet::new();
    own.chain(named)
        .filter(|spec| names.insert(spec.name()))
        .collect()
}

/// Returns advice about an unknown name.
pub(crate) fn known_instead(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "it has none".to_owned(),
        None => format!("it has {}", known.join(", ")),
    }
}

/// Returns the specs of the built-in tools. A tool that has only JSON Schemas has no spec.
pub(crate) fn builtin_specs() -> Vec<ToolSpec> {
    agent_builtin::library()
        .iter()
        .filter_map(|tool| {
            let descriptor = tool.descriptor();
            let signature = descriptor.signature()?.clone();
            let spec = ToolSpec::with_signature(
                descriptor.name().to_owned(),
                descriptor.description().to_owned(),
                signature,
            );
            Some(spec.ok()?.with_effects(descriptor.settings().effects))
        })
        .collect()
}
