//! Expands an agent.

use super::audit::{NamedTool, expand_denials};
use super::binding_checks::BindingChecks;
use super::document::Document;
use super::input::{Input, Item};
use super::locks::Locks;
use super::options::Dynamic;
use crate::export::expand_export;
use crate::import::{Mention, in_scope};
use crate::tokens::{Tokens, call_between, text_option};
use crate::tool_list::paths_of;
use agent_spec::case::camel_case;
use agent_spec::check::{AgentElement, AgentNode, ToolNode};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;
use std::sync::Arc;
use syn::ext::IdentExt as _;

/// The agent, and the checks against its functions. With known tokens there is one constant for each
/// compared thing, at its own token; else one for each tool, at the literal.
///
/// ```ignore
/// {
///     use say_hello as __tool_say_hello;   // see `import`
///     const SETS: &[rt::ToolSet] =
///         &[rt::ToolSet::Tool(<__tool_say_hello as rt::StaticTool>::DESCRIPTOR)];
///     const TOOLS: &[rt::ListedTool] = &rt::list_tools::<{ … }>(SETS);
///     const TOOL_0: Option<&rt::ToolDescriptor> = rt::find_tool("sayHello", TOOLS);
///     const SPEC_0: &rt::ToolSpec = &…;
///     const _: () = rt::check_known("sayHello", TOOLS, …, None);                     // at the name
///     const _: () = rt::check_part(SPEC_0, TOOL_0, PARTS_0_1, 2, …);  // at the label
///     const AGENT: rt::Agent = rt::Agent::from_static("hello_world_agent", …, &[rt::ToolSpec::borrowed(SPEC_0)]);
///     AGENT
/// }
/// ```
///
/// The agents that the agent can call come first, each as a constant, and their tools are compared, too.
pub(super) fn expand_agent(
    input: &Input,
    node: &AgentNode,
    called: &[&AgentNode],
    checks: &BindingChecks<'_>,
) -> TokenStream {
    let rt = checks.rt;
    let dynamic = &input.options.dynamic;
    let named = names_of(node, called);
    let is_named = |name: &str| named.iter().any(|(known, _)| *known == name);
    let tools = expand_tools(rt, input, is_named);
    let mut expansion = Expansion {
        rt,
        with_models: input.models.call(),
        checks,
        dynamic,
        locks: &input.locks,
        is_misspelt: dynamic.iter().any(|dynamic| !is_named(&dynamic.name)),
        compared: Vec::new(),
        named: HashSet::new(),
        tools: Vec::new(),
        next: 0,
    };
    let mut names: Vec<Ident> = Vec::with_capacity(called.len());
    let mut agents = TokenStream::new();
    for node in called {
        let name = format_ident!("AGENT_{}", names.len());
        let (constants, agent) = expansion.agent(node, &quote!(&[]));
        agents.extend(quote!(#constants const #name: #rt::Agent = #agent;));
        names.push(name);
    }
    let list = match names.as_slice() {
        [] => quote!(&[]),
        names => quote!(const { &[#(#names),*] }),
    };
    let (constants, agent) = expansion.agent(node, &list);
    let denials = expansion.denials(input, node, called);
    let mut listed_twice = TokenStream::new();
    for Dynamic { name, start, end } in dynamic {
        let check = quote!(#rt::check_dynamic);
        let check = call_between(*start, *end, check, quote!(#name, TOOLS));
        listed_twice.extend(quote!(const _: () = #check;));
    }
    let (tracked, locked) = (checks.document.tracked(rt), input.locks.tracked(rt));
    let models = input.models.items(rt);
    let body = quote! {
        #tools
        #tracked
        #locked
        #models
        #agents
        #constants
        #listed_twice
        #denials
        const AGENT: #rt::Agent = #agent;
        AGENT
    };
    let mentions = mentions(input, &named, checks.document);
    in_scope(rt, &paths_of(&input.options.tools), &mentions, &body)
}

/// Expands the agents of a document, whose tools are numbered through all of them.
struct Expansion<'a> {
    rt: &'a TokenStream,
    /// The call that gives an agent the document of models.
    with_models: Option<TokenStream>,
    checks: &'a BindingChecks<'a>,
    dynamic: &'a [Dynamic],
    locks: &'a Locks,
    /// Whether a dynamic tool is not named, which was reported. A tool with another name may be meant.
    is_misspelt: bool,
    /// The places of the tools that are compared already. Several agents may refer to a tool.
    compared: Vec<agent_gram::Span>,
    /// The called agents whose names are compared already.
    named: HashSet<String>,
    /// The tools of each agent.
    tools: Vec<Vec<NamedTool>>,
    next: usize,
}

impl Expansion<'_> {
    /// Returns the constants and checks of an agent's tools, and the agent.
    fn agent(&mut self, node: &AgentNode, agents: &TokenStream) -> (TokenStream, TokenStream) {
        let rt = self.rt;
        let tokens = Tokens { rt };
        let first = self.next;
        self.next += node.elements.len();
        self.tools.push(self.named_tools(node, first));
        let mut constants = TokenStream::new();
        let (mut specs, mut references) = (TokenStream::new(), TokenStream::new());
        for (place, element) in node.elements.iter().enumerate() {
            let at = first + place;
            constants.extend(self.element(node, element, at));
            match element {
                // A tool that has no spec here gets its spec from the library.
                AgentElement::Unknown { name, .. } if self.is_dynamic(name) => {
                    references.extend(quote!(#rt::Reference::from_static(#name, #place),));
                }
                _ => {
                    let spec = constant_names(at).1;
                    specs.extend(quote!(#rt::ToolSpec::borrowed(#spec),));
                }
            }
        }
        let agent = &node.agent;
        let (name, instruction) = (agent.name(), agent.instruction());
        let description = text_option(rt, agent.description());
        let model = tokens.model(agent.model());
        let settings = tokens.settings(agent.settings());
        let extra = tokens.record(agent.extra());
        let own = agent
            .has_own_signature()
            .then(|| tokens.signature(agent.signature()));
        let function = tokens.agent_function(agent, own, agent.host_variables());
        let with_models = &self.with_models;
        let agent = quote! {
            #rt::Agent::from_static(
                #name, #description, #instruction, #model, #settings, const { &[#specs] },
                const { &[#references] }, #extra, #function, #agents,
            ) #with_models
        };
        (constants, agent)
    }

    /// Returns the tools of an agent whose constants are numbered from `first`.
    fn named_tools(&self, node: &AgentNode, first: usize) -> Vec<NamedTool> {
        let elements = node.elements.iter().enumerate();
        let tools = elements.filter(|(_, element)| !matches!(element, AgentElement::Agent { .. }));
        tools
            .map(|(place, element)| {
                let (name, at) = name_of(element);
                let is_dynamic = self.is_dynamic(name);
                let has_spec = !is_dynamic || matches!(element, AgentElement::Tool { .. });
                NamedTool {
                    name: name.to_owned(),
                    number: has_spec.then_some(first + place),
                    at,
                    is_dynamic,
                }
            })
            .collect()
    }

    /// Returns the checks of what the option `deny` names. An agent that calls itself, also through others, is among the agents
    /// that are called, and its checks are made once.
    fn denials(&self, input: &Input, node: &AgentNode, called: &[&AgentNode]) -> TokenStream {
        if self.is_misspelt {
            return TokenStream::new();
        }
        let mut nodes = called.to_vec();
        let own = called
            .iter()
            .position(|called| called.agent.name() == node.agent.name());
        let first = own.unwrap_or(called.len());
        if own.is_none() {
            nodes.push(node);
        }
        expand_denials(
            self.checks,
            input.options.denied,
            &nodes,
            first,
            &self.tools,
        )
    }

    fn is_dynamic(&self, name: &str) -> bool {
        self.dynamic.iter().any(|dynamic| dynamic.name == name)
    }

    fn element(&mut self, node: &AgentNode, element: &AgentElement, at: usize) -> TokenStream {
        let (rt, checks) = (self.rt, self.checks);
        let tokens = Tokens { rt };
        let (name, place) = name_of(element);
        let (tool, spec) = constant_names(at);
        if let AgentElement::Agent { .. } = element {
            // An agent that is called was read without errors.
            let called = node.agent.tool(name).map(|called| tokens.tool_spec(called));
            let is_first = self.named.insert(name.to_owned());
            let shared = is_first.then(|| checks.listed("check_shared_name", name, place));
            return quote!(const #spec: &#rt::ToolSpec = &#called; #shared);
        }
        if self.is_dynamic(name) {
            return match element {
                AgentElement::Tool { tool: node, .. } => {
                    let value = tokens.tool_spec(&node.spec);
                    let defaults = checks.defaults(at, node);
                    quote! {
                        #[allow(dead_code)]
                        const #tool: #rt::Option<&#rt::ToolDescriptor> = #rt::None;
                        const #spec: &#rt::ToolSpec = &#value;
                        #defaults
                    }
                }
                _ => TokenStream::new(),
            };
        }
        let known = (!self.is_misspelt).then(|| checks.listed("check_known", name, place));
        match element {
            AgentElement::Tool { tool: node, .. } => {
                let value = match self.locks.spec(name) {
                    Some(locked) => tokens.tool_spec(&node.spec.tightened_by(locked)),
                    None => tokens.tool_spec(&node.spec),
                };
                let constants = constants(rt, at, name, &value);
                let is_compared = self.compared.contains(&node.places.whole);
                let compared = (!is_compared).then(|| {
                    self.compared.push(node.places.whole);
                    let (compared, defaults) = (checks.tool(at, node), checks.defaults(at, node));
                    quote!(#compared #defaults)
                });
                quote!(#constants #known #compared)
            }
            // A tool that the document only refers to has the spec of its server or of its function.
            _ => {
                let value = match self.locks.spec(name) {
                    Some(spec) => tokens.tool_spec(spec),
                    None => quote!(#rt::spec_of(#tool)),
                };
                let constants = constants(rt, at, name, &value);
                quote!(#constants #known)
            }
        }
    }
}

/// Returns the gram names that lead to a function, found by the name of the function in Rust. Only rustc knows a name
/// that `#[tool(name = "…")]` gives.
fn mentions(
    input: &Input,
    named: &[(&str, agent_gram::Span)],
    document: &Document,
) -> Vec<Mention> {
    let Document::Tokens(text) = document else {
        return Vec::new();
    };
    let tools = input.options.tools.iter().enumerate();
    tools
        .filter_map(|(at, tool)| {
            let name = camel_case(&tool.path()?.segments.last()?.ident.to_string());
            let (_, place) = named.iter().find(|(known, _)| *known == name)?;
            Some(Mention {
                element: at,
                token: text.spans(*place).0,
            })
        })
        .collect()
}

/// Expands an agent with errors. The tools are named, so that they do not count as unused, and the
/// specs without errors are compared with their functions.
pub(super) fn expand_broken(
    input: &Input,
    nodes: &[Arc<ToolNode>],
    checks: &BindingChecks<'_>,
) -> TokenStream {
    let rt = checks.rt;
    let tokens = Tokens { rt };
    let is_defined = |name: &str| nodes.iter().any(|node| node.spec.name() == name);
    let tools = expand_tools(rt, input, is_defined);
    // If a tool has two definitions, the intended one is unknown.
    let is_clear = |node: &&Arc<ToolNode>| {
        let same = |other: &Arc<ToolNode>| {
            other.spec.name() != node.spec.name() || other.spec == node.spec
        };
        nodes.iter().all(same)
    };
    let checked = nodes.iter().filter(is_clear).enumerate().map(|(at, node)| {
        let spec = tokens.tool_spec(&node.spec);
        let constants = constants(rt, at, node.spec.name(), &spec);
        let compared = checks.tool(at, node);
        quote!(#constants #compared)
    });
    let body = quote! {
        #tools
        #(#checked)*
        #rt::BROKEN_AGENT
    };
    in_scope(rt, &paths_of(&input.options.tools), &[], &body)
}

/// Expands an agent that could not be parsed.
pub(super) fn expand_skeleton(rt: &TokenStream, input: &Input) -> TokenStream {
    let tools = expand_tools(rt, input, |_| false);
    let body = quote!(#tools #rt::BROKEN_AGENT);
    in_scope(rt, &paths_of(&input.options.tools), &[], &body)
}

/// Returns the constants of a tool: the descriptor of its function, if there is one, and its spec.
fn constants(rt: &TokenStream, at: usize, name: &str, spec: &TokenStream) -> TokenStream {
    let (tool, constant) = constant_names(at);
    quote! {
        const #tool: #rt::Option<&#rt::ToolDescriptor> = #rt::find_tool(#name, TOOLS);
        const #constant: &#rt::ToolSpec = &#spec;
    }
}

/// Returns the names of the constants of a tool.
fn constant_names(at: usize) -> (Ident, Ident) {
    (format_ident!("TOOL_{at}"), format_ident!("SPEC_{at}"))
}

/// Returns the constants of all tools. The tools of servers that are not used have no signatures there.
fn expand_tools(rt: &TokenStream, input: &Input, is_used: impl Fn(&str) -> bool) -> TokenStream {
    let mut tools = input.options.tools.clone();
    tools.extend(input.locks.elements(is_used));
    crate::tool_list::constants(rt, &tools, "agent")
}

/// The agent as an item, and with `export` the test that writes its gram to a file. `value` is the
/// block of [`expand_agent`].
///
/// ```ignore
/// pub static GREETER: rt::Agent = { … };
/// #[cfg(test)]
/// #[rt::test]
/// fn export_gram_of_greeter() {
///     rt::export_agent(rt::env!("CARGO_MANIFEST_DIR"), "gram", &GREETER);
/// }
/// ```
pub(super) fn expand_item(
    rt: &TokenStream,
    input: &Input,
    item: &Item,
    value: &TokenStream,
) -> TokenStream {
    let Item {
        before,
        keyword,
        name,
    } = item;
    let test = input.options.export.as_ref().map(|(folder, span)| {
        let test = format_ident!("export_gram_of_{}", name.unraw().to_string().to_lowercase());
        let arguments = quote!(#folder, &#name);
        expand_export(rt, *span, &[], &test, &quote!(export_agent), &arguments)
    });
    quote! {
        #before #keyword #name: #rt::Agent = #value;
        #test
    }
}

/// Returns the names and places of the elements of an agent. The elements of the agents that it can call come first.
pub(super) fn names_of<'a>(
    node: &'a AgentNode,
    called: &[&'a AgentNode],
) -> Vec<(&'a str, agent_gram::Span)> {
    let mut names = Vec::new();
    for called in called {
        names.extend(called.elements.iter().map(name_of));
    }
    names.extend(node.elements.iter().map(name_of));
    names
}

fn name_of(element: &AgentElement) -> (&str, agent_gram::Span) {
    match element {
        AgentElement::Tool { tool, reference } => {
            (tool.spec.name(), reference.unwrap_or(tool.places.name))
        }
        AgentElement::Agent { name, span } | AgentElement::Unknown { name, span } => (name, *span),
        _ => ("", agent_gram::Span::at(0)),
    }
}
