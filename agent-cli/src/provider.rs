//! Providers that are given with `--provider`, in addition to the built-in ones.

use crate::outcome::CommandError;
use agent_catalog::Catalog;
use agent_runtime::model::CompatibleProvider;
use agent_runtime::{Agent, Model, Runtime};
use agent_spec::model::PROVIDERS;
use std::collections::HashSet;
use std::str::FromStr;

/// The built-in providers that answer without a server.
const WITHOUT_ADDRESS: [&str; 2] = ["Offline", "Scripted"];

/// A provider given with `--provider`.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    pub(crate) name: String,
    /// The address, if models of the provider are to be called.
    base_url: Option<String>,
}

impl Provider {
    /// Whether the address of a server was given with the name.
    pub(crate) fn has_address(&self) -> bool {
        self.base_url.is_some()
    }

    /// Returns the server of the provider, if its address was given here or, for the agent's provider, with
    /// `--base-url`. The key comes from the variable `<NAME>_API_KEY`, if the name is ASCII.
    pub(crate) fn compatible(&self, agent_base_url: Option<&str>) -> Option<CompatibleProvider> {
        let base_url = self.base_url.as_deref().or(agent_base_url)?;
        let provider = CompatibleProvider::openai(base_url);
        Some(match self.key_variable() {
            Some(variable) => provider.optional_key_variable(variable),
            None => provider,
        })
    }

    /// Returns the name of the variable with the key. `None` for a name with letters outside ASCII, because
    /// such letters cannot be part of the variable's name, so that two providers would have the same
    /// variable.
    pub(crate) fn key_variable(&self) -> Option<String> {
        if !self.name.is_ascii() || !self.name.contains(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let name = self.name.chars().map(|c| match c {
            c if c.is_ascii_alphanumeric() => c.to_ascii_uppercase(),
            _ => '_',
        });
        Some(format!("{}_API_KEY", name.collect::<String>()))
    }
}

impl FromStr for Provider {
    type Err = String;

    /// Parses `NAME` or `NAME=URL`. The address may contain more `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, base_url) = match text.split_once('=') {
            Some((name, url)) => (name, Some(url.trim())),
            None => (text, None),
        };
        let name = name.trim();
        if name.is_empty() || name.contains('/') || base_url == Some("") {
            return Err(
                "write the name before the `/` of a model, such as Acme, or NAME=URL, such as \
                 Acme=https://models.acme.example/v1"
                    .to_owned(),
            );
        }
        if name.contains(char::is_control) {
            return Err(format!(
                "the name `{}` contains control characters; write a name such as Acme",
                name.escape_debug()
            ));
        }
        let known = PROVIDERS
            .iter()
            .find(|known| known.eq_ignore_ascii_case(name));
        if let Some(known) = known {
            let is_taken = match *known == name {
                true => {
                    format!(
                        "`{name}` is a built-in provider, and another server cannot have its name"
                    )
                }
                false => format!(
                    "`{name}` is too similar to the built-in `{known}`, whose key it would get; did you \
                     mean `{known}`?"
                ),
            };
            return Err(match WITHOUT_ADDRESS.contains(known) {
                true => {
                    format!("{is_taken}; {known} answers without a server, so it has no address")
                }
                false => format!("{is_taken}; to reach {known} at another address use --base-url"),
            });
        }
        Ok(Self {
            name: name.to_owned(),
            base_url: base_url.map(str::to_owned),
        })
    }
}

/// Checks that providers have different names and variables, and valid addresses.
///
/// # Errors
/// Returns an error about the first mistake.
pub(crate) fn check(providers: &[Provider]) -> Result<(), CommandError> {
    let mut builder = Runtime::builder();
    for (at, provider) in providers.iter().enumerate() {
        let name = &provider.name;
        if providers[..at].iter().any(|other| other.name == *name) {
            return Err(CommandError::new(format!(
                "`--provider` is given twice for `{name}`; leave one of them out"
            )));
        }
        if let Some(variable) = provider.key_variable()
            && let Some(other) = providers[..at]
                .iter()
                .find(|other| other.key_variable().as_ref() == Some(&variable))
        {
            let other = &other.name;
            return Err(CommandError::new(format!(
                "the providers `{other}` and `{name}` would both get the key in `{variable}`; give one \
                 of them another name"
            )));
        }
        if let Some(compatible) = provider.compatible(None) {
            builder = builder.compatible_provider(name, compatible);
        }
    }
    match builder.build() {
        Ok(_) => Ok(()),
        Err(error) => Err(CommandError::new(error.to_string())),
    }
}

/// Checks that the providers of an agent's models have addresses.
///
/// # Errors
/// Returns an error if an address is missing.
pub(crate) fn check_reachable(
    providers: &[Provider],
    agent: &Agent,
    base_url: Option<&str>,
    catalog: &Catalog,
) -> Result<(), CommandError> {
    for model in models_of(agent) {
        // `--base-url` is the address of the agent's provider.
        let base_url = base_url.filter(|_| model.provider() == agent.model().provider());
        let given = providers
            .iter()
            .find(|given| given.name == model.provider());
        let name = model.provider();
        let has_row = catalog
            .provider(name)
            .is_some_and(|row| row.base_url.is_some());
        if !has_row && given.is_some_and(|given| given.compatible(base_url).is_none()) {
            return Err(CommandError::new(format!(
                "the model `{model}` cannot be called: `--provider {name}` has no address; write \
                 `--provider {name}=URL`, such as {name}=https://models.{}.example/v1, or use \
                 `--offline`",
                name.to_ascii_lowercase()
                    .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
            )));
        }
    }
    Ok(())
}

/// Returns the models that an agent and the agents that it can call may use, each once.
pub(crate) fn models_of(agent: &Agent) -> Vec<&Model> {
    let mut seen = HashSet::new();
    std::iter::once(agent)
        .chain(agent.agents())
        .flat_map(|agent| std::iter::once(agent.model()).chain(&*agent.settings().fallback))
        .filter(|model| seen.insert(*model))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_spec::check::{Options, check as check_document, choose_agent};

    #[test]
    fn the_models_of_a_team_are_those_of_all_agents_and_their_fallbacks() {
        let text = "[lead:Agent {instruction: \"Lead.\", model: \"Offline/a\", fallback: [\"Acme/b\"]} | \
                    [inner:Agent {description: \"Helps.\", instruction: \"Help.\", model: \"Beta/c\", fallback: [\"Acme/b\", \"Offline/d\"]}]]";
        let options = Options {
            providers: &["Acme", "Beta"],
            ..Options::default()
        };
        let checked = check_document(text, options);
        let lead = &choose_agent(&checked.agents, None).expect("an agent").agent;
        let names = |agent: &Agent| -> Vec<String> {
            models_of(agent).iter().map(ToString::to_string).collect()
        };
        assert_eq!(names(lead), ["Offline/a", "Acme/b", "Beta/c", "Offline/d"]);
        let model = Model::parse("OpenAI/x").expect("a model");
        assert_eq!(
            names(&lead.clone().with_model_everywhere(&model)),
            ["OpenAI/x", "Acme/b", "Offline/d"]
        );
    }
}
