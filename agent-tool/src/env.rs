//! Environment variables as a value.

use crate::error::Error;
use crate::redact::MIN_SECRET;
use std::collections::BTreeMap;
use std::env::VarError;
use std::fmt;

/// The source of settings such as keys: the environment of the process, or a map.
///
/// Nothing else in this crate reads the environment, so a test with a map does not depend on the machine it
/// runs on. `Debug` prints names, never values.
#[derive(Clone)]
pub struct Environment(Source);

#[derive(Clone)]
enum Source {
    Process,
    Map(BTreeMap<String, String>),
}

impl Environment {
    /// Creates the environment of the process, which is read at each lookup.
    #[must_use]
    pub fn process() -> Self {
        Self(Source::Process)
    }

    /// Creates an environment without variables.
    #[must_use]
    pub fn empty() -> Self {
        Self(Source::Map(BTreeMap::new()))
    }

    /// Creates an environment of these variables only.
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

    /// Returns the value of a variable. An empty or blank value counts as missing, and so does one that is not
    /// Unicode. Use [`read`](Self::read) where ignoring the value would be wrong, for example for an address.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        self.read(name).ok()?
    }

    /// Returns the value of a variable. An empty or blank value counts as missing.
    ///
    /// # Errors
    /// Configuration when the value is not Unicode. The error names the variable but not the value, which may
    /// be a secret.
    pub fn read(&self, name: &str) -> Result<Option<String>, Error> {
        let value = match &self.0 {
            Source::Process => match std::env::var(name) {
                Ok(value) => value,
                Err(VarError::NotPresent) => return Ok(None),
                Err(VarError::NotUnicode(_)) => {
                    return Err(Error::configuration(format!(
                        "the variable `{name}` holds bytes that are not Unicode; set it anew, or \
                         unset it"
                    )));
                }
            },
            Source::Map(map) => match map.get(name) {
                Some(value) => value.clone(),
                None => return Ok(None),
            },
        };
        let value = value.trim();
        Ok((!value.is_empty()).then(|| value.to_owned()))
    }

    /// Returns the value of a variable that holds a key, which can be sent as an HTTP header. A blank value
    /// counts as missing.
    ///
    /// # Errors
    /// Configuration, naming the variable and not the value, when a header cannot hold the value.
    pub fn read_key(&self, name: &str) -> Result<Option<String>, Error> {
        let is_in_headers = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7f);
        match self.read(name)? {
            Some(value) if !value.bytes().all(is_in_headers) => Err(Error::configuration(format!(
                "the variable `{name}` holds characters that a header cannot, such as a line end in its \
                 middle; set it anew"
            ))),
            value => Ok(value),
        }
    }

    /// Returns the values of variables that hold keys, judging by their names.
    #[doc(hidden)]
    pub fn keys(&self) -> Vec<String> {
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
                let is_key = MODEL_KEY_SUFFIXES.iter().any(|end| name.ends_with(end));
                let is_named = name.split('_').any(|word| SECRET_WORDS.contains(&word));
                let shortest = if is_key { MIN_SECRET } else { MIN_NAMED_SECRET };
                (is_named && value.len() >= shortest).then(|| value.to_owned())
            })
            .collect()
    }
}

/// The words in the name of a variable that holds a secret.
const SECRET_WORDS: [&str; 5] = ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD"];

/// The minimum length of a secret in a variable that may hold something else, such as `USE_TOKEN=true`.
const MIN_NAMED_SECRET: usize = 8;

/// The endings of the names of variables that hold the key of a model provider.
const MODEL_KEY_SUFFIXES: [&str; 2] = ["API_KEY", "AUTH_TOKEN"];

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
    fn blank_values_are_missing_and_debug_hides_values() {
        let environment = Environment::from_pairs([("A", " "), ("B", "secret ")]);
        assert_eq!(environment.get("A"), None);
        assert_eq!(environment.get("B").as_deref(), Some("secret"));
        assert!(!format!("{environment:?}").contains("secret"));
    }

    #[test]
    fn keys_are_recognised_by_the_names_of_their_variables() {
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
