//! Expands a type.

use super::check::{
    CheckedField, Content, Element, JsonForm, TypeSource, UnitVariant, Variant, types_of_parameters,
};
use super::parse::ParsedType;
use crate::constraints::SpannedConstraints;
use crate::crate_path::tool_path;
use crate::tokens::{Tokens, call_at, text_option};
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
/// `rt::Parts`, and the type is `rt::merged::<Self>()`; an enum with variants that have no tag lists the
/// types in an implementation of `rt::Alternatives`, and the type is `rt::any_of::<Self>()`. The checks
/// of a generic type are in the `const` of the type, because no other `const` can name the parameters. Other checks
/// are beside it.
pub(super) fn expand(parsed: &ParsedType, form: &JsonForm<'_>) -> TokenStream {
    let rt = &private(parsed);
    let writer = TypeWriter {
        rt,
        items: RefCell::default(),
        checks: RefCell::default(),
        types: RefCell::default(),
    };
    let expanded = expand_form(&writer, parsed, form);
    let words = words_of(form).map(|words| expand_words(rt, parsed, words));
    let implementation = implementation(writer, parsed, &expanded);
    quote!(#implementation #words)
}

/// The type of a form, and the lists that the type is made from.
struct ExpandedForm {
    /// An expression of type `&'static Type`.
    ty: TokenStream,
    /// The parts of a record whose fields only rustc knows.
    parts: Option<TokenStream>,
    /// The types of an enum with variants that have no tag.
    alternatives: Option<TokenStream>,
}

impl ExpandedForm {
    fn new(ty: TokenStream, parts: Option<TokenStream>) -> Self {
        Self {
            ty,
            parts,
            alternatives: None,
        }
    }
}

fn expand_form(writer: &TypeWriter<'_>, parsed: &ParsedType, form: &JsonForm<'_>) -> ExpandedForm {
    let rt = writer.rt;
    let whole = &parsed.settings.narrowing;
    // Marks a record for which serde refuses further keys.
    let closed = parsed.serde.deny_unknown_fields.then(|| quote!(.closed()));
    match form {
        JsonForm::Stated(stated) => {
            let ty = writer.stated(&stated.ty);
            ExpandedForm::new(writer.narrowed(ty, whole, stated.span), None)
        }
        JsonForm::Newtype {
            value: Element { source, narrowing },
            is_never_missing,
        } => {
            let (ty, span) = (writer.source(source), source.span());
            if *is_never_missing {
                writer.check(quote!(#rt::check_not_optional), ty.clone(), span);
            }
            let ty = writer.narrowed(ty, narrowing, span);
            ExpandedForm::new(writer.narrowed(ty, whole, span), None)
        }
        JsonForm::Tuple(elements) => ExpandedForm::new(writer.tuple(elements), None),
        JsonForm::Record(fields) if fields.iter().any(|field| field.flatten.is_some()) => {
            let check = match parsed.serde.deny_unknown_fields {
                true => quote!(#rt::check_flattened_closed),
                false => quote!(#rt::check_flattened),
            };
            let parts = writer.parts(fields, None, &check);
            ExpandedForm::new(quote!(&#rt::merged::<Self>() #closed), Some(parts))
        }
        JsonForm::Record(fields) => {
            let record = writer.record(fields);
            ExpandedForm::new(quote!(&#record #closed), None)
        }
        JsonForm::Internal { tag, variants } => {
            let parts = writer.internal(parsed, tag, variants);
            ExpandedForm::new(quote!(&#rt::merged::<Self>() #closed), Some(parts))
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
            let ty = quote!(&#rt::record(const { &[#tag, #content] }));
            ExpandedForm::new(ty, Some(writer.adjacent(parsed, variants)))
        }
        JsonForm::External { words, variants } => {
            ExpandedForm::new(writer.external(words, variants), None)
        }
        JsonForm::Untagged { tagged, contents } => {
            let tagged = tagged
                .as_ref()
                .map(|form| expand_form(writer, parsed, form));
            let (tagged, parts) = match tagged {
                Some(form) => (Some(form.ty), form.parts),
                None => (None, None),
            };
            let places = contents.iter().map(|(_, place)| *place);
            let places = tagged.iter().map(|_| parsed.name.span()).chain(places);
            for (at, place) in places.enumerate() {
                writer.check_of(parsed, quote!(#rt::check_alternative), quote!(#at), place);
            }
            let types = contents.iter().map(|(content, _)| writer.content(content));
            let types = tagged.into_iter().chain(types);
            ExpandedForm {
                ty: quote!(&#rt::any_of::<Self>()),
                parts,
                alternatives: Some(quote!(#(#types),*)),
            }
        }
    }
}

/// Returns the variants that serde writes as a text, if there are any.
fn words_of<'f>(form: &'f JsonForm<'_>) -> Option<&'f [UnitVariant]> {
    match form {
        JsonForm::External { words, .. } if !words.is_empty() => Some(words),
        JsonForm::Untagged {
            tagged: Some(tagged),
            ..
        } => words_of(tagged),
        _ => None,
    }
}

/// Returns the texts of the variants, so that a default can name a variant.
fn expand_words(rt: &TokenStream, parsed: &ParsedType, words: &[UnitVariant]) -> TokenStream {
    let name = &parsed.name;
    let (generics, arguments, bounds) = parsed.generics.split_for_impl();
    let words = words
        .iter()
        .map(|UnitVariant { variant, word, .. }| quote!((#variant, #word)));
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
            const TYPE: &'static #rt::Type = #rt::Type::REFUSED;
        }
    }
}

fn private(parsed: &ParsedType) -> TokenStream {
    let krate = tool_path(parsed.settings.krate.as_ref());
    quote!(#krate::__private)
}

/// Returns the implementation around the type.
fn implementation(
    writer: TypeWriter<'_>,
    parsed: &ParsedType,
    expanded: &ExpandedForm,
) -> TokenStream {
    let rt = writer.rt;
    let name = &parsed.name;
    let (items, checks) = (writer.items.into_inner(), writer.checks.into_inner());
    let types = writer.types.into_inner();
    let mut generics = parsed.generics.clone();
    let bound = types_of_parameters(&types, &parsed.generics);
    if !bound.is_empty() {
        let clause = generics.make_where_clause();
        for ty in bound {
            clause
                .predicates
                .push(syn::parse_quote!(#ty: #rt::GramType));
        }
    }
    let is_generic = !generics.params.is_empty();
    let (generics, arguments, bounds) = generics.split_for_impl();
    let (inside, beside) = if is_generic {
        (quote!(#(#checks;)*), TokenStream::new())
    } else {
        (TokenStream::new(), quote!(#(const _: () = #checks;)*))
    };
    let list = |of: TokenStream, constant: TokenStream, items: &TokenStream| {
        quote! {
            #[automatically_derived]
            impl #generics #rt::#of for #name #arguments #bounds {
                const #constant = &[#items];
            }
        }
    };
    let parts = expanded.parts.as_ref();
    let parts = parts.map(|parts| {
        list(
            quote!(Parts),
            quote!(PARTS: &'static [#rt::RecordPart]),
            parts,
        )
    });
    let alternatives = expanded.alternatives.as_ref();
    let alternatives = alternatives.map(|types| {
        let constant = quote!(ALTERNATIVES: &'static [&'static #rt::Type]);
        list(quote!(Alternatives), constant, types)
    });
    let ty = &expanded.ty;
    let ty = match inside.is_empty() {
        true => ty.clone(),
        false => quote!({ #inside #ty }),
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
            #alternatives
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
        let flattened = quote!(#rt::check_flattened_in_variant);
        let variants = variants.iter().enumerate().map(|(at, variant)| {
            let parts = match &variant.content {
                Content::Nothing => TokenStream::new(),
                Content::Value(value) => {
                    let (ty, span) = (self.source(&value.source), value.source.span());
                    self.check(quote!(#rt::check_variant_record), quote!(#ty), span);
                    self.check(
                        quote!(#rt::check_flattened_names),
                        quote!(#ty, &[#name], &[]),
                        span,
                    );
                    self.held(self.narrowed(ty, value.narrowing, span))
                }
                // serde reports that a list has no place for the tag.
                Content::Tuple(elements) => self.held(self.tuple(elements)),
                Content::Record(fields) => self.parts(fields, Some(name), &flattened),
            };
            // The tag is the first part.
            self.check_variant(of, &check, at + 1, variant);
            let name = &variant.name;
            quote!(#rt::RecordPart::Variant(#name, const { &[#parts] }))
        });
        quote!(#rt::RecordPart::Field(#tag), #(#variants),*)
    }

    /// Returns the parts of the content of an adjacently tagged enum.
    fn adjacent(&self, of: &ParsedType, variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let check = quote!(#rt::check_in_content);
        let flattened = quote!(#rt::check_flattened_in_variant);
        let parts = variants.iter().enumerate().map(|(at, variant)| {
            let parts = match &variant.content {
                Content::Nothing => return quote!(#rt::RecordPart::Unit),
                Content::Value(_) | Content::Tuple(_) => self.held(self.content(&variant.content)),
                Content::Record(fields) => self.parts(fields, None, &flattened),
            };
            self.check_variant(of, &check, at, variant);
            let name = &variant.name;
            quote!(#rt::RecordPart::Variant(#name, const { &[#parts] }))
        });
        quote!(#(#parts),*)
    }

    /// Returns the only value of a variant, flattened.
    fn held(&self, ty: TokenStream) -> TokenStream {
        let rt = self.rt;
        quote!(#rt::RecordPart::Flattened(#ty))
    }

    /// Returns the type of the content of a variant.
    fn content(&self, content: &Content<'_>) -> TokenStream {
        let rt = self.rt;
        match content {
            Content::Nothing => quote!(#rt::Type::ANY),
            Content::Value(value) => self.element(value),
            Content::Tuple(elements) => self.tuple(elements),
            Content::Record(fields) => {
                let record = self.record(fields);
                quote!(const { &#record })
            }
        }
    }

    fn tuple(&self, elements: &[Element<'_>]) -> TokenStream {
        let rt = self.rt;
        let elements = elements.iter().map(|element| self.element(element));
        quote!(const { &#rt::tuple(const { &[#(#rt::Type::borrowed(#elements)),*] }) })
    }

    fn element(&self, Element { source, narrowing }: &Element<'_>) -> TokenStream {
        self.narrowed(self.source(source), narrowing, source.span())
    }

    /// Adds a check for each part of a variant, at its first constraint or else at its type.
    fn check_variant(
        &self,
        of: &ParsedType,
        check: &TokenStream,
        at: usize,
        variant: &Variant<'_>,
    ) {
        let place = |narrowing: &SpannedConstraints, source: &TypeSource<'_>| -> Span {
            narrowing.place().unwrap_or_else(|| source.span())
        };
        let place_of = |element: &Element<'_>| place(element.narrowing, &element.source);
        let places: Vec<Span> = match &variant.content {
            Content::Nothing => Vec::new(),
            Content::Value(value) => vec![place_of(value)],
            // The only part is the list.
            Content::Tuple(elements) => elements.iter().take(1).map(place_of).collect(),
            Content::Record(fields) => fields
                .iter()
                .map(|field| place(field.narrowing, &field.source))
                .collect(),
        };
        for (part, place) in places.into_iter().enumerate() {
            self.check_of(of, check.clone(), quote!(#at, #part), place);
        }
    }

    /// Adds a call of a function that has the type as its type parameter.
    fn check_of(
        &self,
        of: &ParsedType,
        function: TokenStream,
        arguments: TokenStream,
        place: Span,
    ) {
        // The checks of a generic type are inside its implementation, where it is `Self`.
        let name = &of.name;
        let itself = if of.generics.params.is_empty() {
            quote!(#name)
        } else {
            quote!(Self)
        };
        self.check(quote!(#function::<#itself>), arguments, place);
    }

    /// Returns the field with the name of the variant.
    fn tag(&self, name: &str, variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let choice = self.choice(
            variants
                .iter()
                .map(|variant| (variant.name.as_str(), variant.aliases.as_slice())),
        );
        let description = described(variants);
        let description = text_option(rt, description.as_deref());
        quote!(#rt::Field::from_static(#name, const { &#choice }, #rt::None, #description))
    }

    /// Returns the type of an enum without a tag: one of the texts, or an object whose only key is the name
    /// of a variant.
    fn external(&self, words: &[UnitVariant], variants: &[Variant<'_>]) -> TokenStream {
        let rt = self.rt;
        let choice = self.choice(
            words
                .iter()
                .map(|word| (word.word.as_str(), word.aliases.as_slice())),
        );
        if variants.is_empty() {
            return quote!(&#choice);
        }
        let choice = (!words.is_empty()).then_some(choice);
        let records = variants.iter().map(|variant| {
            let name = &variant.name;
            let ty = self.content(&variant.content);
            if let Content::Value(Element { source, .. }) = &variant.content {
                let value = self.source(source);
                self.check(quote!(#rt::check_variant_value), value, source.span());
            }
            let description = text_option(rt, variant.description.as_deref());
            let aliases = with_aliases(&variant.aliases);
            quote! {
                #rt::record(const {
                    &[#rt::Field::from_static(#name, #ty, #rt::None, #description) #aliases]
                })
            }
        });
        let types = choice.into_iter().chain(records);
        quote!(&#rt::variants(const { &[#(#types),*] }))
    }
}

/// Returns the call that gives a field its aliases, if it has some.
fn with_aliases(aliases: &[String]) -> Option<TokenStream> {
    (!aliases.is_empty()).then(|| quote!(.with_aliases(const { &[#(#aliases),*] })))
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

impl TypeWriter<'_> {
    fn record(&self, fields: &[CheckedField<'_>]) -> TokenStream {
        let rt = self.rt;
        let fields = fields.iter().map(|field| self.field(field));
        quote!(#rt::record(const { &[#(#fields),*] }))
    }

    /// Returns the type of a text that is one of the names of variants, each with its aliases.
    fn choice<'w>(&self, words: impl Iterator<Item = (&'w str, &'w [String])>) -> TokenStream {
        let rt = self.rt;
        let (mut names, mut aliases) = (Vec::new(), Vec::new());
        for (name, others) in words {
            names.push(name);
            aliases.extend(others.iter().map(|alias| quote!((#alias, #name))));
        }
        let host = (!aliases.is_empty())
            .then(|| quote!(.with_host(#rt::Host::Aliases(const { &[#(#aliases),*] }))));
        quote! {
            #rt::choice(const {
                &#rt::Constraints::one_of(const { &#rt::texts([#(#names),*]) })
            }) #host
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
                quote!(#ty, &[#(#names),*], &[#(#before),*]),
                field.source.span(),
            );
            before.push(ty);
        }
    }

    /// Returns fields as the parts of a record, beside a tag. `check` checks a flattened field.
    fn parts(
        &self,
        fields: &[CheckedField<'_>],
        tag: Option<&str>,
        check: &TokenStream,
    ) -> TokenStream {
        self.check_names(fields, tag);
        let parts = fields.iter().map(|field| self.part(field, check));
        quote!(#(#parts),*)
    }

    /// Returns a field as a part of a record whose fields only rustc knows.
    fn part(&self, field: &CheckedField<'_>, check: &TokenStream) -> TokenStream {
        let rt = self.rt;
        if field.flatten.is_none() {
            let field = self.field(field);
            return quote!(#rt::RecordPart::Field(#field));
        }
        let ty = self.source(&field.source);
        self.check(check.clone(), quote!(#ty), field.source.span());
        let ty = self.filled(ty, field);
        quote!(#rt::RecordPart::Flattened(#ty))
    }

    fn field(&self, field: &CheckedField<'_>) -> TokenStream {
        let rt = self.rt;
        let name = &field.name;
        let base = self.source(&field.source);
        if let Some(span) = field.left_out {
            self.check(quote!(#rt::check_may_be_missing), quote!(#base), span);
        }
        let default = match &field.default {
            Some(default) => {
                let value = Tokens { rt }.value(&default.value);
                let arguments = quote!(#base, const { &#value });
                self.check(quote!(#rt::check_field_default), arguments, default.span);
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
        let aliases = with_aliases(&field.aliases);
        quote!(#rt::Field::from_static(#name, #ty, #default, #description) #aliases)
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
        let check = call_at(place, function, arguments);
        self.checks.borrow_mut().push(check);
    }
}
