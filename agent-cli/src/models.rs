//! The facts about models: the list of the program, the files of `--models`, the day, and the providers whose requests go
//! to another server than the vendor's.

use crate::outcome::CommandError;
use crate::provider::Provider;
use agent_catalog::Date;
use agent_lsp::known_tools::{KnownModels, layered};
use agent_lsp::report::Report;
use agent_lsp::source;
use agent_runtime::Environment;
use std::path::PathBuf;
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
#[derive(Debug, clap::Args)]
pub(crate) struct ModelFiles {
    /// A document with models that are not in the list of this program, or are other there; may be given several times.
    /// A later file replaces an earlier one
    #[arg(id = "files_of_models", long = "models", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl ModelFiles {
    /// Returns the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter()
    }

    /// Reads the files. If one has errors, returns the reports about them.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if the day of the environment is none.
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
        for (provider, variable) in ADDRESSES {
            let row = catalog.provider(provider);
            let address = environment.get(variable);
            if address.is_some_and(|address| row.is_none_or(|row| !row.is_at(&address))) {
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
}

/// Returns the error about files of `--models` with errors.
pub(crate) fn has_errors(reports: Vec<Report>) -> CommandError {
    let first = reports.iter().find_map(Report::first_error);
    CommandError::new(match first {
        Some((position, found)) => format!("{position}: {}", found.message()),
        None => "a file of --models has errors".to_owned(),
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
