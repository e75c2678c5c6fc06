//! Parses the function of a tool.

use super::function::{Function, Input, Pattern, conditions};
use super::settings::{
    FunctionSettings, ParameterSettings, ToolAttribute, is_tool, read_function_settings,
    read_parameter_settings,
};
use crate::doc::{DocComment, has_conditional};
use crate::report::Report;
use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Meta, Type, Visibility};

/// A function with the settings of the tool it becomes.
pub(crate) struct ParsedTool {
    pub(crate) function: Function,
    pub(crate) settings: FunctionSettings,
    pub(crate) parameters: Vec<ParsedParameter>,
    pub(crate) doc: DocComment,
}

/// A parameter with its settings.
pub(crate) struct ParsedParameter {
    pub(crate) pattern: Pattern,
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
                Some(other) => report.error(other.keyword.span(), other.message()),
                None => report.syn(&error),
            }
            return None;
        }
    };
    if let Some(receiver) = function.receiver() {
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
    for attribute in function.attributes.iter().filter(|found| is_tool(found)) {
        report.error_on(
            attribute,
            "`#[tool]` is there twice; write all settings into one",
        );
    }
    let mut parameters = Vec::new();
    for parameter in function.signature.parameters() {
        parameters.push(ParsedParameter {
            pattern: parameter.pattern.clone(),
            ty: parameter.ty.clone(),
            doc: DocComment::of(&parameter.attributes),
            settings: read_parameter_settings(report, &parameter.attributes, ToolAttribute::Tool),
            conditions: conditions(&parameter.attributes),
        });
    }
    let doc = DocComment::of(&function.attributes);
    strip_attributes(&mut function, ToolAttribute::Tool);
    ParsedTool {
        function,
        settings,
        parameters,
        doc,
    }
}

/// Removes our attributes and doc comments from the parameters, where rustc rejects them.
pub(crate) fn strip_attributes(function: &mut Function, of: ToolAttribute) {
    let is_own = |meta: &Meta| of.is(meta);
    function
        .attributes
        .retain(|attribute| !is_own(&attribute.meta));
    let is_doc = |meta: &Meta| meta.path().is_ident("doc");
    for input in &mut function.signature.inputs {
        if let Input::Parameter(parameter) = input {
            parameter.attributes.retain(|attribute| {
                !is_own(&attribute.meta)
                    && !is_doc(&attribute.meta)
                    && !has_conditional(attribute, is_doc)
                    && !has_conditional(attribute, is_own)
            });
        }
    }
}

/// An item that is not a function.
struct OtherItem {
    /// The keyword of the item.
    keyword: Ident,
}

/// The keywords of items other than functions. `const`, `unsafe` and `extern` can begin a function
/// with a syntax error, so they are not included.
const KEYWORDS: [&str; 10] = [
    "struct",
    "enum",
    "union",
    "impl",
    "trait",
    "mod",
    "static",
    "type",
    "use",
    "macro_rules",
];

/// Returns the keyword of an item, or `None` if it may be a function with a syntax error.
fn other_item(item: TokenStream) -> Option<OtherItem> {
    let parser = |input: ParseStream<'_>| {
        let _ = input.call(Attribute::parse_outer)?;
        let _: Visibility = input.parse()?;
        let mut keyword = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
        if keyword == "unsafe" && input.peek(syn::Token![impl]) {
            keyword = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
        }
        let is_constant = keyword == "const" && input.peek2(syn::Token![:]);
        let rest: TokenStream = input.parse()?;
        drop(rest);
        Ok((keyword, is_constant))
    };
    let (keyword, is_constant) = parser.parse2(item).ok()?;
    let is_other = is_constant || KEYWORDS.iter().any(|other| keyword == other);
    is_other.then_some(OtherItem { keyword })
}

impl OtherItem {
    fn message(&self) -> &'static str {
        match self.keyword.to_string().as_str() {
            "struct" | "enum" | "union" => {
                "`#[tool]` goes on a function; a type that tools take or give back has \
                 `#[derive(GramType)]`"
            }
            "impl" => {
                "`#[tool]` goes on a function; an `impl` block whose methods are tools has \
                 `#[toolbox]`, and `#[tool]` on each of these methods"
            }
            _ => "`#[tool]` goes on a function",
        }
    }
}
