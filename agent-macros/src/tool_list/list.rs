//! A list of tools that are known when they are compiled, and the constants made of it.

use super::element::Element;
use crate::report::Report;
use crate::tokens::respanned;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;
use syn::Token;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;

/// Reads the elements of a list, in brackets or not. Reports what is wrong, with an example.
pub(crate) fn read_list<T: Parse>(report: &Report, tokens: TokenStream, example: &str) -> Vec<T> {
    let parser = Punctuated::<T, Token![,]>::parse_terminated;
    match parser.parse2(tokens) {
        Ok(elements) => elements.into_iter().collect(),
        Err(error) => {
            let said = error.to_string();
            // What syn says by itself is about Rust and not about tools.
            let message = if said.starts_with("expected") || said.starts_with("unexpected") {
                format!("a tool is named by its function; {example}")
            } else {
                said
            };
            report.error(error.span(), message);
            Vec::new()
        }
    }
}

/// Takes out elements that are named a second time, and reports them. Two names for one tool are
/// found when the list is compiled. Gives back where the elements stood.
pub(crate) fn refuse_repeated(
    report: &Report,
    elements: &mut Vec<Element>,
    owner: &str,
) -> Vec<usize> {
    let (mut seen, mut repeated) = (HashSet::new(), Vec::new());
    let mut at = 0;
    elements.retain(|element| {
        let text = element.tokens().to_string();
        let name = element.name();
        let is_new = seen.insert(text);
        if !is_new {
            repeated.push(at);
            let (start, end) = element.spans();
            report.error_between(
                start,
                end,
                format!("`{name}` is already among the tools of this {owner}; remove it here"),
            );
        }
        at += 1;
        is_new
    });
    repeated
}

/// The constants `SETS`, an element each, and `TOOLS`, all tools in one list; with one for each method,
/// which stops when there is none, and one more, which stops at the first element with a tool that has
/// the name of one before.
pub(crate) fn constants(rt: &TokenStream, elements: &[Element], owner: &str) -> TokenStream {
    let sets = elements.iter().map(|element| element.set(rt));
    let unique = elements.iter().enumerate().skip(1).map(|(at, element)| {
        let (start, end) = element.spans();
        let check = respanned(quote!(#rt::check_unique), start);
        let arguments = respanned(quote!((LIST, #at)), end);
        quote!(#check #arguments;)
    });
    let names: Vec<_> = elements.iter().map(Element::name).collect();
    let names = names.join("\n");
    let checks: Vec<_> = elements
        .iter()
        .filter_map(|element| element.check(rt))
        .collect();
    let fallback = (!checks.is_empty()).then(|| {
        quote! {
            #[allow(unused_imports)]
            use #rt::FallbackMethod as _;
        }
    });
    quote! {
        #fallback
        #(#checks)*
        #[allow(dead_code)]
        const SETS: &[#rt::ToolSet] = &[#(#sets),*];
        #[allow(dead_code)]
        const TOOLS: &[#rt::ListedTool] =
            &#rt::list_tools::<{ #rt::ToolSet::Sets(SETS).len() }>(SETS);
        const _: () = if #rt::has_doubles(TOOLS) {
            const LIST: &#rt::WrittenList =
                &#rt::WrittenList { tools: TOOLS, elements: #names, owner: #owner };
            #(#unique)*
        };
    }
}
