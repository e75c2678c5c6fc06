//! `#[agent_fn]`: parse, check, expand.

mod check;
mod expand;
mod parse;
mod settings;

use crate::report::Report;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// Expands to the function with a body that calls the agent, and the agent beside it.
pub(crate) fn expand_agent_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let report = Report::default();
    let Some(parsed) = parse::parse_agent_fn(&report, arguments, item.clone()) else {
        // An item with a body, or another item, is left to rustc. A declaration with a mistake is left out, because
        // rustc would ask for its body.
        let errors = report.finish();
        let is_declaration = matches!(
            item.clone().into_iter().last(),
            Some(TokenTree::Punct(punct)) if punct.as_char() == ';' && parse::is_function(&item)
        );
        let item = (!is_declaration).then_some(item);
        return quote!(#item #errors);
    };
    let checked = check::check_agent_fn(&report, &parsed);
    let expanded = match (checked, report.is_empty()) {
        (Some(checked), true) => expand::expand(&report, &checked),
        _ => None,
    };
    let expanded = expanded.unwrap_or_else(|| expand::expand_skeleton(&parsed));
    let errors = report.finish();
    quote!(#expanded #errors)
}

#[cfg(test)]
mod tests;
