//! Where a document names tools.

use super::cursor_context::touches;
use agent_gram::Span;
use agent_spec::check::Outline;
use agent_spec::check::outline::{Mention, ToolOutline};

/// A place that names a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence<'a> {
    /// The tool's name.
    pub(crate) name: &'a str,
    /// Where it stands, quotes included.
    pub(crate) span: Span,
    /// What it does there.
    pub(crate) role: Role,
}

/// What the name of a tool does where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the name of a definition.
    Definition,
    /// It is the text of a definition's property `name`, which says its name once more.
    Property,
    /// It is an element of an agent.
    Reference,
    /// It is the text of an agent's `toolChoice`.
    Choice,
}

impl Role {
    /// Whether it stands in quotes, as a text.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Role::Property | Role::Choice)
    }

    /// Whether it belongs to the definition.
    pub(crate) fn is_definition(self) -> bool {
        matches!(self, Role::Definition | Role::Property)
    }
}

/// All places of a document that name tools, in no particular order.
pub(crate) fn occurrences(outline: &Outline) -> impl Iterator<Item = Occurrence<'_>> {
    let tools = outline.tools.iter().flat_map(of_tool);
    let choices = outline.agents.iter().filter_map(|agent| {
        let mention = agent.choice.as_ref()?;
        Some(occurrence(mention, Role::Choice))
    });
    let elements = outline.references();
    let references = elements.map(|mention| occurrence(mention, Role::Reference));
    tools.chain(references).chain(choices)
}

/// The places of a document that name this tool.
pub(crate) fn of<'a>(
    outline: &'a Outline,
    name: &'a str,
) -> impl Iterator<Item = Occurrence<'a>> + 'a {
    occurrences(outline).filter(move |occurrence| occurrence.name == name)
}

/// What names a tool at an offset.
pub(crate) fn at(outline: &Outline, offset: usize) -> Option<Occurrence<'_>> {
    occurrences(outline).find(|occurrence| touches(occurrence.span, offset))
}

/// Whether a document defines a tool of this name.
pub(crate) fn defines(outline: &Outline, name: &str) -> bool {
    outline.definitions(name).next().is_some()
}

fn of_tool(tool: &ToolOutline) -> impl Iterator<Item = Occurrence<'_>> {
    let name = tool.name.as_ref();
    let property = tool
        .name_property
        .as_ref()
        .filter(|property| name.is_some_and(|name| name.name == property.name));
    let name = name.map(|mention| occurrence(mention, Role::Definition));
    let property = property.map(|mention| occurrence(mention, Role::Property));
    name.into_iter().chain(property)
}

fn occurrence(mention: &Mention, role: Role) -> Occurrence<'_> {
    Occurrence {
        name: &mention.name,
        span: mention.span,
        role,
    }
}
