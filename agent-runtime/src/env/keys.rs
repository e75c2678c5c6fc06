//! The keys that an environment holds, to be kept out of files.

use super::{Environment, Source};

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

#[cfg(test)]
mod tests {
    use super::*;

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
