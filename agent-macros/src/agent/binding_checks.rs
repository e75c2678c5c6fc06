//! The binding checks in the expansion: constants whose evaluation fails with a message, at the
//! span that rustc is to mark. Parts that fail together share a constant, because a constant costs
//! rustc more than a comparison.

use super::file::text_message;
use super::gram_text::GramText;
use super::inline_message;
use crate::tokens::respanned;
use agent_gram::LineIndex;
use agent_spec::__private::{Aspect, ListedIn, Trail};
use agent_spec::Diagnostic;
use agent_spec::check::{AgentNode, ParamPlaces};
use agent_spec::check::{SignaturePlaces, ToolNode, ToolPlaces};
use agent_spec::diagnostic::snippet_with;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

/// The location of an error.
pub(super) enum ErrorLocation<'a> {
    /// The token that the error is about.
    Tokens(&'a GramText),
    /// The literal with the text or the path of the file; the message shows the line.
    Lines { lines: Lines<'a>, literal: Span },
}

/// Writes the checks of an agent.
pub(super) struct BindingChecks<'a> {
    pub(super) rt: &'a TokenStream,
    pub(super) location: ErrorLocation<'a>,
    pub(super) exact: bool,
    /// The macro that lists the tools.
    pub(super) listed_in: ListedIn,
}

impl BindingChecks<'_> {
    /// Returns a check that a tool of this name exists.
    pub(super) fn name(&self, name: &str, at: agent_gram::Span) -> TokenStream {
        self.listed(&quote!(check_known), name, at)
    }

    /// Returns a check that no tool has the name of an agent.
    pub(super) fn shared_name(&self, name: &str, at: agent_gram::Span) -> TokenStream {
        self.listed(&quote!(check_shared_name), name, at)
    }

    /// Returns a check of a name against the listed tools.
    fn listed(&self, function: &TokenStream, name: &str, at: agent_gram::Span) -> TokenStream {
        let rt = self.rt;
        let listed_in = match self.listed_in {
            ListedIn::Macro => quote!(#rt::ListedIn::Macro),
            ListedIn::Attribute => quote!(#rt::ListedIn::Attribute),
        };
        let (place, shown) = match &self.location {
            ErrorLocation::Tokens(text) => (text.spans(at), quote!(#rt::None)),
            ErrorLocation::Lines { lines, literal } => {
                let shown = lines.show(at);
                ((*literal, *literal), quote!(#rt::Some(#shown)))
            }
        };
        let arguments = quote!(#name, TOOLS, #listed_in, #shown);
        check(place, quote!(#rt::#function), arguments)
    }

    /// Returns the checks that a tool agrees with its function. `index` is the number in its
    /// constants `TOOL_…` and `SPEC_…`.
    pub(super) fn tool(&self, index: usize, node: &ToolNode) -> TokenStream {
        let rt = self.rt;
        let policy = self.policy();
        let (tool, spec) = (format_ident!("TOOL_{index}"), format_ident!("SPEC_{index}"));
        let aspects = aspects(&node.places, self.exact).into_iter();
        match &self.location {
            ErrorLocation::Tokens(text) => {
                let checks = aspects.enumerate().map(|(of, group)| {
                    let tokens = group.iter().map(|(aspect, _)| aspect_tokens(rt, *aspect));
                    let list = quote!(&[#(#tokens),*]);
                    if let [(_, span)] = group.as_slice() {
                        let arguments = quote!(#spec, #tool, #list, 0, #policy);
                        return check(text.spans(*span), quote!(#rt::check_aspect), arguments);
                    }
                    let list_name = format_ident!("ASPECTS_{index}_{of}");
                    let calls = group.iter().enumerate().map(|(own, (_, span))| {
                        let arguments = quote!(#spec, #tool, #list_name, #own, #policy);
                        call(text.spans(*span), quote!(#rt::check_aspect), arguments)
                    });
                    quote! {
                        const #list_name: &[#rt::Aspect] = #list;
                        const _: () = if !#rt::agrees(#spec, #tool, #list_name, #policy) {
                            #(#calls;)*
                        };
                    }
                });
                quote!(#(#checks)*)
            }
            ErrorLocation::Lines { lines, literal } => {
                let places = aspects.flatten().map(|(aspect, span)| {
                    let aspect = aspect_tokens(rt, aspect);
                    let snippet = lines.show(span);
                    quote!(#rt::FilePlace { aspect: #aspect, snippet: #snippet })
                });
                let arguments = quote!(#spec, #tool, #policy, &[#(#places),*]);
                check((*literal, *literal), quote!(#rt::check_in_file), arguments)
            }
        }
    }

    /// Returns the checks that an agent agrees with the function that calls it: the constants `__AGENT` and
    /// `__FUNCTION`.
    pub(super) fn call(&self, node: &AgentNode) -> TokenStream {
        let rt = self.rt;
        let whole = whole_signature(node);
        let signature = node.signature.as_ref().unwrap_or(&whole);
        let aspects = aspects_of(node.description, signature, true).into_iter();
        match &self.location {
            ErrorLocation::Tokens(text) => {
                let checks = aspects.enumerate().map(|(of, group)| {
                    let tokens = group.iter().map(|(aspect, _)| aspect_tokens(rt, *aspect));
                    let list_name = format_ident!("__ASPECTS_{of}");
                    let calls = group.iter().enumerate().map(|(own, (_, span))| {
                        let arguments = quote!(__AGENT, __FUNCTION, #list_name, #own);
                        call(text.spans(*span), quote!(#rt::check_call), arguments)
                    });
                    quote! {
                        const #list_name: &[#rt::Aspect] = &[#(#tokens),*];
                        const _: () = if !#rt::call_agrees(__AGENT, __FUNCTION, #list_name) {
                            #(#calls;)*
                        };
                    }
                });
                quote!(#(#checks)*)
            }
            ErrorLocation::Lines { lines, literal } => {
                let places = aspects.flatten().map(|(aspect, span)| {
                    let aspect = aspect_tokens(rt, aspect);
                    let snippet = lines.show(span);
                    quote!(#rt::FilePlace { aspect: #aspect, snippet: #snippet })
                });
                let arguments = quote!(__AGENT, __FUNCTION, &[#(#places),*]);
                check(
                    (*literal, *literal),
                    quote!(#rt::check_call_in_file),
                    arguments,
                )
            }
        }
    }

    /// Returns checks that the defaults of a tool fit their types. They do not fail if the type
    /// itself is wrong.
    pub(super) fn defaults(&self, index: usize, node: &ToolNode) -> TokenStream {
        let rt = self.rt;
        let policy = self.policy();
        let (tool, spec) = (format_ident!("TOOL_{index}"), format_ident!("SPEC_{index}"));
        let params = node.places.signature.params.iter().enumerate();
        let mut checks = TokenStream::new();
        for (at, param) in params {
            let Some(found) = &param.bad_default else {
                continue;
            };
            let (spans, message) = match &self.location {
                ErrorLocation::Tokens(text) => {
                    (text.spans(found.span()), inline_message(text, found))
                }
                ErrorLocation::Lines { lines, literal } => {
                    ((*literal, *literal), lines.message(found))
                }
            };
            let arguments = quote!(#spec, #tool, #at, #policy, #message);
            checks.extend(check(spans, quote!(#rt::check_default), arguments));
        }
        checks
    }

    fn policy(&self) -> TokenStream {
        let rt = self.rt;
        if self.exact {
            quote!(#rt::Policy::Exact)
        } else {
            quote!(#rt::Policy::Compatible)
        }
    }
}

/// Returns a check as a constant.
fn check(place: (Span, Span), function: TokenStream, arguments: TokenStream) -> TokenStream {
    let call = call(place, function, arguments);
    quote!(const _: () = #call;)
}

/// Returns a check whose call spans from one token to another, so that rustc marks everything
/// between.
fn call(place: (Span, Span), function: TokenStream, arguments: TokenStream) -> TokenStream {
    let function = respanned(function, place.0);
    let arguments = respanned(quote!((#arguments)), place.1);
    quote!(#function #arguments)
}

fn aspect_tokens(rt: &TokenStream, aspect: Aspect) -> TokenStream {
    let aspect = match aspect {
        Aspect::Description => quote!(Description),
        Aspect::ParamName(at) => quote!(ParamName(#at)),
        Aspect::ParamType(at) => quote!(ParamType(#at)),
        Aspect::ParamDetail(at, trail) => {
            let trail = trail_tokens(rt, &trail);
            quote!(ParamDetail(#at, #trail))
        }
        Aspect::ParamOptional(at) => quote!(ParamOptional(#at)),
        Aspect::ParamDefault(at) => quote!(ParamDefault(#at)),
        Aspect::ParamDescription(at) => quote!(ParamDescription(#at)),
        Aspect::MissingParam => quote!(MissingParam),
        Aspect::ReturnDetail(trail) => {
            let trail = trail_tokens(rt, &trail);
            quote!(ReturnDetail(#trail))
        }
        _ => quote!(Name),
    };
    quote!(#rt::Aspect::#aspect)
}

fn trail_tokens(rt: &TokenStream, trail: &Trail) -> TokenStream {
    match trail.steps() {
        [] => quote!(#rt::Trail::EMPTY),
        steps => quote!(#rt::Trail::of(&[#(#steps),*])),
    }
}

/// Returns all aspects of a tool except its name, with their spans. Aspects of which at most one
/// can disagree, such as those of one parameter, form a group.
fn aspects(places: &ToolPlaces, exact: bool) -> Vec<Vec<(Aspect, agent_gram::Span)>> {
    aspects_of(places.description, &places.signature, exact)
}

fn aspects_of(
    description: agent_gram::Span,
    signature: &SignaturePlaces,
    exact: bool,
) -> Vec<Vec<(Aspect, agent_gram::Span)>> {
    let mut aspects = vec![vec![(Aspect::Description, description)]];
    for (at, param) in signature.params.iter().enumerate() {
        let mut of_param = vec![
            (Aspect::ParamName(at), param.name),
            (Aspect::ParamType(at), param.label),
            (Aspect::ParamDetail(at, Trail::EMPTY), param.details),
        ];
        let of_part =
            |&(trail, span): &(Trail, agent_gram::Span)| (Aspect::ParamDetail(at, trail), span);
        of_param.extend(param.parts.iter().map(of_part));
        of_param.push((Aspect::ParamOptional(at), param.optional));
        of_param.push((Aspect::ParamDefault(at), param.default));
        if exact {
            of_param.push((Aspect::ParamDescription(at), param.description));
        }
        aspects.push(of_param);
    }
    aspects.push(vec![(Aspect::MissingParam, signature.last_arrow)]);
    let returns = &signature.returns;
    let mut of_returns = vec![(Aspect::ReturnDetail(Trail::EMPTY), returns.label)];
    let of_part = |&(trail, span): &(Trail, agent_gram::Span)| (Aspect::ReturnDetail(trail), span);
    of_returns.extend(returns.parts.iter().map(of_part));
    aspects.push(of_returns);
    aspects
}

/// Returns the places of the signature of an agent without one of its own: its name.
fn whole_signature(node: &AgentNode) -> SignaturePlaces {
    let name = node.name;
    let mut param = ParamPlaces::default();
    for place in [
        &mut param.whole,
        &mut param.name,
        &mut param.label,
        &mut param.optional,
        &mut param.default,
        &mut param.details,
        &mut param.description,
    ] {
        *place = name;
    }
    let mut places = SignaturePlaces::default();
    places.whole = name;
    places.params = vec![param.clone(); node.agent.signature().params().len()];
    places.returns = param;
    places.last_arrow = name;
    places
}

/// A text without tokens of its own. Messages show its lines.
pub(super) struct Lines<'a> {
    path: Option<&'a str>,
    source: &'a str,
    index: LineIndex<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(path: Option<&'a str>, source: &'a str) -> Self {
        Self {
            path,
            source,
            index: LineIndex::new(source),
        }
    }

    pub(super) fn message(&self, found: &Diagnostic) -> String {
        text_message(self.path, self.source, found)
    }

    pub(super) fn show(&self, span: agent_gram::Span) -> String {
        snippet_with(&self.index, self.path, span, "")
            .trim_end()
            .to_owned()
    }
}
