//! Imports of the functions of a list.
//!
//! The tool of a function is a type of its name. A type path to a function without `#[tool]` fails with
//! "expected type, found function", which says nothing about the attribute. An import finds the function
//! as well as the type; where there is no type, the name is that of a placeholder around the import, and a
//! check reports the missing attribute.
//!
//! The import is the only place that names the path of the function, so that a missing or private function
//! gives one error. Everything else names the function by the import, with the span of the token that an
//! editor should lead from.

use crate::runtime_path::is_crate;
use crate::tool_list::Element;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Path, PathArguments};

/// A token that leads to the function of an element.
pub(crate) struct Mention {
    /// The place of the element in its list.
    pub(crate) element: usize,
    pub(crate) token: Span,
}

/// The body with the functions of a list in scope. For `say_hello`, which the gram token `sayHello`
/// mentions:
///
/// ```ignore
/// {
///     use rt::FunctionWithoutTool as __tool_say_hello;
///     {
///         #[allow(deprecated)]
///         use say_hello as __tool_say_hello;
///         const _: () = { let _ = (__tool_say_hello,); };   // at the gram token
///         …
///     }
/// }
/// ```
///
/// A deprecated function gives one warning: at the token that mentions it, or else at the import.
pub(crate) fn in_scope(
    rt: &TokenStream,
    elements: &[Element],
    mentions: &[Mention],
    body: &TokenStream,
) -> TokenStream {
    let (mut placeholders, mut imports, mut mentioned) = (Vec::new(), Vec::new(), Vec::new());
    for (at, element) in elements.iter().enumerate() {
        let Element::Function(path) = element else {
            continue;
        };
        let Some(import) = opt_import(path) else {
            continue;
        };
        let mention = mentions.iter().find(|mention| mention.element == at);
        let allowed = mention.map(|mention| {
            let mut import = import.clone();
            import.set_span(mention.token);
            mentioned.push(import);
            quote!(#[allow(deprecated)])
        });
        imports.push(quote! {
            #[allow(unused_imports)]
            #allowed
            use #path as #import;
        });
        placeholders.push(quote!(#rt::FunctionWithoutTool as #import));
    }
    if imports.is_empty() {
        return body.clone();
    }
    let mentioned =
        (!mentioned.is_empty()).then(|| quote!(const _: () = { let _ = (#(#mentioned,)*); };));
    quote! {{
        #[allow(unused_imports)]
        use {#(#placeholders),*};
        {
            #(#imports)*
            #mentioned
            #body
        }
    }}
}

/// Returns the type of the tool of a function.
pub(crate) fn tool_type(path: &Path) -> TokenStream {
    match opt_import(path) {
        Some(import) => quote!(#import),
        None => quote!(#path),
    }
}

/// Returns the name under which the function of a path is imported. `None` if it cannot be: then the path
/// is a type path.
fn opt_import(path: &Path) -> Option<Ident> {
    let plain = |segment: &syn::PathSegment| matches!(segment.arguments, PathArguments::None);
    let last = path.segments.last()?;
    let alone = path.segments.len() == 1 && path.leading_colon.is_none();
    if !path.segments.iter().all(plain) || (alone && is_ambiguous(&last.ident.unraw().to_string()))
    {
        return None;
    }
    let names: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.unraw().to_string().replace('$', ""))
        .collect();
    Some(format_ident!(
        "__tool_{}",
        names.join("__"),
        span = last.ident.span()
    ))
}

/// Whether a name alone means something everywhere: a crate, a type or function of the language. An import
/// of a function of that name is ambiguous for rustc when a macro, such as `#[tool]`, made the function. A
/// type path is not.
fn is_ambiguous(name: &str) -> bool {
    const CRATES: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];
    const TOOLS: [&str; 5] = ["clippy", "diagnostic", "miri", "rust_analyzer", "rustfmt"];
    const TYPES: [&str; 19] = [
        "bool", "char", "f128", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize",
        "str", "u128", "u16", "u32", "u64", "u8", "usize",
    ];
    const FUNCTIONS: [&str; 5] = ["align_of", "align_of_val", "drop", "size_of", "size_of_val"];
    [&CRATES[..], &TOOLS, &TYPES, &FUNCTIONS]
        .iter()
        .any(|names| names.contains(&name))
        || is_crate(name)
}
