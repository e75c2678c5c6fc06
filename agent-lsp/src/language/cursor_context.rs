//! The part of a document's syntax at an offset, and what can be written there.

use agent_gram::Span;
use agent_gram::syntax::{
    Bracket, Direction, Document, Element, Item, Name, Node, Path, Property, Record, Subject,
    Value, ValueKind,
};
use agent_spec::vocabulary::RecordKind;
use agent_spec::{Kind, Type};

/// The part of a document's syntax at an offset.
#[derive(Debug)]
pub(super) enum CursorContext<'t> {
    /// A key of a record with known keys.
    Key {
        record: RecordContext<'t>,
        name: Name<'t>,
        /// The other keys of the record.
        other_keys: Vec<&'t str>,
        /// Whether the key belongs to an annotation, `@key(value)`.
        is_annotation: bool,
    },
    /// The value of a key, or an item of a list that is the value.
    Value {
        record: RecordContext<'t>,
        key: &'t str,
        value: Value<'t>,
    },
    /// A value that is a type.
    Type { value: Value<'t> },
    /// The name of a field, or a place between its keys.
    Field {
        /// The key or the text that names the field; the whole field between its keys.
        name: Span,
        /// The whole field.
        field: Span,
        /// Whether the field is a map in a list of fields, and not an entry of a map from name to type.
        is_list_item: bool,
    },
    /// A label.
    Label { owner: LabelOwner, name: Name<'t> },
    /// An element of an agent that is a bare name.
    Element { name: Name<'t> },
}

/// The owner of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelOwner {
    /// A pattern that can be an agent or a tool.
    Declaration,
    /// An element of an agent.
    AgentElement,
    /// A parameter of the signature of a tool.
    Parameter,
    /// A parameter of the signature of an agent, which may be media.
    AgentParameter,
    /// The result of a signature.
    Result,
    /// The only pattern of a document, which can be an agent, a tool or a provider with its models.
    OnlyPattern,
    /// A provider in a catalogue of models.
    Catalog,
    /// A model of a provider in a catalogue.
    Model,
}

/// The owner of a record, with the parts that decide which keys and values fit.
#[derive(Clone, Debug)]
pub(super) struct RecordContext<'t> {
    /// The kind of the owner.
    pub(super) kind: RecordKind,
    /// The type that the owner's label or the key `type` gives.
    pub(super) ty: Option<Type>,
    /// Whether the owner has a name before the record.
    pub(super) is_named: bool,
    /// The values of the key `enum`.
    pub(super) enum_values: Vec<Value<'t>>,
}

impl<'t> RecordContext<'t> {
    /// Creates the context for an owner without a type, such as an agent or a tool.
    fn untyped(kind: RecordKind) -> Self {
        Self {
            kind,
            ty: None,
            is_named: false,
            enum_values: Vec::new(),
        }
    }

    /// Creates the context for a node of a signature.
    fn of_node(kind: RecordKind, subject: &Subject<'t>) -> Self {
        let mut labels = subject.labels().map(|label| label.name().text());
        Self {
            ty: labels.find_map(Kind::from_label).map(Type::new),
            is_named: subject.identity().is_some(),
            enum_values: subject.record().map(enum_values).unwrap_or_default(),
            ..Self::untyped(kind)
        }
    }

    /// Creates the context for a field, or for a type that is a record.
    fn of_record(kind: RecordKind, record: Record<'t>) -> Self {
        let ty = value_of(record, "type").and_then(|value| match value.kind() {
            ValueKind::String { text, .. } | ValueKind::Symbol(text) => {
                Type::from_expression(text).ok()
            }
            _ => None,
        });
        Self {
            ty,
            enum_values: enum_values(record),
            ..Self::untyped(kind)
        }
    }
}

fn enum_values(record: Record<'_>) -> Vec<Value<'_>> {
    match value_of(record, "enum").map(|value| value.kind()) {
        Some(ValueKind::Array(array)) => array.items().collect(),
        _ => Vec::new(),
    }
}

fn value_of<'t>(record: Record<'t>, key: &str) -> Option<Value<'t>> {
    let mut properties = record.properties();
    let property = properties.find(|property| property.key().text() == key)?;
    Some(property.value())
}

/// Returns whether the offset is within the span or at one of its ends.
pub(super) fn touches(span: Span, offset: usize) -> bool {
    span.start <= offset && offset <= span.end
}

/// Returns the context at an offset.
pub(super) fn cursor_context<'t>(
    document: &'t Document<'_>,
    offset: usize,
) -> Option<CursorContext<'t>> {
    let item = document.items().find(|item| touches(item.span(), offset))?;
    let search = Search {
        source: document.source(),
        offset,
    };
    let mut others = document.items().filter(|other| other.span() != item.span());
    let is_alone = others.clone().next().is_none();
    if !others.all(is_catalog) {
        return search.item(item);
    }
    let subject = head(item);
    let is_labelled = subject.as_ref().and_then(kind_of).is_some();
    // Beside catalogues, a pattern without a label is a catalogue whose label is not written yet.
    if is_catalog(item) || !is_alone && !is_labelled {
        return search.catalog(item);
    }
    let only_pattern = subject.filter(|_| is_alone);
    only_pattern
        .and_then(|subject| search.label(&subject, LabelOwner::OnlyPattern))
        .or_else(|| search.item(item))
}

/// Returns the subject of an item that is a pattern in brackets.
fn head<'t>(item: Item<'t>) -> Option<Subject<'t>> {
    match item.body() {
        Element::Bracket(bracket) => bracket.subject(),
        _ => None,
    }
}

/// Returns whether an item is a provider with its models.
fn is_catalog(item: Item<'_>) -> bool {
    let subject = head(item);
    subject.is_some_and(|subject| {
        let mut labels = subject.labels();
        labels.any(|label| label.name().text() == "Catalog")
    })
}

/// Returns the context at an offset of a project file.
pub(super) fn project_context<'t>(
    document: &'t Document<'_>,
    offset: usize,
) -> Option<CursorContext<'t>> {
    let source = document.source();
    let settings = RecordContext::untyped(RecordKind::Project);
    Search { source, offset }.record(document.header()?, settings)
}

/// The pattern that encloses an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    /// None: the element is an item of the document.
    Document,
    Agent,
    Tool,
    Other,
}

impl Enclosing {
    fn of(kind: Option<RecordKind>) -> Self {
        match kind {
            Some(RecordKind::Agent) => Self::Agent,
            Some(RecordKind::Tool) => Self::Tool,
            _ => Self::Other,
        }
    }
}

/// Returns whether a subject is an agent or a tool, according to its labels.
fn kind_of(subject: &Subject<'_>) -> Option<RecordKind> {
    let mut labels = subject.labels().map(|label| label.name().text());
    labels.find_map(|label| match label {
        "Agent" => Some(RecordKind::Agent),
        "Tool" | "ToolSpecification" => Some(RecordKind::Tool),
        _ => None,
    })
}

/// The search for an offset, from the root of the tree to its leaves.
#[derive(Clone, Copy)]
struct Search<'s> {
    source: &'s str,
    offset: usize,
}

impl Search<'_> {
    fn touches(self, span: Span) -> bool {
        touches(span, self.offset)
    }

    fn item<'t>(self, item: Item<'t>) -> Option<CursorContext<'t>> {
        let Some(annotations) = item.annotations() else {
            return self.element(item.body(), Enclosing::Document);
        };
        let subject = annotations.subject();
        let kind = subject.as_ref().and_then(kind_of);
        let in_subject =
            || subject.and_then(|subject| self.label(&subject, LabelOwner::Declaration));
        let in_properties = || {
            let record = RecordContext::untyped(kind?);
            self.properties(annotations.properties(), record, true)
        };
        in_subject()
            .or_else(in_properties)
            .or_else(|| self.element(item.body(), Enclosing::of(kind)))
    }

    /// Searches a pattern of a catalogue: a provider, whose elements are its models.
    fn catalog<'t>(self, item: Item<'t>) -> Option<CursorContext<'t>> {
        let Element::Bracket(provider) = item.body() else {
            return None;
        };
        let mut elements = provider.elements();
        self.row(provider, LabelOwner::Catalog, RecordKind::Catalog)
            .or_else(|| {
                elements.find_map(|element| match element {
                    Element::Bracket(model) => {
                        self.row(model, LabelOwner::Model, RecordKind::Model)
                    }
                    _ => None,
                })
            })
    }

    /// Searches the label and the record of a provider or a model.
    fn row<'t>(
        self,
        row: Bracket<'t>,
        owner: LabelOwner,
        kind: RecordKind,
    ) -> Option<CursorContext<'t>> {
        let subject = row.subject()?;
        self.label(&subject, owner)
            .or_else(|| self.record(subject.record()?, RecordContext::untyped(kind)))
    }

    fn element<'t>(self, element: Element<'t>, enclosing: Enclosing) -> Option<CursorContext<'t>> {
        if !self.touches(element.span()) {
            return None;
        }
        match element {
            Element::Bracket(bracket) => self.bracket(bracket, enclosing),
            Element::Path(path) => self.path(path, enclosing),
            Element::Reference(name) => {
                (enclosing == Enclosing::Agent).then_some(CursorContext::Element { name })
            }
        }
    }

    fn bracket<'t>(self, bracket: Bracket<'t>, enclosing: Enclosing) -> Option<CursorContext<'t>> {
        let subject = bracket.subject();
        let inner = Enclosing::of(subject.as_ref().and_then(kind_of));
        let mut elements = bracket.elements();
        subject
            .and_then(|subject| self.declaration(&subject, enclosing))
            .or_else(|| elements.find_map(|element| self.element(element, inner)))
    }

    /// Searches the subject of a pattern that can be an agent or a tool.
    fn declaration<'t>(
        self,
        subject: &Subject<'t>,
        enclosing: Enclosing,
    ) -> Option<CursorContext<'t>> {
        if !self.touches(subject.span()) {
            return None;
        }
        let owner = match enclosing {
            Enclosing::Agent => LabelOwner::AgentElement,
            _ => LabelOwner::Declaration,
        };
        let in_record =
            || self.record(subject.record()?, RecordContext::untyped(kind_of(subject)?));
        self.label(subject, owner).or_else(in_record)
    }

    fn path<'t>(self, path: Path<'t>, enclosing: Enclosing) -> Option<CursorContext<'t>> {
        let mut arrows = path.arrows();
        if let Some(arrow) = arrows.find(|arrow| self.touches(arrow.span()))
            && let Some(subject) = arrow.subject()
        {
            let context = self.declaration(&subject, Enclosing::Other);
            return context.or_else(|| self.nodes(path, enclosing));
        }
        self.nodes(path, enclosing)
    }

    fn nodes<'t>(self, path: Path<'t>, enclosing: Enclosing) -> Option<CursorContext<'t>> {
        let mut nodes = path.nodes();
        let (index, node) =
            (nodes.by_ref().enumerate()).find(|(_, node)| self.touches(node.span()))?;
        let subject = node.subject()?;
        let mut arrows = path.arrows().peekable();
        let is_alone = arrows.peek().is_none();
        if is_alone && enclosing == Enclosing::Agent {
            return self.agent_element(node, &subject);
        }
        let is_signature = match enclosing {
            Enclosing::Tool => true,
            Enclosing::Document | Enclosing::Agent => !is_alone,
            Enclosing::Other => false,
        };
        if !is_signature {
            // Labels of patterns that are not agents, tools or signatures can be any name.
            kind_of(&subject)?;
            return self.declaration(&subject, enclosing);
        }
        let is_last = nodes.next().is_none();
        let is_reversed = arrows.all(|arrow| arrow.direction() == Direction::Left);
        let is_result = !is_alone && if is_reversed { index == 0 } else { is_last };
        let (owner, kind) = if is_result {
            (LabelOwner::Result, RecordKind::Result)
        } else if enclosing == Enclosing::Agent {
            (LabelOwner::AgentParameter, RecordKind::Parameter)
        } else {
            (LabelOwner::Parameter, RecordKind::Parameter)
        };
        let in_record = || self.record(subject.record()?, RecordContext::of_node(kind, &subject));
        self.label(&subject, owner).or_else(in_record)
    }

    /// Searches a node alone among the elements of an agent: a bare name, or a tool.
    fn agent_element<'t>(self, node: Node<'t>, subject: &Subject<'t>) -> Option<CursorContext<'t>> {
        let is_bare = subject.labels().next().is_none() && subject.record().is_none();
        match subject.identity() {
            Some(name) if is_bare && self.touches(name.span()) => {
                Some(CursorContext::Element { name })
            }
            _ => self.declaration(&node.subject()?, Enclosing::Agent),
        }
    }

    fn label<'t>(self, subject: &Subject<'t>, owner: LabelOwner) -> Option<CursorContext<'t>> {
        let mut names = subject.labels().map(|label| label.name());
        let name = names.find(|name| self.touches(name.span()))?;
        Some(CursorContext::Label { owner, name })
    }

    fn record<'t>(
        self,
        record: Record<'t>,
        context: RecordContext<'t>,
    ) -> Option<CursorContext<'t>> {
        if !self.touches(record.span()) {
            return None;
        }
        self.properties(record.properties(), context, false)
    }

    fn properties<'t>(
        self,
        mut properties: impl Iterator<Item = Property<'t>> + Clone,
        record: RecordContext<'t>,
        is_annotation: bool,
    ) -> Option<CursorContext<'t>> {
        let all = properties.clone();
        let property = properties.find(|property| self.touches(property.span()))?;
        let name = property.key();
        if self.touches(name.span()) {
            let others = all.filter(|other| other.key().span() != name.span());
            let others = others.map(|other| other.key().text());
            return Some(CursorContext::Key {
                record,
                name,
                other_keys: others.chain(self.swallowed_key(property)).collect(),
                is_annotation,
            });
        }
        self.value(property.value(), record, name.text())
    }

    /// Returns the key of the next property if the parser read that key as this property's value.
    ///
    /// The parser does so if this property has no value and no comma yet.
    fn swallowed_key<'t>(self, property: Property<'t>) -> Option<&'t str> {
        let value = property.value();
        let ValueKind::Symbol(word) = value.kind() else {
            return None;
        };
        let between = Span::new(property.key().span().end, value.span().start);
        (!between.text(self.source).contains(':')).then_some(word)
    }

    /// Searches the value of a key.
    fn value<'t>(
        self,
        value: Value<'t>,
        record: RecordContext<'t>,
        key: &'t str,
    ) -> Option<CursorContext<'t>> {
        if !self.touches(value.span()) {
            return None;
        }
        let inner = match (record.kind, key) {
            (RecordKind::Agent, "grants") => Some(RecordKind::Grants),
            (RecordKind::Model, "price") => Some(RecordKind::Price),
            (RecordKind::Price, "longContext") => Some(RecordKind::LongContext),
            _ => None,
        };
        if let (Some(kind), ValueKind::Map(inner)) = (inner, value.kind()) {
            return self.record(inner, RecordContext::untyped(kind));
        }
        match (record.kind, key) {
            (
                RecordKind::Tool
                | RecordKind::Project
                | RecordKind::Agent
                | RecordKind::Grants
                | RecordKind::Catalog
                | RecordKind::Model
                | RecordKind::Price
                | RecordKind::LongContext,
                _,
            ) => {}
            (_, "type" | "elementType" | "valueType") => {
                return self.type_value(value, RecordKind::Type);
            }
            (_, "items" | "anyOf") => {
                let ValueKind::Array(types) = value.kind() else {
                    return None;
                };
                let ty = types.items().find(|item| self.touches(item.span()))?;
                return self.type_value(ty, RecordKind::Type);
            }
            (_, "fields") => return self.fields(value),
            _ => {}
        }
        self.plain_value(value, record, key)
    }

    /// Searches a value that is not a type: the value itself, or the item of a list.
    fn plain_value<'t>(
        self,
        value: Value<'t>,
        record: RecordContext<'t>,
        key: &'t str,
    ) -> Option<CursorContext<'t>> {
        match value.kind() {
            ValueKind::Map(_) => None,
            ValueKind::Array(array) => {
                let value = array.items().find(|item| self.touches(item.span()))?;
                let is_leaf = !matches!(value.kind(), ValueKind::Map(_) | ValueKind::Array(_));
                is_leaf.then_some(CursorContext::Value { record, key, value })
            }
            _ => Some(CursorContext::Value { record, key, value }),
        }
    }

    /// Searches a type: a text, or a map with keys of its own. Between its keys, a map is a type itself.
    fn type_value<'t>(self, value: Value<'t>, kind: RecordKind) -> Option<CursorContext<'t>> {
        let ValueKind::Map(record) = value.kind() else {
            return Some(CursorContext::Type { value });
        };
        let mut properties = record.properties();
        if properties.any(|property| self.touches(property.span())) {
            return self.record(record, RecordContext::of_record(kind, record));
        }
        self.touches(value.span())
            .then_some(CursorContext::Type { value })
    }

    /// Searches a list of fields, or a map from name to type.
    fn fields<'t>(self, value: Value<'t>) -> Option<CursorContext<'t>> {
        match value.kind() {
            ValueKind::Array(array) => {
                let item = array.items().find(|item| self.touches(item.span()))?;
                let ValueKind::Map(record) = item.kind() else {
                    return None;
                };
                let name = value_of(record, "name").map(|name| name.span());
                let mut properties = record.properties();
                let is_between = !properties.any(|property| self.touches(property.span()));
                let name = match name {
                    Some(name) if self.touches(name) => name,
                    _ if is_between => item.span(),
                    _ => {
                        let context = RecordContext::of_record(RecordKind::Field, record);
                        return self.record(record, context);
                    }
                };
                Some(CursorContext::Field {
                    name,
                    field: item.span(),
                    is_list_item: true,
                })
            }
            ValueKind::Map(record) => {
                let mut properties = record.properties();
                let property = properties.find(|property| self.touches(property.span()))?;
                let name = property.key().span();
                if self.touches(name) {
                    return Some(CursorContext::Field {
                        name,
                        field: property.span(),
                        is_list_item: false,
                    });
                }
                self.type_value(property.value(), RecordKind::Entry)
            }
            _ => None,
        }
    }
}
