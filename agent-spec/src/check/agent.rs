//! Agents: `[name:Agent {instruction: "…", model: "Provider/id"} | tools]`.

use crate::agent::{Agent, AgentFunction, OwnTool};
use crate::check::agent_properties::{AgentProperties, read_agent_properties};
use crate::check::definitions::Definitions;
use crate::check::model_rules::check_model;
use crate::check::places::{AgentElement, AgentNode, ToolNode, ToolPlaces};
use crate::check::reader::{Reader, items};
use crate::check::shapes::{Member, Shape};
use crate::check::signature::{OwnSignature, nodes_of, read_agent_signature};
use crate::check::templates::{check_templates, refuse_filled_twice};
use crate::check::tool::read_tool;
use crate::diagnostic::{Code, Diagnostic};
use crate::settings::{SEARCH_TOOLS, TOOL_CHOICES, ToolChoice};
use crate::tool::ToolSpec;
use crate::vocabulary::{AGENT_LABEL, Setting, TOOL_LABELS};
use agent_gram::Span;
use agent_gram::syntax::{Arrow, Element, Node, Subject, ValueKind};
use agent_gram::value::Text;
use agent_types::Param;
use agent_types::names::nearest;
use std::collections::HashMap;
use std::sync::Arc;

/// Reads an agent. Returns `None` when the agent or one of its tools has an error.
pub(super) fn read_agent(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions<'_>,
) -> Option<AgentNode> {
    let before = reader.errors();
    let name = shape.identity.filter(|name| !name.text().is_empty());
    if name.is_none() {
        reader.report(
            Diagnostic::new(
                Code::MissingName,
                shape.head,
                "Agent must have a non-empty pattern identifier (name)",
            )
            .with_help("write the name before the label: `[my_agent:Agent …`"),
        );
    }
    let properties = if reader.is_broken(shape.before_elements()) {
        AgentProperties::default()
    } else {
        read_agent_properties(reader, shape)
    };
    let ReadElements {
        signature,
        is_signature_wrong,
        elements,
    } = read_elements(reader, shape, definitions);
    refuse_filled_twice(reader, &properties.variables, signature.as_ref());
    check_templates(reader, &properties, signature.as_ref(), is_signature_wrong);
    refuse_duplicate_tools(reader, &elements);
    if properties.settings.tool_search == Some(true) {
        refuse_names_of_the_search(reader, shape, &elements);
    }
    let complete = elements.iter().all(Option::is_some);
    // A tool with errors may be the chosen tool.
    if let Some(choice) = &properties.settings.tool_choice
        && complete
        && !reader.is_broken(shape.after_head())
    {
        check_tool_choice(reader, shape, choice, &elements);
    }
    if !reader.is_broken(shape.span) {
        let signature = signature.as_ref().map(|own| &own.signature);
        check_model(reader, shape, &properties, signature, &elements);
    }
    if reader.errors() > before || !complete || reader.is_broken(shape.span) {
        return None;
    }
    let name = name?;
    let elements: Vec<AgentElement> = elements.into_iter().flatten().collect();
    let may_copy = |element: &AgentElement| match element {
        AgentElement::Tool {
            tool,
            reference: Some(span),
        } => {
            let whole = tool.places.whole;
            reader.may_copy(whole.len(), *span)
        }
        _ => true,
    };
    if !elements.iter().all(may_copy) {
        return None;
    }
    let mut agent = Agent::from_parts(
        Text::new(name.text()),
        properties.instruction?.0,
        properties.model?,
    );
    agent.set_description(properties.description);
    agent.set_settings(properties.settings);
    agent.set_extra(properties.extra);
    // The specs of other agents are known when all agents are read.
    agent.set_tools(elements.iter().map(|element| match element {
        AgentElement::Tool { tool, .. } => OwnTool::Spec(tool.spec.clone()),
        AgentElement::Agent { name, .. } | AgentElement::Unknown { name, .. } => {
            OwnTool::Reference(Text::new(name))
        }
    }));
    let (signature, places) = match signature {
        Some(OwnSignature { signature, places }) => (Some(signature), Some(places)),
        None => (None, None),
    };
    agent.set_function(AgentFunction::new(
        signature,
        properties.prompt.map(|(text, _)| text),
        properties
            .variables
            .map(|names| names.into_iter().map(|(name, _)| name).collect()),
        properties.timeout,
        properties.requires_approval,
    ));
    check_untrusted(reader, shape, &agent);
    if reader.errors() > before {
        return None;
    }
    Some(AgentNode {
        agent,
        name: name.span(),
        description: properties.described_at.unwrap_or(name.span()),
        is_inside: false,
        signature: places,
        elements,
    })
}

/// The elements of an agent.
struct ReadElements {
    signature: Option<OwnSignature>,
    /// Whether the agent has a signature with errors, or may have one in broken code.
    is_signature_wrong: bool,
    /// The other elements. An element with errors is `None`.
    elements: Vec<Option<AgentElement>>,
}

/// Reads the signature and the other elements.
fn read_elements(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    definitions: &Definitions<'_>,
) -> ReadElements {
    let broken = reader.is_broken(shape.after_head());
    let mut is_signature_wrong = broken;
    let mut own: Option<OwnSignature> = None;
    let mut first: Option<Span> = None;
    let mut is_several_reported = false;
    let mut elements = Vec::new();
    for &element in &shape.elements {
        if let Some(path) = opt_signature(element) {
            if reader.is_broken(element.span()) {
                elements.push(None);
                continue;
            }
            if let Some(first) = first {
                if std::mem::replace(&mut is_several_reported, true) {
                    continue;
                }
                let message = "an agent has at most one signature";
                let found = Diagnostic::new(Code::SeveralSignatures, element.span(), message);
                reader.report(found.with_label(first, "the first one").with_help(
                    "keep one: its parameters are what the agent is called with, its result is the answer",
                ));
                continue;
            }
            first = Some(element.span());
            let read = read_agent_signature(reader, path);
            own = read.map(|(signature, places)| OwnSignature { signature, places });
            if own.is_none() {
                // A signature with errors is an element with errors.
                elements.push(None);
                is_signature_wrong = true;
            }
            continue;
        }
        // Next to a syntax error, what seems to be an odd element may be part of a good one.
        let odd = !is_known_element(element);
        elements.push(if odd && broken {
            None
        } else {
            read_element(reader, element, definitions)
        });
        // A path that is no signature, because it has no types or its arrows have labels, was meant as one.
        is_signature_wrong |= path_of(element).is_some();
    }
    ReadElements {
        signature: own,
        is_signature_wrong,
        elements,
    }
}

/// Returns an element that is a signature: nodes with types, and arrows between them without a subject. In a
/// pattern that was read from JSON, a long path is a bracket without a head.
pub(super) fn opt_signature(element: Member<'_>) -> Option<Element<'_>> {
    let (element, nodes, arrows) = path_of(element)?;
    let has_type = |subject: Subject<'_>| subject.labels().next().is_some();
    if !nodes.iter().filter_map(Node::subject).any(has_type) {
        return None;
    }
    arrows
        .iter()
        .all(|arrow| arrow.subject().is_none())
        .then_some(element)
}

/// Returns an element that is a path, with its nodes and arrows.
fn path_of(element: Member<'_>) -> Option<(Element<'_>, Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    let Member::Element(element) = element else {
        return None;
    };
    if let Element::Bracket(bracket) = element
        && bracket.subject().is_some()
    {
        return None;
    }
    let (nodes, arrows) = nodes_of(element)?;
    Some((element, nodes, arrows))
}

fn is_known_element(element: Member<'_>) -> bool {
    matches!(element, Member::Element(Element::Reference(_)))
        || element.shape().is_some_and(|shape| {
            shape.label(&TOOL_LABELS).is_some() || shape.label(&[AGENT_LABEL]).is_some()
        })
}

fn read_element(
    reader: &mut Reader<'_>,
    element: Member<'_>,
    definitions: &Definitions<'_>,
) -> Option<AgentElement> {
    if reader.is_broken(element.span()) {
        return None;
    }
    if let Member::Element(Element::Reference(name)) = element {
        return read_reference(reader, name.text(), name.span(), definitions);
    }
    if let Some(shape) = element.shape() {
        if shape.label(&TOOL_LABELS).is_some() {
            // The tool was read with all tools. An agent with a broken tool is incomplete.
            let name = shape.identity?.text();
            let tool = definitions.tool(name)?;
            // When several definitions are equal, only the one at this element has the right positions.
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
        // The agent is read with all agents.
        if shape.label(&[AGENT_LABEL]).is_some() {
            let name = shape.identity?;
            return Some(AgentElement::Agent {
                name: name.text().to_owned(),
                span: name.span(),
            });
        }
        if let Some(name) = shape.identity
            && shape.labels.is_empty()
            && shape.properties.is_empty()
            && shape.elements.is_empty()
        {
            return read_reference(reader, name.text(), name.span(), definitions);
        }
        // Only tools have exactly one element, so this is a tool with a wrong label or without a label.
        if shape.elements.len() == 1 {
            let label = shape.labels.first();
            let found = Diagnostic::new(
                Code::NotATool,
                label.map_or(shape.head, |label| label.name().span()),
                "Tool specification must have ToolSpecification label",
            );
            let known = [TOOL_LABELS[0], TOOL_LABELS[1], AGENT_LABEL];
            let meant = label.and_then(|label| nearest(label.name().text(), known));
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
            "an element of an agent must be its signature, a tool, another agent, or the name of a tool or agent",
        )
        .with_help(
            "write a signature, `(text::Text)==>(::String)`; a tool, `[sayHello:Tool {description: \"…\"} | \
             (personName::Text)==>(::String)]`; an agent, `[name:Agent {…}]`; or a name alone",
        ),
    );
    None
}

fn read_reference(
    reader: &mut Reader<'_>,
    name: &str,
    span: Span,
    definitions: &Definitions<'_>,
) -> Option<AgentElement> {
    if definitions.agents.contains_key(name) {
        return Some(AgentElement::Agent {
            name: name.to_owned(),
            span,
        });
    }
    if let Some(tool) = definitions.tools.get(name) {
        return Some(AgentElement::Tool {
            tool: Arc::clone(tool.as_ref()?),
            reference: Some(span),
        });
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
        format!("no tool or agent `{name}` is defined in this document or built in"),
    );
    // Comparing every unknown name with every known one takes quadratic time.
    let known = [
        definitions.agent_names.len(),
        definitions.tools.len(),
        reader.options.known_tools.len(),
    ];
    let meant = if reader.may_search(known.iter().sum()) {
        let mut known = definitions.agent_names.clone();
        for (name, tool) in &definitions.tools {
            if tool.is_some() {
                known.push(name);
            }
        }
        known.extend(reader.options.known_tools.iter().map(ToolSpec::name));
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

/// Returns the name of a tool and its position.
fn named(element: &AgentElement) -> (&str, Span) {
    match element {
        AgentElement::Tool { tool, reference } => {
            (tool.spec.name(), reference.unwrap_or(tool.places.name))
        }
        AgentElement::Agent { name, span } | AgentElement::Unknown { name, span } => (name, *span),
    }
}

/// Refuses tools that the agent has already.
fn refuse_duplicate_tools(reader: &mut Reader<'_>, elements: &[Option<AgentElement>]) {
    let (mut seen, mut spans, mut are_agents) = (HashMap::new(), Vec::new(), Vec::new());
    for element in elements.iter().flatten() {
        let (name, span) = named(element);
        let first = *seen.entry(name).or_insert(spans.len());
        spans.push(span);
        let is_agent = matches!(element, AgentElement::Agent { .. });
        are_agents.push(is_agent);
        // A tool and an agent of one name are reported where the agent is defined.
        if first + 1 < spans.len() && are_agents[first] == is_agent {
            let found = Diagnostic::new(
                Code::DuplicateTool,
                span,
                format!("the agent has the tool `{name}` twice"),
            );
            reader.report(
                found
                    .with_label(spans[first], "first here")
                    .with_help("remove one of them"),
            );
        }
    }
}

/// Refuses tools with the names of the tools that `toolSearch` adds.
fn refuse_names_of_the_search(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    elements: &[Option<AgentElement>],
) {
    let is_search = |key: &str| key == Setting::ToolSearch.key();
    let mut properties = shape.properties.iter();
    let Some(property) = properties.find(|property| is_search(property.key().text())) else {
        return;
    };
    for element in elements.iter().flatten() {
        let (name, span) = named(element);
        if !SEARCH_TOOLS.contains(&name) {
            continue;
        }
        let message = format!("`toolSearch` adds a tool `{name}`, and the agent has one already");
        let found = Diagnostic::new(Code::DuplicateTool, span, message);
        reader.report(
            found
                .with_label(property.key().span(), "adds it")
                .with_help("rename the tool, or remove `toolSearch`"),
        );
    }
}

/// Checks that there is a tool to call when one must be called.
/// Reports names in `untrusted` that are no parameters of the agent.
fn check_untrusted(reader: &mut Reader<'_>, shape: &Shape<'_>, agent: &Agent) {
    if agent.settings().untrusted.is_empty() {
        return;
    }
    let names: Vec<&str> = agent.signature().params().iter().map(Param::name).collect();
    let key = Setting::Untrusted.key();
    let mut properties = shape.properties.iter();
    let property = properties.find(|property| property.key().text() == key);
    for item in property.map_or_else(Vec::new, |property| items(property.value())) {
        let (ValueKind::String { text, .. } | ValueKind::Tagged { text, .. }) = item.kind() else {
            continue;
        };
        if !names.contains(&text) {
            let message = format!("`{text}` is no parameter of the agent");
            let found = Diagnostic::new(Code::BadValue, item.span(), message);
            reader.report(found.with_help(match nearest(text, names.iter().copied()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("its parameters are {}", names.join(", ")),
            }));
        }
    }
}

fn check_tool_choice(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    choice: &ToolChoice,
    elements: &[Option<AgentElement>],
) {
    let is_choice = |key: &str| key == Setting::ToolChoice.key();
    let mut properties = shape.properties.iter();
    let Some(property) = properties.find(|property| is_choice(property.key().text())) else {
        return;
    };
    let tools: Vec<&str> = elements
        .iter()
        .flatten()
        .map(|element| named(element).0)
        .collect();
    let (message, help) = match choice {
        ToolChoice::Required if tools.is_empty() => (
            "`toolChoice` demands a call, and the agent has no tools".to_owned(),
            "add a tool, or remove `toolChoice`".to_owned(),
        ),
        ToolChoice::Tool(name) if !tools.contains(&name.as_str()) => {
            // No call can be demanded of an agent without tools.
            let mut known = TOOL_CHOICES.to_vec();
            known.retain(|word| !tools.is_empty() || !ToolChoice::of(word).is_forced());
            known.extend_from_slice(&tools);
            let help = match nearest(name, known.iter().copied()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("known here: {}", known.join(", ")),
            };
            let message = format!(
                "{name:?} is neither \"auto\", \"required\" or \"none\" nor a tool of the agent"
            );
            (message, help)
        }
        _ => return,
    };
    let found = Diagnostic::new(Code::BadToolChoice, property.value().span(), message);
    reader.report(found.with_help(help));
}
