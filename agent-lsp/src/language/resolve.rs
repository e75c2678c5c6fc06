//! What names lead to, across documents.
//!
//! Documents do not import each other: a name means the tool of that name that its own document
//! defines, else the one of a file given with `--tools`, else the built-in one.

use super::analysis::Analysis;
use super::occurrences::{self as names, Role, defines};
use agent_gram::Span;

/// A document that names can stand in or lead to.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a, D> {
    /// What the asker knows it by.
    pub(crate) id: D,
    /// What people know it by.
    pub(crate) shown: &'a str,
    /// Its text.
    pub(crate) text: &'a str,
    /// What was read of that.
    pub(crate) analysis: &'a Analysis,
    /// Whether other documents may name its tools: whether it was given with `--tools`.
    pub(crate) shared: bool,
}

/// A place in a document.
pub(crate) type Place<D> = (D, Span);

/// Where the tool that a document means by a name is defined: all definitions, should there be
/// several. A built-in tool is defined nowhere.
pub(crate) fn definitions<D: Clone + PartialEq>(
    documents: &[Document<'_, D>],
    here: &D,
    name: &str,
) -> Vec<Place<D>> {
    let own = documents.iter().filter(|document| document.id == *here);
    let found = definitions_in(own, name);
    if !found.is_empty() {
        return found;
    }
    definitions_in(documents.iter().filter(|document| document.shared), name)
}

fn definitions_in<'a, D: Clone + 'a>(
    documents: impl Iterator<Item = &'a Document<'a, D>>,
    name: &str,
) -> Vec<Place<D>> {
    let mut found = Vec::new();
    for document in documents {
        for tool in document.analysis.outline().definitions(name) {
            let mention = tool.name.as_ref();
            let span = mention.map_or(tool.head, |mention| mention.span);
            found.push((document.id.clone(), span));
        }
    }
    found
}

/// Where a name stands, in all documents: the definitions when asked for, and whatever refers to it. It
/// goes by the name, also where documents mean different tools by it.
pub(crate) fn references<D: Clone>(
    documents: &[Document<'_, D>],
    name: &str,
    with_definitions: bool,
) -> Vec<Place<D>> {
    let mut found = Vec::new();
    for document in documents {
        let occurrences = names::of(document.analysis.outline(), name);
        let mut spans: Vec<Span> = occurrences
            .filter(|occurrence| match occurrence.role {
                Role::Definition => with_definitions,
                Role::Property => false,
                Role::Reference | Role::Choice => true,
            })
            .map(|occurrence| occurrence.span)
            .collect();
        spans.sort_unstable();
        found.extend(spans.into_iter().map(|span| (document.id.clone(), span)));
    }
    found
}

impl<D> Document<'_, D> {
    /// Whether it defines a tool of this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        defines(self.analysis.outline(), name)
    }

    /// Whether it names a tool so, in whatever way.
    pub(super) fn names(&self, name: &str) -> bool {
        names::of(self.analysis.outline(), name).next().is_some()
    }
}
