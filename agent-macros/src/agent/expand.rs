//! The agent as code.

use super::inline_message;
use super::input::Input;
use super::places::{Lines, aspects};
use super::text_of_tokens::GramText;
use crate::tokens::{Tokens, respanned, text_option};
use agent_spec::Agent;
use agent_spec::binding::Aspect;
use agent_spec::check::{AgentElement, AgentNode};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;

/// An agent whose tokens are known: one constant for each compared thing, at its own token.
///
/// ```ignore
/// {
///     const TOOLS: &[&rt::ToolDescriptor] = &[<say_hello as rt::StaticTool>::DESCRIPTOR];
///     const TOOL_0: Option<&rt::ToolDescriptor> = rt::find_tool("sayHello", TOOLS);
///     const SPEC_0: &rt::ToolSpec = &…;
///     const _: () = rt::check_known("sayHello", TOOLS, None);                        // at the name
///     const _: () = rt::check_aspect(SPEC_0, TOOL_0, rt::Aspect::ParamType(0), …);  // at the label
///     const AGENT: rt::Agent = rt::Agent::from_static("hello_world_agent", …, &[rt::ToolSpec::borrowed(SPEC_0)]);
///     AGENT
/// }
/// ```
pub(super) fn expand_inline(
    rt: &TokenStream,
    input: &Input,
    node: &AgentNode,
    text: &GramText,
) -> TokenStream {
    let policy = policy(rt, input.exact);
    let checks = node.elements.iter().enumerate().map(|(at, element)| {
        let (tool, spec) = (format_ident!("TOOL_{at}"), format_ident!("SPEC_{at}"));
        let (name, name_span) = name_of(element);
        let (start, end) = text.spans(name_span);
        let known = spanned_check(
            start,
            end,
            quote!(#rt::check_known),
            quote!(#name, TOOLS, #rt::None),
        );
        let AgentElement::Tool { tool: node, .. } = element else {
            return known;
        };
        let compared = aspects(&node.places, input.exact)
            .into_iter()
            .map(|(aspect, span)| {
                let (start, end) = text.spans(span);
                let aspect = aspect_tokens(rt, aspect);
                let arguments = quote!(#spec, #tool, #aspect, #policy);
                spanned_check(start, end, quote!(#rt::check_aspect), arguments)
            });
        let params = node.places.signature.params.iter().enumerate();
        let defaults = params.filter_map(|(at, param)| {
            let found = param.bad_default.as_ref()?;
            let (start, end) = text.spans(found.span());
            let message = inline_message(text, found);
            let arguments = quote!(#spec, #tool, #at, #policy, #message);
            Some(spanned_check(
                start,
                end,
                quote!(#rt::check_default),
                arguments,
            ))
        });
        quote!(#known #(#compared)* #(#defaults)*)
    });
    let checks: TokenStream = checks.collect();
    expand_agent(rt, input, node, &checks)
}

/// An agent in a file or a string literal: one error a tool, which shows the line.
pub(super) fn expand_file(
    rt: &TokenStream,
    input: &Input,
    node: &AgentNode,
    lines: &Lines<'_>,
    span: Span,
    absolute: Option<&str>,
) -> TokenStream {
    let policy = policy(rt, input.exact);
    let checks = node.elements.iter().enumerate().map(|(at, element)| {
        let (tool, spec) = (format_ident!("TOOL_{at}"), format_ident!("SPEC_{at}"));
        let (name, name_span) = name_of(element);
        let place = lines.show(name_span);
        let arguments = quote!(#name, TOOLS, #rt::Some(#place));
        let known = spanned_check(span, span, quote!(#rt::check_known), arguments);
        let AgentElement::Tool { tool: node, .. } = element else {
            return known;
        };
        let places = aspects(&node.places, input.exact)
            .into_iter()
            .map(|(aspect, span)| {
                let aspect = aspect_tokens(rt, aspect);
                let snippet = lines.show(span);
                quote!(#rt::FilePlace { aspect: #aspect, snippet: #snippet })
            });
        let arguments = quote!(#spec, #tool, #policy, &[#(#places),*]);
        let compared = spanned_check(span, span, quote!(#rt::check_in_file), arguments);
        let params = node.places.signature.params.iter().enumerate();
        let defaults = params.filter_map(|(at, param)| {
            let message = lines.message(param.bad_default.as_ref()?);
            let arguments = quote!(#spec, #tool, #at, #policy, #message);
            Some(spanned_check(
                span,
                span,
                quote!(#rt::check_default),
                arguments,
            ))
        });
        quote!(#known #compared #(#defaults)*)
    });
    // So that cargo builds again when the file changes.
    let tracked = absolute.map(|path| quote!(const _: &[#rt::u8] = #rt::include_bytes!(#path);));
    let checks: TokenStream = checks.collect();
    expand_agent(rt, input, node, &quote!(#tracked #checks))
}

/// What stands for an agent with mistakes. The tools are named, so that they do not count as unused.
pub(super) fn expand_skeleton(rt: &TokenStream, input: &Input) -> TokenStream {
    let tools = expand_tools(rt, input);
    quote! {
        #tools
        #rt::BROKEN_AGENT
    }
}

fn expand_agent(
    rt: &TokenStream,
    input: &Input,
    node: &AgentNode,
    checks: &TokenStream,
) -> TokenStream {
    let tokens = Tokens { rt };
    let tools = expand_tools(rt, input);
    let specs = node.elements.iter().enumerate().map(|(at, element)| {
        let (tool, spec) = (format_ident!("TOOL_{at}"), format_ident!("SPEC_{at}"));
        let (name, _) = name_of(element);
        let value = match element {
            AgentElement::Tool { tool: node, .. } => tokens.tool_spec(&node.spec),
            // A tool that the document only names takes the spec of its function.
            _ => quote!(#rt::spec_of(#tool)),
        };
        quote! {
            const #tool: #rt::Option<&#rt::ToolDescriptor> = #rt::find_tool(#name, TOOLS);
            const #spec: &#rt::ToolSpec = &#value;
        }
    });
    let names = (0..node.elements.len()).map(|at| format_ident!("SPEC_{at}"));
    let agent = agent_tokens(
        &tokens,
        rt,
        &node.agent,
        quote!(const { &[#(#rt::ToolSpec::borrowed(#names)),*] }),
    );
    quote! {
        #tools
        #(#specs)*
        #checks
        const AGENT: #rt::Agent = #agent;
        AGENT
    }
}

fn expand_tools(rt: &TokenStream, input: &Input) -> TokenStream {
    let tools = input
        .tools
        .iter()
        .map(|path| quote_spanned!(path.span()=> <#path as #rt::StaticTool>::DESCRIPTOR));
    quote! {
        #[allow(dead_code)]
        const TOOLS: &[&#rt::ToolDescriptor] = &[#(#tools),*];
    }
}

fn agent_tokens(
    tokens: &Tokens<'_>,
    rt: &TokenStream,
    agent: &Agent,
    tools: TokenStream,
) -> TokenStream {
    let (name, instruction) = (agent.name(), agent.instruction());
    let description = text_option(rt, agent.description());
    let model = tokens.model(agent.model());
    let settings = tokens.settings(agent.settings());
    let extra = tokens.record(agent.extra());
    quote! {
        #rt::Agent::from_static(
            #name, #description, #instruction, #model, #settings, #tools, #extra,
        )
    }
}

/// A check whose call starts at one token and ends at another, so that rustc marks all between.
fn spanned_check(
    start: Span,
    end: Span,
    function: TokenStream,
    arguments: TokenStream,
) -> TokenStream {
    let function = respanned(function, start);
    let arguments = respanned(quote!((#arguments)), end);
    quote!(const _: () = #function #arguments;)
}

fn name_of(element: &AgentElement) -> (&str, agent_gram::Span) {
    match element {
        AgentElement::Tool { tool, reference } => {
            (tool.spec.name(), reference.unwrap_or(tool.places.name))
        }
        AgentElement::Unknown { name, span } => (name, *span),
        _ => ("", agent_gram::Span::at(0)),
    }
}

fn policy(rt: &TokenStream, exact: bool) -> TokenStream {
    if exact {
        quote!(#rt::Policy::Exact)
    } else {
        quote!(#rt::Policy::Compatible)
    }
}

fn aspect_tokens(rt: &TokenStream, aspect: Aspect) -> TokenStream {
    let aspect = match aspect {
        Aspect::Description => quote!(Description),
        Aspect::ParamName(at) => quote!(ParamName(#at)),
        Aspect::ParamType(at) => quote!(ParamType(#at)),
        Aspect::ParamDetails(at) => quote!(ParamDetails(#at)),
        Aspect::ParamOptional(at) => quote!(ParamOptional(#at)),
        Aspect::ParamDefault(at) => quote!(ParamDefault(#at)),
        Aspect::ParamDescription(at) => quote!(ParamDescription(#at)),
        Aspect::MissingParam => quote!(MissingParam),
        Aspect::Returns => quote!(Returns),
        _ => quote!(Name),
    };
    quote!(#rt::Aspect::#aspect)
}
