//! The two ways to write a tool or agent, `[name:Label {…} | …]` and `@@name:Label @key(…) …`, seen
//! as one.

use agent_gram::Span;
use agent_gram::syntax::{Bracket, Document, Element, Item, Label, Name, Property, Subject};

/// A pattern that has a head and elements, in either form.
pub(super) struct Shape<'t, 's> {
    pub(super) span: Span,
    /// The head: what says what the pattern is.
    pub(super) head: Span,
    pub(super) identity: Option<&'t Name<'s>>,
    pub(super) labels: &'t [Label<'s>],
    pub(super) properties: Vec<&'t Property<'s>>,
    pub(super) elements: Vec<&'t Element<'s>>,
    /// The bar between head and elements.
    bar: Option<Span>,
}

impl<'t, 's> Shape<'t, 's> {
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

    fn of_bracket(bracket: &'t Bracket<'s>) -> Self {
        let elements = bracket.elements.iter().collect();
        let mut shape = Self::of_subject(bracket.subject.as_ref(), bracket.span, elements);
        shape.bar = bracket.bar;
        shape
    }

    fn of_subject(
        subject: Option<&'t Subject<'s>>,
        span: Span,
        elements: Vec<&'t Element<'s>>,
    ) -> Self {
        let identity = subject.and_then(|s| s.identity.as_ref());
        let labels: &[Label<'s>] = subject.map_or(&[], |s| &s.labels);
        let head = identity
            .map(|name| name.span)
            .into_iter()
            .chain(labels.iter().map(|label| label.span))
            .reduce(Span::to);
        Self {
            span,
            head: head.unwrap_or(Span::new(span.start, span.start + 1)),
            identity,
            labels,
            properties: subject
                .and_then(|s| s.record.as_ref())
                .map_or_else(Vec::new, |record| record.properties.iter().collect()),
            elements,
            bar: None,
        }
    }

    fn of_annotated(item: &'t Item<'s>) -> Option<Self> {
        let annotations = item.annotations.as_ref()?;
        let subject = annotations.subject.as_ref()?;
        Some(Self {
            span: item.span,
            head: subject.span,
            identity: subject.identity.as_ref(),
            labels: &subject.labels,
            properties: annotations.properties.iter().collect(),
            elements: vec![&item.body],
            bar: None,
        })
    }

    /// The label among these that the pattern has, if any.
    pub(super) fn label(&self, names: &[&str]) -> Option<&'t Label<'s>> {
        self.labels
            .iter()
            .find(|label| names.contains(&label.name.text.as_ref()))
    }
}

/// The shape of an element: a bracket, or a node alone, which means a bracket without elements.
pub(super) fn shape_of<'t, 's>(element: &'t Element<'s>) -> Option<Shape<'t, 's>> {
    match element {
        Element::Bracket(bracket) => Some(Shape::of_bracket(bracket)),
        Element::Path(path) => match path.nodes.as_slice() {
            [node] => Some(Shape::of_subject(
                node.subject.as_ref(),
                node.span,
                Vec::new(),
            )),
            _ => None,
        },
        Element::Reference(_) => None,
    }
}

/// Visits every shape of a document, outer ones first, in source order. Depth is bounded by the
/// parser.
pub(super) fn walk<'t, 's>(document: &'t Document<'s>, visit: &mut dyn FnMut(Shape<'t, 's>)) {
    for item in &document.items {
        if let Some(shape) = Shape::of_annotated(item) {
            visit(shape);
        }
        walk_element(&item.body, visit);
    }
}

fn walk_element<'t, 's>(element: &'t Element<'s>, visit: &mut dyn FnMut(Shape<'t, 's>)) {
    if let Some(shape) = shape_of(element) {
        visit(shape);
    }
    if let Element::Bracket(bracket) = element {
        for inner in &bracket.elements {
            walk_element(inner, visit);
        }
    }
}
