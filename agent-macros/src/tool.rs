//! `#[tool]`: parse, check, expand.

mod call;
mod check;
mod descriptor;
mod expand;
mod function;
mod parse;
mod settings;

// The parts that the methods of a toolbox and the functions of agents share with functions.
pub(crate) use call::{Callee, call_parameters, expand_call};
pub(crate) use check::{
    CheckedParameter, CheckedTool, UnsupportedType, check_default, check_parameter_name,
    check_parameters, check_stated_default, check_tool, check_tool_name, description_of, types_in,
    unsupported_type, without_groups,
};
pub(crate) use descriptor::{expand_descriptor, expand_params, expand_result_check, expand_slots};
pub(crate) use expand::{expand_broken_tool, expand_type, imports, type_visibility, wrap};
pub(crate) use function::{Function, conditions, name_of};
pub(crate) use parse::{ParsedParameter, ParsedTool, read_parameters, read_tool, strip_attributes};
pub(crate) use settings::{ToolAttribute, is_tool};

use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// Expands to the function, without our attributes on its parameters, and the tool beside it.
pub(crate) fn expand_tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand_with(arguments, item, expand::wrap)
}

/// Calls `wrap` with the path of agent-runtime, the name of the function, and the tool.
fn expand_with(
    arguments: TokenStream,
    item: TokenStream,
    wrap: impl FnOnce(&TokenStream, &Ident, &TokenStream) -> TokenStream,
) -> TokenStream {
    let report = Report::default();
    let Some(parsed) = parse::parse_tool(&report, arguments, item.clone()) else {
        // The item is not a function. It is left to rustc, which has the best message.
        let errors = report.finish();
        return quote!(#item #errors);
    };
    let checked = check::check_tool(&report, &parsed);
    let tool = match (checked, report.is_empty()) {
        (Some(tool), true) => Some(expand::expand(&tool)),
        // A type is not allowed beside a method.
        _ if parsed.function.is_associated() => None,
        _ => Some(expand::expand_skeleton(&parsed)),
    };
    let krate = check::crate_path(&parsed);
    let tool = tool.map(|tool| wrap(&krate, &parsed.function.signature.ident, &tool));
    let function = parsed.function;
    let errors = report.finish();
    quote!(#function #tool #errors)
}

#[cfg(test)]
mod tests;
