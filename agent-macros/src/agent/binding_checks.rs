//! The binding checks in the expansion: constants whose evaluation fails with a message, at the
//! span that rustc is to mark. Parts that fail together share a constant, because a constant costs
//! rustc more than a comparison.

use super::document::Document;
use crate::tokens::{call_between, option, variant};
use agent_effects::Effect;
use agent_spec::__private::{FIELD, ListedIn, PARAMS, RESULT, Trail};
use agent_spec::check::{AgentNode, ParamPlaces, SignaturePlaces, ToolNode};
use agent_spec::vocabulary::Keyword;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// Writes the checks of an agent.
pub(super) struct BindingChecks<'a> {
    pub(super) rt: &'a TokenStream,
    pub(super) document: &'a Document,
    pub(super) exact: bool,
    /// The macro that lists the tools.
    pub(super) listed_in: ListedIn,
}

impl BindingChecks<'_> {
    /// Returns a check of a name against the listed tools.
    pub(super) fn listed(&self, function: &str, name: &str, at: agent_gram::Span) -> TokenStream {
        let rt = self.rt;
        let listed_in = variant(self.listed_in);
        let listed_in = quote!(#rt::ListedIn::#listed_in);
        let shown = option(rt, self.document.show(at).map(|shown| quote!(#shown)));
        let arguments = quote!(#name, TOOLS, #listed_in, #shown);
        let function = format_ident!("{function}");
        check(self.document.spans(at), quote!(#rt::#function), arguments)
    }

    /// Returns the checks that a tool agrees with its function. `index` is the number in its
    /// constants `TOOL_…` and `SPEC_…`.
    pub(super) fn tool(&self, index: usize, node: &ToolNode) -> TokenStream {
        let policy = self.policy();
        let (tool, spec) = (format_ident!("TOOL_{index}"), format_ident!("SPEC_{index}"));
        let compared = Compared {
            sides: quote!(#spec, #tool),
            policy: quote!(, #policy),
            trails: format_ident!("PARTS_{index}"),
            functions: ["check_part", "agrees", "check_in_file"],
        };
        let parts = parts_of(node.places.description, &node.places.signature, self.exact);
        let checks = self.compare(&compared, parts);
        let effects = self.effects(node, &compared.sides);
        quote!(#checks #effects)
    }

    /// Returns a check that a tool takes back no effect that its function states, unless it cannot.
    fn effects(&self, node: &ToolNode, sides: &TokenStream) -> Option<TokenStream> {
        let rt = self.rt;
        let loosens = |(effect, is): (Effect, bool)| is == (effect == Effect::ReadOnly);
        let at = node.places.name;
        node.spec.effects().iter().any(loosens).then(|| {
            let shown = option(rt, self.document.show(at).map(|shown| quote!(#shown)));
            let arguments = quote!(#sides, #shown);
            check(
                self.document.spans(at),
                quote!(#rt::check_effects),
                arguments,
            )
        })
    }

    /// Returns the checks that an agent agrees with the function that calls it: the constants `__AGENT` and
    /// `__FUNCTION`.
    pub(super) fn call(&self, node: &AgentNode) -> TokenStream {
        let compared = Compared {
            sides: quote!(__AGENT, __FUNCTION),
            policy: TokenStream::new(),
            trails: format_ident!("__PARTS"),
            functions: ["check_call", "call_agrees", "check_call_in_file"],
        };
        let whole = whole_signature(node);
        let signature = node.signature.as_ref().unwrap_or(&whole);
        self.compare(&compared, parts_of(node.description, signature, true))
    }

    /// Returns one check for each part at its token, or else one for all parts at the literal.
    fn compare(
        &self,
        compared: &Compared,
        groups: Vec<Vec<(Trail, agent_gram::Span)>>,
    ) -> TokenStream {
        let (rt, document) = (self.rt, self.document);
        let Compared { sides, policy, .. } = compared;
        let [check_part, agrees, check_in_file] =
            compared.functions.map(|name| format_ident!("{name}"));
        if let Document::Literal { span, .. } | Document::File { span, .. } = document {
            let places = groups.into_iter().flatten().map(|(trail, part)| {
                let trail = trail_tokens(rt, &trail);
                let snippet = document.show(part);
                quote!(#rt::FilePlace { trail: #trail, snippet: #snippet })
            });
            let arguments = quote!(#sides, &[#(#places),*] #policy);
            return check((*span, *span), quote!(#rt::#check_in_file), arguments);
        }
        let check_at = |(_, part): &(Trail, agent_gram::Span), arguments: TokenStream| {
            let (start, end) = document.spans(*part);
            call_between(start, end, quote!(#rt::#check_part), arguments)
        };
        let checks = groups.into_iter().enumerate().map(|(at, group)| {
            let trails = group.iter().map(|(trail, _)| trail_tokens(rt, trail));
            let trails = quote!(&[#(#trails),*]);
            if let [part] = group.as_slice() {
                let check = check_at(part, quote!(#sides, #trails, 0 #policy));
                return quote!(const _: () = #check;);
            }
            let name = format_ident!("{}_{at}", compared.trails);
            let parts = group.iter().enumerate();
            let calls =
                parts.map(|(own, part)| check_at(part, quote!(#sides, #name, #own #policy)));
            quote! {
                const #name: &[#rt::Trail] = #trails;
                const _: () = if !#rt::#agrees(#sides, #name #policy) {
                    #(#calls;)*
                };
            }
        });
        quote!(#(#checks)*)
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
            let (spans, message) = (
                self.document.spans(found.span()),
                self.document.message(found),
            );
            let arguments = quote!(#spec, #tool, #at, #policy, #message);
            checks.extend(check(spans, quote!(#rt::check_default), arguments));
        }
        checks
    }

    fn policy(&self) -> TokenStream {
        let rt = self.rt;
        match self.exact {
            true => quote!(#rt::Policy::Exact),
            false => quote!(#rt::Policy::Compatible),
        }
    }
}

/// A spec that is compared with a function.
struct Compared {
    /// The constants of the spec and of the function.
    sides: TokenStream,
    /// The last argument, if the functions take a policy.
    policy: TokenStream,
    /// The start of the names of the constants with trails.
    trails: Ident,
    /// The functions that compare one part, that return whether several parts agree, and that compare all
    /// parts.
    functions: [&'static str; 3],
}

/// Returns a check as a constant.
pub(super) fn check(
    place: (Span, Span),
    function: TokenStream,
    arguments: TokenStream,
) -> TokenStream {
    let call = call_between(place.0, place.1, function, arguments);
    quote!(const _: () = #call;)
}

fn trail_tokens(rt: &TokenStream, trail: &Trail) -> TokenStream {
    let steps = trail.steps();
    quote!(#rt::Trail::of(&[#(#steps),*]))
}

/// Returns the trails to all parts that are compared, with their spans. The trail to the description is empty. The parts
/// of one thing, such as a parameter, form a group, because at most one of them can disagree.
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
