//! The variants of an enum as parts of a record, or as its fields.

use super::super::enumeration::{Content, Variant};
use super::super::field::Source;
use super::super::parse::ParsedType;
use super::writer::Writer;
use crate::constraints::Narrowing;
use crate::tokens::text_option;
use proc_macro2::{Span, TokenStream};
use quote::quote;

impl Writer<'_> {
    /// The parts of an internally tagged enum: the tag, and each variant, whose fields stand beside
    /// it. What the record of all would lose of one is reported.
    pub(super) fn internal(
        &self,
        of: &ParsedType,
        name: &str,
        variants: &[Variant<'_>],
    ) -> TokenStream {
        let rt = self.rt;
        let tag = self.tag(name, variants);
        let check = quote!(#rt::check_beside_tag);
        let variants = variants.iter().enumerate().map(|(at, variant)| {
            let parts = match &variant.content {
                Content::Nothing => TokenStream::new(),
                Content::Value(source, narrowing) => {
                    let (ty, span) = (self.source(source), source.span());
                    self.check(quote!(#rt::check_variant_record), quote!((#ty)), span);
                    self.check(
                        quote!(#rt::check_flattened_names),
                        quote!((#ty, &[#name], &[])),
                        span,
                    );
                    self.held(source, narrowing)
                }
                Content::Record(fields) => {
                    self.check_names(fields, Some(name));
                    let parts = fields.iter().map(|field| self.part(field));
                    quote!(#(#parts),*)
                }
            };
            // The tag is the first part.
            self.check_variant(of, &check, at + 1, variant);
            let name = &variant.name;
            quote!(#rt::Part::Variant(#name, const { &[#parts] }))
        });
        quote!(#rt::Part::Field(#tag), #(#variants),*)
    }

    /// The parts of what an adjacently tagged enum holds beside its tag.
    pub(super) fn adjacent(&self, of: &ParsedType, variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let check = quote!(#rt::check_in_content);
        let parts = variants.iter().enumerate().map(|(at, variant)| {
            let parts = match &variant.content {
                Content::Nothing => return quote!(#rt::Part::Unit),
                Content::Value(source, narrowing) => self.held(source, narrowing),
                Content::Record(fields) => {
                    self.check_names(fields, None);
                    let parts = fields.iter().map(|field| self.part(field));
                    quote!(#(#parts),*)
                }
            };
            self.check_variant(of, &check, at, variant);
            let name = &variant.name;
            quote!(#rt::Part::Variant(#name, const { &[#parts] }))
        });
        quote!(#(#parts),*)
    }

    /// The one value of a variant, flattened.
    fn held(&self, source: &Source<'_>, narrowing: &Narrowing) -> TokenStream {
        let rt = self.rt;
        let ty = self.narrowed(self.source(source), narrowing, source.span());
        quote!(#rt::Part::Flattened(#ty))
    }

    /// Checks each part of a variant, at the first word that narrows it or else at its type.
    fn check_variant(
        &self,
        of: &ParsedType,
        check: &TokenStream,
        at: usize,
        variant: &Variant<'_>,
    ) {
        // The checks of a generic type stand where it is `Self`.
        let name = &of.name;
        let itself = if of.generics.params.is_empty() {
            quote!(#name)
        } else {
            quote!(Self)
        };
        let place = |narrowing: &Narrowing, source: &Source<'_>| -> Span {
            narrowing.place().unwrap_or_else(|| source.span())
        };
        let places: Vec<Span> = match &variant.content {
            Content::Nothing => Vec::new(),
            Content::Value(source, narrowing) => vec![place(narrowing, source)],
            Content::Record(fields) => fields
                .iter()
                .map(|field| place(field.narrowing, &field.source))
                .collect(),
        };
        for (part, place) in places.into_iter().enumerate() {
            self.check(quote!(#check::<#itself>), quote!((#at, #part)), place);
        }
    }

    /// The field that says which variant it is.
    pub(super) fn tag(&self, name: &str, variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let choice = self.choice(variants.iter().map(|variant| variant.name.as_str()));
        let description = described(variants);
        let description = text_option(rt, description.as_deref());
        quote!(#rt::Field::from_static(#name, const { &#choice }, #rt::None, #description))
    }

    /// A variant as the only key of an object. It is one of several, so it is optional.
    pub(super) fn external(&self, variant: &Variant<'_>) -> TokenStream {
        let rt = self.rt;
        let name = &variant.name;
        let ty = match &variant.content {
            Content::Nothing => quote!(#rt::Type::ANY),
            Content::Value(source, narrowing) => {
                self.narrowed(self.source(source), narrowing, source.span())
            }
            Content::Record(fields) => {
                let record = self.record(fields);
                quote!(const { &#record })
            }
        };
        let description = text_option(rt, variant.description.as_deref());
        quote! {
            #rt::Field::from_static(
                #name, const { &#rt::Type::optional_of(#ty) }, #rt::None, #description,
            )
        }
    }
}

/// What the variants are for: `circle: A round one; square: One of four sides`.
fn described(variants: &[Variant<'_>]) -> Option<String> {
    let described: Vec<_> = variants
        .iter()
        .filter_map(|variant| {
            let text = variant.description.as_deref()?;
            Some(format!("{}: {}", variant.name, text.trim_end_matches('.')))
        })
        .collect();
    (!described.is_empty()).then(|| described.join("; "))
}
