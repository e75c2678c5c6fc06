//! The facts about models with which agents are checked: `models: "models.gram"`, `deny: ["retired-model"]`.

use super::document::Document;
use super::options::SpannedText;
use crate::report::Report;
use agent_catalog::Catalog;
use agent_spec::check::{ModelRules, check_catalog};
use proc_macro2::TokenStream;
use quote::quote;

/// The facts about models. They depend neither on the day nor on the environment, so that code that compiles today compiles
/// tomorrow.
#[derive(Default)]
pub(crate) struct Models {
    /// The document that `models` names, and the builtin catalogue with it on top.
    own: Option<(Document, Catalog)>,
    /// Whether a model that was switched off is an error.
    refuses_retired: bool,
}

impl Models {
    /// Reads the document that `models` names. Reports its mistakes at the literal with the path.
    pub(super) fn read(report: &Report, path: Option<&SpannedText>, refuses_retired: bool) -> Self {
        let own = path.and_then(|(path, span)| {
            let document = Document::read_file(report, path, *span)?;
            match check_catalog(document.text(), Catalog::builtin()) {
                Ok(catalog) => Some((document, catalog)),
                Err(found) => {
                    document.report(report, &found);
                    None
                }
            }
        });
        Self {
            own,
            refuses_retired,
        }
    }

    /// Returns the rules by which agents are checked.
    pub(crate) fn rules(&self) -> ModelRules<'_> {
        let own = self.own.as_ref().map(|(_, catalog)| catalog);
        ModelRules {
            refuses_retired: self.refuses_retired,
            ..ModelRules::new(own.unwrap_or(Catalog::builtin()))
        }
    }

    /// Returns items: the constant `MODELS` with the text of the document, and those that make cargo build again when it
    /// changes. `None` without a document.
    pub(super) fn items(&self, rt: &TokenStream) -> Option<TokenStream> {
        let (document, _) = self.own.as_ref()?;
        let (text, tracked) = (document.text(), document.tracked(rt));
        Some(quote!(const MODELS: &#rt::str = #text; #tracked))
    }

    /// Returns a call that gives an agent the text of the document.
    pub(super) fn call(&self) -> Option<TokenStream> {
        let own = self.own.as_ref();
        own.map(|_| quote!(.with_static_catalog(MODELS)))
    }
}
