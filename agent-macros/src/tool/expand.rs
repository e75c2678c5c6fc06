//! The tool as code.

use super::call::{Callee, call_parameters, expand_call};
use super::check::{CheckedTool, crate_path, type_name};
use super::descriptor::{expand_descriptor, expand_slots};
use super::parse::ParsedTool;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident, Visibility};

/// The type of the tool and what it implements. For
///
/// ```ignore
/// /// Greets.
/// #[tool]
/// fn greet(#[tool(default = "you")] name: &str) -> String { … }
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// #[doc(hidden)]
/// pub struct greet {}
///
/// impl greet {
///     pub const SIGNATURE: &'static str = rt::signature_text::<greet>();
///     pub const GRAM: &'static str = rt::gram_text::<greet>();
/// }
/// impl rt::StaticTool for greet {
///     const TOOL: Self = greet {};
///     const SLOTS: &'static [rt::Slot] = &[rt::slot(<str as rt::Borrowed>::KIND, "name", …)];
///     const DESCRIPTOR: &'static rt::ToolDescriptor = &rt::ToolDescriptor::from_static("greet", "Greets.", …);
///     fn invoke<'a>(text: &'a str, context: &'a rt::ToolContext) -> rt::ToolFuture<'a> {
///         rt::call_blocking(Self::DESCRIPTOR, text, context, |arguments| {
///             let p0 = <rt::BorrowedParameter<str>>::take(arguments, "name", Some("\"you\""))?;
///             Ok(move || rt::Returned(greet(<rt::BorrowedParameter<str>>::borrow(&p0))).into_result())
///         })
///     }
/// }
/// ```
pub(super) fn expand(tool: &CheckedTool) -> TokenStream {
    let rt = &private(&tool.krate);
    let CheckedTool {
        type_name,
        conditions,
        function,
        ..
    } = tool;
    let the_type = expand_type(&tool.visibility, type_name, conditions);
    let slots = expand_slots(tool, rt);
    let this = quote!(<Self as #rt::StaticTool>);
    let descriptor = expand_descriptor(tool, &this, rt);
    let callee = Callee {
        path: quote!(#function),
        receiver: None,
    };
    let call = expand_call(tool, &callee, &quote!(#this::DESCRIPTOR), rt);
    let parameters = call_parameters(rt);
    let checks = &slots.checks;
    let slots = &slots.list;
    quote! {
        #the_type
        #(#conditions)*
        impl #type_name {
            /// The tool's type signature in gram, on one line.
            pub const SIGNATURE: &'static #rt::str = #rt::signature_text::<#type_name>();
            /// The tool in gram.
            pub const GRAM: &'static #rt::str = #rt::gram_text::<#type_name>();
        }
        #(#conditions)*
        #[automatically_derived]
        impl #rt::StaticTool for #type_name {
            const TOOL: Self = #type_name {};
            const SLOTS: &'static [#rt::Slot] = #slots;
            const DESCRIPTOR: &'static #rt::ToolDescriptor = #descriptor;
            fn invoke<'a>(#parameters) -> #rt::ToolFuture<'a> {
                #call
            }
        }
        #(#checks)*
    }
}

/// What remains of a tool with mistakes: the type, so that whatever names it still finds it.
pub(super) fn expand_skeleton(parsed: &ParsedTool) -> TokenStream {
    // Beside a method there is no room for a type.
    if parsed.function.receiver().is_some() {
        return TokenStream::new();
    }
    let rt = private(&crate_path(parsed));
    let name = type_name(parsed);
    let conditions = parsed.function.conditions();
    let the_type = expand_type(&parsed.function.visibility, &name, &conditions);
    quote! {
        #the_type
        #(#conditions)*
        impl #name {
            #[doc(hidden)]
            pub const SIGNATURE: &'static #rt::str = "";
            #[doc(hidden)]
            pub const GRAM: &'static #rt::str = "";
        }
        #(#conditions)*
        impl #rt::StaticTool for #name {
            const TOOL: Self = #name {};
            const SLOTS: &'static [#rt::Slot] = &[];
            const DESCRIPTOR: &'static #rt::ToolDescriptor = #rt::BROKEN_TOOL;
            fn invoke<'a>(_: &'a #rt::str, _: &'a #rt::ToolContext) -> #rt::ToolFuture<'a> {
                #rt::broken_call()
            }
        }
    }
}

fn private(krate: &TokenStream) -> TokenStream {
    quote!(#krate::__private)
}

fn expand_type(visibility: &Visibility, name: &Ident, conditions: &[Attribute]) -> TokenStream {
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations)]
        #visibility struct #name {}
    }
}
