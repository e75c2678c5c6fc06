//! The agent of a function with `#[agent_fn]`, and the checks against the function.

use super::binding_checks::BindingChecks;
use super::{Input, called, choose, expand, read_checked};
use crate::report::Report;
use crate::tokens::Tokens;
use agent_spec::__private::ListedIn;
use agent_spec::Agent;
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

/// Expands the agent of a function. `name` is the name of the function in gram. Returns `None` if the document has no
/// agent for it, which is reported.
pub(crate) fn expand_function_agent(
    report: &Report,
    input: &Input,
    name: &str,
    rt: &TokenStream,
) -> Option<FunctionAgent> {
    let (document, checked) = read_checked(report, input)?;
    let node = choose(report, input, &checked, Some(name))?;
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

/// Returns the agent as a tool.
fn descriptor(rt: &TokenStream, agent: &Agent) -> TokenStream {
    let tokens = Tokens { rt };
    let (name, description) = (agent.name(), agent.description().unwrap_or_default());
    let signature = tokens.signature(agent.signature());
    let settings = tokens.agent_settings(agent);
    quote!(#rt::ToolDescriptor::from_static(#name, #description, #signature, #settings))
}
