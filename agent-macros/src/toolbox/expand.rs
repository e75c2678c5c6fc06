//! Expands a toolbox.

use super::check::{CheckedMethod, CheckedToolbox, Export, Receiver, opt_borrow};
use super::parse::ParsedToolbox;
use crate::export::expand_export;
use crate::tokens::{call_at, of_macro, respanned};
use crate::tool::{
    Callee, Function, call_parameters, conditions, expand_call, expand_descriptor,
    expand_result_check, expand_slots, imports,
};
use agent_spec::__private::name_hash;
use agent_spec::case::Case;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Generics, ItemImpl, Path, Type};

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
/// For a part, a type with the part's name takes the place of `Toolbox`. The first block lists the part by
/// its path and implements `Listed` for the type. The part requires this implementation, so that no part is
/// forgotten.
pub(super) fn expand(toolbox: &CheckedToolbox<'_>) -> TokenStream {
    let rt = &quote!(__rt);
    let CheckedToolbox {
        conditions,
        parts,
        methods,
        ..
    } = toolbox;
    let expanded = methods
        .iter()
        .map(|method| expand_method(toolbox, method, rt));
    let of_each = |expand: &dyn Fn(&CheckedMethod<'_>) -> TokenStream| -> Vec<TokenStream> {
        let methods = methods.iter().map(|method| {
            let (conditions, expanded) = (&method.tool.conditions, expand(method));
            quote!(#(#conditions)* #expanded)
        });
        methods.collect()
    };
    let names = of_each(&|method| method.tool.name.to_token_stream());
    let found = of_each(&|method| {
        let found = method_trait(method.tool.function, rt);
        quote!(<Self as #found>)
    });
    let tools = ToolConstants {
        descriptors: quote!(#rt::ToolSet::List(const { &[#(#found::DESCRIPTOR),*] })),
        calls: quote!(const { &[#(#found::call),*] }),
        methods: rust_names(methods.iter().map(|method| &method.tool.parsed.function)),
    };
    let header = ImplHeader {
        head: toolbox.head,
        rt,
    };
    let block = match toolbox.part {
        Some(part) => {
            let names_check = methods
                .iter()
                .map(|method| expand_name_check(part, method, rt));
            let block = header.part(part, &tools, &quote!(&[#(#names),*]));
            let listed = header.check_listed(part);
            quote!(#block #listed #(#names_check)*)
        }
        None => {
            let listed = expand_listed(parts, &names, rt);
            let block = header.first_block(parts, &tools);
            quote!(#block #listed)
        }
    };
    let marker = toolbox.part.map(|part| expand_marker(part, conditions));
    let export = toolbox
        .export
        .as_ref()
        .map(|export| expand_export_of(toolbox, export));
    let block = beside(&toolbox.krate, conditions, &quote!(#(#expanded)* #block));
    quote!(#marker #block #export)
}

/// Expands a block with errors, so that code that names its tools still finds them.
pub(super) fn expand_skeleton(parsed: &ParsedToolbox) -> TokenStream {
    let head = &parsed.block.head;
    if head.trait_.is_some() || opt_borrow(&parsed.block).is_some() {
        return TokenStream::new();
    }
    let rt = &quote!(__rt);
    let header = ImplHeader { head, rt };
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
    let none = ToolConstants {
        // With a broken tool, an agent that names a tool of this toolbox gets no error that the tool does not
        // exist.
        descriptors: quote!(#rt::ToolSet::Tool(#rt::BROKEN_TOOL)),
        calls: quote!(&[]),
        methods: rust_names(parsed.tools().map(|tool| &tool.function)),
    };
    let conditions = conditions(&head.attrs);
    let part = parsed.settings.part.as_ref();
    let block = match part {
        Some(part) => header.part(part, &none, &quote!(&[])),
        None => {
            let parts = &parsed.parts();
            let listed = expand_listed(parts, &[], rt);
            let block = header.first_block(parts, &none);
            quote!(#block #listed)
        }
    };
    let marker = part.map(|part| expand_marker(part, &conditions));
    let block = beside(&parsed.krate(), &conditions, &quote!(#(#methods)* #block));
    quote!(#marker #block)
}

/// Returns the items beside a block.
fn beside(krate: &TokenStream, conditions: &[Attribute], items: &TokenStream) -> TokenStream {
    let imports = imports(krate);
    quote! {
        #(#conditions)*
        const _: () = {
            #imports
            #items
        };
    }
}

fn expand_method(
    toolbox: &CheckedToolbox<'_>,
    method: &CheckedMethod<'_>,
    rt: &TokenStream,
) -> TokenStream {
    let ItemImpl {
        generics, self_ty, ..
    } = toolbox.head;
    let header = ImplHeader {
        head: toolbox.head,
        rt,
    };
    let conditions = &method.tool.conditions;
    let (body, checks) = method.expand(rt);
    let found = method_trait(method.tool.function, rt);
    let implementation = header.implement_method(method, &found, &body);
    let checks = checks
        .into_iter()
        .filter_map(|check| outside_of_block(check, generics, self_ty))
        .map(|check| quote!(#(#conditions)* #check));
    let allowed = method.tool.parsed.function.allowed();
    // A constant beside a generic block cannot name its type.
    let result = match generics.params.is_empty() {
        true => expand_result_check(&method.tool, &quote!(<#self_ty as #found>), rt),
        false => None,
    };
    let result = result.map(|check| quote!(#(#conditions)* #check));
    quote!(#(#conditions)* #(#allowed)* #implementation #(#checks)* #result)
}

/// Rewrites a constant of the block so that the constant is valid beside the block, with the type for `Self`.
/// Returns `None` if the constant depends on the parameters of the block.
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
    let mut consts = generics.const_params();
    generics
        .type_params()
        .any(|parameter| parameter.ident == *ident)
        || consts.any(|parameter| parameter.ident == *ident)
}

/// Returns the type by which the first block lists a part, anywhere in the crate.
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

/// Returns the implementations that list the parts. Each has the names of the tools in the blocks before the part.
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

/// Returns a check, at the name, that no earlier block has a tool of this name.
fn expand_name_check(part: &Ident, method: &CheckedMethod<'_>, rt: &TokenStream) -> TokenStream {
    let name = &method.tool.name;
    let message = format!(
        "another block of this toolbox has a tool called `{name}`; set another name for one of \
         them with `#[tool(name = \"…\")]`"
    );
    let conditions = &method.tool.conditions;
    let arguments = quote!(#name, <#rt::Before<#part>>::NAMES, #message);
    let check = call_at(method.name_span, quote!(#rt::check_name), arguments);
    quote!(#(#conditions)* const _: () = #check;)
}

/// Returns the trait of the tool of a method, `Method<HASH>`.
fn method_trait(method: &Ident, rt: &TokenStream) -> TokenStream {
    let hash = name_hash(&method.unraw().to_string());
    quote!(#rt::Method<#hash>)
}

impl CheckedMethod<'_> {
    /// Returns the body of the implementation of `Method`, and the checks that only rustc can do.
    fn expand(&self, rt: &TokenStream) -> (TokenStream, Vec<TokenStream>) {
        let tool = &self.tool;
        let function = tool.function;
        let method = method_trait(function, rt);
        let this = quote!(<Self as #method>);
        let (slots, mut checks) = expand_slots(&tool.parameters, rt);
        let descriptor = expand_descriptor(tool, &this, rt);
        let is_inline = tool.parsed.settings.flag("inline").is_some();
        let (before, receiver) = self.receiver.expand(!tool.is_async && !is_inline, rt);
        let callee = Callee {
            path: quote!(Self::#function),
            calls: quote!(<#rt::Calls<Self>>),
            before,
            receiver,
        };
        let call = expand_call(tool, &callee, &quote!(#this::DESCRIPTOR), rt);
        let parameters = call_parameters(rt);
        checks.extend(tool.description.expand_check(rt, function.span()));
        let body = quote! {
            const SLOTS: &'static [#rt::Slot] = #slots;
            const DESCRIPTOR: &'static #rt::ToolDescriptor = #descriptor;
            fn call<'a>(__this: &'a #rt::Arc<Self>, #parameters) -> #rt::ToolFuture<'a> {
                #call
            }
        };
        (body, checks)
    }
}

impl Receiver {
    /// Returns the code before a call, and the toolbox as its first argument. A function that runs on another thread gets
    /// an `Arc` of its own; another function borrows the `Arc` of the tool.
    fn expand(&self, on_thread: bool, rt: &TokenStream) -> (TokenStream, Option<TokenStream>) {
        if let Self::None = self {
            return (TokenStream::new(), None);
        }
        let (before, shared) = if on_thread {
            let clone = quote!(let __this = #rt::Clone::clone(__this););
            (clone, quote!(&__this))
        } else {
            (TokenStream::new(), quote!(__this))
        };
        let argument = match self {
            Self::Typed(ty) => {
                let span: Span = ty.span();
                quote_spanned!(span=> <#ty as #rt::TakeSelf<'_, Self>>::take(#shared))
            }
            _ => quote!(&**#shared),
        };
        (before, Some(argument))
    }
}

/// The tools of a block as constants.
struct ToolConstants {
    descriptors: TokenStream,
    calls: TokenStream,
    /// The names of the methods in Rust.
    methods: TokenStream,
}

/// Returns a list of the names of the methods in Rust.
fn rust_names<'m>(methods: impl Iterator<Item = &'m Function>) -> TokenStream {
    let names = methods.map(|method| {
        let conditions = method.conditions();
        let name = method.signature.ident.unraw().to_string();
        quote!(#(#conditions)* #name)
    });
    quote!(&[#(#names),*])
}

/// The common part of the implementations for a toolbox.
struct ImplHeader<'a> {
    head: &'a ItemImpl,
    rt: &'a TokenStream,
}

impl ImplHeader<'_> {
    /// Implements one of our traits for the type. A generic type has its tools if it can be shared.
    /// A type without generics that cannot be shared is reported once, where it becomes a
    /// `Toolbox`.
    ///
    /// All of the head has the span of the type, where rustc marks a second first block.
    fn implement(&self, of_trait: &TokenStream, body: &TokenStream) -> TokenStream {
        let (parameters, _, _) = self.head.generics.split_for_impl();
        let start = quote_spanned!(self.head.self_ty.span()=> impl #parameters);
        self.implement_from(&start, of_trait, body)
    }

    /// Implements a trait for a method, whose types it names. For an unknown nested type rustc
    /// suggests adding a type parameter to the block. The `impl` gets the same span, so that both
    /// suggestions are equal and rustc prints one; without a suggestion, it must not have that
    /// span.
    fn implement_method(
        &self,
        method: &CheckedMethod<'_>,
        of_trait: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let (parameters, _, _) = self.head.generics.split_for_impl();
        let start = quote_spanned!(self.head.impl_token.span=> impl #parameters);
        let start = match method.tool.has_nested_types() {
            true => start,
            false => of_macro(start),
        };
        self.implement_from(&start, of_trait, body)
    }

    fn implement_from(
        &self,
        start: &TokenStream,
        of_trait: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let ty = &self.head.self_ty;
        let predicates = self.predicates();
        let span = ty.span();
        let of_trait = respanned(of_trait.clone(), span);
        let head = quote_spanned!(span=> #start #of_trait for #ty);
        let mut body = Group::new(Delimiter::Brace, body.clone());
        body.set_span(span);
        quote! {
            #[automatically_derived]
            #[allow(deprecated)]
            #head where #(#predicates),* #body
        }
    }

    /// Returns the predicates of the block, and that the type can be shared.
    fn predicates(&self) -> impl Iterator<Item = TokenStream> {
        let Self { head, rt } = self;
        let (generics, ty) = (&head.generics, &head.self_ty);
        let wanted = generics.where_clause.iter();
        let wanted = wanted.flat_map(|clause| &clause.predicates);
        let shareable = (!generics.params.is_empty())
            .then(|| quote!(#ty: #rt::Shareable + #rt::Send + #rt::Sync));
        wanted.map(|predicate| quote!(#predicate)).chain(shareable)
    }

    /// Returns a check that the first block lists this part. It is in a function, because only a
    /// function can have the parameters of the block.
    fn check_listed(&self, part: &Ident) -> TokenStream {
        let Self { head, rt } = self;
        let (parameters, _, _) = head.generics.split_for_impl();
        let ty = &head.self_ty;
        let predicates = self.predicates();
        let check = quote!(<#rt::Before<#part>>::check_listed::<#ty>());
        let check = respanned(check, part.span());
        quote! {
            #[allow(dead_code)]
            fn __listed #parameters () where #(#predicates),* {
                #check;
            }
        }
    }

    fn first_block(&self, parts: &[&Path], tools: &ToolConstants) -> TokenStream {
        let rt = self.rt;
        let constants = tools.expand(rt);
        // A type that is not a part is reported at the pair that contains it.
        let parts = parts.iter().rev().fold(
            quote!(()),
            |rest, part| quote_spanned!(part.span()=> (#part, #rest)),
        );
        self.implement(
            &quote!(#rt::Toolbox),
            &quote! {
                #constants
                type Parts = #parts;
                fn tools(__this: &#rt::Arc<Self>) -> #rt::Vec<#rt::Arc<dyn #rt::Tool>> {
                    <#rt::Calls<Self>>::tools(__this)
                }
            },
        )
    }

    fn part(&self, part: &Ident, tools: &ToolConstants, names: &TokenStream) -> TokenStream {
        let rt = self.rt;
        let implementation = self.implement(&quote!(#rt::ToolboxPart<#part>), &tools.expand(rt));
        quote! {
            #implementation
            #[automatically_derived]
            impl #rt::PartNames for #part {
                const NAMES: &'static [&'static #rt::str] = #names;
            }
        }
    }
}

impl ToolConstants {
    fn expand(&self, rt: &TokenStream) -> TokenStream {
        let Self {
            descriptors,
            calls,
            methods,
        } = self;
        quote! {
            const METHODS: #rt::ToolSet = #descriptors;
            const CALLS: &'static [#rt::MethodCall<Self>] = #calls;
            const NAMES: &'static [&'static #rt::str] = #methods;
        }
    }
}

/// Returns the test that writes the gram of the toolbox to a file.
fn expand_export_of(toolbox: &CheckedToolbox<'_>, export: &Export) -> TokenStream {
    let Export { span, folder, name } = export;
    let (krate, ty) = (&toolbox.krate, &toolbox.head.self_ty);
    let test = Case::Snake.variant(name);
    expand_export(
        &quote!(#krate::__private),
        *span,
        &toolbox.conditions,
        &format_ident!("export_gram_of_{test}", span = Span::mixed_site()),
        &quote_spanned!(*span=> export_toolbox::<#ty>),
        &quote!(#folder, #name),
    )
}
