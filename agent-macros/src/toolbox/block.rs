//! An `impl` block whose bodies are kept as tokens.

use crate::tool::{Function, ParsedTool};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::discouraged::Speculative as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, Generics, Ident, Path, Token, Type, Visibility, token};

/// An `impl` block.
pub(crate) struct Block {
    pub(super) attributes: Vec<Attribute>,
    pub(super) safety: Option<Token![unsafe]>,
    pub(super) impl_token: Token![impl],
    pub(super) generics: Generics,
    /// The trait that the block implements, if it does.
    pub(super) of_trait: Option<Path>,
    /// The tokens between `impl<…>` and `where`.
    head: TokenStream,
    pub(super) ty: Type,
    pub(super) items: Vec<Item>,
    braces: token::Brace,
}

/// An item of a block.
pub(crate) enum Item {
    /// A function with a body.
    Function(Box<Function>),
    /// A function that is a tool, without our attributes.
    Tool(Box<ParsedTool>),
    /// Any other item.
    Other(TokenStream),
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let safety = input.parse()?;
        let impl_token = input.parse()?;
        let mut generics: Generics = if has_generics(input) {
            input.parse()?
        } else {
            Generics::default()
        };
        let head = head(input)?;
        let (of_trait, ty) = parse_head.parse2(head.clone())?;
        generics.where_clause = input.parse()?;
        let content;
        let braces = syn::braced!(content in input);
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Self {
            attributes,
            safety,
            impl_token,
            generics,
            of_trait,
            head,
            ty,
            items,
            braces,
        })
    }
}

/// Whether `<` starts the parameters of the block, and not the type `<T as Trait>::Type`.
fn has_generics(input: ParseStream<'_>) -> bool {
    input.peek(Token![<])
        && (input.peek2(Token![>])
            || input.peek2(Token![#])
            || input.peek2(Token![const])
            || input.peek2(syn::Lifetime)
            || (input.peek2(Ident)
                && (input.peek3(Token![:])
                    || input.peek3(Token![,])
                    || input.peek3(Token![>])
                    || input.peek3(Token![=]))
                && !input.peek3(Token![::])))
}

/// Returns the tokens up to `where` or the braces.
fn head(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![where]) && !input.peek(token::Brace) {
        tokens.append(input.parse::<TokenTree>()?);
    }
    Ok(tokens)
}

/// `Type`, or `Trait for Type`.
fn parse_head(input: ParseStream<'_>) -> syn::Result<(Option<Path>, Type)> {
    let ahead = input.fork();
    ahead.parse::<Option<Token![!]>>()?;
    if ahead.parse::<Path>().is_ok() && ahead.peek(Token![for]) {
        input.parse::<Option<Token![!]>>()?;
        let of_trait = input.parse()?;
        input.parse::<Token![for]>()?;
        return Ok((Some(of_trait), input.parse()?));
    }
    Ok((None, input.parse()?))
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        match ahead.parse::<Function>() {
            Ok(function) => {
                input.advance_to(&ahead);
                Ok(Self::Function(Box::new(function)))
            }
            Err(_) => other(input).map(Self::Other),
        }
    }
}

/// Parses an item other than a function: up to its semicolon or, for a macro, its braces.
fn other(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    for attribute in input.call(Attribute::parse_outer)? {
        attribute.to_tokens(&mut tokens);
    }
    input.parse::<Visibility>()?.to_tokens(&mut tokens);
    let mut is_macro = false;
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let is_end = match &token {
            TokenTree::Punct(punct) => {
                is_macro |= punct.as_char() == '!' && !has_equals(&tokens);
                punct.as_char() == ';'
            }
            TokenTree::Group(group) => is_macro && group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        tokens.append(token);
        if is_end {
            break;
        }
    }
    Ok(tokens)
}

/// Whether a value follows, as in `const A: u8 = …`, so that a `!` does not mean a macro item.
fn has_equals(tokens: &TokenStream) -> bool {
    tokens
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '='))
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.safety.to_tokens(tokens);
        self.impl_token.to_tokens(tokens);
        self.generics.to_tokens(tokens);
        self.head.to_tokens(tokens);
        self.generics.where_clause.to_tokens(tokens);
        let mut items = TokenStream::new();
        for item in &self.items {
            match item {
                Item::Function(function) => function.to_tokens(&mut items),
                Item::Tool(tool) => tool.function.to_tokens(&mut items),
                Item::Other(other) => other.to_tokens(&mut items),
            }
        }
        let mut body = Group::new(Delimiter::Brace, items);
        body.set_span(self.braces.span.join());
        tokens.append(body);
    }
}
