//! Keeping a tool together, where it stands in an `impl` block that a macro cannot see.
//!
//! A type and its implementations cannot stand there, and rustc would report each of them, and
//! everything that then does not find the type. So they are one item for it: an attribute on an empty
//! implementation, which gives them back. In an `impl` block rustc refuses the implementation, at
//! the name of the function, before it looks at the attribute.

use crate::tokens::respanned;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// The items of a tool as one:
///
/// ```ignore
/// #[::agent_runtime::__private::module_items { struct greet {} const _: () = { … }; }]
/// impl greet {}
/// ```
pub(super) fn wrap(krate: &TokenStream, function: &Ident, items: &TokenStream) -> TokenStream {
    let item = respanned(quote!(impl #function {}), function.span());
    quote! {
        #[#krate::__private::module_items { #items }]
        #item
    }
}
