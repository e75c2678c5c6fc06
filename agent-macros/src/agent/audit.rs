//! The findings that `deny: ["leak", "unbounded", "destructive"]` makes errors. Only rustc knows the effects of functions, so that
//! constants in the expansion decide about leaks and destructive tools. The macro itself decides what a message can cause.

use super::binding_checks::{BindingChecks, check};
use super::document::Document;
use super::options::Denied;
use crate::report::Report;
use crate::tokens::{option, variant};
use agent_effects::flow::{FlowStep, steps_of};
use agent_spec::audit::{audit, calls_of};
use agent_spec::check::{AgentNode, ModelRules};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// A tool that an agent names.
pub(super) struct NamedTool {
    pub(super) name: String,
    /// The number of its constants `SPEC_…` and `TOOL_…`; none if only its library knows it.
    pub(super) number: Option<usize>,
    /// The place of its name in the gram.
    pub(super) at: agent_gram::Span,
    /// Whether the tool is known only at run time.
    pub(super) is_dynamic: bool,
}

/// Reports at the name of an agent that the requests, calls or dollars of a message are not bounded. `called` are the agents
/// that it can call.
pub(super) fn report_unbounded(
    report: &Report,
    document: &Document,
    node: &AgentNode,
    called: &[&AgentNode],
    rules: &ModelRules<'_>,
) {
    let nodes = std::iter::once(node).chain(called.iter().copied());
    let Some(found) = audit(nodes, Some(rules)).into_iter().next() else {
        return;
    };
    let (start, end) = document.spans(node.name);
    for reason in found.unbounded {
        let shown = document.show(node.name);
        let shown = shown.map_or_else(String::new, |shown| format!("\n{shown}"));
        report.error_between(
            start,
            end,
            format!(
                "a message to `{}` is not bounded: {reason}{shown}",
                found.name
            ),
        );
    }
}

/// Returns the checks that no agent leaks and that no tool is destructive without an approval, each at the name of a tool.
/// `nodes` are the agents, `first` is the index of the one that the host runs, and `tools` are the tools of each agent.
///
/// ```ignore
/// const FLOW_TOOLS_0: &[rt::FlowTool<'static>] = &[rt::flow_tool(SPEC_0, TOOL_0, false)];
/// const FLOW_AGENTS: [rt::FlowAgent<'static>; 1] = [rt::FlowAgent { name: "mail", tools: FLOW_TOOLS_0, … }];
/// const FLOWS: [rt::AgentFlow; 1] = rt::flows(&FLOW_AGENTS);
/// const _: () = rt::check_leak(&FLOW_AGENTS, &FLOWS, 0, 0, None);       // at the name of the tool
/// const _: () = rt::check_destructive("mail", &FLOW_TOOLS_0[0], None);  // at the name of the tool
/// ```
pub(super) fn expand_denials(
    checks: &BindingChecks<'_>,
    denied: Denied,
    nodes: &[&AgentNode],
    first: usize,
    tools: &[Vec<NamedTool>],
) -> TokenStream {
    if !denied.leak && !denied.destructive {
        return TokenStream::new();
    }
    let rt = checks.rt;
    let steps = steps_of(nodes.len(), &calls_of(nodes.iter().copied()));
    let (mut lists, mut agents, mut found) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for (at, ((node, tools), steps)) in nodes.iter().zip(tools).zip(steps).enumerate() {
        let (name, list) = (node.agent.name(), format_ident!("FLOW_TOOLS_{at}"));
        let untrusted = node.agent.settings().untrusted.iter();
        let parameters = untrusted.map(|name| {
            let name = name.as_str();
            quote!(#rt::FlowTool::of_parameter(#name))
        });
        let values = tools
            .iter()
            .map(|tool| flow_tool(rt, tool))
            .chain(parameters);
        lists.extend(quote!(const #list: &[#rt::FlowTool<'static>] = &[#(#values),*];));
        let steps = steps.iter().map(|step| flow_step(rt, step));
        let when = variant(node.agent.settings().when_tainted.unwrap_or_default());
        let is_first = at == first;
        agents.extend(quote! {
            #rt::FlowAgent {
                name: #name,
                tools: #list,
                steps: &[#(#steps),*],
                when_tainted: #rt::WhenTainted::#when,
                is_first: #is_first,
            },
        });
        for (number, tool) in tools.iter().enumerate() {
            let shown = checks.document.show(tool.at);
            let shown = option(rt, shown.map(|shown| quote!(#shown)));
            let spans = checks.document.spans(tool.at);
            if denied.leak {
                let arguments = quote!(&FLOW_AGENTS, &FLOWS, #at, #number, #shown);
                found.extend(check(spans, quote!(#rt::check_leak), arguments));
            }
            if denied.destructive {
                let arguments = quote!(#name, &#list[#number], #shown);
                found.extend(check(spans, quote!(#rt::check_destructive), arguments));
            }
        }
    }
    let count = nodes.len();
    let flows = denied.leak.then(|| {
        quote! {
            const FLOW_AGENTS: [#rt::FlowAgent<'static>; #count] = [#agents];
            const FLOWS: [#rt::AgentFlow; #count] = #rt::flows(&FLOW_AGENTS);
        }
    });
    quote!(#lists #flows #found)
}

fn flow_tool(rt: &TokenStream, tool: &NamedTool) -> TokenStream {
    let NamedTool {
        name, is_dynamic, ..
    } = tool;
    let Some(number) = tool.number else {
        return quote! {
            #rt::FlowTool { name: #name, effects: #rt::Effects::NONE, is_inert: false, requires_approval: false }
        };
    };
    let (spec, tool) = (
        format_ident!("SPEC_{number}"),
        format_ident!("TOOL_{number}"),
    );
    quote!(#rt::flow_tool(#spec, #tool, #is_dynamic))
}

fn flow_step(rt: &TokenStream, step: &FlowStep) -> TokenStream {
    let FlowStep {
        to,
        is_call,
        has_private,
        has_words,
    } = *step;
    quote! {
        #rt::FlowStep { to: #to, is_call: #is_call, has_private: #has_private, has_words: #has_words }
    }
}
