//! Types that hold themselves.

use proc_macro2::Span;
use syn::{GenericArgument, Generics, Ident, PathArguments, Type};

/// Where a type names the type it is part of, by its name or as `Self`. A name that leads back to it
/// in another way is left to rustc.
pub(super) fn own_name_in(ty: &Type, name: &Ident, generics: &Generics) -> Option<Span> {
    find(ty, &|ident| {
        *ident == "Self"
            || (ident == name && !generics.type_params().any(|param| param.ident == *name))
    })
}

/// Whether a type names a type parameter.
pub(super) fn names_parameter(ty: &Type, parameter: &Ident) -> bool {
    find(ty, &|ident| ident == parameter).is_some()
}

/// The first path of one word that is looked for. The first word of a longer path counts when it is
/// followed by more, as in `T::Item`.
fn find(ty: &Type, wanted: &dyn Fn(&Ident) -> bool) -> Option<Span> {
    match ty {
        Type::Array(array) => find(&array.elem, wanted),
        Type::Group(group) => find(&group.elem, wanted),
        Type::Paren(paren) => find(&paren.elem, wanted),
        Type::Reference(reference) => find(&reference.elem, wanted),
        Type::Slice(slice) => find(&slice.elem, wanted),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|ty| find(ty, wanted)),
        Type::Path(path) => {
            if let Some(of) = &path.qself
                && let Some(span) = find(&of.ty, wanted)
            {
                return Some(span);
            }
            if path.qself.is_none()
                && path.path.leading_colon.is_none()
                && let Some(first) = path.path.segments.first()
                && wanted(&first.ident)
            {
                return Some(first.ident.span());
            }
            path.path.segments.iter().find_map(|segment| {
                let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                    return None;
                };
                arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::Type(ty) => find(ty, wanted),
                    _ => None,
                })
            })
        }
        _ => None,
    }
}
