//! The facts that providers have about the model of a request and about the server that answers it.

use agent_catalog::{Catalog, ModelRow, ProviderRow};
use agent_tool::__private::Refusal;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The facts about a model and its server. A property that is missing is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) model: ModelRow,
    /// The row of another model of the same family, if the facts are from that row and only likely to be
    /// right.
    pub(crate) assumed: Option<String>,
    pub(crate) server: ProviderRow,
}

impl Facts {
    /// Returns the facts about a model that a provider has at an address. At the provider's own address, the
    /// rows of this provider are used. At the address of another provider, the rows of that provider are
    /// used. At any other address, only the rows in documents of the user are used.
    pub(super) fn of(catalog: &Catalog, provider: &str, id: &str, address: &str) -> Self {
        let own = catalog.provider(provider);
        // The server of a provider without an address may be at any address.
        let is_own = own.is_some_and(|row| row.base_url.is_none() || row.is_at(address));
        let provider = match is_own {
            true => provider,
            false => match catalog.provider_at(address) {
                Some(other) => other,
                None => {
                    return Self {
                        model: catalog.own_model(provider, id),
                        server: catalog.own_provider(provider),
                        ..Self::default()
                    };
                }
            },
        };
        let model = catalog.model(provider, id);
        let assumed = model.as_ref().filter(|found| found.is_assumed);
        Self {
            assumed: assumed.map(|found| found.id.to_owned()),
            model: model
                .map(|found| found.row.into_owned())
                .unwrap_or_default(),
            server: catalog.provider(provider).cloned().unwrap_or_default(),
        }
    }

    /// Returns the fact that a refusal names.
    pub(super) fn of_refusal(refusal: &Refusal) -> Self {
        Self {
            model: refusal.model.clone(),
            server: refusal.server.clone(),
            ..Self::default()
        }
    }

    /// Fills in missing facts from others.
    pub(super) fn fill_from(&mut self, others: &Self) {
        self.model.fill_from(&others.model);
        self.server.fill_from(&others.server);
        if self.assumed.is_none() {
            self.assumed.clone_from(&others.assumed);
        }
    }
}

/// The facts from refusals, by the address of the server and the model.
#[derive(Debug, Default)]
pub(super) struct Learned(Mutex<HashMap<(String, String), Facts>>);

impl Learned {
    /// Returns the facts, overridden by those that were learned for this address and model.
    pub(super) fn on_top_of(&self, facts: Arc<Facts>, address: &str, id: &str) -> Arc<Facts> {
        let learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if learned.is_empty() {
            return facts;
        }
        match learned.get(&(address.to_owned(), id.to_owned())) {
            Some(learned) => {
                let mut all = learned.clone();
                all.fill_from(&facts);
                Arc::new(all)
            }
            None => facts,
        }
    }

    /// Remembers a fact.
    pub(super) fn add(&self, mut facts: Facts, address: &str, id: &str) {
        let mut learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (address.to_owned(), id.to_owned());
        if let Some(earlier) = learned.get(&key) {
            facts.fill_from(earlier);
        }
        learned.insert(key, facts);
    }
}
