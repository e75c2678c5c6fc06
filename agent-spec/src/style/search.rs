//! Everything in a document that the official grammar refuses.

use super::official::{Refusal, refusal, refusal_of_name};
use agent_gram::Span;
use agent_gram::syntax::{Document, Element, Name, Property, Subject};

/// A part of a document that the official grammar refuses.
pub(super) struct Refused<'t> {
    pub(super) span: Span,
    pub(super) refusal: Refusal,
    /// The key of the property that it is about; nothing for a name.
    pub(super) key: Option<&'t str>,
    /// The name of the pattern that has it, if it has one.
    pub(super) owner: Option<&'t str>,
    /// The whole value, or the name.
    pub(super) whole: Span,
}

/// Whatever the official grammar refuses in a document.
pub(super) fn refused_parts<'t>(document: &'t Document<'_>) -> Vec<Refused<'t>> {
    let mut search = Search {
        source: document.source(),
        found: Vec::new(),
    };
    search.document(document);
    search.found
}

/// Goes through a document. Depth is bounded by the parser.
struct Search<'t> {
    source: &'t str,
    found: Vec<Refused<'t>>,
}

impl<'t> Search<'t> {
    fn document(&mut self, document: &'t Document<'_>) {
        if let Some(header) = document.header() {
            self.properties(None, header.properties());
        }
        for item in document.items() {
            if let Some(annotations) = item.annotations() {
                let subject = annotations.subject();
                let owner = subject.as_ref().and_then(owner_of);
                self.subject(subject);
                self.properties(owner, annotations.properties());
            }
            self.element(item.body());
        }
    }

    fn element(&mut self, element: Element<'t>) {
        match element {
            Element::Bracket(bracket) => {
                self.subject(bracket.subject());
                for inner in bracket.elements() {
                    self.element(inner);
                }
            }
            Element::Path(path) => {
                for node in path.nodes() {
                    self.subject(node.subject());
                }
                for arrow in path.arrows() {
                    self.subject(arrow.subject());
                }
            }
            Element::Reference(name) => self.name(name),
        }
    }

    fn subject(&mut self, subject: Option<Subject<'t>>) {
        let Some(subject) = subject else {
            return;
        };
        let labels = subject.labels().map(|label| label.name());
        for name in subject.identity().into_iter().chain(labels) {
            self.name(name);
        }
        if let Some(record) = subject.record() {
            self.properties(owner_of(&subject), record.properties());
        }
    }

    fn properties(
        &mut self,
        owner: Option<&'t str>,
        properties: impl Iterator<Item = Property<'t>>,
    ) {
        for property in properties {
            self.name(property.key());
            let refused = refusal(self.source, property.value());
            self.found.extend(refused.map(|(span, refusal)| Refused {
                span,
                refusal,
                key: Some(property.key().text()),
                owner,
                whole: property.value().span(),
            }));
        }
    }

    fn name(&mut self, name: Name<'t>) {
        let refused = refusal_of_name(self.source, name);
        self.found.extend(refused.map(|(span, refusal)| Refused {
            span,
            refusal,
            key: None,
            owner: None,
            whole: span,
        }));
    }
}

fn owner_of<'t>(subject: &Subject<'t>) -> Option<&'t str> {
    subject.identity().map(|name| name.text())
}
