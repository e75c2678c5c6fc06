//! What the function returns.

use super::shape::bare;
use crate::report::Report;
use syn::spanned::Spanned;
use syn::{
    AssocType, GenericArgument, PathArguments, ReturnType, Type, TypeImplTrait, TypeParamBound,
};

/// What a function returns.
pub(super) struct Returned {
    /// The type, or what the future gives; nothing for `()`.
    pub(super) ty: Option<Type>,
    pub(super) is_future: bool,
}

/// Finds what is returned. Reports what cannot be the result of a tool.
pub(super) fn check_result(report: &Report, output: &ReturnType) -> Option<Returned> {
    let ReturnType::Type(_, ty) = output else {
        return Some(Returned {
            ty: None,
            is_future: false,
        });
    };
    match bare(ty) {
        Type::ImplTrait(found) => {
            let output = future_output(found);
            if output.is_none() {
                report.error_on(
                    ty,
                    "a tool must name what it returns; write the type itself, or \
                     `impl Future<Output = T>`",
                );
            }
            Some(Returned {
                ty: Some(output?),
                is_future: true,
            })
        }
        Type::Never(never) => {
            report.error(
                never.span(),
                "a model waits for what a tool returns, and this function never does; write `()`, \
                 or `Result<(), E>`",
            );
            None
        }
        _ => Some(Returned {
            ty: Some((**ty).clone()),
            is_future: false,
        }),
    }
}

/// The `T` of `impl Future<Output = T>`. That it is the future of the standard library, rustc sees
/// to when it is awaited.
fn future_output(found: &TypeImplTrait) -> Option<Type> {
    found.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(AssocType { ident, ty, .. }) if ident == "Output" => {
                Some(ty.clone())
            }
            _ => None,
        })
    })
}
