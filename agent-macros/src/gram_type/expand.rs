//! The type as code.

mod variants;
mod writer;

use super::check::Form;
use super::enumeration::Word;
use super::parse::ParsedType;
use super::recursion::names_parameter;
use crate::runtime_path::runtime_path;
use proc_macro2::TokenStream;
use quote::quote;
use writer::{Writer, Written};

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
pub(super) fn expand(parsed: &ParsedType, form: &Form<'_>) -> TokenStream {
    let rt = &private(parsed);
    let writer = Writer::new(rt);
    let whole = &parsed.settings.narrowing;
    let (ty, parts) = match form {
        Form::Stated(stated) => {
            let ty = writer.stated(&stated.ty);
            (writer.narrowed(ty, whole, stated.span), None)
        }
        Form::Newtype(newtype) => (writer.newtype(newtype, whole), None),
        Form::Record(fields) if fields.iter().any(|field| field.flatten.is_some()) => {
            writer.check_names(fields, None);
            let parts = fields.iter().map(|field| writer.part(field));
            (quote!(&#rt::merged::<Self>()), Some(quote!(#(#parts),*)))
        }
        Form::Record(fields) => {
            let record = writer.record(fields);
            (quote!(&#record), None)
        }
        Form::Words(words) => {
            let choice = writer.choice(words.iter().map(|word| word.word.as_str()));
            (quote!(&#choice), None)
        }
        Form::Internal { tag, variants } => {
            let parts = writer.internal(parsed, tag, variants);
            (quote!(&#rt::merged::<Self>()), Some(parts))
        }
        Form::Adjacent {
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
        Form::External(variants) => {
            let fields = variants.iter().map(|variant| writer.external(variant));
            let fields = quote!(#(#fields),*);
            (quote!(&#rt::record(const { &[#fields] })), None)
        }
    };
    let words = match form {
        Form::Words(words) => Some(expand_words(rt, parsed, words)),
        _ => None,
    };
    let implementation = implementation(writer, parsed, &ty, parts.as_ref());
    quote!(#implementation #words)
}

/// What each variant is written as, so that a default can name a variant.
fn expand_words(rt: &TokenStream, parsed: &ParsedType, words: &[Word]) -> TokenStream {
    let name = &parsed.name;
    let (generics, arguments, bounds) = parsed.generics.split_for_impl();
    let words = words
        .iter()
        .map(|Word { variant, word }| quote!((#variant, #word)));
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #generics #rt::UnitEnum for #name #arguments #bounds {
            const WORDS: &'static [(&'static #rt::str, &'static #rt::str)] = &[#(#words),*];
        }
    }
}

/// What remains of a type with mistakes, so that whatever uses it is not reported, too.
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

/// The implementation around what was written.
fn implementation(
    writer: Writer<'_>,
    parsed: &ParsedType,
    ty: &TokenStream,
    parts: Option<&TokenStream>,
) -> TokenStream {
    let rt = writer.rt;
    let name = &parsed.name;
    let Written {
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
