//! Expands a type.

use super::check::{
    CheckedField, Content, JsonForm, Newtype, TypeSource, UnitVariant, Variant, names_parameter,
};
use super::parse::ParsedType;
use crate::constraints::SpannedConstraints;
use crate::runtime_path::runtime_path;
use crate::tokens::{Tokens, respanned, text_option};
use agent_spec::Kind;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::cell::RefCell;
use syn::Type;

/// The implementation. For
///
/// ```ignore
/// #[derive(Deserialize, GramType)]
/// struct Person {
///     /// Who it is.
///     name: String,
///     #[serde(default)]
///     age: u8,
/// }
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// #[allow(deprecated)]
/// const _: () = {
///     impl rt::GramType for Person {
///         const TYPE: &'static rt::Type = &rt::record(const { &[
///             rt::Field::from_static("name", <String as rt::GramType>::TYPE, None, Some("Who it is.")),
///             rt::Field::from_static("age", const { &rt::Type::optional_of(<u8 as rt::GramType>::TYPE) }, None, None),
///         ] });
///     }
/// };
/// ```
///
/// A record with flattened fields, and an enum with a tag, list their parts in an implementation of
/// `rt::Parts`, and the type is `rt::merged::<Self>()`. What is checked stands in the `const` of the
/// type when that has generics, since no other `const` can name them, and beside it otherwise.
pub(super) fn expand(parsed: &ParsedType, form: &JsonForm<'_>) -> TokenStream {
    let rt = &private(parsed);
    let writer = TypeWriter::new(rt);
    let whole = &parsed.settings.narrowing;
    let (ty, parts) = match form {
        JsonForm::Stated(stated) => {
            let ty = writer.stated(&stated.ty);
            (writer.narrowed(ty, whole, stated.span), None)
        }
        JsonForm::Newtype(newtype) => (writer.newtype(newtype, whole), None),
        JsonForm::Record(fields) if fields.iter().any(|field| field.flatten.is_some()) => {
            writer.check_names(fields, None);
            let parts = fields.iter().map(|field| writer.part(field));
            (quote!(&#rt::merged::<Self>()), Some(quote!(#(#parts),*)))
        }
        JsonForm::Record(fields) => {
            let record = writer.record(fields);
            (quote!(&#record), None)
        }
        JsonForm::UnitVariants(words) => {
            let choice = writer.choice(words.iter().map(|word| word.word.as_str()));
            (quote!(&#choice), None)
        }
        JsonForm::Internal { tag, variants } => {
            let parts = writer.internal(parsed, tag, variants);
            (quote!(&#rt::merged::<Self>()), Some(parts))
        }
        JsonForm::Adjacent {
            tag,
            content,
            variants,
        } => {
            let tag = writer.tag(tag, variants);
            let content = quote! {
                #rt::Field::from_static(
                    #content, const { &#rt::content_type::<Self>() }, #rt::None, #rt::None,
                )
            };
            (
                quote!(&#rt::record(const { &[#tag, #content] })),
                Some(writer.adjacent(parsed, variants)),
            )
        }
        JsonForm::External(variants) => {
            let fields = variants.iter().map(|variant| writer.external(variant));
            let fields = quote!(#(#fields),*);
            (quote!(&#rt::record(const { &[#fields] })), None)
        }
    };
    let words = match form {
        JsonForm::UnitVariants(words) => Some(expand_words(rt, parsed, words)),
        _ => None,
    };
    let implementation = implementation(writer, parsed, &ty, parts.as_ref());
    quote!(#implementation #words)
}

/// Returns the texts of the variants, so that a default can name a variant.
fn expand_words(rt: &TokenStream, parsed: &ParsedType, words: &[UnitVariant]) -> TokenStream {
    let name = &parsed.name;
    let (generics, arguments, bounds) = parsed.generics.split_for_impl();
    let words = words
        .iter()
        .map(|UnitVariant { variant, word }| quote!((#variant, #word)));
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #generics #rt::UnitEnum for #name #arguments #bounds {
            const WORDS: &'static [(&'static #rt::str, &'static #rt::str)] = &[#(#words),*];
        }
    }
}

/// Expands a type with errors, so that its uses are not reported, too.
pub(super) fn expand_skeleton(parsed: &ParsedType) -> TokenStream {
    let rt = private(parsed);
    let name = &parsed.name;
    let (generics, arguments, bounds) = parsed.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #generics #rt::GramType for #name #arguments #bounds {
            const TYPE: &'static #rt::Type = #rt::Type::ANY;
        }
    }
}

fn private(parsed: &ParsedType) -> TokenStream {
    let krate = runtime_path(parsed.settings.krate.as_ref());
    quote!(#krate::__private)
}

/// Returns the implementation around the type.
fn implementation(
    writer: TypeWriter<'_>,
    parsed: &ParsedType,
    ty: &TokenStream,
    parts: Option<&TokenStream>,
) -> TokenStream {
    let rt = writer.rt;
    let name = &parsed.name;
    let WriterOutput {
        items,
        checks,
        types,
    } = writer.finish();
    let mut generics = parsed.generics.clone();
    let bound: Vec<_> = parsed
        .generics
        .type_params()
        .map(|parameter| parameter.ident.clone())
        .filter(|parameter| types.iter().any(|ty| names_parameter(ty, parameter)))
        .collect();
    if !bound.is_empty() {
        let clause = generics.make_where_clause();
        for parameter in bound {
            clause
                .predicates
                .push(syn::parse_quote!(#parameter: #rt::GramType));
        }
    }
    let is_generic = !generics.params.is_empty();
    let (generics, arguments, bounds) = generics.split_for_impl();
    let (inside, beside) = if is_generic {
        (quote!(#(#checks;)*), TokenStream::new())
    } else {
        (TokenStream::new(), quote!(#(const _: () = #checks;)*))
    };
    let parts = parts.map(|parts| {
        quote! {
            #[automatically_derived]
            impl #generics #rt::Parts for #name #arguments #bounds {
                const PARTS: &'static [#rt::Part] = &[#parts];
            }
        }
    });
    let ty = if inside.is_empty() {
        ty.clone()
    } else {
        quote!({ #inside #ty })
    };
    quote! {
        #[allow(deprecated)]
        const _: () = {
            #(#items)*
            #[automatically_derived]
            impl #generics #rt::GramType for #name #arguments #bounds {
                const TYPE: &'static #rt::Type = #ty;
            }
            #parts
            #beside
        };
    }
}

impl TypeWriter<'_> {
    /// Returns the parts of an internally tagged enum: the tag, and each variant, whose fields are
    /// beside the tag. Adds checks for fields that the merged record would lose.
    fn internal(&self, of: &ParsedType, name: &str, variants: &[Variant<'_>]) -> TokenStream {
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

    /// Returns the parts of the content of an adjacently tagged enum.
    fn adjacent(&self, of: &ParsedType, variants: &[Variant<'_>]) -> TokenStream {
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

    /// Returns the only value of a variant, flattened.
    fn held(&self, source: &TypeSource<'_>, narrowing: &SpannedConstraints) -> TokenStream {
        let rt = self.rt;
        let ty = self.narrowed(self.source(source), narrowing, source.span());
        quote!(#rt::Part::Flattened(#ty))
    }

    /// Adds a check for each part of a variant, at its first constraint or else at its type.
    fn check_variant(
        &self,
        of: &ParsedType,
        check: &TokenStream,
        at: usize,
        variant: &Variant<'_>,
    ) {
        // The checks of a generic type are inside its implementation, where it is `Self`.
        let name = &of.name;
        let itself = if of.generics.params.is_empty() {
            quote!(#name)
        } else {
            quote!(Self)
        };
        let place = |narrowing: &SpannedConstraints, source: &TypeSource<'_>| -> Span {
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

    /// Returns the field with the name of the variant.
    fn tag(&self, name: &str, variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let choice = self.choice(variants.iter().map(|variant| variant.name.as_str()));
        let description = described(variants);
        let description = text_option(rt, description.as_deref());
        quote!(#rt::Field::from_static(#name, const { &#choice }, #rt::None, #description))
    }

    /// Returns a variant as the only key of an object. It is optional, because it is one of
    /// several.
    fn external(&self, variant: &Variant<'_>) -> TokenStream {
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

/// Returns the descriptions of the variants: `circle: A round one; square: One of four sides`.
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

/// Writes types, and collects the items and checks beside them.
struct TypeWriter<'a> {
    rt: &'a TokenStream,
    /// The constraints of the parts, a `const` each.
    items: RefCell<Vec<TokenStream>>,
    checks: RefCell<Vec<TokenStream>>,
    /// The Rust types that need a gram type.
    types: RefCell<Vec<Type>>,
}

/// The items and checks beside the type.
struct WriterOutput {
    items: Vec<TokenStream>,
    checks: Vec<TokenStream>,
    types: Vec<Type>,
}

impl<'a> TypeWriter<'a> {
    fn new(rt: &'a TokenStream) -> Self {
        Self {
            rt,
            items: RefCell::default(),
            checks: RefCell::default(),
            types: RefCell::default(),
        }
    }

    fn finish(self) -> WriterOutput {
        WriterOutput {
            items: self.items.into_inner(),
            checks: self.checks.into_inner(),
            types: self.types.into_inner(),
        }
    }
}

impl TypeWriter<'_> {
    fn newtype(&self, newtype: &Newtype<'_>, whole: &SpannedConstraints) -> TokenStream {
        let rt = self.rt;
        let ty = self.source(&newtype.source);
        if let Some(span) = newtype.never_missing {
            self.check(quote!(#rt::check_not_optional), quote!((#ty)), span);
        }
        let span = newtype.source.span();
        let ty = self.narrowed(ty, newtype.narrowing, span);
        self.narrowed(ty, whole, span)
    }

    fn record(&self, fields: &[CheckedField<'_>]) -> TokenStream {
        let rt = self.rt;
        let fields = fields.iter().map(|field| self.field(field));
        quote!(#rt::record(const { &[#(#fields),*] }))
    }

    /// Returns the type of a text that is one of `words`.
    fn choice<'w>(&self, words: impl Iterator<Item = &'w str>) -> TokenStream {
        let rt = self.rt;
        quote! {
            #rt::choice(const {
                &#rt::Constraints::one_of(const { &#rt::texts([#(#words),*]) })
            })
        }
    }

    /// Checks that no flattened field has the name of another field or of the `tag` beside them.
    fn check_names(&self, fields: &[CheckedField<'_>], tag: Option<&str>) {
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

    /// Returns a field as a part of a record whose fields only rustc knows.
    fn part(&self, field: &CheckedField<'_>) -> TokenStream {
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

    /// Returns the type, optional if serde fills in a missing value.
    fn filled(&self, ty: TokenStream, field: &CheckedField<'_>) -> TokenStream {
        let rt = self.rt;
        if field.is_filled {
            quote!(const { &#rt::Type::optional_of(#ty) })
        } else {
            ty
        }
    }

    /// Returns the type of a value at the tokens of the Rust type, so that rustc marks a type
    /// without a gram type.
    fn source(&self, source: &TypeSource<'_>) -> TokenStream {
        let rt = self.rt;
        match source {
            TypeSource::Rust(ty) => {
                self.types.borrow_mut().push((*ty).clone());
                quote_spanned!(source.span()=> <#ty as #rt::GramType>::TYPE)
            }
            // An opaque `Option` can be missing.
            TypeSource::Stated(stated, ty) if matches!(stated.ty.kind(), Kind::Any) => quote! {{
                #[allow(unused_imports)]
                use #rt::RequiredOpaque as _;
                #rt::Opaque::<#ty>::TYPE
            }},
            TypeSource::Stated(stated, _) => self.stated(&stated.ty),
        }
    }

    fn stated(&self, ty: &agent_spec::Type) -> TokenStream {
        let rt = self.rt;
        if matches!(ty.kind(), Kind::Any) && !ty.is_optional() {
            return quote!(#rt::Type::ANY);
        }
        let ty = Tokens { rt }.ty(ty);
        quote!(const { &#rt::Type::stated(const { &#ty }) })
    }

    fn narrowed(&self, ty: TokenStream, narrowing: &SpannedConstraints, span: Span) -> TokenStream {
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

    /// Adds a call whose evaluation fails at `place`.
    fn check(&self, function: TokenStream, arguments: TokenStream, place: Span) {
        let function = respanned(function, place);
        let arguments = respanned(arguments, place);
        self.checks.borrow_mut().push(quote!(#function #arguments));
    }
}
