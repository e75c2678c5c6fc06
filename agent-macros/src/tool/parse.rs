//! The function as written.

use super::settings::{
    FunctionSettings, ParameterSettings, is_tool, read_function_settings, read_parameter_settings,
};
use crate::report::Report;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Expr, FnArg, Lit, Meta, Pat, Receiver, Signature, Type, Visibility};

/// A function with the settings of the tool it becomes.
pub(super) struct ParsedTool {
    pub(super) function: Function,
    pub(super) settings: FunctionSettings,
    pub(super) parameters: Vec<ParsedParameter>,
}

/// A function whose body nobody looks into: it stays the tokens that it was.
pub(super) struct Function {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) signature: Signature,
    body: TokenTree,
}

/// A parameter with its settings.
pub(super) struct ParsedParameter {
    pub(super) pattern: Pat,
    pub(super) ty: Type,
    pub(super) doc: String,
    pub(super) settings: ParameterSettings,
    /// The `#[cfg(…)]` on it.
    pub(super) conditions: Vec<Attribute>,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        };
        match &function.body {
            TokenTree::Group(_) => Ok(function),
            other => Err(syn::Error::new(other.span(), "expected a body in braces")),
        }
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        tokens.append(self.body.clone());
    }
}

impl Function {
    /// What `self` is, when it is a method.
    pub(super) fn receiver(&self) -> Option<&Receiver> {
        self.signature.receiver()
    }

    /// The `#[cfg(…)]` on it, which hold for the tool, too.
    pub(super) fn conditions(&self) -> Vec<Attribute> {
        conditions(&self.attributes)
    }
}

/// Reads the function and all settings; nothing when the item is no function.
pub(super) fn parse_tool(
    report: &Report,
    arguments: TokenStream,
    item: TokenStream,
) -> Option<ParsedTool> {
    let mut function = match Function::parse.parse2(item) {
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
    for attribute in function
        .attributes
        .iter()
        .filter(|attribute| is_tool(attribute))
    {
        report.error(
            attribute.pound_token.span,
            "`#[tool]` is there twice; remove one",
        );
    }
    let mut parameters = Vec::new();
    for input in &function.signature.inputs {
        match input {
            FnArg::Typed(typed) => parameters.push(ParsedParameter {
                pattern: (*typed.pat).clone(),
                ty: (*typed.ty).clone(),
                doc: doc_of(&typed.attrs),
                settings: read_parameter_settings(report, &typed.attrs),
                conditions: conditions(&typed.attrs),
            }),
            FnArg::Receiver(receiver) => report.error(
                receiver.self_token.span,
                "a method cannot be a tool by itself; `#[tool]` goes on a free function",
            ),
        }
    }
    strip_attributes(&mut function);
    Some(ParsedTool {
        function,
        settings,
        parameters,
    })
}

fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Takes our attributes off the parameters, and doc comments, which rustc refuses there.
fn strip_attributes(function: &mut Function) {
    function.attributes.retain(|attribute| !is_tool(attribute));
    for input in &mut function.signature.inputs {
        if let FnArg::Typed(typed) = input {
            typed
                .attrs
                .retain(|attribute| !is_tool(attribute) && !attribute.path().is_ident("doc"));
        }
    }
}

/// The doc comment: the texts of all `#[doc = "…"]`, a line each.
pub(crate) fn doc_of(attributes: &[Attribute]) -> String {
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
