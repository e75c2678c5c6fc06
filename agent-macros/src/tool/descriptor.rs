//! The descriptor of a tool, as constants.

use super::check::{CheckedParameter, CheckedTool};
use crate::default::{ParameterDefault, expand_variants};
use crate::doc::Description;
use crate::tokens::{Tokens, call_at, option, respanned, text_option, variant};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

/// Returns all parameters as a list, including the values of the host, and the checks that only rustc can do, each at its own
/// span.
pub(crate) fn expand_slots(
    parameters: &[CheckedParameter<'_>],
    rt: &TokenStream,
) -> (TokenStream, Vec<TokenStream>) {
    let mut list = Vec::new();
    let mut checks = Vec::new();
    for parameter in parameters {
        let CheckedParameter {
            name, conditions, ..
        } = parameter;
        let plain = slot_kind(parameter, rt);
        let kind = narrowed_kind(parameter, &plain, rt);
        let default = option(rt, default_value(parameter, rt).map(|(value, _)| value));
        let description = description(parameter, rt);
        // rustc marks the type if a parameter cannot have it.
        let slot = Ident::new(parameter.kinds.1, Span::call_site());
        let slot = respanned(quote!(#rt::#slot), parameter.ty.span());
        let slot_arguments = quote!(#kind, #name, #default, #description);
        let slot_arguments = quote_spanned!(parameter.ty.span()=> (#slot_arguments));
        list.push(quote!(#(#conditions)* #slot #slot_arguments));
        checks
            .extend(expand_variants_once(parameter, rt).map(|item| quote!(#(#conditions)* #item)));
        let own = expand_checks(parameter, &plain, &kind, rt).into_iter();
        checks.extend(own.map(|check| quote!(#(#conditions)* const _: () = #check;)));
    }
    (quote!(&[#(#list),*]), checks)
}

/// Returns the descriptor. `this` has the constant `SLOTS`.
pub(crate) fn expand_descriptor(
    tool: &CheckedTool<'_>,
    this: &TokenStream,
    rt: &TokenStream,
) -> TokenStream {
    let name = &tool.name;
    let description = tool.description.expand(rt);
    let returns = match &tool.returns {
        Some(ty) => quote_spanned!(ty.span()=> #rt::ReturnType::<#ty>::TYPE),
        None => quote!(#rt::ReturnType::<()>::TYPE),
    };
    let settings = expand_settings(tool, rt);
    let params = expand_params(tool.parameters.len(), this, rt);
    quote!(&#rt::descriptor(#name, #description, #params, #returns, #settings))
}

/// Returns the parameters of a signature. `this` has the constant `SLOTS`.
pub(crate) fn expand_params(count: usize, this: &TokenStream, rt: &TokenStream) -> TokenStream {
    if count == 0 {
        return quote!(&[]);
    }
    let params = (0..count).map(|at| quote!(#rt::param(#this::SLOTS, #at)));
    quote!(#rt::arguments_of(const { &[#(#params),*] }, #this::SLOTS))
}

/// Returns the check of the result, at the tokens of its type. It does not name the type again, because rustc would
/// report an unknown one twice. `this` has the constant `DESCRIPTOR`.
pub(crate) fn expand_result_check(
    tool: &CheckedTool<'_>,
    this: &TokenStream,
    rt: &TokenStream,
) -> Option<TokenStream> {
    let place = tool.returns.as_ref()?.span();
    let arguments = quote_spanned!(place=> #this::DESCRIPTOR);
    let check = call_at(place, quote!(#rt::check_result), arguments);
    Some(quote!(const _: () = #check;))
}

/// Returns the JSON text of a parameter's default as an expression of type `Option<&'static str>`.
pub(crate) fn expand_default_json(
    parameter: &CheckedParameter<'_>,
    rt: &TokenStream,
) -> TokenStream {
    match &parameter.default {
        Some(ParameterDefault::Variants(_)) => {
            let value = &parameter.default_item;
            quote! {#rt::Some({
                const __JSON: [#rt::u8; #rt::json_len(#value)] = #rt::json_bytes(#value);
                #rt::text_of(&__JSON)
            })}
        }
        Some(ParameterDefault::Known(default)) => text_option(rt, Some(&default.json)),
        None => text_option(rt, None),
    }
}

/// Returns the kind of a parameter, at the tokens of its type, so that rustc marks a type without a
/// gram type.
fn slot_kind(parameter: &CheckedParameter<'_>, rt: &TokenStream) -> TokenStream {
    let ty = &parameter.ty;
    if let Some(stated) = parameter.stated {
        let stated = Tokens { rt }.ty(stated);
        // rustc decides whether the type has a schema to compare with.
        return quote!({
            #[allow(unused_imports)]
            use #rt::NoSchema as _;
            #rt::SlotKind::Argument(const { &#rt::stated(const { &#stated }, <#rt::StatedFor<#ty>>::HOST) })
        });
    }
    let taken = Ident::new(parameter.kinds.0, Span::call_site());
    quote_spanned!(ty.span()=> <#ty as #rt::#taken>::KIND)
}

/// Returns the name of the constraints of a parameter, inside the block that needs them.
fn own_constraints() -> Ident {
    Ident::new("__OWN", Span::mixed_site())
}

/// Returns the kind of a parameter with the constraints of its attributes.
fn narrowed_kind(
    parameter: &CheckedParameter<'_>,
    kind: &TokenStream,
    rt: &TokenStream,
) -> TokenStream {
    let narrowing = parameter.narrowing;
    if narrowing.is_empty() {
        return kind.clone();
    }
    let own = own_constraints();
    let item = narrowing.item(rt, &own);
    let narrowed = narrowing.narrowed(rt, &quote!(#rt::type_or_any(#kind)), &own);
    quote!({ #item #rt::with_type(#kind, #narrowed) })
}

/// Returns the default of a parameter as an expression of type `&'static Value`, with its place.
fn default_value(
    parameter: &CheckedParameter<'_>,
    rt: &TokenStream,
) -> Option<(TokenStream, Span)> {
    Some(match parameter.default.as_ref()? {
        ParameterDefault::Known(default) => {
            let value = Tokens { rt }.value(&default.value);
            (quote!(const { &#value }), default.span)
        }
        ParameterDefault::Variants(expression) => {
            let item = &parameter.default_item;
            (quote!(#item), expression.span())
        }
    })
}

/// Returns the constant with a default that names variants, if it is one. All uses share it, so
/// that rustc reports an unknown variant once.
fn expand_variants_once(parameter: &CheckedParameter<'_>, rt: &TokenStream) -> Option<TokenStream> {
    let Some(ParameterDefault::Variants(expression)) = &parameter.default else {
        return None;
    };
    let (item, value) = (&parameter.default_item, expand_variants(rt, expression));
    Some(quote! {
        #[allow(non_upper_case_globals)]
        const #item: &'static #rt::Value = &#value;
    })
}

fn description(parameter: &CheckedParameter<'_>, rt: &TokenStream) -> TokenStream {
    match &parameter.description {
        Some(Description::Known(text)) => text_option(rt, Some(text)),
        Some(computed) => {
            let text = computed.expand(rt);
            quote!(#rt::unless_empty(#text))
        }
        None => text_option(rt, None),
    }
}

/// Returns the checks of a parameter, one expression each. `kind` is its kind by its type, and
/// `narrowed` the kind with its constraints.
fn expand_checks(
    parameter: &CheckedParameter<'_>,
    kind: &TokenStream,
    narrowed: &TokenStream,
    rt: &TokenStream,
) -> Vec<TokenStream> {
    let mut checks = Vec::new();
    if let Some((value, place)) = default_value(parameter, rt) {
        let kind = match &parameter.default {
            // The text of a variant was unknown when the constraints were read.
            Some(ParameterDefault::Variants(_)) => narrowed,
            _ => kind,
        };
        let arguments = quote!(#rt::argument_type(#kind), #value);
        checks.push(call_at(place, quote!(#rt::check_own_default), arguments));
    }
    if let Some(place) = parameter.described_at {
        checks.push(call_at(
            place,
            quote!(#rt::check_argument_described),
            quote!(#kind),
        ));
    }
    if parameter.is_unnamed {
        checks.push(call_at(
            parameter.place,
            quote!(#rt::check_unnamed),
            quote!(#kind),
        ));
    }
    if !parameter.narrowing.is_empty() {
        let own = own_constraints();
        let item = parameter.narrowing.item(rt, &own);
        let ty = quote!(#rt::argument_type(#kind));
        let words = parameter.narrowing.checks(rt, &ty, &own);
        checks.push(quote!({ #item #(const _: () = #words;)* }));
    }
    checks
}

fn expand_settings(tool: &CheckedTool<'_>, rt: &TokenStream) -> TokenStream {
    let settings = &tool.parsed.settings;
    let timeout = tool.timeout.map(|timeout| {
        let timeout = Tokens { rt }.duration(timeout);
        quote!(.with_timeout(#timeout))
    });
    let retryable = (settings.retryable == Some(false)).then(|| quote!(.not_retryable()));
    // The word gets the span of the call, because a mistake in the expansion is not a mistake in the word.
    let flags = settings.flags.iter();
    let flags = flags.map(|flag| Ident::new(&flag.to_string(), Span::call_site()));
    let effects = settings.effects.iter().map(|(effect, is)| {
        let effect = variant(effect);
        quote!(.with_effect(#rt::Effect::#effect, #is))
    });
    quote!(#rt::ToolSettings::DEFAULT #timeout #retryable #(.#flags())* #(#effects)*)
}
