//! The test that writes the gram of a toolbox to a file.

use super::check::{CheckedToolbox, Export};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};

/// The test that writes the gram of the toolbox to a file. It is an item of its own: tests inside
/// others are not found.
pub(super) fn expand_export(toolbox: &CheckedToolbox<'_>, export: &Export) -> TokenStream {
    let Export { span, folder, name } = export;
    let krate = &toolbox.krate;
    let (ty, conditions) = (toolbox.ty, &toolbox.conditions);
    let test = format_ident!(
        "export_gram_of_{}",
        snake_case(name),
        span = Span::mixed_site()
    );
    quote_spanned! {*span=>
        #(#conditions)*
        #[cfg(test)]
        #[#krate::__private::test]
        fn #test() {
            #krate::__private::export_toolbox::<#ty>(
                #krate::__private::env!("CARGO_MANIFEST_DIR"), #folder, #name,
            );
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
