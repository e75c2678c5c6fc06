//! `#[toolbox]`: parse, check, expand.

mod block;
mod check;
mod expand;
mod parse;

use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands to the block, without our attributes on its methods, and the toolbox beside it.
pub(crate) fn expand_toolbox(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let report = Report::default();
    let Some(parsed) = parse::parse_toolbox(&report, arguments, item.clone()) else {
        // The item is not a block of methods. It is left to rustc, which has the best message.
        let errors = report.finish();
        return quote!(#item #errors);
    };
    let checked = check::check_toolbox(&report, &parsed);
    let toolbox = match (checked, report.is_empty()) {
        (Some(toolbox), true) => expand::expand(&toolbox),
        _ => expand::expand_skeleton(&parsed),
    };
    let block = parsed.block;
    let errors = report.finish();
    quote!(#block #toolbox #errors)
}

#[cfg(test)]
mod tests;
