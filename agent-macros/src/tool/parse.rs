//! Parses the function of a tool.

use super::function::{Function, conditions};
use super::settings::{
    FunctionSettings, ParameterSettings, ToolAttribute, read_function_settings,
    read_parameter_settings,
};
use crate::doc::{DocComment, has_conditional};
use crate::report::Report;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Meta, Pat, Type, Visibility};

/// A function with the settings of the tool it becomes.
pub(crate) struct ParsedTool {
    pub(crate) function: Function,
    pub(crate) settings: FunctionSettings,
    pub(crate) parameters: Vec<ParsedParameter>,
    pub(crate) doc: DocComment,
}

/// A parameter with its settings.
pub(crate) struct ParsedParameter {
    pub(crate) pattern: Pat,
    pub(crate) ty: Type,
    pub(crate) doc: DocComment,
    pub(crate) settings: ParameterSettings,
    /// The `#[cfg(…)]` on it.
    pub(crate) conditions: Vec<Attribute>,
}

/// Parses the function and all settings. Returns `None` if the item is not a function.
pub(super) fn parse_tool(
    report: &Report,
    arguments: TokenStream,
    item: TokenStream,
) -> Option<ParsedTool> {
    let function = match Function::parse.parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            match other_item(item) {
                Some((keyword, advice)) => report.error(keyword.span(), advice),
                None => report.syn(&error),
            }
            return None;
        }
    };
    if let Some(receiver) = function.signature.receiver() {
        report.error(
            receiver.self_token.span,
            "a method is a tool of a value: put `#[toolbox]` on the `impl` block, and leave \
             `#[tool]` here",
        );
    } else if let Some(place) = function.self_type() {
        report.error(
            place,
            "what `Self` is, a tool of its own cannot know; in an `impl` block, put `#[toolbox]` \
             on the block, or name the type",
        );
    }
    Some(read_tool(report, arguments, function))
}

/// Reads the settings of a function, or of a method of a toolbox without its `self`.
pub(crate) fn read_tool(
    report: &Report,
    arguments: TokenStream,
    mut function: Function,
) -> ParsedTool {
    let settings = read_function_settings(report, arguments);
    let parameters = read_parameters(report, &function, ToolAttribute::Tool);
    let doc = DocComment::of(&function.attributes);
    strip_attributes(&mut function, ToolAttribute::Tool);
    ParsedTool {
        function,
        settings,
        parameters,
        doc,
    }
}

/// Reads the parameters of a function. Reports a second attribute of ours on the function.
pub(crate) fn read_parameters(
    report: &Report,
    function: &Function,
    of: ToolAttribute,
) -> Vec<ParsedParameter> {
    for attribute in &function.attributes {
        if of.is(&attribute.meta) {
            let name = of.name();
            let message = format!("`#[{name}]` is there twice; write all settings into one");
            report.error_on(attribute, message);
        }
    }
    let parameters = function.parameters().map(|parameter| ParsedParameter {
        pattern: (*parameter.pat).clone(),
        ty: (*parameter.ty).clone(),
        doc: DocComment::of(&parameter.attrs),
        settings: read_parameter_settings(report, &parameter.attrs, of),
        conditions: conditions(&parameter.attrs),
    });
    parameters.collect()
}

/// Removes our attributes and doc comments from the parameters, where rustc rejects them.
pub(crate) fn strip_attributes(function: &mut Function, of: ToolAttribute) {
    let is_own = |meta: &Meta| of.is(meta);
    function
        .attributes
        .retain(|attribute| !is_own(&attribute.meta));
    let is_doc = |meta: &Meta| meta.path().is_ident("doc");
    for parameter in function.parameters_mut() {
        parameter.attrs.retain(|attribute| {
            !is_own(&attribute.meta)
                && !is_doc(&attribute.meta)
                && !has_conditional(attribute, is_doc)
                && !has_conditional(attribute, is_own)
        });
    }
}

/// Returns the keyword of an item and the advice for it, or `None` if it may be a function with a syntax error.
fn other_item(item: TokenStream) -> Option<(Ident, &'static str)> {
    let parser = |input: ParseStream<'_>| {
        let _ = input.call(Attribute::parse_outer)?;
        let _: Visibility = input.parse()?;
        let mut keyword = input.call(Ident::parse_any)?;
        if keyword == "unsafe" && input.peek(syn::Token![impl]) {
            keyword = input.call(Ident::parse_any)?;
        }
        let is_constant = keyword == "const" && input.peek2(syn::Token![:]);
        let _: TokenStream = input.parse()?;
        Ok((keyword, is_constant))
    };
    let (keyword, is_constant) = parser.parse2(item).ok()?;
    let advice = match keyword.to_string().as_str() {
        "struct" | "enum" | "union" => {
            "`#[tool]` goes on a function; a type that tools take or give back has \
             `#[derive(GramType)]`"
        }
        "impl" => {
            "`#[tool]` goes on a function; an `impl` block whose methods are tools has \
             `#[toolbox]`, and `#[tool]` on each of these methods"
        }
        "trait" | "mod" | "static" | "type" | "use" | "macro_rules" => {
            "`#[tool]` goes on a function"
        }
        "const" if is_constant => "`#[tool]` goes on a function",
        // `const`, `unsafe` and `extern` can begin a function, too.
        _ => return None,
    };
    Some((keyword, advice))
}
