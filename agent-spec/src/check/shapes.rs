//! The ways to write a tool or agent seen as one: `[name:Label {…} | …]`, `@@name:Label @key(…) …`,
//! and, since it is the same pattern, `(first)=[name:Label {…}]=>(second)` when there are two
//! elements without elements of their own.

use agent_gram::Span;
use agent_gram::syntax::{
    Bracket, Direction, Document, Element, Item, Label, Name, Node, Path, Property, Subject,
};

/// A pattern that has a head and elements, in either form.
pub(super) struct Shape<'t> {
    pub(super) span: Span,
    /// The position of the identifier and labels, which declare the kind of pattern.
    pub(super) head: Span,
    pub(super) identity: Option<Name<'t>>,
    pub(super) labels: Vec<Label<'t>>,
    pub(super) properties: Vec<Property<'t>>,
    pub(super) elements: Vec<Member<'t>>,
    /// The bar between head and elements.
    bar: Option<Span>,
}

/// An element of a shape.
#[derive(Clone, Copy)]
pub(super) enum Member<'t> {
    Element(Element<'t>),
    /// A node that an arrow leads from or to.
    Node(Node<'t>),
}

impl<'t> Member<'t> {
    pub(super) fn span(&self) -> Span {
        match self {
            Member::Element(element) => element.span(),
            Member::Node(node) => node.span(),
        }
    }

    /// Returns the shape of a bracket, of an arrow, or of a single node, which means a bracket without
    /// elements.
    pub(super) fn shape(self) -> Option<Shape<'t>> {
        match self {
            Member::Element(element) => shape_of(element),
            Member::Node(node) => Some(Shape::of_node(node)),
        }
    }
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

    /// The text after the head: the elements and the separators between them.
    pub(super) fn after_head(&self) -> Span {
        Span::new(self.before_elements().end, self.span.end)
    }

    fn of_bracket(bracket: Bracket<'t>) -> Self {
        let elements = bracket.elements().map(Member::Element).collect();
        let mut shape = Self::of_subject(bracket.subject(), bracket.span(), elements);
        shape.bar = bracket.bar();
        shape
    }

    fn of_node(node: Node<'t>) -> Self {
        Self::of_subject(node.subject(), node.span(), Vec::new())
    }

    fn of_path(path: Path<'t>) -> Option<Self> {
        let mut nodes = path.nodes();
        let (first, second, third) = (nodes.next()?, nodes.next(), nodes.next());
        match (second, third) {
            (None, _) => Some(Self::of_node(first)),
            (Some(second), None) => {
                let arrow = path.arrows().next()?;
                // Most arrows are arrows of signatures, which have no subject.
                let subject = arrow.subject()?;
                let mut elements = vec![Member::Node(first), Member::Node(second)];
                if arrow.direction() == Direction::Left {
                    elements.reverse();
                }
                Some(Self::of_subject(Some(subject), path.span(), elements))
            }
            _ => None,
        }
    }

    fn of_subject(subject: Option<Subject<'t>>, span: Span, elements: Vec<Member<'t>>) -> Self {
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
            elements: vec![Member::Element(item.body())],
            bar: None,
        })
    }

    /// Returns the first label of the pattern that is one of `names`, if any.
    pub(super) fn label(&self, names: &[&str]) -> Option<Label<'t>> {
        let mut labels = self.labels.iter().copied();
        labels.find(|label| names.contains(&label.name().text()))
    }
}

fn shape_of(element: Element<'_>) -> Option<Shape<'_>> {
    match element {
        Element::Bracket(bracket) => Some(Shape::of_bracket(bracket)),
        Element::Path(path) => Shape::of_path(path),
        Element::Reference(_) => None,
    }
}

/// The part of a document that a shape is read from. Places are kept instead of shapes, because a place takes
/// a fifth of the memory, and a document can have millions of patterns of a few bytes.
#[derive(Clone, Copy)]
pub(super) enum ShapePlace<'t> {
    Annotated(Item<'t>),
    Element(Element<'t>),
}

impl<'t> ShapePlace<'t> {
    /// Reads the shape.
    pub(super) fn shape(self) -> Option<Shape<'t>> {
        match self {
            ShapePlace::Annotated(item) => Shape::of_annotated(item),
            ShapePlace::Element(element) => shape_of(element),
        }
    }
}

/// Visits every shape of a document, outer ones first, in source order. Depth is bounded by the
/// parser.
pub(super) fn walk<'t>(document: &'t Document<'_>, visit: &mut dyn FnMut(Shape<'t>)) {
    walk_places(document, &mut |_, shape| visit(shape));
}

/// Visits every shape of a document with its place, as [`walk`] does.
pub(super) fn walk_places<'t>(
    document: &'t Document<'_>,
    visit: &mut dyn FnMut(ShapePlace<'t>, Shape<'t>),
) {
    for item in document.items() {
        if let Some(shape) = Shape::of_annotated(item) {
            visit(ShapePlace::Annotated(item), shape);
        }
        walk_element(item.body(), visit);
    }
}

fn walk_element<'t>(element: Element<'t>, visit: &mut dyn FnMut(ShapePlace<'t>, Shape<'t>)) {
    if let Some(shape) = shape_of(element) {
        visit(ShapePlace::Element(element), shape);
    }
    if let Element::Bracket(bracket) = element {
        for inner in bracket.elements() {
            walk_element(inner, visit);
        }
    }
}

/// The names and the properties of a document.
pub(crate) trait VisitParts<'t> {
    /// Visits an identity, a label or a reference.
    fn name(&mut self, _name: Name<'t>) {}

    /// Visits the properties of a pattern. `owner` is the identity of the pattern, if it has one.
    fn properties(
        &mut self,
        owner: Option<&'t str>,
        properties: &mut dyn Iterator<Item = Property<'t>>,
    );
}

/// Visits all names and properties of a document in source order. Depth is bounded by the parser.
pub(crate) fn walk_parts<'t>(document: &'t Document<'_>, visit: &mut dyn VisitParts<'t>) {
    if let Some(header) = document.header() {
        visit.properties(None, &mut header.properties());
    }
    for item in document.items() {
        if let Some(annotations) = item.annotations() {
            let subject = annotations.subject();
            let owner = subject.as_ref().and_then(owner_of);
            visit_subject(subject, visit);
            visit.properties(owner, &mut annotations.properties());
        }
        visit_element(item.body(), visit);
    }
}

fn visit_element<'t>(element: Element<'t>, visit: &mut dyn VisitParts<'t>) {
    match element {
        Element::Bracket(bracket) => {
            visit_subject(bracket.subject(), visit);
            for inner in bracket.elements() {
                visit_element(inner, visit);
            }
        }
        Element::Path(path) => {
            for node in path.nodes() {
                visit_subject(node.subject(), visit);
            }
            for arrow in path.arrows() {
                visit_subject(arrow.subject(), visit);
            }
        }
        Element::Reference(name) => visit.name(name),
    }
}

fn visit_subject<'t>(subject: Option<Subject<'t>>, visit: &mut dyn VisitParts<'t>) {
    let Some(subject) = subject else {
        return;
    };
    let labels = subject.labels().map(|label| label.name());
    for name in subject.identity().into_iter().chain(labels) {
        visit.name(name);
    }
    if let Some(record) = subject.record() {
        visit.properties(owner_of(&subject), &mut record.properties());
    }
}

fn owner_of<'t>(subject: &Subject<'t>) -> Option<&'t str> {
    subject.identity().map(|name| name.text())
}
