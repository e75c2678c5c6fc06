//! The toolbox as code.

use super::check::{CheckedToolbox, opt_borrow};
use super::export::expand_export;
use super::header::{Constants, Header, rust_names};
use super::method::{CheckedMethod, method_trait};
use super::parse::ParsedToolbox;
use crate::tokens::respanned;
use crate::tool::{conditions, imports};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::{Attribute, GenericParam, Generics, Path, Type};

/// The tools of the block and how they are found. For
///
/// ```ignore
/// #[toolbox]
/// impl Db {
///     /// Finds a row.
///     #[tool]
///     async fn find(&self, id: u64) -> Row { … }
/// }
/// ```
///
/// this is
///
/// ```ignore
/// const _: () = {
///     use ::agent_runtime::__private::{self as __rt, …};
///     impl __rt::Method<0x…> for Db {
///         const SLOTS: &'static [__rt::Slot] = &[__rt::slot(<u64 as __rt::Owned>::KIND, "id", …)];
///         const DESCRIPTOR: &'static __rt::ToolDescriptor = &__rt::descriptor("find", "Finds a row.", …);
///         fn call<'a>(__this: &'a __rt::Arc<Self>, __text: &'a str, …) -> __rt::ToolFuture<'a> {
///             <__rt::Calls<Self>>::call_async(<Self as __rt::Method<0x…>>::DESCRIPTOR, __text, __context, move |__arguments| {
///                 let __p0 = <__rt::OwnedParameter<u64>>::take(__arguments, "id", None)?;
///                 Ok(move || async move {
///                     __rt::outcome(__rt::Returned(Self::find(&**__this, __p0).await).into_result())
///                 })
///             })
///         }
///     }
///     impl __rt::Toolbox for Db {
///         const METHODS: __rt::ToolSet = __rt::ToolSet::List(&[<Self as __rt::Method<0x…>>::DESCRIPTOR]);
///         const CALLS: &'static [__rt::MethodCall<Self>] = &[<Self as __rt::Method<0x…>>::call];
///         const NAMES: &'static [&'static str] = &["find"];
///         type Parts = ();
///         fn tools(__this: &__rt::Arc<Self>) -> … { <__rt::Calls<Self>>::tools(__this) }
///     }
/// };
/// ```
///
/// A part has a type of its name in place of `Toolbox`: the first block lists it by its path and
/// implements `Listed` for it, which the part demands, so that none is forgotten.
pub(super) fn expand(toolbox: &CheckedToolbox<'_>) -> TokenStream {
    let rt = &quote!(__rt);
    let CheckedToolbox {
        conditions, parts, ..
    } = toolbox;
    let methods = toolbox
        .methods
        .iter()
        .map(|method| expand_method(toolbox, method, rt));
    let names: Vec<TokenStream> = toolbox
        .methods
        .iter()
        .map(|method| {
            let (conditions, name) = (&method.tool.conditions, &method.tool.name);
            quote!(#(#conditions)* #name)
        })
        .collect();
    let tools: Vec<TokenStream> = toolbox
        .methods
        .iter()
        .map(|method| {
            let conditions = &method.tool.conditions;
            let found = method_trait(&method.tool.function, rt);
            quote!(#(#conditions)* <Self as #found>)
        })
        .collect();
    let tools = Constants {
        descriptors: quote!(#rt::ToolSet::List(const { &[#(#tools::DESCRIPTOR),*] })),
        calls: quote!(const { &[#(#tools::call),*] }),
        methods: rust_names(
            toolbox
                .methods
                .iter()
                .map(|method| (&method.tool.function, &*method.tool.conditions)),
        ),
    };
    let header = Header::new(toolbox, rt);
    let block = match toolbox.part {
        Some(part) => {
            let names_check = toolbox
                .methods
                .iter()
                .map(|method| expand_name_check(part, method, rt));
            let block = header.part(part, &tools, &quote!(&[#(#names),*]));
            let listed = header.check_listed(part);
            quote! {
                #block
                #listed
                #(#names_check)*
            }
        }
        None => {
            let listed = expand_listed(parts, &names, rt);
            let block = header.first_block(parts, &tools);
            quote!(#block #listed)
        }
    };
    let marker = toolbox.part.map(|part| expand_marker(part, conditions));
    let imports = imports(&toolbox.krate);
    let export = toolbox
        .export
        .as_ref()
        .map(|export| expand_export(toolbox, export));
    quote! {
        #marker
        #(#conditions)*
        const _: () = {
            #imports
            #(#methods)*
            #block
        };
        #export
    }
}

/// What remains of a block with mistakes, so that whatever names its tools still finds them.
pub(super) fn expand_skeleton(parsed: &ParsedToolbox) -> TokenStream {
    let block = &parsed.block;
    if block.of_trait.is_some() || opt_borrow(block).is_some() {
        return TokenStream::new();
    }
    let rt = &quote!(__rt);
    let header = Header {
        generics: &block.generics,
        ty: &block.ty,
        place: block.impl_token.span,
        rt,
    };
    let methods = parsed.tools().map(|tool| {
        let found = method_trait(&tool.function.signature.ident, rt);
        let conditions = tool.function.conditions();
        let body = quote! {
            const SLOTS: &'static [#rt::Slot] = &[];
            const DESCRIPTOR: &'static #rt::ToolDescriptor = #rt::BROKEN_TOOL;
            fn call<'a>(
                _: &'a #rt::Arc<Self>, _: &'a #rt::str, _: &'a #rt::ToolContext,
            ) -> #rt::ToolFuture<'a> {
                #rt::broken_call()
            }
        };
        let implementation = header.implement(&found, &body);
        quote!(#(#conditions)* #implementation)
    });
    let methods_in_rust: Vec<_> = parsed
        .tools()
        .map(|tool| (&tool.function.signature.ident, tool.function.conditions()))
        .collect();
    let none = Constants {
        // So that an agent which names a tool of this box is not told that there is none.
        descriptors: quote!(#rt::ToolSet::Tool(#rt::BROKEN_TOOL)),
        calls: quote!(&[]),
        methods: rust_names(methods_in_rust.iter().map(|(name, of)| (*name, &**of))),
    };
    let conditions = conditions(&block.attributes);
    let (marker, rest) = match &parsed.settings.part {
        Some(part) => (
            Some(expand_marker(part, &conditions)),
            header.part(part, &none, &quote!(&[])),
        ),
        None => {
            let parts = &parsed.parts();
            let listed = expand_listed(parts, &[], rt);
            let block = header.first_block(parts, &none);
            (None, quote!(#block #listed))
        }
    };
    let imports = imports(&parsed.krate());
    quote! {
        #marker
        #(#conditions)*
        const _: () = {
            #imports
            #(#methods)*
            #rest
        };
    }
}

fn expand_method(
    toolbox: &CheckedToolbox<'_>,
    method: &CheckedMethod<'_>,
    rt: &TokenStream,
) -> TokenStream {
    let CheckedToolbox { generics, ty, .. } = toolbox;
    let header = Header::new(toolbox, rt);
    let conditions: &[Attribute] = &method.tool.conditions;
    let code = method.expand(rt);
    let found = method_trait(&method.tool.function, rt);
    let implementation = header.implement_method(method, &found, &code.body);
    let checks = code
        .checks
        .into_iter()
        .filter_map(|check| outside_of_block(check, generics, ty))
        .map(|check| quote!(#(#conditions)* #check));
    let allowed = &method.tool.allowed;
    quote!(#(#conditions)* #(#allowed)* #implementation #(#checks)*)
}

/// A constant of the block as one that stands beside it: `Self` is the type. Nothing when it
/// depends on the parameters of the block, without which it has no value.
fn outside_of_block(tokens: TokenStream, generics: &Generics, ty: &Type) -> Option<TokenStream> {
    let mut out = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => out.extend(ty.to_token_stream()),
            TokenTree::Ident(ident) if is_parameter(&ident, generics) => return None,
            TokenTree::Group(group) => {
                let stream = outside_of_block(group.stream(), generics, ty)?;
                let mut inner = Group::new(group.delimiter(), stream);
                inner.set_span(group.span());
                out.push(TokenTree::Group(inner));
            }
            token => out.push(token),
        }
    }
    Some(out.into_iter().collect())
}

fn is_parameter(ident: &Ident, generics: &Generics) -> bool {
    generics.params.iter().any(|parameter| match parameter {
        GenericParam::Type(parameter) => parameter.ident == *ident,
        GenericParam::Const(parameter) => parameter.ident == *ident,
        GenericParam::Lifetime(_) => false,
    })
}

/// The type by which the first block lists a part, wherever in the crate the part stands.
fn expand_marker(part: &Ident, conditions: &[Attribute]) -> TokenStream {
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(
            dead_code, missing_debug_implementations, missing_copy_implementations, unreachable_pub,
        )]
        pub struct #part {}
    }
}

/// That the parts are listed, and which tools come before those of each.
fn expand_listed(parts: &[&Path], names: &[TokenStream], rt: &TokenStream) -> TokenStream {
    let own = quote!(&[#(#names),*]);
    let listed = parts.iter().enumerate().map(|(at, part)| {
        let before = parts[..at].iter();
        quote! {
            #[automatically_derived]
            impl #rt::Listed for #part {
                const BEFORE: &'static [&'static [&'static #rt::str]] =
                    &[#own #(, <#before as #rt::PartNames>::NAMES)*];
            }
        }
    });
    quote!(#(#listed)*)
}

/// That no block before has a tool of the name, at the name.
fn expand_name_check(part: &Ident, method: &CheckedMethod<'_>, rt: &TokenStream) -> TokenStream {
    let name = &method.tool.name;
    let message = format!(
        "another block of this toolbox has a tool called `{name}`; set another name for one of \
         them with `#[tool(name = \"…\")]`"
    );
    let conditions = &method.tool.conditions;
    let check = respanned(quote!(#rt::check_name), method.name_span);
    let arguments = quote!((#name, <#rt::Before<#part>>::NAMES, #message));
    let arguments = respanned(arguments, method.name_span);
    quote!(#(#conditions)* const _: () = #check #arguments;)
}
