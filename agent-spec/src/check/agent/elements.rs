//! What stands after the bar: tools, and the names of tools.

use crate::check::document::Definitions;
use crate::check::places::{AgentElement, ToolNode, ToolPlaces};
use crate::check::reader::Reader;
use crate::check::shapes::{Member, Shape};
use crate::check::tool::{TOOL_LABELS, read_tool};
use crate::diagnostic::{Code, Diagnostic};
use crate::names::nearest;
use crate::tool::ToolSpec;
use agent_gram::Span;
use agent_gram::syntax::Element;
use std::collections::HashMap;
use std::sync::Arc;

/// Reads the elements. One that could not be read is `None`.
pub(super) fn read_elements(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions,
) -> Vec<Option<AgentElement>> {
    let broken = reader.is_broken(shape.after_head());
    shape
        .elements
        .iter()
        .map(|&element| {
            // Next to a syntax error, what seems to be an odd element may be part of a good one.
            let odd = !is_reference_or_tool(element);
            if odd && broken {
                return None;
            }
            read_element(reader, element, definitions)
        })
        .collect()
}

fn is_reference_or_tool(element: Member<'_>) -> bool {
    matches!(element, Member::Element(Element::Reference(_)))
        || element
            .shape()
            .is_some_and(|shape| shape.label(&TOOL_LABELS).is_some())
}

fn read_element(
    reader: &mut Reader<'_>,
    element: Member<'_>,
    definitions: &Definitions,
) -> Option<AgentElement> {
    if reader.is_broken(element.span()) {
        return None;
    }
    if let Member::Element(Element::Reference(name)) = element {
        return read_reference(reader, name.text(), name.span(), definitions);
    }
    if let Some(shape) = element.shape() {
        if shape.label(&TOOL_LABELS).is_some() {
            // It was read with all tools; one with errors makes the agent incomplete.
            let name = shape.identity?.text();
            let tool = definitions.tools.get(name)?;
            // Of several equal definitions, the one that stands here has the right places.
            let tool = if tool.places.whole == shape.span {
                Arc::clone(tool)
            } else {
                Arc::new(read_tool(reader, &shape)?)
            };
            return Some(AgentElement::Tool {
                tool,
                reference: None,
            });
        }
        if let Some(name) = shape.identity
            && shape.labels.is_empty()
            && shape.properties.is_empty()
            && shape.elements.is_empty()
        {
            return read_reference(reader, name.text(), name.span(), definitions);
        }
        // One element is what a tool has, so this is one with a wrong label or none.
        if shape.elements.len() == 1 {
            let label = shape.labels.first();
            let found = Diagnostic::new(
                Code::NotATool,
                label.map_or(shape.head, |label| label.name().span()),
                "Tool specification must have ToolSpecification label",
            );
            let meant = label.and_then(|label| nearest(label.name().text(), TOOL_LABELS));
            reader.report(match meant {
                Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
                None => {
                    found.with_help("write the label `Tool` after the name: `[sayHello:Tool …`")
                }
            });
            return None;
        }
    }
    reader.report(
        Diagnostic::new(
            Code::NotATool,
            element.span(),
            "an element of an agent must be a tool, or the name of one",
        )
        .with_help(
            "write `[sayHello:Tool {description: \"…\"} | (personName::Text)==>(::String)]`",
        ),
    );
    None
}

fn read_reference(
    reader: &mut Reader<'_>,
    name: &str,
    span: Span,
    definitions: &Definitions,
) -> Option<AgentElement> {
    if let Some(tool) = definitions.tools.get(name) {
        return Some(AgentElement::Tool {
            tool: Arc::clone(tool),
            reference: Some(span),
        });
    }
    if definitions.broken.contains(name) {
        return None;
    }
    if let Some(spec) = reader
        .options
        .known_tools
        .iter()
        .find(|spec| spec.name() == name)
    {
        let tool = ToolNode {
            spec: ToolSpec::clone(spec),
            places: ToolPlaces::default(),
        };
        return Some(AgentElement::Tool {
            tool: Arc::new(tool),
            reference: Some(span),
        });
    }
    if reader.options.keep_unknown_references {
        return Some(AgentElement::Unknown {
            name: name.to_owned(),
            span,
        });
    }
    let found = Diagnostic::new(
        Code::UnknownTool,
        span,
        format!("no tool `{name}` is defined in this document, nor built in"),
    );
    let known = definitions
        .tools
        .keys()
        .map(String::as_str)
        .chain(reader.options.known_tools.iter().map(ToolSpec::name));
    // Comparing every unknown name with every known one takes quadratic time.
    let meant = if reader.may_search() {
        nearest(name, known)
    } else {
        None
    };
    reader.report(match meant {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
        None => found.with_help(
            "define it: `[name:Tool {description: \"…\"} | (personName::Text)==>(::String)]`",
        ),
    });
    None
}

/// The name of a tool, and where it stands.
pub(super) fn named(element: &AgentElement) -> (&str, Span) {
    match element {
        AgentElement::Tool { tool, reference } => {
            (tool.spec.name(), reference.unwrap_or(tool.places.name))
        }
        AgentElement::Unknown { name, span } => (name, *span),
    }
}

/// Refuses tools that the agent has already.
pub(super) fn refuse_duplicate_tools(reader: &mut Reader<'_>, elements: &[Option<AgentElement>]) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for element in elements.iter().flatten() {
        let (name, span) = named(element);
        if let Some(first) = seen.get(name) {
            let found = Diagnostic::new(
                Code::DuplicateTool,
                span,
                format!("the agent has the tool `{name}` twice"),
            );
            reader.report(
                found
                    .with_label(*first, "first here")
                    .with_help("remove one of them"),
            );
        } else {
            seen.insert(name, span);
        }
    }
}
