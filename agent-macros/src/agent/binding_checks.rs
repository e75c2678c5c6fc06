//! The binding checks in the expansion: constants whose evaluation fails with a message, at the
//! span that rustc is to mark. Parts that fail together share a constant, because a constant costs
//! rustc more than a comparison.

use super::file::text_message;
use super::gram_text::GramText;
use super::inline_message;
use crate::tokens::respanned;
use agent_gram::LineIndex;
use agent_spec::__private::{FIELD, ListedIn, PARAMS, RESULT, Trail};
use agent_spec::Diagnostic;
use agent_spec::check::{AgentNode, ParamPlaces, SignaturePlaces, ToolNode};
use agent_spec::diagnostic::snippet_with;
use agent_spec::vocabulary::Keyword;
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
        let parts = parts_of(node.places.description, &node.places.signature, self.exact);
        match &self.location {
            ErrorLocation::Tokens(text) => {
                let checks = parts.into_iter().enumerate().map(|(of, group)| {
                    let tokens = group.iter().map(|(trail, _)| trail_tokens(rt, trail));
                    let list = quote!(&[#(#tokens),*]);
                    if let [(_, span)] = group.as_slice() {
                        let arguments = quote!(#spec, #tool, #list, 0, #policy);
                        return check(text.spans(*span), quote!(#rt::check_part), arguments);
                    }
                    let list_name = format_ident!("PARTS_{index}_{of}");
                    let calls = group.iter().enumerate().map(|(own, (_, span))| {
                        let arguments = quote!(#spec, #tool, #list_name, #own, #policy);
                        call(text.spans(*span), quote!(#rt::check_part), arguments)
                    });
                    quote! {
                        const #list_name: &[#rt::Trail] = #list;
                        const _: () = if !#rt::agrees(#spec, #tool, #list_name, #policy) {
                            #(#calls;)*
                        };
                    }
                });
                quote!(#(#checks)*)
            }
            ErrorLocation::Lines { lines, literal } => {
                let places = file_places(rt, lines, parts);
                let arguments = quote!(#spec, #tool, #policy, #places);
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
        let parts = parts_of(node.description, signature, true);
        match &self.location {
            ErrorLocation::Tokens(text) => {
                let checks = parts.into_iter().enumerate().map(|(of, group)| {
                    let tokens = group.iter().map(|(trail, _)| trail_tokens(rt, trail));
                    let list_name = format_ident!("__PARTS_{of}");
                    let calls = group.iter().enumerate().map(|(own, (_, span))| {
                        let arguments = quote!(__AGENT, __FUNCTION, #list_name, #own);
                        call(text.spans(*span), quote!(#rt::check_call), arguments)
                    });
                    quote! {
                        const #list_name: &[#rt::Trail] = &[#(#tokens),*];
                        const _: () = if !#rt::call_agrees(__AGENT, __FUNCTION, #list_name) {
                            #(#calls;)*
                        };
                    }
                });
                quote!(#(#checks)*)
            }
            ErrorLocation::Lines { lines, literal } => {
                let places = file_places(rt, lines, parts);
                let arguments = quote!(__AGENT, __FUNCTION, #places);
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

/// Returns the list of the parts of a text without tokens, each with the line that a message shows.
fn file_places(
    rt: &TokenStream,
    lines: &Lines<'_>,
    parts: Vec<Vec<(Trail, agent_gram::Span)>>,
) -> TokenStream {
    let places = parts.into_iter().flatten().map(|(trail, span)| {
        let trail = trail_tokens(rt, &trail);
        let snippet = lines.show(span);
        quote!(#rt::FilePlace { trail: #trail, snippet: #snippet })
    });
    quote!(&[#(#places),*])
}

fn trail_tokens(rt: &TokenStream, trail: &Trail) -> TokenStream {
    let steps = trail.steps();
    quote!(#rt::Trail::of(&[#(#steps),*]))
}

/// Returns the trails to all parts that are compared, with their spans. The trail to the description is empty. Parts
/// of which at most one can disagree, such as those of one parameter, form a group.
fn parts_of(
    description: agent_gram::Span,
    signature: &SignaturePlaces,
    exact: bool,
) -> Vec<Vec<(Trail, agent_gram::Span)>> {
    let params = Trail::EMPTY.then(PARAMS);
    let mut groups = vec![vec![(Trail::EMPTY, description)]];
    for (at, param) in signature.params.iter().enumerate() {
        let whole = params.then(FIELD + at as u16);
        let mut group = vec![(whole, param.details)];
        for (keyword, span) in [
            (Keyword::Name, param.name),
            (Keyword::Type, param.label),
            (Keyword::Optional, param.optional),
            (Keyword::Default, param.default),
        ] {
            group.push((whole.then(keyword.step()), span));
        }
        if exact {
            group.push((whole.then(Keyword::Description.step()), param.description));
        }
        group.extend(inner_parts(whole, param));
        groups.push(group);
    }
    groups.push(vec![(params, signature.last_arrow)]);
    let result = Trail::EMPTY.then(RESULT);
    let mut group = vec![(result, signature.returns.label)];
    group.extend(inner_parts(result, &signature.returns));
    groups.push(group);
    groups
}

/// Returns the parts of the type of a parameter or a result to which a trail leads.
fn inner_parts(
    outer: Trail,
    places: &ParamPlaces,
) -> impl Iterator<Item = (Trail, agent_gram::Span)> {
    let parts = places.parts.iter();
    parts.map(move |(trail, span)| {
        let steps = trail.steps().iter();
        (steps.fold(outer, |trail, step| trail.then(*step)), *span)
    })
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
