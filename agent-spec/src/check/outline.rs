//! The outline of a document for editors: its declarations and their positions, even in a text with
//! errors.
//!
//! [`check`](super::check()) returns only agents and tools without errors. A text that is being edited
//! has errors most of the time, and an editor still lists its declarations and resolves its names.
//!
//! ```
//! use agent_spec::check::outline;
//!
//! let parsed = agent_gram::parse("[t:Tool {description: \"d\"} | (name::Text)==>(::");
//! let outline = outline(&parsed.document);
//! assert_eq!(outline.definitions("t").count(), 1);
//! ```

use crate::check::agent::opt_signature;
use crate::check::shapes::{Member, Shape, walk};
use crate::check::signature::nodes_of;
use crate::settings::TOOL_CHOICES;
use crate::vocabulary::{AGENT_LABEL, TOOL_LABELS};
use agent_gram::Span;
use agent_gram::syntax::{Arrow, Direction, Document, Element, Name, Node, Value, ValueKind};
use std::collections::HashMap;

/// The declarations of a document, in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// The agents, at any depth.
    pub agents: Vec<AgentOutline>,
    /// The tools, at any depth, those inside agents included.
    pub tools: Vec<ToolOutline>,
}

/// A name and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention {
    /// The name, without quotes.
    pub name: String,
    /// The position, quotes included.
    pub span: Span,
}

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentOutline {
    /// Its name, when it has one.
    pub name: Option<Mention>,
    /// The whole agent.
    pub whole: Span,
    /// Name and labels.
    pub head: Span,
    /// The text of a property `name`. It has no meaning, but must change when the agent is renamed.
    pub name_property: Option<Mention>,
    /// The parameters of its signature.
    pub params: Vec<NodeOutline>,
    /// The result of its signature.
    pub result: Option<NodeOutline>,
    /// The tools, agents and references among its elements, in order.
    pub elements: Vec<ElementOutline>,
    /// The tool of its `toolChoice`.
    pub choice: Option<Mention>,
}

/// An element of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementOutline {
    /// A tool that is defined here: its place in [`Outline::tools`].
    Tool(usize),
    /// An agent that is defined here: its place in [`Outline::agents`].
    Agent(usize),
    /// The name of a tool or an agent.
    Reference(Mention),
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutline {
    /// Its name, when it has one.
    pub name: Option<Mention>,
    /// The whole tool.
    pub whole: Span,
    /// Name and labels.
    pub head: Span,
    /// The text of a property `name`. It has no meaning, but must change when the tool is renamed.
    pub name_property: Option<Mention>,
    /// Its parameters.
    pub params: Vec<NodeOutline>,
    /// Its result.
    pub result: Option<NodeOutline>,
}

/// A parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeOutline {
    /// Its name, when it has one.
    pub name: Option<Mention>,
    /// Its first label, which is its type.
    pub label: Option<Mention>,
    /// The whole node.
    pub whole: Span,
}

impl Outline {
    /// The definitions of a tool.
    pub fn definitions(&self, name: &str) -> impl Iterator<Item = &ToolOutline> {
        self.tools.iter().filter(move |tool| {
            let own = tool.name.as_ref();
            own.is_some_and(|mention| mention.name == name)
        })
    }

    /// The agents of a name.
    pub fn agents_named(&self, name: &str) -> impl Iterator<Item = &AgentOutline> {
        self.agents.iter().filter(move |agent| {
            let own = agent.name.as_ref();
            own.is_some_and(|mention| mention.name == name)
        })
    }

    /// The references to tools and agents among the elements of agents.
    pub fn references(&self) -> impl Iterator<Item = &Mention> {
        let elements = self.agents.iter().flat_map(|agent| &agent.elements);
        elements.filter_map(|element| match element {
            ElementOutline::Reference(mention) => Some(mention),
            ElementOutline::Tool(_) | ElementOutline::Agent(_) => None,
        })
    }
}

/// Reads what a document declares, whether or not it has errors.
#[must_use]
pub fn outline(document: &Document<'_>) -> Outline {
    let mut outline = Outline::default();
    // A tool comes after the agent that it is an element of.
    let mut members: Vec<Vec<Member<'_>>> = Vec::new();
    let mut tools: HashMap<Span, usize> = HashMap::new();
    let mut agents: HashMap<Span, usize> = HashMap::new();
    walk(document, &mut |shape| {
        if shape.label(&TOOL_LABELS).is_some() {
            tools.insert(shape.span, outline.tools.len());
            outline.tools.push(tool_outline(&shape));
        }
        if shape.label(&[AGENT_LABEL]).is_some() {
            agents.insert(shape.span, outline.agents.len());
            let signature = shape.elements.iter().copied().find_map(opt_signature);
            let (params, result) = signature.map_or_else(Default::default, node_outlines);
            outline.agents.push(AgentOutline {
                name: shape.identity.and_then(mention),
                whole: shape.span,
                head: shape.head,
                name_property: property(&shape, "name").and_then(text_mention),
                params,
                result,
                elements: Vec::new(),
                choice: choice(&shape),
            });
            members.push(shape.elements);
        }
    });
    for (agent, members) in outline.agents.iter_mut().zip(members) {
        let elements = members.into_iter();
        agent.elements = elements
            .filter_map(|member| element_outline(member, &mut outline.tools, &tools, &agents))
            .collect();
    }
    outline
}

fn element_outline(
    member: Member<'_>,
    known: &mut Vec<ToolOutline>,
    places: &HashMap<Span, usize>,
    agents: &HashMap<Span, usize>,
) -> Option<ElementOutline> {
    if let Member::Element(Element::Reference(name)) = member {
        return mention(name).map(ElementOutline::Reference);
    }
    let shape = member.shape()?;
    if shape.label(&TOOL_LABELS).is_some() {
        let place = places.get(&shape.span).copied();
        return Some(ElementOutline::Tool(place.unwrap_or_else(|| {
            // A node at the end of an arrow is no element of the document.
            known.push(tool_outline(&shape));
            known.len() - 1
        })));
    }
    if let Some(agent) = agents.get(&shape.span) {
        return Some(ElementOutline::Agent(*agent));
    }
    let is_bare =
        shape.labels.is_empty() && shape.properties.is_empty() && shape.elements.is_empty();
    let name = shape.identity.filter(|_| is_bare)?;
    mention(name).map(ElementOutline::Reference)
}

fn tool_outline(shape: &Shape<'_>) -> ToolOutline {
    let (params, result) = match shape.elements.as_slice() {
        [Member::Element(element), ..] => node_outlines(*element),
        _ => (Vec::new(), None),
    };
    ToolOutline {
        name: shape.identity.and_then(mention),
        whole: shape.span,
        head: shape.head,
        name_property: property(shape, "name").and_then(text_mention),
        params,
        result,
    }
}

/// The parameters and the result of a signature.
fn node_outlines(signature: Element<'_>) -> (Vec<NodeOutline>, Option<NodeOutline>) {
    let (params, result) = nodes(signature);
    let params = params.into_iter().filter_map(node_outline);
    (params.collect(), result.and_then(node_outline))
}

/// Parameters and result, as far as they are written: a node alone is a parameter.
fn nodes(element: Element<'_>) -> (Vec<Node<'_>>, Option<Node<'_>>) {
    let Some((mut nodes, arrows)) = nodes_of(element) else {
        return match element {
            Element::Path(path) => (path.nodes().collect(), None),
            _ => (Vec::new(), None),
        };
    };
    let is_left = |arrow: &Arrow<'_>| arrow.direction() == Direction::Left;
    if arrows.iter().all(is_left) {
        nodes.reverse();
    }
    let result = nodes.pop();
    (nodes, result)
}

fn node_outline(node: Node<'_>) -> Option<NodeOutline> {
    let subject = node.subject()?;
    let given = || {
        let mut properties = subject.record()?.properties();
        let property = properties.find(|property| property.key().text() == "paramName")?;
        text_mention(property.value())
    };
    Some(NodeOutline {
        name: subject.identity().and_then(mention).or_else(given),
        label: subject
            .labels()
            .next()
            .and_then(|label| mention(label.name())),
        whole: node.span(),
    })
}

fn choice(shape: &Shape<'_>) -> Option<Mention> {
    let mention = text_mention(property(shape, "toolChoice")?)?;
    (!TOOL_CHOICES.contains(&mention.name.as_str())).then_some(mention)
}

fn property<'t>(shape: &Shape<'t>, key: &str) -> Option<Value<'t>> {
    let mut properties = shape.properties.iter();
    let property = properties.find(|property| property.key().text() == key)?;
    Some(property.value())
}

fn mention(name: Name<'_>) -> Option<Mention> {
    (!name.text().is_empty()).then(|| Mention {
        name: name.text().to_owned(),
        span: name.span(),
    })
}

fn text_mention(value: Value<'_>) -> Option<Mention> {
    match value.kind() {
        ValueKind::String { text, .. } | ValueKind::Tagged { text, .. } => Some(Mention {
            name: text.to_owned(),
            span: value.span(),
        }),
        _ => None,
    }
}
