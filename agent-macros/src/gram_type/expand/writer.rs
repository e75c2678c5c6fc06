//! The types of fields as code.

use super::super::check::Newtype;
use super::super::field::{CheckedField, Source};
use crate::constraints::Narrowing;
use crate::tokens::{Tokens, respanned, text_option};
use agent_spec::Kind;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::cell::RefCell;
use syn::Type;

/// Writes types, and collects what must stand beside them.
pub(super) struct Writer<'a> {
    pub(super) rt: &'a TokenStream,
    /// What narrows the parts, a `const` each.
    items: RefCell<Vec<TokenStream>>,
    checks: RefCell<Vec<TokenStream>>,
    /// The Rust types that need a gram type.
    types: RefCell<Vec<Type>>,
}

/// What stands beside the type.
pub(super) struct Written {
    pub(super) items: Vec<TokenStream>,
    pub(super) checks: Vec<TokenStream>,
    pub(super) types: Vec<Type>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(rt: &'a TokenStream) -> Self {
        Self {
            rt,
            items: RefCell::default(),
            checks: RefCell::default(),
            types: RefCell::default(),
        }
    }

    pub(super) fn finish(self) -> Written {
        Written {
            items: self.items.into_inner(),
            checks: self.checks.into_inner(),
            types: self.types.into_inner(),
        }
    }
}

impl Writer<'_> {
    pub(super) fn newtype(&self, newtype: &Newtype<'_>, whole: &Narrowing) -> TokenStream {
        let rt = self.rt;
        let ty = self.source(&newtype.source);
        if let Some(span) = newtype.never_missing {
            self.check(quote!(#rt::check_not_optional), quote!((#ty)), span);
        }
        let span = newtype.source.span();
        let ty = self.narrowed(ty, newtype.narrowing, span);
        self.narrowed(ty, whole, span)
    }

    pub(super) fn record(&self, fields: &[CheckedField<'_>]) -> TokenStream {
        let rt = self.rt;
        let fields = fields.iter().map(|field| self.field(field));
        quote!(#rt::record(const { &[#(#fields),*] }))
    }

    /// The texts that are allowed.
    pub(super) fn choice<'w>(&self, words: impl Iterator<Item = &'w str>) -> TokenStream {
        let rt = self.rt;
        quote! {
            #rt::choice(const {
                &#rt::Constraints::one_of(const { &#rt::texts([#(#words),*]) })
            })
        }
    }

    /// Checks that no flattened field brings a name that is there already: that of another field, or
    /// the `tag` beside them.
    pub(super) fn check_names(&self, fields: &[CheckedField<'_>], tag: Option<&str>) {
        let rt = self.rt;
        let (flattened, named): (Vec<_>, Vec<_>) =
            fields.iter().partition(|field| field.flatten.is_some());
        let names = named.iter().map(|field| field.name.as_str());
        let names: Vec<_> = names.chain(tag).collect();
        let mut before = Vec::new();
        for field in flattened {
            let ty = self.source(&field.source);
            self.check(
                quote!(#rt::check_flattened_names),
                quote!((#ty, &[#(#names),*], &[#(#before),*])),
                field.source.span(),
            );
            before.push(ty);
        }
    }

    /// A field as a part of a record whose fields only rustc knows.
    pub(super) fn part(&self, field: &CheckedField<'_>) -> TokenStream {
        let rt = self.rt;
        if field.flatten.is_none() {
            let field = self.field(field);
            return quote!(#rt::Part::Field(#field));
        }
        let ty = self.source(&field.source);
        self.check(
            quote!(#rt::check_flattened),
            quote!((#ty)),
            field.source.span(),
        );
        let ty = self.filled(ty, field);
        quote!(#rt::Part::Flattened(#ty))
    }

    fn field(&self, field: &CheckedField<'_>) -> TokenStream {
        let rt = self.rt;
        let name = &field.name;
        let base = self.source(&field.source);
        if let Some(span) = field.left_out {
            self.check(quote!(#rt::check_may_be_missing), quote!((#base)), span);
        }
        let default = match &field.default {
            Some(default) => {
                let value = Tokens { rt }.value(&default.value);
                self.check(
                    quote!(#rt::check_field_default),
                    quote!((#base, const { &#value })),
                    default.span,
                );
                quote!(#rt::Some(const { &#value }))
            }
            None => quote!(#rt::None),
        };
        let ty = self.narrowed(base, field.narrowing, field.source.span());
        let ty = if field.default.is_some() {
            ty
        } else {
            self.filled(ty, field)
        };
        let description = text_option(rt, field.description.as_deref());
        quote!(#rt::Field::from_static(#name, #ty, #default, #description))
    }

    /// The type, optional when serde fills in what is missing.
    fn filled(&self, ty: TokenStream, field: &CheckedField<'_>) -> TokenStream {
        let rt = self.rt;
        if field.is_filled {
            quote!(const { &#rt::Type::optional_of(#ty) })
        } else {
            ty
        }
    }

    /// The type of a value, at the tokens of the Rust type, so that one without a gram type is
    /// marked itself.
    pub(super) fn source(&self, source: &Source<'_>) -> TokenStream {
        let rt = self.rt;
        match source {
            Source::Rust(ty) => {
                self.types.borrow_mut().push((*ty).clone());
                quote_spanned!(source.span()=> <#ty as #rt::GramType>::TYPE)
            }
            // Of an `Option`, what is opaque may be missing.
            Source::Stated(stated, ty) if matches!(stated.ty.kind(), Kind::Any) => quote! {{
                #[allow(unused_imports)]
                use #rt::RequiredOpaque as _;
                #rt::Opaque::<#ty>::TYPE
            }},
            Source::Stated(stated, _) => self.stated(&stated.ty),
        }
    }

    pub(super) fn stated(&self, ty: &agent_spec::Type) -> TokenStream {
        let rt = self.rt;
        if matches!(ty.kind(), Kind::Any) && !ty.is_optional() {
            return quote!(#rt::Type::ANY);
        }
        let ty = Tokens { rt }.ty(ty);
        quote!(const { &#rt::Type::stated(const { &#ty }) })
    }

    pub(super) fn narrowed(
        &self,
        ty: TokenStream,
        narrowing: &Narrowing,
        span: Span,
    ) -> TokenStream {
        if narrowing.is_empty() {
            return ty;
        }
        let rt = self.rt;
        let own = format_ident!(
            "OWN{}",
            self.items.borrow().len(),
            span = Span::mixed_site()
        );
        self.items.borrow_mut().push(narrowing.item(rt, &own));
        let before = quote_spanned!(span=> #rt::Some(#ty));
        let checks = narrowing.checks(rt, &before, &own);
        self.checks.borrow_mut().extend(checks);
        narrowing.narrowed(rt, &ty, &own)
    }

    /// A call whose evaluation stops at a place.
    pub(super) fn check(&self, function: TokenStream, arguments: TokenStream, place: Span) {
        let function = respanned(function, place);
        let arguments = respanned(arguments, place);
        self.checks.borrow_mut().push(quote!(#function #arguments));
    }
}
