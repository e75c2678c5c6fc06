//! The rows of several documents as one catalogue.

use crate::date::Date;
use crate::document::{Document, Mistake, MistakeKind, ReadProvider};
use crate::name::{at_gateway, base_names, is_of_family, vendor};
use crate::row::{ModelRow, ProviderRow};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The maximum number of rows in a chain of `like` properties. An editor checks a catalogue of somebody else
/// unattended, and a chain of thousands of rows would take hours.
const MAX_LIKES: usize = 64;

/// The providers whose address and key no document may set: they have variables such as `OPENAI_BASE_URL`, or
/// are not contacted at all.
const OWN_SERVERS: [&str; 6] = [
    "OpenAI",
    "Anthropic",
    "Google",
    "Ollama",
    "Offline",
    "Scripted",
];

/// The documents of this crate.
const DOCUMENTS: [&str; 4] = [
    include_str!("../models/openai.gram"),
    include_str!("../models/anthropic.gram"),
    include_str!("../models/google.gram"),
    include_str!("../models/servers.gram"),
];

/// The facts about models and their providers. See the [crate](crate).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    providers: BTreeMap<String, ProviderRow>,
    /// The rows by provider and id, merged from the documents property by property.
    written: BTreeMap<(String, String), ModelRow>,
    /// The rows with the properties that `like` adds.
    models: BTreeMap<(String, String), ModelRow>,
    /// The documents on top of the built-in documents.
    own: Vec<Document>,
    /// Whether the built-in documents are beneath `own`.
    has_builtin: bool,
}

/// A row of a catalogue, and its name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelEntry<'c> {
    /// The provider.
    pub provider: &'c str,
    /// The provider's name of the model.
    pub id: &'c str,
    /// The facts about the model.
    pub row: &'c ModelRow,
}

/// The row that [`Catalog::model`] found for the name of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found<'c> {
    /// The provider of the row.
    pub provider: &'c str,
    /// The id of the row. It differs from the requested id for a snapshot, a fine-tune, or a model at a
    /// gateway.
    pub id: &'c str,
    /// The facts. For a model at a gateway, the row has no price, no date of retirement and no successor,
    /// because these are the vendor's.
    pub row: Cow<'c, ModelRow>,
    /// Whether the row is that of another model of the same family, because the requested model has no row.
    pub is_assumed: bool,
}

impl Catalog {
    /// Returns the catalogue of this crate. It is read once.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Catalog> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let documents = DOCUMENTS.map(Document::read);
            // Mistakes are ignored, because the tests read each document.
            let all = documents
                .iter()
                .try_fold(Self::default(), |catalog, document| {
                    catalog.with(document).ok()
                });
            Self {
                own: Vec::new(),
                has_builtin: true,
                ..all.unwrap_or_default()
            }
        })
    }

    /// Returns this catalogue with a document on top: the properties of the document replace those of the
    /// same model in this catalogue.
    ///
    /// # Errors
    /// The mistakes that are seen only together with the rows beneath: [`MistakeKind::BadReference`] and
    /// [`MistakeKind::OwnServer`].
    pub fn with(&self, document: &Document) -> Result<Self, Vec<Mistake>> {
        let mut all = self.clone();
        all.own.push(document.clone());
        for read in &document.providers {
            let mut row = read.row.clone();
            if let Some(below) = all.providers.get(&read.name) {
                row.fill_from(below);
            }
            all.providers.insert(read.name.clone(), row);
        }
        for read in &document.models {
            let key = (read.provider.clone(), read.id.clone());
            let mut row = read.row.clone();
            if let Some(below) = all.written.get(&key) {
                row.fill_from(below);
            }
            all.written.insert(key, row);
        }
        let mut mistakes = Vec::new();
        for read in &document.providers {
            if self.has_builtin {
                mistakes.extend(own_server(read));
                mistakes.extend(misspelt(read, &self.providers));
            }
            if let (Some(served), Some(span)) = (&read.row.models, read.models)
                && !all.providers.contains_key(vendor(served))
            {
                let message = format!("`models` names `{served}`, and there is no such provider");
                let known: Vec<&str> = all.providers().collect();
                let help = format!("the providers are {}", known.join(", "));
                let mistake = Mistake::new(MistakeKind::BadReference, span, message);
                mistakes.push(mistake.with_help(help));
            }
        }
        for read in &document.models {
            let is_there = |id: &str| {
                let mut names = base_names(id).into_iter();
                names.any(|id| {
                    all.written
                        .contains_key(&(read.provider.clone(), id.to_owned()))
                })
            };
            if let (Some(successor), Some(span)) = (&read.row.successor, read.successor)
                && self.has_builtin
                && !is_there(successor)
            {
                let message = format!(
                    "`successor` names `{successor}`, and `{}` has no such row",
                    read.provider
                );
                mistakes.push(Mistake::new(MistakeKind::BadReference, span, message));
            }
            let key = (read.provider.clone(), read.id.clone());
            if let (Err(message), Some(span)) = (all.resolved(&key), read.like) {
                mistakes.push(Mistake::new(MistakeKind::BadReference, span, message));
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let resolved = all.written.keys().map(|key| {
            let row = all.resolved(key).unwrap_or_default();
            (key.clone(), row)
        });
        all.models = resolved.collect();
        Ok(all)
    }

    /// Returns this catalogue with a document between the built-in documents and the documents that were
    /// added on top of them.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with).
    pub fn with_beneath(&self, document: &Document) -> Result<Self, Vec<Mistake>> {
        let base = match self.has_builtin {
            true => Self::builtin().clone(),
            false => Self::default(),
        };
        let all = base.with(document)?;
        self.own.iter().try_fold(all, |all, own| all.with(own))
    }

    /// Returns a row with the properties that `like` adds.
    ///
    /// # Errors
    /// The problem, if a `like` names no row, or if the chain of `like` is a circle or too long.
    fn resolved(&self, key: &(String, String)) -> Result<ModelRow, String> {
        let mut row = self.written.get(key).cloned().unwrap_or_default();
        let mut seen = vec![key.clone()];
        let mut next = row.like.clone();
        while let Some(like) = next {
            if seen.len() > MAX_LIKES {
                return Err(format!(
                    "`like` leads over more than {MAX_LIKES} rows; name the last of them"
                ));
            }
            let (provider, _) = &seen[0];
            let own = (provider.clone(), like.clone());
            let other = match like.split_once('/') {
                Some((provider, id)) if !self.written.contains_key(&own) => {
                    (provider.to_owned(), id.to_owned())
                }
                _ => own,
            };
            if seen.contains(&other) {
                return Err(format!(
                    "`like` leads in a circle: `{like}` leads back to it"
                ));
            }
            let Some(found) = self.written.get(&other) else {
                return Err(format!(
                    "`like` names `{like}`, and there is no such row; write a model of the same provider, or `Provider/id`"
                ));
            };
            row.fill_from(found);
            next = found.like.clone();
            seen.push(other);
        }
        Ok(row)
    }

    /// Returns the row of a provider. `OpenAIResponses` and `OpenAIChat` have the row of `OpenAI`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&ProviderRow> {
        self.providers.get(vendor(name))
    }

    /// Returns the provider at an address, such as `https://api.groq.com/openai/v1`.
    #[must_use]
    pub fn provider_at(&self, address: &str) -> Option<&str> {
        let mut providers = self.providers.iter();
        let (name, _) = providers.find(|(_, row)| row.is_at(address))?;
        Some(name)
    }

    /// Returns the names of the providers, in alphabetical order.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    /// Returns all rows, sorted by provider and id.
    pub fn models(&self) -> impl Iterator<Item = ModelEntry<'_>> {
        self.models
            .iter()
            .map(|((provider, id), row)| ModelEntry { provider, id, row })
    }

    /// Returns the day on which the rows of a provider were made.
    #[must_use]
    pub fn made(&self, provider: &str) -> Option<Date> {
        self.provider(provider)?.made
    }

    /// Returns the last day on which rows were made.
    #[must_use]
    pub fn newest(&self) -> Option<Date> {
        self.providers.values().filter_map(|row| row.made).max()
    }

    /// Whether there are models of a provider, so that a model without a row is unusual.
    #[must_use]
    pub fn lists_models_of(&self, provider: &str) -> bool {
        let provider = vendor(provider);
        self.models().any(|entry| entry.provider == provider)
    }

    /// Returns the facts about a model. They are from its own row; else from the row of the model of which it
    /// is a snapshot, a fine-tune or a copy at a gateway; else from the row of the newest model of its
    /// family.
    #[must_use]
    pub fn model(&self, provider: &str, id: &str) -> Option<Found<'_>> {
        let provider = vendor(provider);
        if let Some(mut found) = self.of_vendor(provider, &[id]) {
            // A vendor has other prices for fine-tuned models.
            if id.starts_with("ft:") && found.id != id && found.row.price.is_some() {
                found.row.to_mut().price = None;
            }
            return Some(found);
        }
        let mut found = match at_gateway(id, self.providers()) {
            Some((vendor, names)) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let mut found = self.of_vendor(vendor, &names)?;
                let row = found.row.to_mut();
                // These properties describe the vendor's own interfaces, and the gateway has other
                // interfaces.
                (row.api, row.chat_tools, row.chat_efforts) = (None, None, None);
                Some(found)
            }
            None => {
                let served = self.provider(provider)?.models.as_deref()?;
                self.of_vendor(vendor(served), &[id])
            }
        }?;
        let row = found.row.to_mut();
        (row.price, row.retires, row.successor) = (None, None, None);
        Some(found)
    }

    /// Returns the properties of a provider that are set by the documents on top of the built-in documents.
    #[must_use]
    pub fn own_provider(&self, name: &str) -> ProviderRow {
        let mut row = ProviderRow::default();
        let documents = self.own.iter().rev();
        for own in documents.flat_map(|document| &document.providers) {
            if own.name == vendor(name) {
                row.fill_from(&own.row);
            }
        }
        row
    }

    /// Returns the properties of a model that are set by the documents on top of the built-in documents, and
    /// the properties of the row that its `like` names.
    #[must_use]
    pub fn own_model(&self, provider: &str, id: &str) -> ModelRow {
        let (provider, names) = (vendor(provider), base_names(id));
        let mut row = ModelRow::default();
        let documents = self.own.iter().rev();
        for read in documents.flat_map(|document| &document.models) {
            if read.provider == provider && names.contains(&read.id.as_str()) {
                row.fill_from(&read.row);
            }
        }
        if row.like.is_some() {
            let resolved = self.of_vendor(provider, &[id]);
            if let Some(found) = resolved.filter(|found| !found.is_assumed) {
                row.fill_from(&found.row);
            }
        }
        row
    }

    /// Returns the facts about a model of the provider itself, by one of its names.
    fn of_vendor(&self, provider: &str, names: &[&str]) -> Option<Found<'_>> {
        let names: Vec<&str> = names.iter().flat_map(|name| base_names(name)).collect();
        let own = names.iter().find_map(|name| {
            let key = (provider.to_owned(), (*name).to_owned());
            self.models.get_key_value(&key)
        });
        if let Some(((provider, id), row)) = own {
            let row = Cow::Borrowed(row);
            return Some(Found {
                provider,
                id,
                row,
                is_assumed: false,
            });
        }
        let families = self.models().filter_map(|entry| {
            let family = entry.row.family.as_deref()?;
            let is_own = names.iter().any(|name| is_of_family(name, family));
            // A row with `like` is a second name of another row.
            let is_own = is_own && entry.row.like.is_none();
            (entry.provider == provider && is_own).then_some((family, entry))
        });
        let newest = families.max_by_key(|(family, entry)| (family.len(), entry.row.released));
        let (_, newest) = newest?;
        let mut row = newest.row.clone();
        // These properties are valid for that model only.
        (row.price, row.retires, row.successor, row.released) = (None, None, None, None);
        Some(Found {
            provider: newest.provider,
            id: newest.id,
            row: Cow::Owned(row),
            is_assumed: true,
        })
    }
}

/// Returns the mistake of a row that gives another address or another key to a provider that has its own.
fn own_server(read: &ReadProvider) -> Option<Mistake> {
    let is_own = OWN_SERVERS.contains(&read.name.as_str());
    let known = Catalog::builtin().providers.get(&read.name);
    // A document must not cause the key of one server to be sent to another server.
    let takes_key = known.is_some_and(|known| known.base_url.is_some());
    let is_refused = is_own || (takes_key && read.row.base_url.is_none());
    let span = read.server.filter(|_| is_refused)?;
    let message = match is_own {
        true => format!(
            "`{}` has neither an address nor a key in catalogues",
            read.name
        ),
        false => format!("the key of `{}` is that of its own variable", read.name),
    };
    let mistake = Mistake::new(MistakeKind::OwnServer, span, message);
    Some(mistake.with_help(
        "remove it, and set the provider's variables, such as OPENAI_BASE_URL; or give the server a name of its own: \
         `[Acme:Catalog {format: \"OpenAI\", baseUrl: \"…\"}]`",
    ))
}

/// Returns the mistake of a provider whose name differs from a known one in case only.
fn misspelt(read: &ReadProvider, known: &BTreeMap<String, ProviderRow>) -> Option<Mistake> {
    let mut names = known.keys();
    let meant = names.find(|name| name.eq_ignore_ascii_case(&read.name))?;
    (*meant != read.name).then(|| {
        let message = format!("there is no provider `{}`; write `{meant}`", read.name);
        Mistake::new(MistakeKind::BadReference, read.span, message)
    })
}
