//! Providers that models may name besides those that are always there, given with `--provider`.

use agent_runtime::CompatibleProvider;
use std::str::FromStr;

/// A provider that a document may name.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    pub(crate) name: String,
    /// Where it is reached, if it is to be.
    base_url: Option<String>,
}

impl Provider {
    /// The server to ask, if its address was given. A key comes from the variable `<NAME>_API_KEY`.
    pub(crate) fn compatible(&self) -> Option<CompatibleProvider> {
        let base_url = self.base_url.as_ref()?;
        let name = self.name.chars().map(|c| match c {
            c if c.is_ascii_alphanumeric() => c.to_ascii_uppercase(),
            _ => '_',
        });
        let variable = format!("{}_API_KEY", name.collect::<String>());
        Some(CompatibleProvider::openai(base_url).optional_key_variable(variable))
    }
}

impl FromStr for Provider {
    type Err = &'static str;

    /// Reads `NAME` or `NAME=URL`. The address may hold further `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, base_url) = match text.split_once('=') {
            Some((name, url)) => (name, Some(url.trim())),
            None => (text, None),
        };
        let name = name.trim();
        if name.is_empty() || name.contains('/') || base_url == Some("") {
            return Err(
                "write the name before the `/` of a model, such as Acme, or NAME=URL, such as \
                 Acme=https://models.acme.example/v1",
            );
        }
        Ok(Self {
            name: name.to_owned(),
            base_url: base_url.map(str::to_owned),
        })
    }
}
