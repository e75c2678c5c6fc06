//! Resolution of the names of tools and agents across documents.
//!
//! Documents do not import each other. A name means the tool that its own document defines, or else the
//! tool of a file given with `--tools`, or else the built-in tool.

use super::analysis::Analysis;
use super::occurrences::{Role, occurrences_of};
use agent_gram::Span;

/// A document that contains a name or that a name can resolve to.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a, D> {
    /// The id that the caller gave the document.
    pub(crate) id: D,
    /// The name for messages.
    pub(crate) display_name: &'a str,
    /// The text.
    pub(crate) text: &'a str,
    /// The analysis of the text.
    pub(crate) analysis: &'a Analysis,
    /// Whether other documents may name its tools, because it was given with `--tools`.
    pub(crate) is_shared: bool,
}

impl<D> Document<'_, D> {
    /// Returns whether the document defines a tool or an agent of this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        let outline = self.analysis.outline();
        outline.definitions(name).next().is_some() || outline.agents_named(name).next().is_some()
    }

    /// Returns whether the document defines a tool or an agent of this name, or refers to one.
    pub(super) fn mentions(&self, name: &str) -> bool {
        occurrences_of(self.analysis.outline(), name)
            .next()
            .is_some()
    }
}

/// The id of a document, and a span in it.
pub(crate) type Location<D> = (D, Span);

/// Returns the definitions of the tool that a name means in the document `current`.
///
/// There can be several definitions. A built-in tool has no definition.
pub(crate) fn definitions<D: Clone + PartialEq>(
    documents: &[Document<'_, D>],
    current: &D,
    name: &str,
) -> Vec<Location<D>> {
    let own = documents.iter().filter(|document| document.id == *current);
    let definitions = definitions_in(own, name);
    if !definitions.is_empty() {
        return definitions;
    }
    let shared = documents.iter().filter(|document| document.is_shared);
    definitions_in(shared, name)
}

fn definitions_in<'a, D: Clone + 'a>(
    documents: impl Iterator<Item = &'a Document<'a, D>>,
    name: &str,
) -> Vec<Location<D>> {
    let mut locations = Vec::new();
    for document in documents {
        let outline = document.analysis.outline();
        let tools = outline
            .definitions(name)
            .filter_map(|tool| tool.name.as_ref());
        let agents = outline
            .agents_named(name)
            .filter_map(|agent| agent.name.as_ref());
        for mention in tools.chain(agents) {
            locations.push((document.id.clone(), mention.span));
        }
    }
    locations
}

/// Returns the references to a name in all documents, with the definitions if `with_definitions`.
///
/// Names are compared as text, so references to different tools of one name are included.
pub(crate) fn references<D: Clone>(
    documents: &[Document<'_, D>],
    name: &str,
    with_definitions: bool,
) -> Vec<Location<D>> {
    let mut locations = Vec::new();
    for document in documents {
        let mut spans: Vec<Span> = occurrences_of(document.analysis.outline(), name)
            .filter(|occurrence| match occurrence.role {
                Role::Definition => with_definitions,
                Role::NameProperty => false,
                Role::Reference | Role::ToolChoice => true,
            })
            .map(|occurrence| occurrence.span)
            .collect();
        spans.sort_unstable();
        locations.extend(spans.into_iter().map(|span| (document.id.clone(), span)));
    }
    locations
}
