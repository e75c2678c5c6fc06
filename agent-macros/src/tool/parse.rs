//! The function as written.

use super::settings::{
    FunctionSettings, ParameterSettings, is_tool, read_function_settings, read_parameter_settings,
};
use crate::report::Report;
use proc_macro2::TokenStream;
use syn::{Attribute, Expr, FnArg, ItemFn, Lit, Meta, Pat, Type};

/// A function with the settings of the tool it becomes.
pub(super) struct ParsedTool {
    pub(super) function: ItemFn,
    pub(super) settings: FunctionSettings,
    pub(super) parameters: Vec<ParsedParameter>,
}

/// A parameter with its settings.
pub(super) struct ParsedParameter {
    pub(super) pattern: Pat,
    pub(super) ty: Type,
    pub(super) doc: String,
    pub(super) settings: ParameterSettings,
}

/// Reads the function and all settings; nothing when the item is no function.
pub(super) fn parse_tool(
    report: &Report,
    arguments: TokenStream,
    item: TokenStream,
) -> Option<ParsedTool> {
    let function: ItemFn = match syn::parse2(item) {
        Ok(function) => function,
        Err(error) => {
            report.error(
                error.span(),
                format!("`#[tool]` goes on a function with a body ({error})"),
            );
            return None;
        }
    };
    let settings = read_function_settings(report, arguments);
    for attribute in function.attrs.iter().filter(|attribute| is_tool(attribute)) {
        report.error(
            attribute.pound_token.span,
            "`#[tool]` is there twice; remove one",
        );
    }
    let mut parameters = Vec::new();
    for input in &function.sig.inputs {
        match input {
            FnArg::Typed(typed) => {
                refuse_cfg(report, &typed.attrs);
                parameters.push(ParsedParameter {
                    pattern: (*typed.pat).clone(),
                    ty: (*typed.ty).clone(),
                    doc: doc_of(&typed.attrs),
                    settings: read_parameter_settings(report, &typed.attrs),
                });
            }
            FnArg::Receiver(receiver) => report.error(
                receiver.self_token.span,
                "a method cannot be a tool by itself; `#[tool]` goes on a free function",
            ),
        }
    }
    Some(ParsedTool {
        function,
        settings,
        parameters,
    })
}

/// A parameter that comes and goes would be a tool of two types.
fn refuse_cfg(report: &Report, attributes: &[Attribute]) {
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
    {
        report.error(
            attribute.pound_token.span,
            "a parameter of a tool cannot depend on `cfg`; write two functions, each with its `cfg`",
        );
    }
}

/// Takes our attributes off the parameters, and doc comments, which rustc refuses there.
pub(super) fn strip_attributes(function: &mut ItemFn) {
    function.attrs.retain(|attribute| !is_tool(attribute));
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(typed) = input {
            typed
                .attrs
                .retain(|attribute| !is_tool(attribute) && !attribute.path().is_ident("doc"));
        }
    }
}

/// The doc comment: the texts of all `#[doc = "…"]`, a line each.
pub(super) fn doc_of(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        if let Meta::NameValue(meta) = &attribute.meta
            && let Expr::Lit(literal) = &meta.value
            && let Lit::Str(text) = &literal.lit
        {
            lines.push(text.value());
        }
    }
    lines.join("\n")
}
