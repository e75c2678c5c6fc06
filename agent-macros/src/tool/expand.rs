//! Expands a tool.

use super::call::{Callee, call_parameters, expand_call};
use super::check::{CheckedTool, crate_path, type_name};
use super::descriptor::{expand_descriptor, expand_result_check, expand_slots};
use super::parse::ParsedTool;
use crate::export::expand_export;
use crate::tokens::{of_macro, respanned};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Ident, Visibility, parse_quote_spanned};

/// The type of the tool and what it implements. For
///
/// ```ignore
/// /// Greets.
/// #[tool]
/// fn greet(#[tool(default = "you")] name: &str) -> String { … }
/// ```
///
/// this is
///
/// ```ignore
/// #[doc(hidden)]
/// pub struct greet {}
///
/// const _: () = {
///     use ::agent_runtime::__private::{self as __rt, …};
///     impl greet {
///         pub const SIGNATURE: &'static str = __rt::signature_text::<Self>();
///         pub const GRAM: &'static str = __rt::gram_text::<Self>();
///     }
///     impl __rt::StaticTool for greet {
///         const TOOL: Self = Self {};
///         const SLOTS: &'static [__rt::Slot] = &[__rt::slot(<str as __rt::ToolReference>::KIND, "name", …)];
///         const DESCRIPTOR: &'static __rt::ToolDescriptor = &__rt::descriptor("greet", "Greets.", …);
///         fn invoke<'a>(__text: &'a str, __context: &'a __rt::ToolContext) -> __rt::ToolFuture<'a> {
///             __rt::call_blocking((Self::DESCRIPTOR, __text, __context), move |__arguments| {
///                 let __p0 = <__rt::BorrowedParameter<str>>::take(__arguments, "name", Some("\"you\""))?;
///                 Ok(move || {
///                     __rt::outcome(__rt::Returned(greet(<__rt::BorrowedParameter<str>>::borrow(&__p0))).into_result())
///                 })
///             })
///         }
///     }
/// };
/// ```
pub(super) fn expand(tool: &CheckedTool<'_>) -> TokenStream {
    let rt = &quote!(__rt);
    let CheckedTool {
        type_name,
        conditions,
        function,
        ..
    } = tool;
    let allowed = tool.parsed.function.allowed();
    let (visibility, listed) =
        type_visibility(&tool.parsed.function.visibility, (type_name, function), rt);
    let the_type = expand_type(&visibility, type_name, conditions);
    let imports = imports(&tool.krate);
    let (slots, checks) = expand_slots(&tool.parameters, rt);
    let this = quote!(Self);
    let descriptor = expand_descriptor(tool, &this, rt);
    let callee = Callee {
        path: quote!(#function),
        calls: quote!(#rt),
        before: TokenStream::new(),
        receiver: None,
    };
    let call = expand_call(tool, &callee, &quote!(#this::DESCRIPTOR), rt);
    let parameters = call_parameters(rt);
    let described = tool.description.expand_check(rt, function.span());
    let static_tool = quote!(<#type_name as #rt::StaticTool>);
    let result = expand_result_check(tool, &static_tool, rt);
    let export = expand_export_of(tool);
    // For an unknown nested type rustc suggests adding a type parameter to the function. The `impl`
    // gets the same span, so that both suggestions are equal and rustc prints one.
    let implement = if tool.has_nested_types() {
        quote_spanned!(function.span()=> impl)
    } else {
        quote!(impl)
    };
    quote! {
        #the_type
        #(#conditions)*
        #(#allowed)*
        const _: () = {
            #imports
            impl #type_name {
                /// The tool's type signature in gram, on one line.
                pub const SIGNATURE: &'static #rt::str = #rt::signature_text::<Self>();
                /// The tool in gram.
                pub const GRAM: &'static #rt::str = #rt::gram_text::<Self>();
            }
            #[automatically_derived]
            #implement #rt::StaticTool for #type_name {
                const TOOL: Self = Self {};
                const SLOTS: &'static [#rt::Slot] = #slots;
                const DESCRIPTOR: &'static #rt::ToolDescriptor = #descriptor;
                #listed
                #[allow(deprecated)]
                fn invoke<'a>(#parameters) -> #rt::ToolFuture<'a> {
                    #call
                }
            }
            #(#checks)*
            #result
            #described
        };
        #export
    }
}

/// Returns the imports of the code of a tool: everything through `__rt`, and the traits with
/// fallback methods.
pub(crate) fn imports(krate: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use #krate::__private::{self as __rt, fallback::*};
    }
}

/// Returns the test that writes the gram of the tool to a file, or compares it.
fn expand_export_of(tool: &CheckedTool<'_>) -> Option<TokenStream> {
    let folder = tool.parsed.settings.export.as_deref()?;
    let (krate, type_name) = (&tool.krate, &tool.type_name);
    let rt = quote!(#krate::__private);
    let set = quote!(#rt::ToolSet::Tool(<#type_name as #rt::StaticTool>::DESCRIPTOR));
    Some(expand_export(
        &rt,
        Span::call_site(),
        &tool.conditions,
        &format_ident!("export_{}", tool.function),
        &quote!(export_tools),
        &quote!(#folder, #set),
    ))
}

/// Expands a tool with errors: the type alone, so that other code still finds it.
pub(super) fn expand_skeleton(parsed: &ParsedTool) -> TokenStream {
    let krate = crate_path(parsed);
    let rt = quote!(#krate::__private);
    let name = type_name(parsed);
    let conditions = parsed.function.conditions();
    let the_type = expand_type(&parsed.function.visibility, &name, &conditions);
    let broken = expand_broken_tool(&rt, &name, &conditions);
    quote! {
        #the_type
        #(#conditions)*
        impl #name {
            #[doc(hidden)]
            pub const SIGNATURE: &'static #rt::str = "";
            #[doc(hidden)]
            pub const GRAM: &'static #rt::str = "";
        }
        #broken
    }
}

/// Expands the implementation of `StaticTool` for the type of a function with errors.
pub(crate) fn expand_broken_tool(
    rt: &TokenStream,
    name: &Ident,
    conditions: &[Attribute],
) -> TokenStream {
    quote! {
        #(#conditions)*
        impl #rt::StaticTool for #name {
            const TOOL: Self = Self {};
            const SLOTS: &'static [#rt::Slot] = &[];
            const DESCRIPTOR: &'static #rt::ToolDescriptor = #rt::BROKEN_TOOL;
            fn invoke<'a>(_: &'a #rt::str, _: &'a #rt::ToolContext) -> #rt::ToolFuture<'a> {
                #rt::broken_call()
            }
        }
    }
}

/// Returns the visibility of the type of a function, and a constant that marks the function as possibly
/// private. A type with the name of a private function is visible in the whole crate, so that a list of tools
/// elsewhere finds the type and reports that the function is private. Otherwise rustc would report a private
/// struct that nobody wrote.
pub(crate) fn type_visibility(
    function: &Visibility,
    (type_name, function_name): (&Ident, &Ident),
    rt: &TokenStream,
) -> (Visibility, Option<TokenStream>) {
    let is_private = match function {
        Visibility::Public(_) => false,
        Visibility::Restricted(restricted) => !restricted.path.is_ident("crate"),
        Visibility::Inherited => true,
    };
    if !is_private || type_name != function_name {
        return (function.clone(), None);
    }
    let listed = quote! {
        const MAY_BE_PRIVATE: #rt::bool = true;
    };
    // With the span of the name, because rustc marks a type from its visibility on.
    (
        parse_quote_spanned!(type_name.span()=> pub(crate)),
        Some(listed),
    )
}

pub(crate) fn expand_type(
    visibility: &Visibility,
    name: &Ident,
    conditions: &[Attribute],
) -> TokenStream {
    // rustc marks the name itself. The hygiene of a macro keeps rustc from reporting both the
    // function and the type of an unused tool.
    let the_type = of_macro(quote_spanned!(name.span()=> struct #name {}));
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations)]
        #visibility #the_type
    }
}

/// The items of a tool as one:
///
/// ```ignore
/// #[::agent_runtime::__private::module_items { struct greet {} const _: () = { … }; }]
/// impl greet {}
/// ```
pub(crate) fn wrap(krate: &TokenStream, function: &Ident, items: &TokenStream) -> TokenStream {
    let item = respanned(quote!(impl #function {}), function.span());
    quote! {
        #[#krate::__private::module_items { #items }]
        #item
    }
}
