//! The tool as code.

use super::check::{CheckedParameter, CheckedTool, crate_path, type_name};
use super::parse::ParsedTool;
use crate::tokens::{Tokens, respanned, text_option};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

/// The type of the tool and its implementations. For
///
/// ```ignore
/// /// Greets.
/// #[tool]
/// async fn greet(#[tool(default = "you")] name: &str) -> String { … }
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// #[doc(hidden)]
/// pub struct greet {}
///
/// const _: () = {
///     impl rt::StaticTool for greet {
///         const DESCRIPTOR: &'static rt::ToolDescriptor = {
///             const SLOTS: &[rt::Slot] = &[rt::slot(<str as rt::Borrowed>::KIND, "name", …)];
///             const PARAMS: &[rt::Param] = &[rt::param(SLOTS, 0)];
///             &rt::ToolDescriptor::from_static("greet", "Greets.", …)
///         };
///     }
///     impl greet { pub const SIGNATURE: &'static str = …; pub const GRAM: &'static str = …; }
///     impl rt::Tool for greet {
///         fn descriptor(&self) -> &rt::ToolDescriptor { <Self as rt::StaticTool>::DESCRIPTOR }
///         fn call<'a>(&'a self, text: &'a str, context: &'a rt::ToolContext) -> rt::ToolFuture<'a> {
///             rt::Box::pin(async move {
///                 let (p0,) = rt::decode(<Self as rt::StaticTool>::DESCRIPTOR, text, |arguments| {
///                     Ok((<rt::BorrowedArgument<str>>::take(arguments, "name", Some("\"you\""), context)?,))
///                 })?;
///                 rt::Returned(greet(<rt::BorrowedArgument<str>>::borrow(&p0)).await).into_result()
///             })
///         }
///     }
/// };
/// ```
pub(super) fn expand(tool: &CheckedTool) -> TokenStream {
    let rt = &private(&tool.krate);
    let CheckedTool {
        type_name,
        attributes,
        ..
    } = tool;
    let the_type = expand_type(&tool.krate, &tool.visibility, type_name, attributes);
    let descriptor = expand_descriptor(tool, rt);
    let call = expand_call(tool, rt);
    quote! {
        #the_type
        #(#attributes)*
        const _: () = {
            #[automatically_derived]
            impl #rt::StaticTool for #type_name {
                const DESCRIPTOR: &'static #rt::ToolDescriptor = #descriptor;
            }
            impl #type_name {
                /// The tool's type signature in gram, on one line.
                pub const SIGNATURE: &'static #rt::str = {
                    const LENGTH: #rt::usize =
                        #rt::signature_len(<#type_name as #rt::StaticTool>::DESCRIPTOR);
                    const BYTES: [#rt::u8; LENGTH] =
                        #rt::signature_bytes(<#type_name as #rt::StaticTool>::DESCRIPTOR);
                    #rt::text_of(&BYTES)
                };
                /// The tool in gram.
                pub const GRAM: &'static #rt::str = {
                    const LENGTH: #rt::usize =
                        #rt::gram_len(<#type_name as #rt::StaticTool>::DESCRIPTOR);
                    const BYTES: [#rt::u8; LENGTH] =
                        #rt::gram_bytes(<#type_name as #rt::StaticTool>::DESCRIPTOR);
                    #rt::text_of(&BYTES)
                };
            }
            #[automatically_derived]
            impl #rt::Tool for #type_name {
                fn descriptor(&self) -> &#rt::ToolDescriptor {
                    <Self as #rt::StaticTool>::DESCRIPTOR
                }
                #call
            }
        };
    }
}

/// What remains of a tool with mistakes: the type, so that whatever names it still finds it.
pub(super) fn expand_skeleton(parsed: &ParsedTool) -> TokenStream {
    // Beside a method there is no room for a type.
    if parsed.function.sig.receiver().is_some() {
        return TokenStream::new();
    }
    let krate = crate_path(parsed);
    let rt = private(&krate);
    let name = type_name(parsed);
    let attributes: Vec<_> = parsed
        .function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect();
    let the_type = expand_type(&krate, &parsed.function.vis, &name, &attributes);
    quote! {
        #the_type
        #(#attributes)*
        const _: () = {
            impl #name {
                #[doc(hidden)]
                pub const SIGNATURE: &'static #rt::str = "";
                #[doc(hidden)]
                pub const GRAM: &'static #rt::str = "";
            }
            impl #rt::StaticTool for #name {
                const DESCRIPTOR: &'static #rt::ToolDescriptor = #rt::BROKEN_TOOL;
            }
            impl #rt::Tool for #name {
                fn descriptor(&self) -> &#rt::ToolDescriptor {
                    #rt::BROKEN_TOOL
                }
                fn call<'a>(
                    &'a self,
                    _: &'a #rt::str,
                    _: &'a #rt::ToolContext,
                ) -> #rt::ToolFuture<'a> {
                    #rt::broken_call()
                }
            }
        };
    }
}

fn private(krate: &TokenStream) -> TokenStream {
    quote!(#krate::__private)
}

fn expand_type(
    krate: &TokenStream,
    visibility: &syn::Visibility,
    name: &Ident,
    attributes: &[syn::Attribute],
) -> TokenStream {
    let rt = private(krate);
    quote! {
        #(#attributes)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #[derive(#rt::Clone, #rt::Copy, #rt::Debug, #rt::Default)]
        #visibility struct #name {}
    }
}

fn expand_descriptor(tool: &CheckedTool, rt: &TokenStream) -> TokenStream {
    let CheckedTool {
        name, description, ..
    } = tool;
    let tokens = Tokens { rt };
    let mut slots = Vec::new();
    let mut defaults = Vec::new();
    for parameter in &tool.parameters {
        let CheckedParameter {
            name, description, ..
        } = parameter;
        let kind = slot_kind(parameter, rt);
        let default = match &parameter.default {
            Some(default) => {
                let value = tokens.value(&default.value);
                let check = respanned(quote!(#rt::check_own_default), default.span);
                let arguments = quote!(#rt::argument_type(#kind), const { &#value });
                let arguments = respanned(quote!((#arguments)), default.span);
                defaults.push(quote!(const _: () = #check #arguments;));
                quote!(#rt::Some(const { &#value }))
            }
            None => quote!(#rt::None),
        };
        let description = text_option(rt, description.as_deref());
        slots.push(quote!(#rt::slot(#kind, #name, #default, #description)));
    }
    let indices = 0..tool.parameters.len();
    let returns = match &tool.returns {
        Some(ty) => quote_spanned!(ty.span()=> #rt::ReturnType::<#ty>::TYPE),
        None => quote!(#rt::ReturnType::<()>::TYPE),
    };
    let settings = expand_settings(tool, rt);
    quote! {{
        #[allow(unused_imports)]
        use #rt::AnyReturn as _;
        const SLOTS: &[#rt::Slot] = &[#(#slots),*];
        const PARAMS: &[#rt::Param] = &[#(#rt::param(SLOTS, #indices)),*];
        #(#defaults)*
        &#rt::ToolDescriptor::from_static(
            #name,
            #description,
            #rt::Signature::from_static(
                #rt::arguments_of(PARAMS, SLOTS),
                #rt::Returns::from_static(#returns, #rt::None),
            ),
            #settings,
        )
    }}
}

/// What a parameter is, at the type's own tokens, so that a type without a gram type is marked
/// itself.
fn slot_kind(parameter: &CheckedParameter, rt: &TokenStream) -> TokenStream {
    let ty = &parameter.ty;
    if parameter.is_reference {
        return quote_spanned!(ty.span()=> <#ty as #rt::Borrowed>::KIND);
    }
    let argument = quote_spanned!(ty.span()=> <#ty as #rt::GramType>::TYPE);
    quote!(#rt::SlotKind::Argument(#argument))
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

fn expand_call(tool: &CheckedTool, rt: &TokenStream) -> TokenStream {
    let function = &tool.function;
    let locals: Vec<Ident> = (0..tool.parameters.len())
        .map(|at| format_ident!("p{at}", span = Span::mixed_site()))
        .collect();
    let arguments = Ident::new("arguments", Span::mixed_site());
    let context = Ident::new("context", Span::mixed_site());
    let takes = tool.parameters.iter().map(|parameter| {
        let CheckedParameter { name, ty, .. } = parameter;
        let default = text_option(
            rt,
            parameter
                .default
                .as_ref()
                .map(|default| default.json.as_str()),
        );
        // A type that cannot be taken was reported where the descriptor is made.
        if parameter.is_reference {
            let take = quote_spanned!(ty.span()=> <#rt::BorrowedArgument<#ty>>::take);
            quote!(#take(#arguments, #name, #default, #context)?)
        } else {
            let take = quote_spanned!(ty.span()=> <#rt::OwnedArgument<#ty>>::take);
            quote!(#take(#arguments, #name, #default)?)
        }
    });
    let passed = tool
        .parameters
        .iter()
        .zip(&locals)
        .map(|(parameter, local)| {
            let ty = &parameter.ty;
            if parameter.is_reference {
                quote!(<#rt::BorrowedArgument<#ty>>::borrow(&#local))
            } else {
                quote!(#local)
            }
        });
    // The call stands at the return type, since that is what rustc must mark when it cannot be the
    // result of a tool. All its tokens have the very same span: rustc joins spans of different
    // origin to that of the whole macro.
    let span = tool.returns.as_ref().map_or(function.span(), Spanned::span);
    let mut callee = function.clone();
    callee.set_span(span);
    let passed = quote_spanned!(span=> (#(#passed),*));
    let call = quote!(#callee #passed);
    let returned_type: TokenStream = quote!(#rt::Returned)
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect();
    let returned = |call: TokenStream| quote_spanned!(span=> #returned_type(#call).into_result());
    let body = if tool.is_async {
        returned(quote!(#call.await))
    } else if tool.inline {
        returned(call)
    } else {
        let returned = returned(call);
        quote!(#rt::blocking(move || #returned).await)
    };
    quote! {
        fn call<'a>(
            &'a self,
            text: &'a #rt::str,
            #context: &'a #rt::ToolContext,
        ) -> #rt::ToolFuture<'a> {
            #[allow(unused_imports)]
            use #rt::{FallbackArgument as _, FallbackBorrowed as _, ReturnedPlain as _};
            #rt::Box::pin(async move {
                let (#(#locals,)*) = #rt::decode(
                    <Self as #rt::StaticTool>::DESCRIPTOR,
                    text,
                    |#arguments| {
                        let _ = (&#arguments, &#context);
                        #rt::Ok((#(#takes,)*))
                    },
                )?;
                #body
            })
        }
    }
}
