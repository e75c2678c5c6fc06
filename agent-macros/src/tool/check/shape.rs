//! What the tokens of a type tell: only what no type of that form could ever be. The rest, rustc
//! decides.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::{GenericArgument, PathArguments, Type, TypeReference};

/// A type without the invisible groups and parentheses around it, which macros by example leave.
pub(super) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

/// What a part of a type is that no data can be.
pub(super) enum Refused<'t> {
    /// A reference inside the type, such as that in `Option<&str>`.
    Reference(&'t TypeReference),
    /// `impl Trait`.
    Impl(&'t Type),
    /// A trait object, a function or a pointer.
    NoData(&'t Type),
    /// `_`, which rustc refuses in signatures.
    Placeholder,
}

/// The first part of a type that no parameter can have.
pub(super) fn refused(ty: &Type) -> Option<Refused<'_>> {
    match ty {
        Type::Reference(reference) => Some(Refused::Reference(reference)),
        Type::ImplTrait(_) => Some(Refused::Impl(ty)),
        Type::TraitObject(_) | Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) => {
            Some(Refused::NoData(ty))
        }
        Type::Infer(_) => Some(Refused::Placeholder),
        Type::Group(group) => refused(&group.elem),
        Type::Paren(paren) => refused(&paren.elem),
        Type::Slice(slice) => refused(&slice.elem),
        Type::Array(array) => refused(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(refused),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => refused(ty),
                _ => None,
            })
        }),
        _ => None,
    }
}

/// The last name of a type's path, for wording only.
pub(super) fn last_name(ty: &Type) -> Option<&Ident> {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// Only for wording: whether a reference is to something that is surely not text.
pub(super) fn is_path_other_than_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if !path.path.is_ident("str"))
}

impl Refused<'_> {
    /// Where it stands, and what to write in its place; nothing where rustc says it.
    pub(super) fn message(&self) -> Option<(TokenStream, &'static str)> {
        Some(match self {
            Refused::Reference(reference) => {
                let what = last_name(&reference.elem);
                let message = match what {
                    Some(name) if name == "ToolContext" => {
                        "the context of a call is always there: take it as `&ToolContext`"
                    }
                    _ => {
                        "a parameter of a tool owns what it holds: write `String` for `&str`, \
                         `Vec<T>` for a slice"
                    }
                };
                (reference.to_token_stream(), message)
            }
            Refused::Impl(ty) => (
                ty.to_token_stream(),
                "a parameter of a tool needs one type, since a model needs to know it; write the \
                 type itself",
            ),
            Refused::NoData(ty) => (
                ty.to_token_stream(),
                "a parameter of a tool is data that a model sends; it cannot be of this type",
            ),
            Refused::Placeholder => return None,
        })
    }
}
