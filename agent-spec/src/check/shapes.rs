//! The two ways to write a tool or agent, `[name:Label {…} | …]` and `@@name:Label @key(…) …`, seen
//! as one.

use agent_gram::Span;
use agent_gram::syntax::{Bracket, Document, Element, Item, Label, Name, Property, Subject};

/// A pattern that has a head and elements, in either form.
pub(super) struct Shape<'t> {
    pub(super) span: Span,
    /// The head: what says what the pattern is.
    pub(super) head: Span,
    pub(super) identity: Option<Name<'t>>,
    pub(super) labels: Vec<Label<'t>>,
    pub(super) properties: Vec<Property<'t>>,
    pub(super) elements: Vec<Element<'t>>,
    /// The bar between head and elements.
    bar: Option<Span>,
}

impl<'t> Shape<'t> {
    /// Everything before the elements.
    pub(super) fn before_elements(&self) -> Span {
        let first = || {
            self.elements
                .iter()
                .map(|element| element.span().start)
                .min()
        };
        let end = self.bar.map(|bar| bar.start).or_else(first);
        Span::new(
            self.span.start,
            end.unwrap_or(self.span.end).max(self.span.start),
        )
    }

    /// Everything after the head: the elements and what stands between them.
    pub(super) fn after_head(&self) -> Span {
        Span::new(self.before_elements().end, self.span.end)
    }

    fn of_bracket(bracket: Bracket<'t>) -> Self {
        let elements = bracket.elements().collect();
        let mut shape = Self::of_subject(bracket.subject(), bracket.span(), elements);
        shape.bar = bracket.bar();
        shape
    }

    fn of_subject(subject: Option<Subject<'t>>, span: Span, elements: Vec<Element<'t>>) -> Self {
        let identity = subject.as_ref().and_then(Subject::identity);
        let labels: Vec<Label<'t>> = subject
            .as_ref()
            .map_or_else(Vec::new, |subject| subject.labels().collect());
        let head = identity
            .map(|name| name.span())
            .into_iter()
            .chain(labels.iter().map(Label::span))
            .reduce(Span::to);
        Self {
            span,
            head: head.unwrap_or(Span::new(span.start, span.start + 1)),
            identity,
            labels,
            properties: subject
                .and_then(|subject| subject.record())
                .map_or_else(Vec::new, |record| record.properties().collect()),
            elements,
            bar: None,
        }
    }

    fn of_annotated(item: Item<'t>) -> Option<Self> {
        let annotations = item.annotations()?;
        let subject = annotations.subject()?;
        Some(Self {
            span: item.span(),
            head: subject.span(),
            identity: subject.identity(),
            labels: subject.labels().collect(),
            properties: annotations.properties().collect(),
            elements: vec![item.body()],
            bar: None,
        })
    }

    /// The label among these that the pattern has, if any.
    pub(super) fn label(&self, names: &[&str]) -> Option<Label<'t>> {
        let mut labels = self.labels.iter().copied();
        labels.find(|label| names.contains(&label.name().text()))
    }
}

/// The shape of an element: a bracket, or a node alone, which means a bracket without elements.
pub(super) fn shape_of(element: Element<'_>) -> Option<Shape<'_>> {
    match element {
        Element::Bracket(bracket) => Some(Shape::of_bracket(bracket)),
        Element::Path(path) => {
            let mut nodes = path.nodes();
            let node = nodes.next()?;
            let alone = nodes.next().is_none();
            alone.then(|| Shape::of_subject(node.subject(), node.span(), Vec::new()))
        }
        Element::Reference(_) => None,
    }
}

/// Visits every shape of a document, outer ones first, in source order. Depth is bounded by the
/// parser.
pub(super) fn walk<'t>(document: &'t Document<'_>, visit: &mut dyn FnMut(Shape<'t>)) {
    for item in document.items() {
        if let Some(shape) = Shape::of_annotated(item) {
            visit(shape);
        }
        walk_element(item.body(), visit);
    }
}

fn walk_element<'t>(element: Element<'t>, visit: &mut dyn FnMut(Shape<'t>)) {
    if let Some(shape) = shape_of(element) {
        visit(shape);
    }
    if let Element::Bracket(bracket) = element {
        for inner in bracket.elements() {
            walk_element(inner, visit);
        }
    }
}
