//! `#[derive(GramType)]`: parse, check, expand.

mod check;
mod expand;
mod parse;
mod serde;
mod settings;

use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands to the implementation of `GramType` for a type.
pub(crate) fn expand_gram_type(item: TokenStream) -> TokenStream {
    let report = Report::default();
    let Some(parsed) = parse::parse_type(&report, item) else {
        return report.finish();
    };
    let checked = check::check_type(&report, &parsed);
    let implementation = match (checked, report.is_empty()) {
        (Some(checked), true) => expand::expand(&parsed, &checked),
        _ => expand::expand_skeleton(&parsed),
    };
    let errors = report.finish();
    quote!(#implementation #errors)
}

#[cfg(test)]
mod tests;
