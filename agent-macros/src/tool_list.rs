//! `tools!`: a library of the named tools.

use crate::report::Report;
use crate::tokens::respanned;
use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Path, Token};

/// The library as an expression. Two tools of one name are refused when it is compiled, at the
/// second one.
pub(crate) fn expand_tools(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::agent_runtime),
    };
    let rt = quote!(#krate::__private);
    let report = Report::new();
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    let paths: Vec<Path> = match parser.parse2(tokens.collect()) {
        Ok(paths) => paths.into_iter().collect(),
        Err(error) => {
            report.error(
                error.span(),
                "a tool is named by its function; write `tools![say_hello, get_time]`",
            );
            Vec::new()
        }
    };
    let descriptors: Vec<TokenStream> = paths
        .iter()
        .map(|path| quote_spanned!(path.span()=> #rt::ToolSet::Tool(<#path as #rt::StaticTool>::DESCRIPTOR)))
        .collect();
    let unique = paths.iter().enumerate().skip(1).map(|(at, path)| {
        let check = respanned(
            quote!(#rt::check_unique(TOOLS, #at, "library")),
            path.span(),
        );
        quote!(const _: () = #check;)
    });
    let tools = paths
        .iter()
        .map(|path| quote_spanned!(path.span()=> #rt::instance::<#path>()));
    let errors = report.finish();
    quote! {{
        #errors
        #[allow(dead_code)]
        const SETS: &[#rt::ToolSet] = &[#(#descriptors),*];
        #[allow(dead_code)]
        const TOOLS: &[#rt::ListedTool] = &#rt::list_tools::<{ #rt::ToolSet::Sets(SETS).len() }>(SETS);
        #(#unique)*
        #rt::library_of([#(#tools),*])
    }}
}
