//! The occurrences of the names of tools and agents in a document.

use super::cursor_context::touches;
use agent_gram::Span;
use agent_spec::check::Outline;
use agent_spec::check::outline::Mention;

/// An occurrence of the name of a tool or an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence<'a> {
    /// The name.
    pub(crate) name: &'a str,
    /// The span of the name, including quotes.
    pub(crate) span: Span,
    /// The role of the name at this position.
    pub(crate) role: Role,
}

/// The role of a name at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of a definition.
    Definition,
    /// The text of a definition's property `name`, which repeats the name.
    NameProperty,
    /// An element of an agent.
    Reference,
    /// The text of an agent's `toolChoice`.
    ToolChoice,
}

impl Role {
    /// Returns whether the name is a text in quotes.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Role::NameProperty | Role::ToolChoice)
    }

    /// Returns whether the name is part of a definition.
    pub(crate) fn is_definition(self) -> bool {
        matches!(self, Role::Definition | Role::NameProperty)
    }
}

/// Returns all occurrences of names of tools and agents, in no particular order.
pub(crate) fn occurrences(outline: &Outline) -> impl Iterator<Item = Occurrence<'_>> {
    let tools = outline.tools.iter();
    let tools =
        tools.flat_map(|tool| in_definition(tool.name.as_ref(), tool.name_property.as_ref()));
    let agents = outline.agents.iter();
    let agents =
        agents.flat_map(|agent| in_definition(agent.name.as_ref(), agent.name_property.as_ref()));
    let choices = outline.agents.iter().filter_map(|agent| {
        let mention = agent.choice.as_ref()?;
        Some(occurrence(mention, Role::ToolChoice))
    });
    let elements = outline.references();
    let references = elements.map(|mention| occurrence(mention, Role::Reference));
    tools.chain(agents).chain(references).chain(choices)
}

/// Returns the occurrences of one name.
pub(crate) fn occurrences_of<'a>(
    outline: &'a Outline,
    name: &'a str,
) -> impl Iterator<Item = Occurrence<'a>> + 'a {
    occurrences(outline).filter(move |occurrence| occurrence.name == name)
}

/// Returns the occurrence at an offset.
pub(crate) fn occurrence_at(outline: &Outline, offset: usize) -> Option<Occurrence<'_>> {
    occurrences(outline).find(|occurrence| touches(occurrence.span, offset))
}

fn in_definition<'a>(
    name: Option<&'a Mention>,
    property: Option<&'a Mention>,
) -> impl Iterator<Item = Occurrence<'a>> {
    let property = property.filter(|property| name.is_some_and(|name| name.name == property.name));
    let name = name.map(|mention| occurrence(mention, Role::Definition));
    let property = property.map(|mention| occurrence(mention, Role::NameProperty));
    name.into_iter().chain(property)
}

fn occurrence(mention: &Mention, role: Role) -> Occurrence<'_> {
    Occurrence {
        name: &mention.name,
        span: mention.span,
        role,
    }
}
