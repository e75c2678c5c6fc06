//! Parses the function of a tool.

use super::settings::{
    FunctionSettings, ParameterSettings, is_tool, is_tool_meta, read_function_settings,
    read_parameter_settings,
};
use crate::doc::{DocComment, has_conditional};
use crate::report::Report;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, FnArg, Meta, Pat, Receiver, Signature, Type, Visibility};

/// A function with the settings of the tool it becomes.
pub(crate) struct ParsedTool {
    pub(crate) function: Function,
    pub(crate) settings: FunctionSettings,
    pub(crate) parameters: Vec<ParsedParameter>,
    pub(crate) doc: DocComment,
}

/// A function whose body is kept as tokens.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: TokenTree,
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
    /// Returns `self`, if the function is a method.
    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.signature.receiver()
    }

    /// Returns the span of `Self` in the types of the parameters or of the result.
    fn self_type(&self) -> Option<Span> {
        let inputs = self.signature.inputs.to_token_stream();
        find_self(inputs).or_else(|| find_self(self.signature.output.to_token_stream()))
    }

    /// Whether the function is in an `impl` block or a trait, as far as its signature shows. A type
    /// is not allowed beside it.
    pub(crate) fn is_associated(&self) -> bool {
        self.receiver().is_some() || self.self_type().is_some()
    }

    /// Returns the lints that are allowed or expected in the function, as allowed, because its
    /// expansion names the same types.
    pub(crate) fn allowed(&self) -> Vec<TokenStream> {
        let lints = self.attributes.iter().filter_map(|attribute| {
            let path = attribute.path();
            let is_lint = path.is_ident("allow") || path.is_ident("expect");
            let list = attribute.meta.require_list().ok().filter(|_| is_lint)?;
            let lints = &list.tokens;
            Some(quote!(#[allow(#lints)]))
        });
        lints.collect()
    }

    /// Returns its `#[cfg(…)]` attributes, which apply to the tool, too.
    pub(crate) fn conditions(&self) -> Vec<Attribute> {
        conditions(&self.attributes)
    }
}

fn find_self(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => Some(ident.span()),
        TokenTree::Group(group) => find_self(group.stream()),
        _ => None,
    })
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
    for input in &function.signature.inputs {
        if let FnArg::Typed(typed) = input {
            parameters.push(ParsedParameter {
                pattern: (*typed.pat).clone(),
                ty: (*typed.ty).clone(),
                doc: DocComment::of(&typed.attrs),
                settings: read_parameter_settings(report, &typed.attrs),
                conditions: conditions(&typed.attrs),
            });
        }
    }
    let doc = DocComment::of(&function.attributes);
    strip_attributes(&mut function);
    ParsedTool {
        function,
        settings,
        parameters,
        doc,
    }
}

pub(crate) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Removes our attributes and doc comments from the parameters, where rustc rejects them.
pub(crate) fn strip_attributes(function: &mut Function) {
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
