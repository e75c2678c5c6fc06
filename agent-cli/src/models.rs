//! The facts about models: the catalogue of the program, the files of `--models`, the day, and the providers whose requests go
//! to another server than the vendor's.

use crate::outcome::CommandError;
use crate::projects::unreadable;
use crate::provider::Provider;
use agent_catalog::{Catalog, Date, Document, ProviderRow};
use agent_project::known_tools::{KnownModels, layered};
use agent_project::loaded_project::{folder_of, load_found};
use agent_project::report::Report;
use agent_project::source;
use agent_runtime::Environment;
use agent_spec::project_file::find;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The environment variable that replaces today's date.
const TODAY: &str = "AGENT_TODAY";

/// The environment variables with the addresses of built-in providers.
const ADDRESSES: [(&str, &str); 6] = [
    ("Anthropic", "ANTHROPIC_BASE_URL"),
    ("Google", "GOOGLE_GEMINI_BASE_URL"),
    ("Ollama", "OLLAMA_HOST"),
    ("OpenAI", "OPENAI_BASE_URL"),
    ("OpenAIChat", "OPENAI_BASE_URL"),
    ("OpenAIResponses", "OPENAI_BASE_URL"),
];

/// Returns the environment variable with the address of a built-in provider.
pub(crate) fn address_variable(provider: &str) -> Option<&'static str> {
    let known = ADDRESSES.iter().find(|(name, _)| *name == provider);
    known.map(|(_, variable)| *variable)
}

/// The option `--models`, which several commands have.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ModelFiles {
    /// A catalogue of your own, whose properties replace those of the built-in one; may be given several times. A later
    /// file replaces properties of an earlier one
    #[arg(id = "files_of_models", long = "models", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl ModelFiles {
    /// Returns the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter()
    }

    /// Returns the catalogue for the agents of a document: the files of `--models` over the files of the
    /// document's project. `None` if there are no such files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or has errors.
    pub(crate) fn catalog(&self, document: &Path) -> Result<Option<Catalog>, CommandError> {
        let project = load_found(find(folder_of(document))).map_err(unreadable)?;
        let mut files = project.map_or_else(Vec::new, |project| project.model_files);
        let given: Vec<PathBuf> = self
            .files
            .iter()
            .filter_map(|file| file.canonicalize().ok())
            .collect();
        files.retain(|file| !file.canonicalize().is_ok_and(|file| given.contains(&file)));
        // An address and a key in a project's catalogue are refused, because a stranger may have written the folder: no
        // message may be sent to a stranger's server, and no variable that a stranger chose may be sent as a key.
        for source in source::read_all(&files)? {
            let document = Document::read(&source.text);
            let address = document.addressed().map(|name| ("an address", name)).next();
            let key = document.keyed().map(|name| ("a key", name)).next();
            if let Some((what, name)) = address.or(key) {
                return Err(CommandError::new(format!(
                    "`{}`, which the project file names, has {what} of `{name}`; a project file names none: give \
                     the document with --models, if you trust it",
                    source.display_name()
                )));
            }
        }
        files.extend(self.files.iter().cloned());
        if files.is_empty() {
            return Ok(None);
        }
        let (catalog, reports) = layered(source::read_all(&files)?);
        match reports.is_empty() {
            true => Ok(Some(catalog)),
            false => Err(has_errors(reports)),
        }
    }

    /// Reads the files. If a file has errors, returns the reports about the errors.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if the environment names a day that does not exist.
    pub(crate) fn read(
        &self,
        environment: &Environment,
        providers: &[Provider],
    ) -> Result<Result<KnownModels, Vec<Report>>, CommandError> {
        let given = source::read_all(&self.files)?;
        let (catalog, reports) = layered(given.clone());
        if !reports.is_empty() {
            return Ok(Err(reports));
        }
        let addressed = providers.iter().filter(|provider| provider.has_address());
        let mut elsewhere: Vec<String> = addressed.map(|provider| provider.name.clone()).collect();
        let others = catalog.providers().map(|name| {
            // The runtime reads this variable for a provider of the catalogue.
            let variable = format!("{}_BASE_URL", name.to_ascii_uppercase());
            (name, variable)
        });
        let known = ADDRESSES.map(|(name, variable)| (name, variable.to_owned()));
        for (provider, variable) in known.into_iter().chain(others) {
            let row = catalog.provider(provider);
            let has_address = |row: &ProviderRow| row.base_url.is_some();
            let (Some(address), Some(row)) = (environment.get(&variable), row) else {
                continue;
            };
            // A provider without an address in the catalogue may be anywhere.
            if has_address(row) && !row.is_at(&address) {
                elsewhere.push(provider.to_owned());
            }
        }
        Ok(Ok(KnownModels {
            catalog: Arc::new(catalog),
            given,
            today: today(environment)?,
            instead: None,
            elsewhere,
        }))
    }

    /// Reads the files of `--models` over the files of the project of the working folder.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or has errors, or if the environment names a day that does not exist.
    pub(crate) fn read_here(
        &self,
        environment: &Environment,
        providers: &[Provider],
    ) -> Result<KnownModels, CommandError> {
        let mut known = self.read(environment, providers)?.map_err(has_errors)?;
        let project = load_found(find(Path::new("."))).map_err(unreadable)?;
        let files = project.map_or_else(Vec::new, |project| project.model_files);
        let mut documents = source::read_all(&files)?;
        documents.extend(known.given.iter().cloned());
        let (catalog, reports) = layered(documents);
        if !reports.is_empty() {
            return Err(has_errors(reports));
        }
        known.catalog = Arc::new(catalog);
        Ok(known)
    }
}

/// Returns the error about catalogues of models with errors.
pub(crate) fn has_errors(reports: Vec<Report>) -> CommandError {
    let first = reports.iter().find_map(Report::first_error);
    CommandError::new(match first {
        Some((position, found)) => format!("{position}: {}", found.message()),
        None => "a catalogue of models has errors".to_owned(),
    })
}

/// Returns today's date, in UTC, or that of the environment.
fn today(environment: &Environment) -> Result<Date, CommandError> {
    let Some(text) = environment.get(TODAY).filter(|text| !text.is_empty()) else {
        return Ok(Date::of(SystemTime::now()));
    };
    text.parse().map_err(|_| {
        CommandError::new(format!(
            "the variable {TODAY} is {text:?}; write a day such as 2026-11-28"
        ))
    })
}
