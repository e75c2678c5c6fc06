//! What the implementations of traits for a toolbox share, and those that each block has.

use super::check::CheckedToolbox;
use super::method::CheckedMethod;
use crate::tokens::{of_macro, respanned};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Generics, Path, Type};

/// The tools of a block as constants.
pub(super) struct Constants {
    pub(super) descriptors: TokenStream,
    pub(super) calls: TokenStream,
    /// The methods, by their names in Rust.
    pub(super) methods: TokenStream,
}

/// A list of the names that methods have in Rust.
pub(super) fn rust_names<'m>(
    methods: impl Iterator<Item = (&'m Ident, &'m [Attribute])>,
) -> TokenStream {
    let names = methods.map(|(method, conditions)| {
        let name = method.unraw().to_string();
        quote!(#(#conditions)* #name)
    });
    quote!(&[#(#names),*])
}

/// What the implementations for a toolbox share.
pub(super) struct Header<'a> {
    pub(super) generics: &'a Generics,
    pub(super) ty: &'a Type,
    /// Where the word `impl` stands.
    pub(super) place: Span,
    pub(super) rt: &'a TokenStream,
}

impl<'a> Header<'a> {
    pub(super) fn new(toolbox: &CheckedToolbox<'a>, rt: &'a TokenStream) -> Self {
        Self {
            generics: toolbox.generics,
            ty: toolbox.ty,
            place: toolbox.place,
            rt,
        }
    }

    /// A trait of ours for the type. A generic type has its tools whenever it can be shared; one
    /// that is not generic and cannot be is reported once, where it becomes a `Toolbox`.
    ///
    /// All of the head stands at the type, where rustc marks a second first block.
    pub(super) fn implement(&self, of_trait: &TokenStream, body: &TokenStream) -> TokenStream {
        let (parameters, _, _) = self.generics.split_for_impl();
        let start = quote_spanned!(self.ty.span()=> impl #parameters);
        self.implement_from(&start, of_trait, body)
    }

    /// The implementation for a method, which names its types. Of one that rustc does not know it may
    /// suggest that it is a parameter of the block, and it does so for types that stand in another.
    /// Where it does, it must suggest the very same here, and else nothing, or it reports the type twice.
    pub(super) fn implement_method(
        &self,
        method: &CheckedMethod<'_>,
        of_trait: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let (parameters, _, _) = self.generics.split_for_impl();
        let start = if method.tool.has_nested_types() {
            quote_spanned!(self.place=> impl #parameters)
        } else {
            of_macro(quote_spanned!(self.place=> impl #parameters))
        };
        self.implement_from(&start, of_trait, body)
    }

    fn implement_from(
        &self,
        start: &TokenStream,
        of_trait: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let ty = self.ty;
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

    /// What the block demands of its parameters, and that the type can be shared.
    fn predicates(&self) -> impl Iterator<Item = TokenStream> {
        let Self {
            generics, ty, rt, ..
        } = self;
        let wanted = generics.where_clause.iter();
        let wanted = wanted.flat_map(|clause| &clause.predicates);
        let shareable = (!generics.params.is_empty())
            .then(|| quote!(#ty: #rt::Shareable + #rt::Send + #rt::Sync));
        wanted.map(|predicate| quote!(#predicate)).chain(shareable)
    }

    /// That the first block lists this part. It stands in a function since only that can have the
    /// parameters of the block.
    pub(super) fn check_listed(&self, part: &Ident) -> TokenStream {
        let Self {
            generics, ty, rt, ..
        } = self;
        let (parameters, _, _) = generics.split_for_impl();
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

    pub(super) fn first_block(&self, parts: &[&Path], tools: &Constants) -> TokenStream {
        let rt = self.rt;
        let Constants {
            descriptors,
            calls,
            methods,
        } = tools;
        // A type that is no part is reported at the pair it stands in.
        let parts = parts.iter().rev().fold(
            quote!(()),
            |rest, part| quote_spanned!(part.span()=> (#part, #rest)),
        );
        self.implement(
            &quote!(#rt::Toolbox),
            &quote! {
                const METHODS: #rt::ToolSet = #descriptors;
                const CALLS: &'static [#rt::MethodCall<Self>] = #calls;
                const NAMES: &'static [&'static #rt::str] = #methods;
                type Parts = #parts;
                fn tools(__this: &#rt::Arc<Self>) -> #rt::Vec<#rt::Arc<dyn #rt::Tool>> {
                    <#rt::Calls<Self>>::tools(__this)
                }
            },
        )
    }

    pub(super) fn part(&self, part: &Ident, tools: &Constants, names: &TokenStream) -> TokenStream {
        let rt = self.rt;
        let Constants {
            descriptors,
            calls,
            methods,
        } = tools;
        let implementation = self.implement(
            &quote!(#rt::ToolboxPart<#part>),
            &quote! {
                const METHODS: #rt::ToolSet = #descriptors;
                const CALLS: &'static [#rt::MethodCall<Self>] = #calls;
                const NAMES: &'static [&'static #rt::str] = #methods;
            },
        );
        quote! {
            #implementation
            #[automatically_derived]
            impl #rt::PartNames for #part {
                const NAMES: &'static [&'static #rt::str] = #names;
            }
        }
    }
}
