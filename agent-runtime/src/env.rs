//! The environment, as a value.

use std::collections::BTreeMap;
use std::fmt;

/// Where settings such as keys are looked up: the process's environment, or a map in its place.
///
/// Nothing else in this crate reads the environment, so a test that gives a map is not disturbed
/// by the machine it runs on. `Debug` shows names, never values.
#[derive(Clone)]
pub struct Environment(Source);

#[derive(Clone)]
enum Source {
    Process,
    Map(BTreeMap<String, String>),
}

impl Environment {
    /// The environment of the process, read at each look-up.
    #[must_use]
    pub fn process() -> Self {
        Self(Source::Process)
    }

    /// An environment without variables.
    #[must_use]
    pub fn empty() -> Self {
        Self(Source::Map(BTreeMap::new()))
    }

    /// An environment of these variables only.
    #[must_use]
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<String>,
        V: Into<String>,
    {
        Self(Source::Map(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        ))
    }

    /// The value of a variable. One that is empty, blank or not Unicode counts as missing.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let value = match &self.0 {
            Source::Process => std::env::var(name).ok()?,
            Source::Map(map) => map.get(name)?.clone(),
        };
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// The words that say that a variable holds a secret.
const SECRET_WORDS: [&str; 5] = ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD"];

/// Shorter values are switches and numbers, whatever they are called; those of variables that are
/// sure to hold a key are taken for one from fewer characters on.
const SHORTEST_SECRET: usize = 8;

/// How the names of variables end that hold the keys of models.
const KEYS_OF_MODELS: [&str; 2] = ["API_KEY", "AUTH_TOKEN"];

/// A shorter key protects nothing, and every word with it in it would be hidden.
pub(crate) const SHORTEST_KEY: usize = 4;

impl Environment {
    /// The values of variables that hold keys, judging by their names.
    pub(crate) fn keys(&self) -> Vec<String> {
        let variables: Vec<(String, String)> = match &self.0 {
            Source::Process => std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            Source::Map(map) => map.clone().into_iter().collect(),
        };
        variables
            .into_iter()
            .filter_map(|(name, value)| {
                let (name, value) = (name.to_ascii_uppercase(), value.trim());
                let is_sure = KEYS_OF_MODELS.iter().any(|end| name.ends_with(end));
                let is_named = name.split('_').any(|word| SECRET_WORDS.contains(&word));
                let shortest = if is_sure {
                    SHORTEST_KEY
                } else {
                    SHORTEST_SECRET
                };
                (is_named && value.len() >= shortest).then(|| value.to_owned())
            })
            .collect()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Process => out.write_str("Environment(process)"),
            Source::Map(map) => {
                out.write_str("Environment")?;
                out.debug_set().entries(map.keys()).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_counts_as_missing_and_values_stay_hidden() {
        let environment = Environment::from_pairs([("A", " "), ("B", "secret ")]);
        assert_eq!(environment.get("A"), None);
        assert_eq!(environment.get("B").as_deref(), Some("secret"));
        assert!(!format!("{environment:?}").contains("secret"));
    }

    #[test]
    fn keys_are_told_by_the_names_of_their_variables() {
        let environment = Environment::from_pairs([
            ("ACME_API_KEY", " sk-12345678 "),
            ("db_password", "correct horse"),
            ("MONKEY", "not a secret"),
            ("USE_TOKEN", "true"),
            ("SHORT_API_KEY", "test"),
            ("NO_API_KEY", "x"),
        ]);
        let expected = ["sk-12345678", "test", "correct horse"];
        assert_eq!(environment.keys(), expected);
    }
}
