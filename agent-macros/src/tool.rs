//! `#[tool]`: parse, check, expand.

mod call;
mod check;
mod descriptor;
mod expand;
mod parse;
mod settings;

// What the methods of a toolbox share with functions.
pub(crate) use call::{Callee, call_parameters, expand_call};
pub(crate) use check::{CheckedTool, check_tool};
pub(crate) use descriptor::{expand_descriptor, expand_slots};
pub(crate) use expand::imports;
pub(crate) use parse::{Function, ParsedTool, conditions, read_tool, strip_attributes};
pub(crate) use settings::{is_tool, read_case, read_export, read_path};

use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;

/// The function, unchanged but for our attributes on its parameters, and the tool beside it.
pub(crate) fn expand_tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let report = Report::new();
    let Some(parsed) = parse::parse_tool(&report, arguments, item.clone()) else {
        // Not a function at all: leave it to rustc, which says best what it is.
        let errors = report.finish();
        return quote!(#item #errors);
    };
    let checked = check::check_tool(&report, &parsed);
    let tool = match (checked, report.is_empty()) {
        (Some(tool), true) => expand::expand(&tool),
        _ => expand::expand_skeleton(&parsed),
    };
    let function = parsed.function;
    let errors = report.finish();
    quote!(#function #tool #errors)
}

#[cfg(test)]
mod tests;
