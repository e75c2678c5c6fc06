//! An `impl` block whose bodies are kept as tokens.

use crate::tool::{Function, ParsedTool};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{ImplItem, ItemImpl};

/// An `impl` block.
pub(crate) struct Block {
    /// The block without its items.
    pub(super) head: ItemImpl,
    pub(super) items: Vec<Item>,
}

/// An item of a block.
pub(crate) enum Item {
    /// A function with a body.
    Function(Box<Function>),
    /// A function that is a tool, without our attributes.
    Tool(Box<ParsedTool>),
    /// Any other item, or the items from the first one on that cannot be parsed.
    Other(TokenStream),
}

impl Block {
    pub(super) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut items = TokenStream::new();
        if let Some(TokenTree::Group(body)) = tokens.last_mut() {
            items = body.stream();
            let mut empty = Group::new(body.delimiter(), TokenStream::new());
            empty.set_span(body.span());
            *body = empty;
        }
        Ok(Self {
            head: syn::parse2(tokens.into_iter().collect())?,
            items: parse_items.parse2(items)?,
        })
    }
}

fn parse_items(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        let ahead = input.fork();
        if let Ok(function) = ahead.parse::<Function>() {
            input.advance_to(&ahead);
            items.push(Item::Function(Box::new(function)));
            continue;
        }
        let ahead = input.fork();
        let other = match ahead.parse::<ImplItem>() {
            Ok(item) => {
                input.advance_to(&ahead);
                item.into_token_stream()
            }
            // rustc reports the mistake.
            Err(_) => input.parse()?,
        };
        items.push(Item::Other(other));
    }
    Ok(items)
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let items = self.items.iter().map(|item| match item {
            Item::Function(function) => quote!(#function),
            Item::Tool(tool) => tool.function.to_token_stream(),
            Item::Other(other) => other.clone(),
        });
        let items = items.map(ImplItem::Verbatim).collect();
        let head = self.head.clone();
        ItemImpl { items, ..head }.to_tokens(tokens);
    }
}
