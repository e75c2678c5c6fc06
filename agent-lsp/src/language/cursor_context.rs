//! What stands at an offset: which part of the grammar it is, and what may stand there.

mod holder;
mod value;

pub(super) use holder::Holder;

use agent_gram::Span;
use agent_gram::syntax::{
    Bracket, Direction, Document, Element, Item, Name, Node, Path, Property, Record, Subject,
    Value, ValueKind,
};
use agent_spec::check::Place;

/// What stands at an offset.
#[derive(Debug)]
pub(super) enum Site<'t> {
    /// A key of a record with keys that mean something.
    Key {
        of: Holder<'t>,
        name: Name<'t>,
        /// The other keys of the record.
        others: Vec<&'t str>,
        /// Whether it is the key of an annotation, `@key(value)`.
        annotation: bool,
    },
    /// A value of such a key, or an item of a list that is its value.
    Value {
        of: Holder<'t>,
        key: &'t str,
        value: Value<'t>,
    },
    /// A value that stands for a type.
    Type { value: Value<'t> },
    /// The name of a field.
    Field {
        /// The key or the text that names it.
        name: Span,
        /// All that is said of the field.
        whole: Span,
        /// Whether it stands in a list of fields, as a map, and not in a map from name to type.
        listed: bool,
    },
    /// A label.
    Label { of: Labelled, name: Name<'t> },
    /// An element of an agent that is a bare name.
    Element { name: Name<'t> },
}

/// What has a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labelled {
    /// A pattern that stands where an agent or a tool can.
    Declaration,
    /// An element of an agent.
    Member,
    /// A parameter of a signature.
    Parameter,
    /// The result of a signature.
    Result,
}

/// What stands around an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing: it is an item of the document.
    Document,
    Agent,
    Tool,
    Anything,
}

/// What stands at the offset, if it is one of these.
pub(super) fn site<'t>(document: &'t Document<'_>, offset: usize) -> Option<Site<'t>> {
    let item = document.items().find(|item| touches(item.span(), offset))?;
    let source = document.source();
    Search { source, offset }.item(item)
}

/// Whether the offset is in the span or at one of its ends.
pub(super) fn touches(span: Span, offset: usize) -> bool {
    span.start <= offset && offset <= span.end
}

/// The walk down to an offset.
#[derive(Clone, Copy)]
struct Search<'s> {
    source: &'s str,
    offset: usize,
}

impl Search<'_> {
    fn is_in(self, span: Span) -> bool {
        touches(span, self.offset)
    }

    fn item<'t>(self, item: Item<'t>) -> Option<Site<'t>> {
        let Some(annotations) = item.annotations() else {
            return self.element(item.body(), Around::Document);
        };
        let subject = annotations.subject();
        let place = subject.as_ref().and_then(place_of);
        let of_subject = || subject.and_then(|subject| self.label(&subject, Labelled::Declaration));
        let of_property = || self.properties(annotations.properties(), Holder::of(place?), true);
        let around = around(place);
        of_subject()
            .or_else(of_property)
            .or_else(|| self.element(item.body(), around))
    }

    fn element<'t>(self, element: Element<'t>, around: Around) -> Option<Site<'t>> {
        if !self.is_in(element.span()) {
            return None;
        }
        match element {
            Element::Bracket(bracket) => self.bracket(bracket, around),
            Element::Path(path) => self.path(path, around),
            Element::Reference(name) => (around == Around::Agent).then_some(Site::Element { name }),
        }
    }

    fn bracket<'t>(self, bracket: Bracket<'t>, around: Around) -> Option<Site<'t>> {
        let subject = bracket.subject();
        let inside = self::around(subject.as_ref().and_then(place_of));
        let mut elements = bracket.elements();
        subject
            .and_then(|subject| self.declaration(&subject, around))
            .or_else(|| elements.find_map(|element| self.element(element, inside)))
    }

    /// The subject of what can be an agent or a tool.
    fn declaration<'t>(self, subject: &Subject<'t>, around: Around) -> Option<Site<'t>> {
        if !self.is_in(subject.span()) {
            return None;
        }
        let labelled = match around {
            Around::Agent => Labelled::Member,
            _ => Labelled::Declaration,
        };
        let of_record = || self.record(subject.record()?, Holder::of(place_of(subject)?));
        self.label(subject, labelled).or_else(of_record)
    }

    fn path<'t>(self, path: Path<'t>, around: Around) -> Option<Site<'t>> {
        let mut arrows = path.arrows();
        if let Some(arrow) = arrows.find(|arrow| self.is_in(arrow.span()))
            && let Some(subject) = arrow.subject()
        {
            let found = self.declaration(&subject, Around::Anything);
            return found.or_else(|| self.nodes(path, around));
        }
        self.nodes(path, around)
    }

    fn nodes<'t>(self, path: Path<'t>, around: Around) -> Option<Site<'t>> {
        let mut nodes = path.nodes();
        let (at, node) = (nodes.by_ref().enumerate()).find(|(_, node)| self.is_in(node.span()))?;
        let subject = node.subject()?;
        let mut arrows = path.arrows().peekable();
        let is_alone = arrows.peek().is_none();
        if is_alone && around == Around::Agent {
            return self.member_node(node, &subject);
        }
        let is_signature = match around {
            Around::Tool => true,
            Around::Document => !is_alone,
            Around::Agent | Around::Anything => false,
        };
        if !is_signature {
            // Any pattern; types are for signatures.
            place_of(&subject)?;
            return self.declaration(&subject, around);
        }
        let is_last = nodes.next().is_none();
        let backwards = arrows.all(|arrow| arrow.direction() == Direction::Left);
        let is_result = !is_alone && if backwards { at == 0 } else { is_last };
        let (labelled, place) = if is_result {
            (Labelled::Result, Place::Result)
        } else {
            (Labelled::Parameter, Place::Parameter)
        };
        let of_record = || self.record(subject.record()?, Holder::of_node(place, &subject));
        self.label(&subject, labelled).or_else(of_record)
    }

    /// A node alone among the elements of an agent: a bare name, or a tool.
    fn member_node<'t>(self, node: Node<'t>, subject: &Subject<'t>) -> Option<Site<'t>> {
        let is_bare = subject.labels().next().is_none() && subject.record().is_none();
        match subject.identity() {
            Some(name) if is_bare && self.is_in(name.span()) => Some(Site::Element { name }),
            _ => self.declaration(&node.subject()?, Around::Agent),
        }
    }

    fn label<'t>(self, subject: &Subject<'t>, of: Labelled) -> Option<Site<'t>> {
        let mut names = subject.labels().map(|label| label.name());
        let name = names.find(|name| self.is_in(name.span()))?;
        Some(Site::Label { of, name })
    }

    fn record<'t>(self, record: Record<'t>, of: Holder<'t>) -> Option<Site<'t>> {
        if !self.is_in(record.span()) {
            return None;
        }
        self.properties(record.properties(), of, false)
    }

    fn properties<'t>(
        self,
        mut properties: impl Iterator<Item = Property<'t>> + Clone,
        of: Holder<'t>,
        annotation: bool,
    ) -> Option<Site<'t>> {
        let all = properties.clone();
        let property = properties.find(|property| self.is_in(property.span()))?;
        let name = property.key();
        if self.is_in(name.span()) {
            let others = all.filter(|other| other.key().span() != name.span());
            let others = others.map(|other| other.key().text());
            return Some(Site::Key {
                of,
                name,
                others: others.chain(self.swallowed(property)).collect(),
                annotation,
            });
        }
        self.value(property.value(), of, name.text())
    }

    /// The key of the next property, when this one has no value yet and no comma: the parser takes
    /// it for the value.
    fn swallowed<'t>(self, property: Property<'t>) -> Option<&'t str> {
        let value = property.value();
        let ValueKind::Symbol(word) = value.kind() else {
            return None;
        };
        let between = Span::new(property.key().span().end, value.span().start);
        (!between.text(self.source).contains(':')).then_some(word)
    }
}

/// What the record of a subject is, when its labels say it.
fn place_of(subject: &Subject<'_>) -> Option<Place> {
    let mut labels = subject.labels().map(|label| label.name().text());
    labels.find_map(|label| match label {
        "Agent" => Some(Place::Agent),
        "Tool" | "ToolSpecification" => Some(Place::Tool),
        _ => None,
    })
}

fn around(place: Option<Place>) -> Around {
    match place {
        Some(Place::Agent) => Around::Agent,
        Some(Place::Tool) => Around::Tool,
        _ => Around::Anything,
    }
}
