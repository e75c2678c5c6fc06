//! Documents: their agents and tools, and the links between them.

use crate::agent::{Agent, MAX_AGENT_DEPTH, SharedAgents};
use crate::check::agent::read_agent;
use crate::check::catalogs::is_catalog_item;
use crate::check::definitions::Definitions;
use crate::check::keys::warn_of_known_keys;
use crate::check::mcp::{compare_with_server, read_server};
use crate::check::places::{AgentElement, AgentNode, ToolNode};
use crate::check::reader::Reader;
use crate::check::shapes::{Shape, ShapePlace, VisitParts, walk, walk_parts, walk_places};
use crate::check::tool::read_tool;
use crate::check::written_types::read_written_types;
use crate::check::{Checked, NOT_AN_AGENT, Options, nothing_declared};
use crate::diagnostic::{Code, Diagnostic, FindingList};
use crate::secret::redacted;
use crate::tool::ToolSpec;
use crate::vocabulary::{AGENT_LABEL, MCP_LABEL, TOOL_LABELS};
use agent_gram::Span;
use agent_gram::syntax::{Document, Label, Name, Property, Value, ValueKind};
use agent_types::__private::TOOL_NAMES;
use agent_types::names::{is_tool_name, nearest};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn check_document(source: &str, options: Options<'_>) -> Checked {
    let mut parsed = agent_gram::parse(source);
    let mut reader = Reader::new(options);
    reader.source = source;
    let read = read_written_types(source, &parsed.errors);
    if let Some(read) = &read {
        parsed = agent_gram::parse(&read.text);
        reader.report_written_types(&read.found);
    }
    reader.report_syntax_errors(&parsed.errors);
    reader.findings.add_unlisted_errors(parsed.more_errors);
    let declared = Declared::of(&parsed.document);
    let mut checked = Checked::default();
    let mut definitions = read_tools(&mut reader, &declared.tools, &mut checked.tools);
    let agents = || declared.agents.iter().filter_map(|place| place.shape());
    for name in agents().filter_map(|shape| shape.identity) {
        definitions
            .agents
            .entry(name.text())
            .or_insert(definitions.agent_names.len());
        definitions.agent_names.push(name.text());
        refuse_tool_and_agent(&mut reader, name, &definitions);
    }
    // Outer agents come before those inside them.
    let mut outer_end = 0;
    for shape in agents() {
        let agent = read_agent(&mut reader, &shape, &definitions);
        checked.agents.extend(agent.map(|agent| AgentNode {
            is_inside: shape.span.start < outer_end,
            ..agent
        }));
        outer_end = outer_end.max(shape.span.end);
    }
    warn_of_known_keys(&mut reader, source);
    refuse_duplicate_agents(&mut reader, &checked.agents);
    link_agents(&mut reader, &mut checked.agents);
    for shape in declared.servers.iter().filter_map(|place| place.shape()) {
        let server = read_server(&mut reader, &shape, &definitions);
        checked.servers.extend(server);
    }
    // The author of a server may name its parameters as they like.
    if declared.servers.is_empty() {
        warn_of_differing_parameters(&mut reader, &checked.tools);
    }
    refuse_catalogs(&mut reader, &parsed.document);
    let agents = !declared.agents.is_empty();
    let tools = !declared.tools.is_empty() || !declared.servers.is_empty();
    if parsed.errors.is_empty() && read.is_none() {
        if let Some(found) = agent_without_label(&parsed.document, agents, tools) {
            reader.report(found);
        } else if !agents && !tools {
            reader.report(match misspelt_label(&parsed.document) {
                Some(found) => found,
                None => nothing_declared(source),
            });
        }
    }
    (checked.diagnostics, checked.unlisted) = reader.findings.into_sorted();
    checked
}

/// Reports a catalogue of models among other patterns, of which nothing would be read.
fn refuse_catalogs(reader: &mut Reader<'_>, document: &Document<'_>) {
    for item in document.items() {
        if is_catalog_item(&item) {
            let message =
                "a catalogue of models stands in a document of its own, and nothing reads this one";
            let found = Diagnostic::new(Code::BadCatalog, item.body().span(), message);
            reader.report(found.with_help(
                "move it to another file, and name that with `--models`, with `models` in the project file, or with \
                 `models` in `agent!`",
            ));
        }
    }
}

/// The places of the patterns that are labelled as agents, as tools and as MCP servers.
struct Declared<'t> {
    agents: Vec<ShapePlace<'t>>,
    tools: Vec<ShapePlace<'t>>,
    servers: Vec<ShapePlace<'t>>,
}

impl<'t> Declared<'t> {
    fn of(document: &'t Document<'_>) -> Self {
        let (mut agents, mut tools, mut servers) = (Vec::new(), Vec::new(), Vec::new());
        walk_places(document, &mut |place, shape| {
            if shape.label(&[AGENT_LABEL]).is_some() {
                agents.push(place);
            }
            if shape.label(&TOOL_LABELS).is_some() {
                tools.push(place);
            }
            if shape.label(&[MCP_LABEL]).is_some() {
                servers.push(place);
            }
        });
        Self {
            agents,
            tools,
            servers,
        }
    }
}

/// Returns the first finding about a shape of a document.
fn first_found<'t>(
    document: &'t Document<'_>,
    mut find: impl FnMut(&Shape<'t>) -> Option<Diagnostic>,
) -> Option<Diagnostic> {
    let mut found = None;
    walk(document, &mut |shape| {
        if found.is_none() {
            found = find(&shape);
        }
    });
    found
}

/// Reports a pattern that was probably meant as an agent: it has the properties of an agent and no label that
/// makes it an agent or a tool. Other patterns may have such properties, too. If the document declares agents
/// or tools, the pattern must therefore have both properties. If the document declares agents, the pattern
/// must also have no label at all.
fn agent_without_label(document: &Document<'_>, agents: bool, tools: bool) -> Option<Diagnostic> {
    let is_meant = |shape: &Shape<'_>| {
        let has = |key: &str| {
            let mut keys = shape.properties.iter().map(|property| property.key());
            keys.any(|found| found.text() == key)
        };
        let has_both = has("instruction") && has("model");
        shape.label(&[AGENT_LABEL]).is_none()
            && shape.label(&TOOL_LABELS).is_none()
            && (has_both || (!agents && !tools && (has("instruction") || has("model"))))
            && (!agents || shape.labels.is_empty())
    };
    let misspelt = |label: &&Label<'_>| nearest(label.name().text(), [AGENT_LABEL]).is_some();
    first_found(document, |shape| {
        if !is_meant(shape) {
            return None;
        }
        let found = Diagnostic::new(Code::MissingLabel, shape.head, NOT_AN_AGENT);
        Some(match shape.labels.iter().find(misspelt) {
            Some(_) => found.with_help(format!("did you mean `{AGENT_LABEL}`?")),
            None => {
                let name = shape.identity.map_or("name", |name| name.text());
                // In `[Agent:greet …]`, they are the other way round.
                let name = match shape.labels.first() {
                    Some(label) if name == AGENT_LABEL => label.name().text(),
                    _ => name,
                };
                found.with_help(format!(
                    "write the label after the name: `[{name}:{AGENT_LABEL} {{…}}]`"
                ))
            }
        })
    })
}

/// Reports a label that was probably meant as `Agent` or `Tool`, in a document without agents and tools.
fn misspelt_label(document: &Document<'_>) -> Option<Diagnostic> {
    let known = [AGENT_LABEL, TOOL_LABELS[0], TOOL_LABELS[1], MCP_LABEL];
    first_found(document, |shape| {
        shape.labels.iter().find_map(|label| {
            let meant = nearest(label.name().text(), known)?;
            let message = format!(
                "the document declares no agent and no tool; the label `{}` means nothing here",
                label.name().text()
            );
            let found = Diagnostic::new(Code::NothingDeclared, label.name().span(), message);
            Some(found.with_help(format!("did you mean `{meant}`?")))
        })
    })
}

/// Reads all tools before any agent, since references may point forward.
fn read_tools<'t>(
    reader: &mut Reader<'_>,
    places: &[ShapePlace<'t>],
    tools: &mut Vec<Arc<ToolNode>>,
) -> Definitions<'t> {
    let mut definitions = Definitions::default();
    for shape in places.iter().filter_map(|place| place.shape()) {
        let node = read_tool(reader, &shape);
        let node = node.map(|node| compare_with_server(reader, node));
        let Some(node) = node.map(Arc::new) else {
            if let Some(name) = shape.identity {
                definitions
                    .tools
                    .entry(name.text().to_owned())
                    .or_insert(None);
            }
            continue;
        };
        let name = node.spec.name();
        match definitions.tool(name) {
            Some(first) if first.spec != node.spec => {
                reader.report(
                    Diagnostic::new(
                        Code::ConflictingTools,
                        node.places.name,
                        format!("the tool `{name}` is defined in two different ways"),
                    )
                    .with_label(first.places.name, "the other definition")
                    .with_help(
                        "make them equal, rename one, or define it once and refer to it by name",
                    ),
                );
            }
            Some(_) => {}
            None => {
                let name = name.to_owned();
                definitions.tools.insert(name, Some(Arc::clone(&node)));
            }
        }
        tools.push(node);
    }
    definitions
}

/// Reports an agent with the name of a tool. Tools and agents share one name space, because an agent may be
/// used wherever a tool may be used.
fn refuse_tool_and_agent(reader: &mut Reader<'_>, agent: Name<'_>, definitions: &Definitions<'_>) {
    let Some(tool) = definitions.tool(agent.text()) else {
        return;
    };
    let message = format!("`{}` is the name of an agent and of a tool", agent.text());
    let found = Diagnostic::new(Code::DuplicateAgent, agent.span(), message);
    reader.report(
        found
            .with_label(tool.places.name, "the tool")
            .with_help("rename one of them: a reference must mean one of the two"),
    );
}

/// Gives each agent the specs of the agents that it can call, and the list of all agents that others call.
fn link_agents(reader: &mut Reader<'_>, nodes: &mut [AgentNode]) {
    let mut places = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        places.entry(node.agent.name()).or_insert(at);
    }
    let mut is_read = vec![false; nodes.len()];
    let mut specs: Vec<Option<ToolSpec>> = vec![None; nodes.len()];
    for element in nodes.iter().flat_map(|node| &node.elements) {
        // An agent with errors is not among the nodes.
        if let AgentElement::Agent { name, span } = element
            && let Some(called) = places.get(name.as_str()).copied()
            && !std::mem::replace(&mut is_read[called], true)
        {
            specs[called] = spec_of_called(reader, &nodes[called], *span);
        }
    }
    if specs.iter().all(Option::is_none) {
        return;
    }
    refuse_deep_agents(reader, nodes, &places);
    warn_of_more_grants(reader, nodes, &places);
    let bytes: Vec<usize> = nodes.iter().map(called_bytes).collect();
    let called = nodes.iter().flat_map(|node| &node.elements);
    let mut called = called.filter_map(|element| match element {
        AgentElement::Agent { name, span } => Some((*places.get(name.as_str())?, *span)),
        _ => None,
    });
    if !called.all(|(called, span)| reader.may_copy(bytes[called], span)) {
        return;
    }
    let calls = |node: &AgentNode| {
        let mut elements = node.elements.iter();
        elements.any(|element| matches!(element, AgentElement::Agent { .. }))
    };
    let spec_of = |name: &str| specs[*places.get(name)?].clone();
    let callers: Vec<Agent> = nodes
        .iter()
        .map(|node| {
            let mut agent = node.agent.clone();
            if calls(node) {
                agent.fill_references(spec_of);
            }
            agent
        })
        .collect();
    let called = callers
        .iter()
        .zip(&specs)
        .filter(|(_, spec)| spec.is_some());
    let shared = called.map(|(agent, _)| agent.clone()).collect();
    let shared = Arc::new(SharedAgents::new(shared));
    for (node, mut agent) in nodes.iter_mut().zip(callers) {
        if calls(node) {
            agent.set_agents(Arc::clone(&shared));
        }
        node.agent = agent;
    }
}

/// The number of bytes of the parts of an agent that each of its callers has, too.
fn called_bytes(node: &AgentNode) -> usize {
    let signature = node
        .signature
        .as_ref()
        .map_or(0, |places| places.whole.len());
    node.agent.name().len() + node.agent.description().map_or(0, str::len) + signature
}

/// Reports an agent that is too many calls away from the agents that nobody calls. One finding is enough.
fn refuse_deep_agents(reader: &mut Reader<'_>, nodes: &[AgentNode], places: &HashMap<&str, usize>) {
    let calls = |node: &'_ AgentNode| -> Vec<(usize, Span)> {
        let elements = node.elements.iter();
        let called = elements.filter_map(|element| match element {
            AgentElement::Agent { name, span } => Some((*places.get(name.as_str())?, *span)),
            _ => None,
        });
        called.collect()
    };
    let mut is_called = vec![false; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for (called, _) in calls(node) {
            is_called[called] |= called != at;
        }
    }
    // Each of several agents in a circle is called, so the first one counts.
    if is_called.iter().all(|is_called| *is_called) {
        is_called[0] = false;
    }
    let mut seen: Vec<bool> = is_called.iter().map(|is_called| !is_called).collect();
    let mut level: Vec<usize> = (0..nodes.len()).filter(|at| seen[*at]).collect();
    for depth in 1.. {
        let mut next = Vec::new();
        for (called, span) in level.iter().flat_map(|caller| calls(&nodes[*caller])) {
            if std::mem::replace(&mut seen[called], true) {
                continue;
            }
            if depth > MAX_AGENT_DEPTH {
                let name = nodes[called].agent.name();
                let message = format!("`{name}` can only be called {depth} agents deep");
                let found = Diagnostic::new(Code::GramTooDeep, span, message);
                reader.report(found.with_help(format!(
                    "agents can call each other at most {MAX_AGENT_DEPTH} deep"
                )));
                return;
            }
            next.push(called);
        }
        if next.is_empty() {
            return;
        }
        level = next;
    }
}

/// Warns of grants that have no effect in a call, because a called agent gets no grant that its caller does not have.
/// A caller without grants of its own has those of the agents that call it.
fn warn_of_more_grants(
    reader: &mut Reader<'_>,
    nodes: &[AgentNode],
    places: &HashMap<&str, usize>,
) {
    /// The number of pairs of grants that are compared. A document of somebody else can have 100,000 grants in each of two
    /// agents, whose comparison would take minutes in an editor or in CI.
    const MOST_PAIRS: usize = 200_000;
    let grants = |at: usize| nodes[at].agent.settings().grants.as_ref();
    // The place of the agent whose grants an agent has at most, if that is known.
    let mut bounds: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut callers: Vec<usize> = (0..nodes.len())
        .filter(|at| grants(*at).is_some())
        .collect();
    for at in &callers {
        bounds[*at] = Some(*at);
    }
    let (mut next, mut pairs) = (0, 0);
    while let Some(caller) = callers.get(next).copied() {
        next += 1;
        let Some((bound, outer)) = bounds[caller].and_then(|bound| Some((bound, grants(bound)?)))
        else {
            continue;
        };
        for element in &nodes[caller].elements {
            let AgentElement::Agent { name, span } = element else {
                continue;
            };
            let Some(called) = places.get(name.as_str()).copied() else {
                continue;
            };
            let Some(own) = grants(called) else {
                if bounds[called].is_none() {
                    bounds[called] = Some(bound);
                    callers.push(called);
                }
                continue;
            };
            pairs += own.len() * (1 + outer.len());
            if pairs > MOST_PAIRS {
                return;
            }
            if let Some((key, text)) = own.beyond(outer) {
                let bound = nodes[bound].agent.name();
                let message = format!(
                    "`{name}` asks for the grant `{key}: {:?}`, which `{bound}` does not have",
                    redacted(text),
                );
                let found = Diagnostic::new(Code::MoreGrants, *span, message);
                reader.report(found.with_help(format!(
                    "a called agent gets what it and its caller have; add the grant to `{bound}` or remove it",
                )));
            }
        }
    }
}

/// Returns the spec by which another agent calls an agent. Reports a missing description and an invalid name.
fn spec_of_called(reader: &mut Reader<'_>, called: &AgentNode, mention: Span) -> Option<ToolSpec> {
    let name = called.agent.name();
    if !is_tool_name(name) {
        let message = format!(
            "`{name}` is not a name that every provider takes for a tool, as which the agent is called"
        );
        let found = Diagnostic::new(Code::BadName, called.name, message);
        reader.report(with_mention(found, mention).with_help(TOOL_NAMES));
        return None;
    }
    let spec = called.agent.to_spec();
    if spec.is_none() {
        let message = format!(
            "the agent `{name}` needs a description: it is how the agent that calls it knows when to"
        );
        let found = Diagnostic::new(Code::MissingDescription, called.name, message);
        let found = with_mention(found, mention);
        reader.report(found.with_help("add `description: \"…\"` to the agent"));
    }
    spec
}

/// Labels the place where an agent is called, unless the agent is defined there.
fn with_mention(found: Diagnostic, mention: Span) -> Diagnostic {
    match found.span() == mention {
        true => found,
        false => found.with_label(mention, "called here"),
    }
}

fn refuse_duplicate_agents(reader: &mut Reader<'_>, agents: &[AgentNode]) {
    let mut seen = HashMap::new();
    for (at, node) in agents.iter().enumerate() {
        let name = node.agent.name();
        let first = *seen.entry(name).or_insert(at);
        if first != at {
            let found = Diagnostic::new(
                Code::DuplicateAgent,
                node.name,
                format!("the agent `{name}` is there twice"),
            );
            reader.report(
                found
                    .with_label(agents[first].name, "first here")
                    .with_help("rename one of them"),
            );
        }
    }
}

/// Warns of a parameter name that has different types in different tools, because it weakens the vocabulary
/// that the tools of a document share.
fn warn_of_differing_parameters(reader: &mut Reader<'_>, tools: &[Arc<ToolNode>]) {
    let mut firsts: Vec<(&str, &str, Span)> = Vec::new();
    let mut seen = HashMap::new();
    for tool in tools {
        let params = tool.spec.signature().params().iter();
        for (param, places) in params.zip(&tool.places.signature.params) {
            let label = param.ty().label();
            let first = seen.get(param.name()).map(|first: &usize| firsts[*first]);
            match first {
                Some((first_tool, first_label, span))
                    if first_label != label && first_tool != tool.spec.name() =>
                {
                    reader.report(
                        Diagnostic::new(
                            Code::DifferingParameter,
                            places.label,
                            format!(
                                "the parameter `{}` is `{label}` in `{}`, but `{first_label}` in `{first_tool}`",
                                param.name(),
                                tool.spec.name()
                            ),
                        )
                        .with_label(span, "the other type")
                        .with_help("use one name for one thing in all tools of a document"),
                    );
                }
                Some(_) => {}
                None => {
                    seen.insert(param.name(), firsts.len());
                    firsts.push((tool.spec.name(), label, places.label));
                }
            }
        }
    }
}

/// Warns of keys given twice, in all records and maps of a document.
pub(super) fn warn_of_duplicate_keys(document: &Document<'_>, found: &mut FindingList) {
    walk_parts(document, &mut DuplicateKeys(found));
}

struct DuplicateKeys<'f>(&'f mut FindingList);

impl<'t> VisitParts<'t> for DuplicateKeys<'_> {
    fn properties(
        &mut self,
        _: Option<&'t str>,
        properties: &mut dyn Iterator<Item = Property<'t>>,
    ) {
        warn_in_properties(properties, self.0);
    }
}

fn warn_in_properties<'t>(properties: impl Iterator<Item = Property<'t>>, found: &mut FindingList) {
    let (mut seen, mut keys) = (HashMap::new(), Vec::new());
    for property in properties {
        let before = seen.insert(property.key().text(), keys.len());
        keys.push(property.key().span());
        if let Some(before) = before {
            found.push(
                Diagnostic::new(
                    Code::GramDuplicateKey,
                    property.key().span(),
                    format!(
                        "the key `{}` is given twice; the last value wins",
                        property.key().text()
                    ),
                )
                .with_label(keys[before], "given here before"),
            );
        }
        warn_in_value(property.value(), found);
    }
}

fn warn_in_value(value: Value<'_>, found: &mut FindingList) {
    match value.kind() {
        ValueKind::Map(record) => warn_in_properties(record.properties(), found),
        ValueKind::Array(items) => items.items().for_each(|item| warn_in_value(item, found)),
        _ => {}
    }
}
