//! The function as written.

mod item;

use super::settings::{
    FunctionSettings, ParameterSettings, is_tool, is_tool_meta, read_function_settings,
    read_parameter_settings,
};
use crate::doc::{Doc, has_conditional};
use crate::report::Report;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, FnArg, Meta, Pat, Receiver, Signature, Type, Visibility};

/// A function with the settings of the tool it becomes.
pub(super) struct ParsedTool {
    pub(super) function: Function,
    pub(super) settings: FunctionSettings,
    pub(super) parameters: Vec<ParsedParameter>,
    pub(super) doc: Doc,
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
    pub(super) doc: Doc,
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
            other => Err(syn::Error::new(
                other.span(),
                "a tool does what its function does, so the function needs a body",
            )),
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
    let mut function = match Function::parse.parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            match item::other_item(item) {
                Some(other) => report.error(other.keyword.span(), other.message()),
                None => report.syn(&error),
            }
            return None;
        }
    };
    let settings = read_function_settings(report, arguments);
    for attribute in function.attributes.iter().filter(|found| is_tool(found)) {
        report.error_on(
            attribute,
            "`#[tool]` is there twice; write all settings into one",
        );
    }
    let mut parameters = Vec::new();
    for input in &function.signature.inputs {
        match input {
            FnArg::Typed(typed) => parameters.push(ParsedParameter {
                pattern: (*typed.pat).clone(),
                ty: (*typed.ty).clone(),
                doc: Doc::of(&typed.attrs),
                settings: read_parameter_settings(report, &typed.attrs),
                conditions: conditions(&typed.attrs),
            }),
            FnArg::Receiver(receiver) => report.error(
                receiver.self_token.span,
                "a method is a tool of the value it belongs to: write `#[toolbox]` on the `impl` \
                 block as well",
            ),
        }
    }
    let doc = Doc::of(&function.attributes);
    strip_attributes(&mut function);
    Some(ParsedTool {
        function,
        settings,
        parameters,
        doc,
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
    let is_doc = |meta: &Meta| meta.path().is_ident("doc");
    for input in &mut function.signature.inputs {
        if let FnArg::Typed(typed) = input {
            typed.attrs.retain(|attribute| {
                !is_tool(attribute)
                    && !is_doc(&attribute.meta)
                    && !has_conditional(attribute, is_doc)
                    && !has_conditional(attribute, is_tool_meta)
            });
        }
    }
}
