//! The agent of a function with `#[agent_fn]`, and the checks against the function.

use super::binding_checks::BindingChecks;
use super::{Input, called, expand, read_checked};
use crate::report::Report;
use crate::tokens::Tokens;
use agent_spec::__private::ListedIn;
use agent_spec::Agent;
use agent_spec::check::{AgentNode, Checked, choose_agent};
use proc_macro2::TokenStream;
use quote::quote;

/// The agent of a function.
pub(crate) struct FunctionAgent {
    /// The agent as an expression for a `const`.
    pub(crate) value: TokenStream,
    /// The document in gram, as an expression.
    pub(crate) gram: TokenStream,
    /// The agent as a tool: an expression of type `ToolDescriptor`. `None` for the descriptor of the function.
    pub(crate) descriptor: Option<TokenStream>,
    pub(crate) has_description: bool,
    /// The settings of the function.
    pub(crate) settings: TokenStream,
    /// The checks. They name the constants `__AGENT` and `__FUNCTION`.
    pub(crate) checks: TokenStream,
}

/// Expands the agent of a function. `name` is that of the function in gram. Returns `None` if there is no such agent,
/// which is reported.
pub(crate) fn expand_function_agent(
    report: &Report,
    input: &Input,
    name: &str,
    rt: &TokenStream,
) -> Option<FunctionAgent> {
    let (document, checked) = read_checked(report, input)?;
    let node = choose(report, input, &checked, name)?;
    let checks = BindingChecks {
        rt,
        document: &document,
        exact: input.options.exact,
        listed_in: ListedIn::Attribute,
    };
    let value = expand::expand_agent(input, node, &called(node, &checked), &checks);
    let gram = agent_gram::format::format_source(document.text()).unwrap_or_default();
    Some(FunctionAgent {
        value: quote!({ #value }),
        gram: quote!(#gram),
        descriptor: Some(descriptor(rt, &node.agent)),
        has_description: node.agent.description().is_some(),
        settings: quote!(#rt::ToolSettings::DEFAULT),
        checks: checks.call(node),
    })
}

/// Returns the only agent of the document, the one that the setting `agent` names, or the one of the function's name.
fn choose<'c>(
    report: &Report,
    input: &Input,
    checked: &'c Checked,
    name: &str,
) -> Option<&'c AgentNode> {
    if checked.has_errors() || !report.is_empty() {
        return None;
    }
    let agents = checked.agents.as_slice();
    let asked = match &input.options.agent {
        Some((given, _)) => Some(given.as_str()),
        None => (agents.len() > 1).then_some(name),
    };
    let none = match choose_agent(agents, asked) {
        Ok(node) => return Some(node),
        Err(none) => none,
    };
    let (span, message) = match &input.options.agent {
        Some((_, span)) => (*span, format!("the document {}", none.reason)),
        None if agents.is_empty() => (
            input.source.span(),
            "the document declares no agent\nhelp: an agent has the label `Agent`: `[name:Agent \
             {instruction: \"…\", model: \"Provider/model-id\"}]`"
                .to_owned(),
        ),
        None => {
            let names: Vec<&str> = agents.iter().map(|node| node.agent.name()).collect();
            let message = format!(
                "the document declares several agents, and none is called `{name}` as the function; choose one with \
                 `agent = \"…\"`: it declares {}",
                names.join(", ")
            );
            (input.source.span(), message)
        }
    };
    report.error(span, message);
    None
}

/// Returns the agent as a tool.
fn descriptor(rt: &TokenStream, agent: &Agent) -> TokenStream {
    let tokens = Tokens { rt };
    let (name, description) = (agent.name(), agent.description().unwrap_or_default());
    let signature = tokens.signature(agent.signature());
    let settings = tokens.agent_settings(agent);
    quote!(#rt::ToolDescriptor::from_static(#name, #description, #signature, #settings))
}
