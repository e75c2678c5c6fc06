//! What a tool says of itself, as constants.

use super::check::{CheckedParameter, CheckedTool};
use crate::tokens::{Tokens, respanned, text_option};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

/// The parameters of the function as code.
pub(super) struct Slots {
    /// All of them, those of the host among them.
    pub(super) list: TokenStream,
    /// That their defaults fit, each at its own place.
    pub(super) checks: Vec<TokenStream>,
}

pub(super) fn expand_slots(tool: &CheckedTool, rt: &TokenStream) -> Slots {
    let tokens = Tokens { rt };
    let mut list = Vec::new();
    let mut checks = Vec::new();
    for parameter in &tool.parameters {
        let CheckedParameter {
            name,
            description,
            conditions,
            ..
        } = parameter;
        let kind = slot_kind(parameter, rt);
        let default = match &parameter.default {
            Some(default) => {
                let value = tokens.value(&default.value);
                let check = respanned(quote!(#rt::check_own_default), default.span);
                let arguments = quote!(#rt::argument_type(#kind), const { &#value });
                let arguments = respanned(quote!((#arguments)), default.span);
                checks.push(quote!(#(#conditions)* const _: () = #check #arguments;));
                quote!(#rt::Some(const { &#value }))
            }
            None => quote!(#rt::None),
        };
        let description = text_option(rt, description.as_deref());
        list.push(quote!(#(#conditions)* #rt::slot(#kind, #name, #default, #description)));
    }
    Slots {
        list: quote!(&[#(#list),*]),
        checks,
    }
}

/// The descriptor; `this` is what has the constant `SLOTS`.
pub(super) fn expand_descriptor(
    tool: &CheckedTool,
    this: &TokenStream,
    rt: &TokenStream,
) -> TokenStream {
    let CheckedTool {
        name, description, ..
    } = tool;
    let returns = match &tool.returns {
        Some(ty) => quote_spanned!(ty.span()=> #rt::ReturnType::<#ty>::TYPE),
        None => quote!(#rt::ReturnType::<()>::TYPE),
    };
    let settings = expand_settings(tool, rt);
    let params = if tool.parameters.is_empty() {
        quote!(&[])
    } else {
        let params = (0..tool.parameters.len()).map(|at| quote!(#rt::param(#this::SLOTS, #at)));
        quote!(#rt::arguments_of(const { &[#(#params),*] }, #this::SLOTS))
    };
    quote!(&#rt::descriptor(#name, #description, #params, #returns, #settings))
}

/// What a parameter is, at the type's own tokens, so that a type without a gram type is marked
/// itself.
fn slot_kind(parameter: &CheckedParameter, rt: &TokenStream) -> TokenStream {
    let ty = &parameter.ty;
    let taken = if parameter.is_reference {
        quote!(Borrowed)
    } else {
        quote!(Owned)
    };
    quote_spanned!(ty.span()=> <#ty as #rt::#taken>::KIND)
}

fn expand_settings(tool: &CheckedTool, rt: &TokenStream) -> TokenStream {
    let timeout = tool.timeout.map(|timeout| {
        let (seconds, nanos) = (timeout.as_secs(), timeout.subsec_nanos());
        quote!(.with_timeout(#rt::Duration::new(#seconds, #nanos)))
    });
    let retryable = (!tool.retryable).then(|| quote!(.not_retryable()));
    let flags = &tool.flags;
    quote!(#rt::ToolSettings::DEFAULT #timeout #retryable #(.#flags())*)
}
